package command

import (
	"bytes"
	"fmt"

	"diskaudit/core/contract"
	"diskaudit/core/report/metrics"
)

// writeMetrics writes a status document as a file of metrics: to stdout, or whole or not at all to the
// file of --output. When the file cannot be written, stdout gets the JSON document, which can say why.
func (s *session) writeMetrics(settings settings, document contract.Status) error {
	if _, err := encode(contract.KindStatus, &document); err != nil {
		s.code = ExitFailed
		return s.writeFailure(contract.KindStatus, fmt.Sprintf("This program made a document that does not follow its own schema: %v. Please report it.", err))
	}
	var text bytes.Buffer
	if err := metrics.Write(&text, document); err != nil {
		return fmt.Errorf("writing the metrics: %w", err)
	}
	if settings.output == "" {
		return s.out.raw(text.Bytes())
	}
	err := writeFile(settings.output, text.Bytes())
	if err == nil {
		settings.log.Info("metrics written", "file", settings.output)
		return nil
	}
	s.code = ExitFailed
	document.Complete = false
	document.Problems = append(document.Problems, contract.Problem{
		Code: "output-failed", Level: contract.LevelError, Stage: "output", Target: settings.output,
		Text: fmt.Sprintf("The metrics could not be written to %s: %v. Choose a folder that exists, can be written to and has room.", settings.output, err),
	})
	settings.output, settings.format = "", formatJSON
	return s.write(settings, contract.KindStatus, &document, &document.Header, nil)
}
