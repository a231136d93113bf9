package command

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/urfave/cli/v2"
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
)

func outputFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "format", Value: formatAuto, Usage: "auto, json or table; auto is a table on a terminal and json elsewhere"},
		&cli.StringFlag{Name: "output", Usage: "write the document to `FILE` (UTF-8, whole or not at all) instead of stdout"},
		&cli.DurationFlag{Name: "timeout", Value: time.Minute, Usage: "stop asking after this `TIME`, such as 90s, and write what was found; 0 is no limit"},
		&cli.BoolFlag{Name: "progress", Usage: "report progress on stderr, one JSON object a line"},
		&cli.StringFlag{Name: "log-level", Value: "off", Usage: "log to stderr as JSON lines: debug, info, warn, error, off"},
	}
}

func (s *session) settings(c *cli.Context) (settings, error) {
	read := settings{
		format:  c.String("format"),
		output:  c.String("output"),
		timeout: c.Duration("timeout"),
	}
	switch read.format {
	case formatAuto, formatJSON, formatTable:
	default:
		return read, usagef("--format %q: choose auto, json or table", read.format)
	}
	if c.IsSet("output") && read.output == "" {
		return read, usagef("--output needs a file name")
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
