package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/report/fleet"
	"diskaudit/core/report/fleet/documents"
	"diskaudit/core/report/fleet/page"
)

func reportFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "format", Value: string(contract.ReportHTML), Usage: "what to write: " + reportFormats() + "; json is the counts, ndjson one line for each computer, volume, test, penalty, finding and skipped file, csv one row for each volume and measurement"},
		&cli.StringFlag{Name: "output", Usage: "write it to `FILE` (whole or not at all); stdout then gets the counts as one document"},
		&cli.BoolFlag{Name: "progress", Usage: "report progress on stderr, one JSON object a line"},
		&cli.DurationFlag{Name: "timeout", Usage: "stop reading after this `TIME`, such as 5m; 0 is no limit"},
		&cli.StringFlag{Name: "log-level", Value: "off", Usage: "log to stderr as JSON lines: debug, info, warn, error, off"},
	}
}

func (s *session) reportCommand(kind *contract.Kind) *cli.Command {
	return &cli.Command{
		Name:      verbReport,
		Usage:     "make one page, or rows for other tools, of many status and bench documents",
		ArgsUsage: "FILE|FOLDER...",
		Description: "Reads the documents in the files, and in *.json, *.ndjson and *.jsonl in the folders and below.\n" +
			"Files that cannot be used are named and passed over (exit 3).",
		Flags: reportFlags(),
		Action: func(c *cli.Context) error {
			*kind = contract.KindReport
			return s.reportVerb(c)
		},
	}
}

func reportFormats() string {
	var words []string
	for _, format := range contract.ReportFormats() {
		words = append(words, string(format))
	}
	return strings.Join(words, ", ")
}

func (s *session) reportVerb(c *cli.Context) error {
	settings, err := s.settings(c)
	if err != nil {
		return err
	}
	r := &reporting{session: s, settings: settings, format: contract.ReportFormat(settings.format), paths: c.Args().Slice()}
	if err := r.check(); err != nil {
		return err
	}
	if err := r.checkOutput(c.Context); err != nil {
		return err
	}
	ctx, cancel := settings.limit(c.Context)
	defer cancel()
	// Nearly all memory is of documents that are done with: collecting it less often saves a third of
	// the time for some ten megabytes.
	defer debug.SetGCPercent(debug.SetGCPercent(collectAt))
	settings.log.Info("reading", "paths", len(r.paths), "format", settings.format)
	if r.rows() {
		return r.writeRows(ctx)
	}
	survey, ended := fleet.Read(ctx, r.paths, r.options())
	r.gather(survey, ended)
	return r.writeReport(survey)
}

// collectAt is by how many percent memory grows until it is looked through for what is done with.
const collectAt = 300

// reporting is one report that is being made.
type reporting struct {
	*session
	settings settings
	format   contract.ReportFormat
	paths    []string
	document contract.Report
}

// rows tells whether documents are written as they come, and not put together.
func (r *reporting) rows() bool {
	return r.format == contract.ReportNDJSON || r.format == contract.ReportCSV
}

func (r *reporting) check() error {
	known := false
	for _, format := range contract.ReportFormats() {
		known = known || r.format == format
	}
	switch {
	case !known:
		return usagef("--format %q: choose %s", r.settings.format, reportFormats())
	case len(r.paths) == 0:
		return usagef("report needs the files or folders that hold the documents of status and bench: diskaudit report FOLDER --output report.html; see diskaudit report --help")
	case r.format == contract.ReportHTML && r.settings.output == "" && r.out.terminal:
		return usagef("report writes a page, which a terminal cannot show: name the file it is to be in, --output report.html, or choose --format json")
	}
	for _, path := range r.paths {
		if path == "" {
			return usagef("report was given an empty name; name a file or folder")
		}
	}
	return nil
}

// options are those of reading.
func (r *reporting) options() fleet.Options {
	return fleet.Options{
		Progress: r.progress,
		// The report of another day, in one of the folders, is not among the documents.
		Omit: func(path string) bool { return r.settings.output != "" && isSameFile(path, r.settings.output) },
		Skipped: func(skipped documents.Skipped) {
			r.settings.log.Warn("passed over", "file", skipped.Path, "line", skipped.Line, "code", skipped.Code, "reason", skipped.Text)
		},
	}
}

// progressEvery is after how many files progress is told.
const progressEvery = 100

func (r *reporting) progress(stage string, done, total int) {
	if done%progressEvery == 1 || done == total {
		r.settings.progress.report(stage, done, total)
	}
}

// gather turns what was read into the document.
func (r *reporting) gather(survey *fleet.Survey, ended error) {
	read := survey.Report
	problems, complete := read.Problems, read.Complete
	r.document = read
	r.document.Header = header(contract.KindReport)
	r.document.Format = r.format
	r.document.Problems, r.document.Complete = problems, complete
	inputs := r.document.Inputs
	r.settings.log.Info("read", "files", inputs.Files, "statuses", inputs.Statuses, "benches", inputs.Benches, "skipped", inputs.Skipped)
	switch {
	case ended != nil:
		r.document.Complete = false
		r.document.Problems = append(r.document.Problems, endOfReading(ended, nothingWritten))
		r.code = ExitFailed
		if errors.Is(ended, machine.ErrInterrupted) {
			r.code = ExitInterrupted
		}
	case inputs.Statuses+inputs.Benches == 0:
		r.document.Complete = false
		r.document.Problems = append(r.document.Problems, contract.Problem{
			Code: "nothing-to-report", Level: contract.LevelError, Stage: verbReport,
			Text: "No status or bench document could be read, so there is nothing to report. Name files that diskaudit status or diskaudit bench wrote, or folders that hold them; the other problems say what is wrong with what was named.",
		})
		r.code = ExitFailed
	case !complete:
		r.code = ExitPartial
	}
}

// What there is when reading ended early.
const (
	nothingWritten = "Nothing was written but this document, whose counts are of what was read by then."
	rowsWritten    = "The rows before this one are of what was read by then."
)

// endOfReading is the problem that tells why reading ended early, and what there is.
func endOfReading(cause error, left string) contract.Problem {
	problem := contract.Problem{Code: "interrupted", Level: contract.LevelError, Stage: verbReport, Retryable: true}
	switch {
	case errors.Is(cause, context.DeadlineExceeded):
		problem.Code = "timeout"
		problem.Text = "The time limit was reached before all was read. " + left + " Raise --timeout."
	case errors.Is(cause, machine.ErrInterrupted):
		problem.Text = "Interrupted before all was read. " + left + " Run it again for all."
	default:
		problem.Code, problem.Retryable = "output-failed", false
		problem.Text = fmt.Sprintf("Writing failed: %v. Choose a folder that can be written to and has room.", cause)
	}
	return problem
}

// writeReport writes the page, or the document alone.
func (r *reporting) writeReport(survey *fleet.Survey) error {
	failed := r.code == ExitFailed || r.code == ExitInterrupted
	if r.format == contract.ReportJSON || failed {
		return r.writeDocument()
	}
	kind := contract.PageFleet
	var data []byte
	var err error
	if survey.Portrait != nil {
		kind = contract.PageComputer
		data, err = page.Computer(r.document, *survey.Portrait)
	} else {
		data, err = page.Fleet(r.document)
	}
	if err != nil {
		return err
	}
	if r.settings.output == "" {
		return r.out.raw(data)
	}
	r.wrote(&kind, uint64(len(data)), writeFile(r.settings.output, data))
	return r.writeDocument()
}

// wrote notes the file that was written, or why it was not.
func (r *reporting) wrote(kind *contract.PageKind, size uint64, err error) {
	if err == nil {
		r.document.Output = &contract.ReportOutput{Path: r.settings.output, SizeBytes: size, Page: kind}
		r.settings.log.Info("report written", "file", r.settings.output, "bytes", size)
		return
	}
	r.code = ExitFailed
	r.document.Complete = false
	r.document.Problems = append(r.document.Problems, contract.Problem{
		Code: "output-failed", Level: contract.LevelError, Stage: "output", Target: r.settings.output,
		Text: fmt.Sprintf("The report could not be written to %s: %v. Its counts are in this document; choose a folder that exists, can be written to and has room.", r.settings.output, err),
	})
}

// writeDocument writes the counts as one document: where --output says, if that is the format that
// was asked for, or else to stdout.
func (r *reporting) writeDocument() error {
	settings := r.settings
	if r.format != contract.ReportJSON {
		settings.output = ""
	}
	return r.write(settings, contract.KindReport, &r.document, &r.document.Header, func(out *output) error {
		return tableError(writeSentences(out.w, r.document))
	})
}

// writeSentences is the document for people.
func writeSentences(w io.Writer, document contract.Report) error {
	sentences := page.Sentences(document)
	if document.Output != nil {
		sentences = append(sentences, fmt.Sprintf("Written to %s.", document.Output.Path))
	}
	_, err := io.WriteString(w, strings.Join(sentences, "\n")+"\n")
	return err
}

// refuseDisk refuses to write onto a disk.
func refuseDisk(flag, path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && isDisk(info) {
		return usagef("--%s %s is a disk: writing there would destroy what is on it; name a file", flag, path)
	}
	return nil
}
