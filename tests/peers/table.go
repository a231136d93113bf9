//go:build linux

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// print writes the summary for people.
func (r *report) print(out io.Writer) error {
	fmt.Fprintf(out, "%s and diskaudit in turns on %s\n", r.Fio, r.Device)
	fmt.Fprintf(out, "kernel %s, %d processors, kernel clock %s; %g s for each figure after %g s of warm-up\n\n",
		r.Kernel, r.Processors, r.KernelClock, r.Seconds, r.Warmup)
	fmt.Fprintf(out, "diskaudit / fio: median over the runs [lowest .. highest]\n")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "\ttest\truns\tIOPS\tp50\tp99\tCPU per I/O\t\n")
	for _, row := range r.Rows {
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t\n", row.Work.Letter, row.Work.About, len(row.Runs),
			row.IOPS, row.P50, row.P99, row.CPU)
	}
	if r.Loop != nil {
		fmt.Fprintf(table, "\n\ttest\truns\ttime per I/O\tthe same with clock\tp50\t\t\n")
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\t\t\n", r.Loop.Letter, r.Loop.About, len(r.Loop.Runs),
			r.Loop.OverBare, r.Loop.OverClocked, r.Loop.P50)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nmedians of each program:\n")
	table = tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "\tIOPS\tp50 us\tp99 us\tCPU us per I/O\t\n")
	for _, row := range r.Rows {
		for _, side := range []struct {
			name string
			of   func(pair) figures
		}{{"diskaudit", func(p pair) figures { return p.Ours }}, {"fio", func(p pair) figures { return p.Fio }}} {
			fmt.Fprintf(table, "%s %s\t%.0f\t%.2f\t%.2f\t%.2f\t\n", row.Work.Letter, side.name,
				median(row.Runs, side.of, func(f figures) float64 { return f.IOPS }),
				median(row.Runs, side.of, func(f figures) float64 { return f.P50Ns })/1000,
				median(row.Runs, side.of, func(f figures) float64 { return f.P99Ns })/1000,
				median(row.Runs, side.of, func(f figures) float64 { return f.CPUNsPerIO })/1000)
		}
	}
	if r.Loop != nil {
		r.Loop.print(table)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	r.notes(out)
	return nil
}

func (r *loopRow) print(table io.Writer) {
	ours := func(l loopRun) figures { return l.Ours }
	fmt.Fprintf(table, "f diskaudit\t%.0f\t%.2f\t\t\t\n",
		median(r.Runs, ours, func(f figures) float64 { return f.IOPS }),
		median(r.Runs, ours, func(f figures) float64 { return f.P50Ns })/1000)
	bare := func(l loopRun) loopFigures { return l.Bare }
	fmt.Fprintf(table, "f C loop\t%.0f\t\t\t\t\n", median(r.Runs, bare, func(f loopFigures) float64 { return 1e9 / f.NsPerIO }))
	clocked := func(l loopRun) loopFigures { return l.Clocked }
	fmt.Fprintf(table, "f C loop with clock\t%.0f\t%.2f\t\t\t\n",
		median(r.Runs, clocked, func(f loopFigures) float64 { return 1e9 / f.NsPerIO }),
		median(r.Runs, clocked, func(f loopFigures) float64 { return f.P50Ns })/1000)
}

// notes says what to know about the figures.
func (r *report) notes(out io.Writer) {
	fmt.Fprintf(out, "\nIOPS above 1: diskaudit did more. p50, p99, CPU and time below 1: diskaudit took less.\n")
	for _, row := range r.Rows {
		first := row.Runs[0]
		fmt.Fprintf(out, "%s: %s; %s, whose p50 is known to %.0f ns and p99 to %.0f ns\n", row.Work.Letter,
			first.Ours.How, first.Fio.How, first.Fio.P50StepNs, first.Fio.P99StepNs)
		var notes []string
		for _, p := range row.Runs {
			for _, note := range p.Ours.Notes {
				if !slices.Contains(notes, note) {
					notes = append(notes, note)
				}
			}
		}
		if len(notes) > 0 {
			fmt.Fprintf(out, "   diskaudit says: %s\n", strings.Join(notes, ", "))
		}
		for _, warning := range []string{row.Unequal, row.Disturbed} {
			if warning != "" {
				fmt.Fprintf(out, "   ! %s\n", warning)
			}
		}
	}
	if r.Loop != nil && r.Loop.Disturbed != "" {
		fmt.Fprintf(out, "f: ! %s\n", r.Loop.Disturbed)
	}
}

func median[R, F any](runs []R, side func(R) F, of func(F) float64) float64 {
	var values []float64
	for _, r := range runs {
		if v := of(side(r)); v > 0 {
			values = append(values, v)
		}
	}
	if s := spreadOf(values); s != nil {
		return s.Median
	}
	return 0
}

// String writes a ratio with its ends.
func (s *spread) String() string {
	if s == nil {
		return "unknown"
	}
	return fmt.Sprintf("%.3f [%.3f .. %.3f]", s.Median, s.Low, s.High)
}

// sizeText writes a size in the largest unit that divides it.
func sizeText(bytes int64) string {
	for _, unit := range []struct {
		name string
		size int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}} {
		if bytes%unit.size == 0 {
			return fmt.Sprintf("%d %s", bytes/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", bytes)
}
