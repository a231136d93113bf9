package command

import (
	"context"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"diskaudit/core/contract"
)

// settings are the flags that every verb with a document has.
type settings struct {
	format   string
	output   string
	timeout  time.Duration
	log      *slog.Logger
	progress *progress
}

const (
	formatAuto  = "auto"
	formatJSON  = "json"
	formatTable = "table"
	// formatPrometheus is a format of the verb status alone.
	formatPrometheus = "prometheus"
)

// What --format takes, the usual one first: of bench and remediate, and of status. The verb report has formats of its own.
var (
	documentFormats = []string{formatAuto, formatJSON, formatTable}
	statusFormats   = append(slices.Clone(documentFormats), formatPrometheus)
)

// runFlags are those of the verbs that ask a computer: what they write, and how long they may take.
func runFlags(formats []string, timeout cli.DurationFlag) []cli.Flag {
	timeout.Name = "timeout"
	return append([]cli.Flag{
		&cli.StringFlag{Name: "format", Value: formats[0], Usage: oneOf(formats) + "; auto is a table on a terminal and json elsewhere"},
		&cli.BoolFlag{Name: "progress", Usage: "report progress on stderr, one JSON object a line"},
		&timeout,
	}, documentFlags()...)
}

// oneOf is a choice as people write it: a, b or c.
func oneOf(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// documentFlags are those of every verb that writes a document.
func documentFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "output", Usage: "write the document to `FILE` (UTF-8, whole or not at all) instead of stdout; a terminal still gets the table"},
		&cli.StringFlag{Name: "log-level", Value: "off", Usage: "log to stderr as JSON lines: debug, info, warn, error, off"},
	}
}

// idleTimeout is the flag --timeout, which every verb takes, of those that wait for nothing.
func idleTimeout() cli.Flag {
	return &cli.DurationFlag{Name: "timeout", Usage: "accepted as by every verb; this one waits for nothing"}
}

func (s *session) settings(c *cli.Context) (settings, error) {
	read := settings{
		format:  c.String("format"),
		output:  c.String("output"),
		timeout: c.Duration("timeout"),
	}
	switch read.format {
	case string(contract.ReportHTML), string(contract.ReportNDJSON), string(contract.ReportCSV):
		if c.Command.Name != verbReport {
			return read, usagef("--format %s: only diskaudit report writes that; choose %s", read.format, oneOf(documentFormats))
		}
	case "", formatAuto, formatJSON, formatTable:
	case formatPrometheus:
		if c.Command.Name != "status" {
			return read, usagef("--format prometheus: only diskaudit status writes metrics; choose %s", oneOf(documentFormats))
		}
	default:
		// The verb report has formats of its own, and says so.
		switch c.Command.Name {
		case verbReport:
		case "status":
			return read, usagef("--format %q: choose %s, or prometheus for metrics", read.format, oneOf(documentFormats))
		default:
			return read, usagef("--format %q: choose %s", read.format, oneOf(documentFormats))
		}
	}
	if c.IsSet("output") && read.output == "" {
		return read, usagef("--output needs a file name")
	}
	if strings.HasPrefix(read.output, "-") {
		return read, usagef("--output %s begins with a dash, as flags do; write ./%s if a file of that name is meant", read.output, read.output)
	}
	for _, flag := range []string{"output", "record"} {
		if err := refuseDevice(runtime.GOOS, flag, c.String(flag)); err != nil {
			return read, err
		}
	}
	if read.timeout < 0 {
		return read, usagef("--timeout %v: a time limit cannot be negative; 0 is no limit", read.timeout)
	}
	var err error
	if read.log, err = newLogger(c.String("log-level"), s.stderr); err != nil {
		return read, err
	}
	if c.Bool("progress") {
		read.progress = newProgress(s.stderr)
	}
	return read, nil
}

func newLogger(level string, w io.Writer) (*slog.Logger, error) {
	if level == "off" {
		return slog.New(slog.DiscardHandler), nil
	}
	var threshold slog.Level
	if err := threshold.UnmarshalText([]byte(level)); err != nil {
		return nil, usagef("--log-level %q: choose debug, info, warn, error or off", level)
	}
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: threshold})), nil
}

// limit ends the context after the time limit.
func (s settings) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, s.timeout)
}
