//go:build linux

package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

//go:embed loop/loop.c
var loopSource []byte

// loopFigures are what a bare loop of the same system call does.
type loopFigures struct {
	Ops     int64   `json:"ops"`
	NsPerIO float64 `json:"nsPerIo"`
	// P50Ns is the median latency; 0 for the loop without clock.
	P50Ns float64 `json:"p50Ns,omitempty"`
}

// loopRun is one run of the last test: ours, and the loop without and with readings of the clock.
type loopRun struct {
	Ours    figures     `json:"ours"`
	Bare    loopFigures `json:"bare"`
	Clocked loopFigures `json:"clocked"`
}

// loopRow is the last test: what our loop around a system call costs.
type loopRow struct {
	Letter string    `json:"letter"`
	About  string    `json:"about"`
	Work   work      `json:"work"`
	Runs   []loopRun `json:"runs"`
	// OverBare and OverClocked are our time per I/O through the loop's.
	OverBare    *spread `json:"overBare"`
	OverClocked *spread `json:"overClocked"`
	// P50 is our median latency through the clocked loop's.
	P50       *spread `json:"p50"`
	Disturbed string  `json:"disturbed,omitempty"`
}

// buildLoop compiles the loop into a folder.
func buildLoop(ctx context.Context, folder string) (string, error) {
	source, program := filepath.Join(folder, "loop.c"), filepath.Join(folder, "loop")
	if err := os.WriteFile(source, loopSource, 0o600); err != nil {
		return "", err
	}
	if out, err := exec.CommandContext(ctx, "cc", "-O2", "-Wall", "-o", program, source).CombinedOutput(); err != nil {
		return "", fmt.Errorf("compiling the bare loop with cc: %w: %s", err, out)
	}
	return program, nil
}

// loop runs the bare loop on the device, on the processor that our thread was bound to.
func (b *bench) loop(ctx context.Context, w work, processor uint64, clocked bool) (loopFigures, error) {
	output, err := b.output(ctx, b.loopProgram, b.device, strconv.FormatInt(w.SpanBytes, 10),
		strconv.FormatFloat(b.options.seconds, 'f', -1, 64), strconv.FormatUint(processor, 10),
		map[bool]string{false: "0", true: "1"}[clocked])
	if err != nil {
		return loopFigures{}, fmt.Errorf("the bare loop: %w", err)
	}
	return parseLoop(string(output))
}

func parseLoop(output string) (loopFigures, error) {
	var ops, elapsed, median int64
	if _, err := fmt.Sscanf(output, "%d %d %d", &ops, &elapsed, &median); err != nil || ops <= 0 || elapsed <= 0 {
		return loopFigures{}, fmt.Errorf("the bare loop printed %.100q", output)
	}
	return loopFigures{Ops: ops, NsPerIO: float64(elapsed) / float64(ops), P50Ns: float64(median)}, nil
}

// compareLoop does the last test.
func (b *bench) compareLoop(ctx context.Context) (*loopRow, error) {
	row := &loopRow{
		Letter: "f", About: "4K random read, QD1, against a bare loop of pread in C",
		Work: work{Letter: "f", About: "4K random read, QD1", BlockBytes: 4 << 10, QueueDepth: 1, Threads: 1, SpanBytes: b.span},
	}
	processor := uint64(0)
	for i := range b.options.runs {
		b.say("f  run %d of %d", i+1, b.options.runs)
		var run loopRun
		steps := []func() error{
			func() (err error) {
				run.Ours, err = b.ours(ctx, row.Work)
				if err == nil && len(run.Ours.Processors) > 0 {
					processor = run.Ours.Processors[0]
				}
				return err
			},
			func() (err error) { run.Bare, err = b.loop(ctx, row.Work, processor, false); return err },
			func() (err error) { run.Clocked, err = b.loop(ctx, row.Work, processor, true); return err },
		}
		if err := inTurns(i, steps); err != nil {
			return nil, err
		}
		row.Runs = append(row.Runs, run)
	}
	perIO := func(r loopRun) float64 { return 1e9 / r.Ours.IOPS }
	row.OverBare = ratioOf(row.Runs, perIO, func(r loopRun) float64 { return r.Bare.NsPerIO })
	row.OverClocked = ratioOf(row.Runs, perIO, func(r loopRun) float64 { return r.Clocked.NsPerIO })
	row.P50 = ratioOf(row.Runs, func(r loopRun) float64 { return r.Ours.P50Ns }, func(r loopRun) float64 { return r.Clocked.P50Ns })
	row.Disturbed = disturbed(b.options.tolerance, row.OverBare, row.OverClocked)
	return row, nil
}

// inTurns runs steps, in the other order in every second run.
func inTurns(run int, steps []func() error) error {
	for i := range steps {
		step := steps[i]
		if run%2 == 1 {
			step = steps[len(steps)-1-i]
		}
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
