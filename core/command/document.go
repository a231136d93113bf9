package command

import (
	"bytes"
	"fmt"
	"time"

	"diskaudit/core/contract"
)

func header(kind contract.Kind) contract.Header {
	return contract.Header{
		SchemaVersion: contract.SchemaVersion,
		Kind:          kind,
		Tool:          tool(),
		CollectedAt:   time.Now().UTC().Truncate(time.Second),
	}
}

// write validates a document and writes it where the settings say: the file of --output, or
// stdout. table writes it for people; nil when there is no such form. When the file cannot be
// written, the document goes to stdout with the reason in it, so that nothing is lost.
func (s *session) write(settings settings, kind contract.Kind, document any, head *contract.Header, table func(*output) error) error {
	data, err := encode(kind, document)
	if err != nil {
		s.code = ExitFailed
		return s.writeFailure(kind, fmt.Sprintf("This program made a document that does not follow its own schema: %v. Please report it.", err))
	}
	if settings.output != "" {
		err := writeFile(settings.output, append(data, '\n'))
		if err != nil {
			s.code = ExitFailed
			head.Complete = false
			head.Problems = append(head.Problems, contract.Problem{
				Code: "output-failed", Level: contract.LevelError, Stage: "output", Target: settings.output,
				Text: fmt.Sprintf("The document could not be written to %s: %v. It is on standard output instead; choose a folder that exists, can be written to and has room.", settings.output, err),
			})
			if data, err = encode(kind, document); err != nil {
				return err
			}
		} else {
			settings.log.Info("document written", "file", settings.output)
			if !s.asTable(settings) || table == nil {
				return nil
			}
		}
	}
	if s.asTable(settings) && table != nil {
		return table(s.out)
	}
	return s.out.raw(append(contract.ASCII(data), '\n'))
}

// asTable tells whether stdout gets the form for people.
func (s *session) asTable(settings settings) bool {
	return settings.format == formatTable || settings.format != formatJSON && s.out.terminal
}

// encode gives the document as one line of JSON, checked against its schema.
func encode(kind contract.Kind, document any) ([]byte, error) {
	data, err := contract.Encode(document)
	if err != nil {
		return nil, err
	}
	if err := contract.Validate(kind, data); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(data), nil
}

// writeFailure writes the smallest valid document of a kind, which says why there is no other.
func (s *session) writeFailure(kind contract.Kind, reason string) error {
	head := header(kind)
	head.Problems = append(head.Problems, contract.Problem{
		Code: "internal-error", Level: contract.LevelError, Stage: string(kind), Text: reason,
	})
	var document any = contract.Status{Header: head}
	switch kind {
	case contract.KindVersion:
		document = contract.VersionDocument{Header: head}
	case contract.KindBench:
		document = contract.Bench{Header: head}
	case contract.KindRemediate:
		document = contract.Remediation{Header: head}
	case contract.KindReport:
		document = contract.Report{Header: head}
	case contract.KindProfiles:
		document = contract.ProfilesDocument{Header: head}
	}
	data, err := encode(kind, document)
	if err != nil {
		return err
	}
	return s.out.raw(append(contract.ASCII(data), '\n'))
}
