//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// report is everything that came out.
type report struct {
	Kernel string `json:"kernel"`
	// KernelClock is what CLOCK_MONOTONIC, which ours uses, comes from. fio reads the processor's own
	// counter, and calibrates it, where it takes that for reliable.
	KernelClock string   `json:"kernelClock"`
	Processors  int      `json:"processors"`
	Fio         string   `json:"fio"`
	Diskaudit   string   `json:"diskaudit"`
	Device      string   `json:"device"`
	Folder      string   `json:"folder,omitempty"`
	Seconds     float64  `json:"seconds"`
	Warmup      float64  `json:"warmupSeconds"`
	Rows        []row    `json:"rows"`
	Loop        *loopRow `json:"loop,omitempty"`
}

// row is one test of both programs.
type row struct {
	Work work   `json:"work"`
	Runs []pair `json:"runs"`
	// Ours through fio's, run by run.
	IOPS *spread `json:"iops"`
	P50  *spread `json:"p50"`
	P99  *spread `json:"p99"`
	CPU  *spread `json:"cpu"`
	// Unequal says what was not the same work; Disturbed which figures scatter.
	Unequal   string `json:"unequal,omitempty"`
	Disturbed string `json:"disturbed,omitempty"`
}

// pair is one run of both programs.
type pair struct {
	Ours figures `json:"ours"`
	Fio  figures `json:"fio"`
}

// compare does all tests that are wanted.
func (b *bench) compare(ctx context.Context) (*report, error) {
	r := &report{
		Kernel: line("/proc/sys/kernel/osrelease"), Processors: runtime.NumCPU(),
		KernelClock: line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
		Device:      b.device, Seconds: b.options.seconds, Warmup: b.options.warmup,
	}
	for _, program := range []struct {
		path, argument string
		version        *string
	}{{b.options.fio, "--version", &r.Fio}, {b.diskaudit, "version", &r.Diskaudit}} {
		output, err := b.output(ctx, program.path, program.argument)
		if err != nil {
			return nil, err
		}
		*program.version = string(bytes.TrimSpace(output))
	}
	if b.wanted("f") {
		loop, err := b.compareLoop(ctx)
		if err != nil {
			return nil, err
		}
		r.Loop = loop
	}
	for _, w := range works {
		if !b.wanted(w.Letter) {
			continue
		}
		w.SpanBytes = b.span
		if w.Write {
			if err := b.prepareWrites(ctx); err != nil {
				return nil, err
			}
			r.Folder, w.SpanBytes = b.folder, b.options.fileSize
		}
		one, err := b.compareOne(ctx, w)
		if err != nil {
			return nil, err
		}
		r.Rows = append(r.Rows, *one)
	}
	return r, nil
}

// compareOne does one test with both programs in turns; the order changes from run to run.
func (b *bench) compareOne(ctx context.Context, w work) (*row, error) {
	one := &row{Work: w}
	for i := range b.options.runs {
		b.say("%s  run %d of %d", w.Letter, i+1, b.options.runs)
		var p pair
		err := inTurns(i, []func() error{
			func() (err error) { p.Ours, err = b.ours(ctx, w); return err },
			func() (err error) { p.Fio, err = b.fio(ctx, w); return err },
		})
		if err != nil {
			return nil, fmt.Errorf("test %s, run %d: %w", w.Letter, i+1, err)
		}
		one.Runs = append(one.Runs, p)
		for _, side := range []struct {
			name string
			work work
		}{{"diskaudit", p.Ours.Work}, {"fio", p.Fio.Work}} {
			if difference := w.differs(side.work); difference != "" {
				one.Unequal = fmt.Sprintf("asked and done by %s are not the same: %s", side.name, difference)
			}
		}
	}
	ratio := func(of func(figures) float64) *spread {
		return ratioOf(one.Runs, func(p pair) float64 { return of(p.Ours) }, func(p pair) float64 { return of(p.Fio) })
	}
	one.IOPS = ratio(func(f figures) float64 { return f.IOPS })
	one.P50 = ratio(func(f figures) float64 { return f.P50Ns })
	one.P99 = ratio(func(f figures) float64 { return f.P99Ns })
	one.CPU = ratio(func(f figures) float64 { return f.CPUNsPerIO })
	one.Disturbed = disturbed(b.options.tolerance, one.IOPS, one.P50)
	return one, nil
}

// disturbed says so when a ratio scatters over the runs by more than the tolerance, in percent.
func disturbed(tolerance float64, ratios ...*spread) string {
	for _, s := range ratios {
		if s != nil && s.percent() > tolerance {
			return fmt.Sprintf("the ratio scatters by %.0f %% over the runs: something else was running, or the device is not steady", s.percent())
		}
	}
	return ""
}

// line reads a file of one line; "unknown" if it cannot be read.
func line(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(text))
}
