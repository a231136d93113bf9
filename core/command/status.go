package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"diskaudit/core/audit"
	"diskaudit/core/contract"
	"diskaudit/core/language"
	"diskaudit/core/machine"
	"diskaudit/core/machine/image"
	"diskaudit/core/machine/recording"
	"diskaudit/core/machine/windows"
	"diskaudit/core/report"
)

func (s *session) statusCommand(kind *contract.Kind) *cli.Command {
	return &cli.Command{
		Name:  "status",
		Usage: "tell what is encrypted, how, by whom, what is wrong and what to do",
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "image", Usage: "read this disk or volume image `FILE` (raw, VHD, VHDX) or device instead of the computer; may be repeated"},
			&cli.StringFlag{Name: "recording", Usage: "audit the facts in `FILE`, written by --record on another machine"},
			&cli.StringFlag{Name: "record", Usage: "also write the facts to `FILE`, with names, serial numbers, labels and GUIDs replaced by stand-ins"},
			&cli.StringSliceFlag{Name: "volume", Usage: "only this `VOLUME`: C, C:, a GUID path, a mount folder, a device or an id; may be repeated"},
			&cli.StringFlag{Name: "fail-on", Usage: "exit 8 when a finding is at least this `SEVERITY`: " + severityList()},
			&cli.BoolFlag{Name: "identify", Usage: "include serial numbers and the name of this computer"},
			&cli.StringFlag{Name: "language", Value: string(language.English), Usage: "say what findings mean in this `LANGUAGE` beside English, and write the table in it: " + languageList()},
		}, runFlags(statusFormats, cli.DurationFlag{Value: time.Minute, Usage: "stop asking after this `TIME`, such as 90s, and write what was found; 0 is no limit"})...),
		Action: func(c *cli.Context) error {
			*kind = contract.KindStatus
			return s.status(c)
		},
	}
}

func (s *session) status(c *cli.Context) error {
	settings, err := s.settings(c)
	if err != nil {
		return err
	}
	threshold, err := failOn(c)
	if err != nil {
		return err
	}
	chosen, err := chosenLanguage(c)
	if err != nil {
		return err
	}
	asked, err := s.machine(c)
	if err != nil {
		return err
	}
	if err := refuseEmpty(c); err != nil {
		return err
	}
	if err := refuseOverwriting(c); err != nil {
		return err
	}
	ctx, cancel := settings.limit(c.Context)
	defer cancel()
	settings.log.Info("collecting")
	document := machine.Collect(ctx, asked, settings.progress.report)
	settings.log.Info("collected", "disks", len(document.Disks), "volumes", len(document.Volumes), "problems", len(document.Problems))

	if !c.Bool("identify") {
		withhold(&document)
	}
	problems, complete := document.Problems, document.Complete
	document.Header = header(contract.KindStatus)
	document.Problems, document.Complete = problems, complete
	recordProblem := record(c.String("record"), document)
	// The summary is about the computer as a whole, with all that is known of every volume.
	whole := document
	whole.Volumes, whole.Problems = slices.Clone(document.Volumes), slices.Clone(document.Problems)
	unwanted := chooseVolumes(&document, c.StringSlice("volume"))
	// Rules compare volumes, so these are left out after they were judged.
	document.Findings = audit.FindingsIn(document, chosen)
	whole.Findings = audit.FindingsIn(whole, chosen)
	document.Summary = audit.Summarize(whole)
	document.Summary.Complete = document.Complete
	drop(&document, unwanted)
	s.code = statusCode(document, threshold, context.Cause(ctx))
	if recordProblem != nil {
		document.Problems = append(document.Problems, *recordProblem)
		document.Complete = false
		s.code = ExitFailed
	}
	if settings.format == formatPrometheus {
		return s.writeMetrics(settings, document)
	}
	return s.write(settings, contract.KindStatus, &document, &document.Header, func(out *output) error {
		options := out.options()
		options.Language = chosen
		return tableError(report.Table(out.w, document, options))
	})
}

// withhold drops what identifies a computer; a document that is read back can hold it.
func withhold(document *contract.Status) {
	document.Machine.ComputerName = nil
	for i := range document.Disks {
		document.Disks[i].Serial = nil
	}
}

// machine chooses what is asked.
func (s *session) machine(c *cli.Context) (machine.Machine, error) {
	images, recorded := c.StringSlice("image"), c.String("recording")
	switch {
	case c.IsSet("recording") && len(images) > 0:
		return nil, usagef("--image and --recording exclude each other: both replace the computer that is asked")
	case slices.Contains(images, ""):
		return nil, usagef("--image needs a file name")
	case c.IsSet("recording") && recorded == "":
		return nil, usagef("--recording needs a file name")
	case c.IsSet("record") && c.String("record") == "":
		return nil, usagef("--record needs a file name")
	case slices.Contains(c.StringSlice("volume"), ""):
		return nil, usagef("--volume needs a volume, such as C:")
	case c.IsSet("recording"):
		return openRecording(recorded), nil
	case len(images) > 0:
		return image.New(images), nil
	}
	return s.computer(c.Bool("identify")), nil
}

// openRecording opens a recording; one that cannot be used becomes a machine that says so.
func openRecording(path string) machine.Machine {
	opened, err := recording.Open(path)
	if err == nil {
		return opened
	}
	return unread{
		machine: contract.Machine{Source: contract.SourceRecording},
		problem: contract.Problem{
			Code: "recording-unusable", Level: contract.LevelError, Stage: machine.StageHost, Target: path,
			Text: fmt.Sprintf("The recording cannot be used: %v.", err),
		},
	}
}

func failOn(c *cli.Context) (contract.Severity, error) {
	severity := contract.Severity(c.String("fail-on"))
	if c.IsSet("fail-on") && severity.Rank() < 0 {
		return "", usagef("--fail-on %q: choose %s", severity, severityList())
	}
	return severity, nil
}

func severityList() string {
	var words []string
	for _, severity := range contract.Severities() {
		words = append(words, string(severity))
	}
	return strings.Join(words, ", ")
}

// record writes the recording and returns the problem when it cannot.
func record(path string, document contract.Status) *contract.Problem {
	if path == "" {
		return nil
	}
	data, err := encode(contract.KindStatus, recording.Redact(document))
	if err == nil {
		err = writeFile(path, append(data, '\n'))
	}
	if err == nil {
		return nil
	}
	return &contract.Problem{
		Code: "record-failed", Level: contract.LevelError, Stage: "output", Target: path,
		Text: fmt.Sprintf("The recording could not be written to %s: %v. Choose a folder that exists, can be written to and has room.", path, err),
	}
}

// statusCode is the exit code that the document calls for; ended is why the run ended early, if it
// did. Interrupted is a run that was and whose document says so: a signal that came after the last
// answer interrupted nothing, and a recording can tell of an interruption of another run.
func statusCode(document contract.Status, threshold contract.Severity, ended error) ExitCode {
	failed, elevation, interrupted := false, false, false
	for _, problem := range document.Problems {
		if problem.Level.OrError() != contract.LevelError {
			continue
		}
		failed = true
		elevation = elevation || problem.Code == "needs-elevation"
		interrupted = interrupted || problem.Code == "interrupted"
	}
	provider := document.BitLocker
	unavailable := provider.Available != nil && !*provider.Available
	// What Explorer shows to everyone is a part of the answer; the rest needs an administrator.
	standardUser := provider.Provider != nil && *provider.Provider == windows.ByShell
	switch {
	case interrupted && errors.Is(ended, machine.ErrInterrupted):
		return ExitInterrupted
	case failed && len(document.Volumes) == 0 && len(document.Disks) == 0:
		return ExitFailed
	case matches(document.Findings, threshold):
		return ExitFailOn
	case elevation && (unavailable || standardUser):
		return ExitElevation
	case unavailable:
		return ExitNoProvider
	case failed:
		return ExitPartial
	}
	return ExitDone
}

// aboutTheUnknown are findings that tell that something is not known, which has exit codes of its
// own: matched, they would make "not known" look like "not in order".
var aboutTheUnknown = []string{"needs-elevation", "provider-unavailable"}

func matches(findings []contract.Finding, threshold contract.Severity) bool {
	return threshold != "" && slices.ContainsFunc(findings, func(finding contract.Finding) bool {
		return finding.Severity.Rank() >= threshold.Rank() && !slices.Contains(aboutTheUnknown, finding.ID)
	})
}
