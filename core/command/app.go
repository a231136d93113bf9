// Package command holds the verbs: flags in, one document out, and the exit code. It is the
// only writer to stdout.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/remediate"
	"diskaudit/core/remediate/journal"
)

// Run runs the program and returns its exit code. Everything that people read goes to stderr or,
// as a table, to a stdout that is a terminal; otherwise stdout gets one document and nothing else.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return RunWith(ctx, args, stdout, stderr, Sources{Computer: thisComputer, Changes: theseChanges, Journals: journal.DefaultFolder})
}

// Sources are what the verbs ask and change.
type Sources struct {
	// Computer is what is asked.
	Computer func(identify bool) machine.Machine
	// Changes is what a remediation is carried out on; nil where that is not possible.
	Changes func() remediate.Computer
	// Journals is the usual folder for journals; empty where there is none.
	Journals func() (string, error)
	// Poll is how often a conversion is looked at, Pauses the waits before a change is tried again;
	// zero for the usual ones.
	Poll   time.Duration
	Pauses []time.Duration
}

// How often Windows is asked about a conversion, and how long it is given when it is busy: half a
// minute in all.
const usualPoll = 2 * time.Second

var usualPauses = []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 15 * time.Second}

// RunWith is Run with what stands for this computer.
func RunWith(ctx context.Context, args []string, stdout, stderr io.Writer, sources Sources) int {
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	session := &session{
		out: newOutput(stdout), stderr: stderr, code: ExitDone, arguments: args,
		computer: sources.Computer, changes: sources.Changes, journals: sources.Journals, poll: sources.Poll, pauses: sources.Pauses,
	}
	if session.poll == 0 {
		session.poll = usualPoll
	}
	if session.pauses == nil {
		session.pauses = usualPauses
	}
	err := session.run(ctx, args)
	var usage usageError
	// The library's own complaint, about help for a topic that does not exist, is one of usage too.
	if topic := cli.ExitCoder(nil); errors.As(err, &topic) {
		err = usagef("%v; see diskaudit --help", topic)
	}
	switch {
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "diskaudit: %s\n", usage.text)
		return int(ExitUsage)
	case err != nil:
		fmt.Fprintf(stderr, "diskaudit: %v\n", err)
		return int(ExitFailed)
	}
	return int(session.code)
}

// untilInterrupted ends the context on the first Ctrl-C, SIGTERM or SIGHUP, as of a terminal that is closed; the second one then has its
// usual effect, for a person who does not want to wait. A closed pipe on stdout becomes an error
// of the write instead of a signal that kills the process.
func untilInterrupted(parent context.Context) (context.Context, func()) {
	ignoreBrokenPipe()
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	for _, ends := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		// What nohup or a shell's "&" made the program ignore stays ignored.
		if !signal.Ignored(ends) {
			signal.Notify(signals, ends)
		}
	}
	go func() {
		select {
		case <-signals:
			signal.Stop(signals)
			cancel(machine.ErrInterrupted)
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// session is one run of the program.
type session struct {
	out      *output
	stderr   io.Writer
	computer func(identify bool) machine.Machine
	changes  func() remediate.Computer
	journals func() (string, error)
	poll     time.Duration
	pauses   []time.Duration
	// arguments are those of the call, the program's name first.
	arguments []string
	code      ExitCode
}

// run parses the arguments and runs the verb.
func (s *session) run(ctx context.Context, args []string) error {
	return s.guard(func(kind *contract.Kind) error {
		app, args := s.app(kind), flagsFirst(args, reportFlags())
		if err := refuseContradiction(app, args); err != nil {
			return err
		}
		return app.RunContext(ctx, args)
	})
}

// guard runs work, which sets the kind of the document that it is about to write. A fault of the
// program still gives a valid document of that kind.
func (s *session) guard(work func(*contract.Kind) error) (err error) {
	kind := contract.KindStatus
	defer func() {
		if panicked := recover(); panicked != nil {
			s.code = ExitFailed
			err = s.writeFailure(kind, fmt.Sprintf("This program met a fault of its own: %v. Please report it.", panicked))
		}
	}()
	return work(&kind)
}

func (s *session) app(kind *contract.Kind) *cli.App {
	app := &cli.App{
		Name:                      "diskaudit",
		Usage:                     "is this disk encrypted by BitLocker in software, and what to do about it",
		Description:               exitHelp(),
		Version:                   version,
		HideVersion:               true,
		DisableSliceFlagSeparator: true,
		Writer:                    s.stderr,
		ErrWriter:                 s.stderr,
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError:              onUsageError,
		Action:                    noVerb,
		Commands:                  []*cli.Command{s.statusCommand(kind), s.benchCommand(kind), s.remediateCommand(kind), s.reportCommand(kind), s.schemaCommand(), s.versionCommand(kind)},
	}
	for _, verb := range app.Commands {
		verb.OnUsageError = onUsageError
		verb.HideHelpCommand = true
		if verb.Name != verbReport {
			verb.Before = noPositionals
		}
	}
	return app
}

func exitHelp() string {
	var text strings.Builder
	text.WriteString("stdout gets one JSON document, or a table when it is a terminal. Exit codes:\n\n")
	for _, exit := range exitMeanings {
		fmt.Fprintf(&text, "%3d  %s\n", exit.code, exit.meaning)
	}
	return strings.TrimSuffix(text.String(), "\n")
}
