package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"diskaudit/core/bench"
	"diskaudit/core/bench/comparison"
	"diskaudit/core/bench/profile"
	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/report"
)

const (
	failOnRegression = "regression"
	failOnMaterial   = "material"
	failOnInvalid    = "invalid"
)

func (s *session) benchCommand(kind *contract.Kind) *cli.Command {
	return &cli.Command{
		Name:  "bench",
		Usage: "measure how fast a disk is and what its encryption adds, with the evidence",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "target", Value: ".", Usage: "measure on `PATH`: a folder, a drive or a new file (a file is made there and removed), an existing file or a device (both only read)"},
			&cli.StringFlag{Name: "profile", Value: profile.Default, Usage: "which tests: " + strings.Join(profile.Names(), ", ")},
			&cli.BoolFlag{Name: "list-profiles", Usage: "print the profiles with every option and the same tests as command lines of diskspd and fio"},
			&cli.DurationFlag{Name: "duration", Usage: "measure each test for `TIME` in all, such as 30s, instead of the profile's time"},
			&cli.StringFlag{Name: "size", Usage: "make the file `SIZE` large, such as 8G, or use so much of a file or device; instead of the profile's size"},
			&cli.StringFlag{Name: "max-written", Usage: "write at most `SIZE` in all, the making of the file included"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "number that the order of blocks and the data come from"},
			&cli.StringFlag{Name: "operation", Usage: "custom: read or write"},
			&cli.StringFlag{Name: "pattern", Usage: "custom: random or sequential"},
			&cli.StringFlag{Name: "block", Usage: "custom: bytes of one I/O, such as 4K"},
			&cli.Uint64Flag{Name: "queue-depth", Usage: "custom: I/Os that each thread keeps in flight, 1 to 4096"},
			&cli.Uint64Flag{Name: "threads", Usage: "custom: threads, 1 to 1024"},
			&cli.StringFlag{Name: "durability", Usage: "custom: when a write counts as done: device-cache, write-through or flush"},
			&cli.Uint64Flag{Name: "rounds", Usage: "custom: rounds; 6 or more give an interval"},
			&cli.DurationFlag{Name: "warmup", Usage: "custom: time before the first round, whose figures are discarded"},
			&cli.DurationFlag{Name: "spacing", Usage: "custom: time from the start of one I/O to the start of the next"},
			&cli.BoolFlag{Name: "no-penalty", Usage: "do not measure what the encryption adds"},
			&cli.DurationFlag{Name: "penalty-time", Usage: "spend at most `TIME` on what the encryption adds; by default the profile's time, 5s for quick, and 10s or more with --upper"},
			&cli.StringFlag{Name: "upper", Usage: "measure what lies between two paths: `PATH` above the layer; needs --lower"},
			&cli.StringFlag{Name: "lower", Usage: "`PATH` below the layer"},
			&cli.StringFlag{Name: "lower-offset", Usage: "where the upper path's first byte lies in the lower one: `BYTES`, such as 16M"},
			&cli.StringFlag{Name: "twin", Usage: "`FOLDER` on a plain volume of the same disk, as evidence where nothing better is to be had"},
			&cli.Float64Flag{Name: "threshold", Value: 10, Usage: "penalty from which it is material, in `PERCENT` of the latency without encryption"},
			&cli.StringFlag{Name: "baseline", Usage: "compare with `FILE`: a bench document, CrystalDiskMark text, diskspd XML or fio JSON"},
			&cli.StringSliceFlag{Name: "fail-on", Usage: "exit 8 on `EVENT`: regression, material, invalid; may be repeated"},
			&cli.BoolFlag{Name: "identify", Usage: "include serial numbers and the name of this computer"},
		}, runFlags(documentFormats, cli.DurationFlag{Usage: "stop after this `TIME`, such as 5m, and write what was measured; 0 is no limit"})...),
		Action: func(c *cli.Context) error {
			*kind = contract.KindBench
			if c.Bool("list-profiles") {
				*kind = contract.KindProfiles
				return s.listProfiles(c)
			}
			return s.bench(c)
		},
	}
}

func (s *session) bench(c *cli.Context) error {
	settings, err := s.settings(c)
	if err != nil {
		return err
	}
	events, err := failEvents(c)
	if err != nil {
		return err
	}
	options, err := benchOptions(c)
	if err != nil {
		return err
	}
	if err := refuseEmpty(c); err != nil {
		return err
	}
	if err := refuseOverwriting(c, "target", "upper", "lower", "baseline"); err != nil {
		return err
	}
	ctx, cancel := settings.limit(c.Context)
	defer cancel()
	asked := s.computer(c.Bool("identify"))
	options.Observe = func(ctx context.Context) contract.Status {
		status := machine.Collect(ctx, asked, nil)
		if !c.Bool("identify") {
			withhold(&status)
		}
		return status
	}
	options.Progress = settings.progress.report
	options.Ended = endOfRun
	baseline, unreadable := readBaseline(c.String("baseline"))
	if baseline != nil {
		options.Penalty.Saved = baseline.Document
	}
	settings.log.Info("measuring", "target", options.Target, "profile", options.Profile.Name)
	document := bench.Run(ctx, options)
	settings.log.Info("measured", "tests", len(document.Tests), "problems", len(document.Problems), "bytesWritten", document.Target.BytesWritten)
	problems, complete := document.Problems, document.Complete
	document.Header = header(contract.KindBench)
	document.Problems, document.Complete = problems, complete
	compare(&document, c.String("baseline"), baseline, unreadable)
	s.code = benchCode(document, events, context.Cause(ctx))
	return s.write(settings, contract.KindBench, &document, &document.Header, func(out *output) error {
		return tableError(report.Bench(out.w, document, out.options()))
	})
}

// endOfRun is the problem that tells why a run ended early.
func endOfRun(stage string, cause error) contract.Problem {
	if errors.Is(cause, context.DeadlineExceeded) {
		return contract.Problem{
			Code: "timeout", Level: contract.LevelError, Stage: stage, Retryable: true,
			Text: fmt.Sprintf("The time limit was reached in the stage %s; what was measured by then is in the document. Raise --timeout.", stage),
		}
	}
	return contract.Problem{
		Code: "interrupted", Level: contract.LevelError, Stage: stage, Retryable: true,
		Text: fmt.Sprintf("Interrupted in the stage %s; the rounds that were finished by then are in the document.", stage),
	}
}

func failEvents(c *cli.Context) ([]string, error) {
	events := c.StringSlice("fail-on")
	for _, event := range events {
		switch event {
		case failOnRegression, failOnMaterial, failOnInvalid:
		default:
			return nil, usagef("--fail-on %q: choose regression, material or invalid", event)
		}
	}
	if slices.Contains(events, failOnRegression) && c.String("baseline") == "" {
		return nil, usagef("--fail-on regression needs --baseline FILE to compare with")
	}
	return events, nil
}

// readBaseline reads the older result before anything is measured. The measurement goes on
// without it when it cannot be used, and the document says why.
func readBaseline(path string) (*comparison.Result, error) {
	if path == "" {
		return nil, nil
	}
	// Opening a pipe that nobody writes to would wait for ever.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file; name the file that holds the older result", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	// One byte more than is read, so that a file that is too large is told as that.
	data, err := io.ReadAll(io.LimitReader(file, comparison.MaxBytes+1))
	if err != nil {
		return nil, err
	}
	return comparison.Read(path, data)
}

// compare adds the comparison with the baseline to the document.
func compare(document *contract.Bench, path string, baseline *comparison.Result, unreadable error) {
	switch {
	case unreadable != nil:
		compared := comparison.Unreadable(path, unreadable, comparison.DefaultThresholdPercent)
		document.Comparison = &compared
		document.Complete = false
		document.Problems = append(document.Problems, contract.Problem{
			Code: compared.Refusals[0].Code, Level: contract.LevelError, Stage: "comparison", Target: path,
			Text: fmt.Sprintf("The baseline cannot be used: %s.", strings.TrimSuffix(unreadable.Error(), ".")),
		})
	case baseline != nil:
		compared := comparison.Compare(baseline, *document, comparison.DefaultThresholdPercent)
		document.Comparison = &compared
	}
}

// benchCode is the exit code that the document calls for.
func benchCode(document contract.Bench, events []string, ended error) ExitCode {
	failed, elevation, refused := false, false, false
	for _, problem := range document.Problems {
		if problem.Level.OrError() != contract.LevelError {
			continue
		}
		failed = true
		elevation = elevation || problem.Code == "needs-elevation" || problem.Code == "access-denied" && !elevated(document)
		refused = refused || problem.Code == "only-read"
	}
	measured := document.Penalty.Pairs > 0
	for _, test := range document.Tests {
		measured = measured || test.Ops > 0
	}
	switch {
	case failed && errors.Is(ended, machine.ErrInterrupted):
		return ExitInterrupted
	case !measured && elevation:
		return ExitElevation
	case !measured && refused:
		return ExitRefused
	case !measured && failed:
		return ExitFailed
	case happened(document, events):
		return ExitFailOn
	case failed:
		return ExitPartial
	}
	return ExitDone
}

// elevated tells whether the program is known to run with an administrator's rights.
func elevated(document contract.Bench) bool {
	machine := document.Context.Machine
	return machine != nil && machine.Elevated != nil && *machine.Elevated
}

func happened(document contract.Bench, events []string) bool {
	for _, event := range events {
		switch event {
		case failOnRegression:
			if document.Comparison != nil && document.Comparison.Regression {
				return true
			}
		case failOnMaterial:
			if document.Verdict.Result == contract.VerdictMaterial {
				return true
			}
		case failOnInvalid:
			for _, test := range document.Tests {
				if !test.Valid {
					return true
				}
			}
		}
	}
	return false
}

// byHandFor is how long two paths that were given by hand are compared at least.
const byHandFor = 10 * time.Second

// benchOptions reads what to measure.
func benchOptions(c *cli.Context) (bench.Options, error) {
	options := bench.Options{Target: c.String("target"), Seed: c.Uint64("seed"), ThresholdPercent: c.Float64("threshold")}
	chosen, err := chosenProfile(c)
	if err != nil {
		return options, err
	}
	options.Profile = chosen
	if !(options.ThresholdPercent > 0 && options.ThresholdPercent <= 1000) {
		return options, usagef("--threshold %v: a percentage above 0 and up to 1000 is wanted", options.ThresholdPercent)
	}
	if options.MaxWritten, err = sizeFlag(c, "max-written", 4<<20); err != nil {
		return options, err
	}
	options.Penalty = bench.PenaltyOptions{
		Off: c.Bool("no-penalty"), Upper: c.String("upper"), Lower: c.String("lower"), Twin: c.String("twin"),
		For: chosen.PenaltyFor,
	}
	if options.Penalty.Upper != "" {
		// Nothing else takes time then.
		options.Penalty.For = max(options.Penalty.For, byHandFor)
	}
	if c.IsSet("penalty-time") {
		if options.Penalty.For = c.Duration("penalty-time"); options.Penalty.For <= 0 {
			return options, usagef("--penalty-time %v: a time above 0 is wanted; --no-penalty leaves it out", options.Penalty.For)
		}
	}
	if options.Penalty.LowerOffset, err = sizeFlag(c, "lower-offset", 0); err != nil {
		return options, err
	}
	switch {
	case (options.Penalty.Upper == "") != (options.Penalty.Lower == ""):
		return options, usagef("--upper and --lower belong together: the path above the layer and the path below it")
	case options.Penalty.Upper == "" && c.IsSet("lower-offset"):
		return options, usagef("--lower-offset needs --upper and --lower")
	case options.Penalty.Upper != "" && options.Penalty.Off:
		return options, usagef("--no-penalty and --upper exclude each other")
	case options.Penalty.LowerOffset%512 != 0:
		return options, usagef("--lower-offset %d: sectors have 512 bytes, so a multiple of 512 is wanted", options.Penalty.LowerOffset)
	case options.Target == "":
		return options, usagef("--target needs a path")
	case options.Penalty.Upper != "" && !c.IsSet("target"):
		// Two paths are a question of their own.
		options.Target = ""
	}
	return options, nil
}
