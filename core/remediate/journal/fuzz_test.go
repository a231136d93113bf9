package journal

import (
	"bytes"
	"strings"
	"testing"
)

// Whatever a journal holds, reading it and asking it everything ends well, and only whole lines count.
func FuzzRead(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(sample[:len(sample)-40]))
	f.Add([]byte(strings.Replace(sample, "done", "failed", 1)))
	f.Add([]byte(strings.Replace(sample, `"format":1`, `"format":2`, 1)))
	f.Add([]byte(strings.Replace(sample, `"sequence":3`, `"sequence":4`, 1)))
	f.Add([]byte(strings.Replace(sample, "\n", "\r\n", 5)))
	f.Add([]byte{})
	f.Add([]byte("\n\n"))
	f.Add([]byte(`{"sequence":1,"time":"2026-11-30T22:00:01Z","event":"begin","plan":{"steps":[{},null,{}]}}` + "\n"))
	const path = "a/journal"
	f.Fuzz(func(t *testing.T, data []byte) {
		run, problem := decode(path, data, fileBytes, fullBudget())
		if problem != nil && (problem.Code == "" || problem.Text == "" || problem.Target != path) {
			t.Errorf("the problem is %+v", problem)
		}
		whole := bytes.Count(data, []byte("\n"))
		if len(run.Lines) > whole || problem == nil && len(run.Lines) != whole {
			t.Errorf("%d lines of %d are read, %v", len(run.Lines), whole, problem)
		}
		if newer := problem != nil && problem.Code == "journal-newer"; run.Damaged != (problem != nil && !newer) || run.Torn && run.Damaged {
			t.Errorf("torn %t, damaged %t, %v", run.Torn, run.Damaged, problem)
		}
		if len(run.Lines) == 0 {
			return
		}
		history := History{Runs: []Run{run, run}}
		for _, line := range run.Lines {
			history.Rate(line.Target)
		}
		for _, done := range append(history.InForce(), history.FlushingOff()...) {
			if done.Journal != path || done.Step == "" || done.At.IsZero() {
				t.Errorf("a change is %+v", done)
			}
		}
	})
}

// No security descriptor makes the judgement of it fail, and none of another owner is found safe.
func FuzzDescriptor(f *testing.F) {
	for _, test := range descriptors {
		f.Add(test.descriptor)
	}
	f.Fuzz(func(t *testing.T, descriptor []byte) {
		if reason := unsafety(descriptor, nil); reason == "" {
			t.Errorf("%x is safe in nobody's hands", descriptor)
		}
		unsafety(descriptor, []string{administrators, localSystem})
	})
}
