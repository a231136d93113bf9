package journal

import (
	"math"
	"testing"
	"time"

	"diskaudit/core/contract"
)

func TestRate(t *testing.T) {
	at := func(seconds float64, percent float64) Line {
		return Line{Event: EventProgress, Target: volumeC, Percent: &percent, Time: start.Add(time.Duration(seconds * float64(time.Second)))}
	}
	of := func(target string, line Line) Line {
		line.Target = target
		return line
	}
	run := func(lines ...Line) Run { return Run{Lines: lines} }
	for _, test := range []struct {
		name string
		// runs are newest first.
		runs []Run
		want float64
		ok   bool
	}{
		{"no run", nil, 0, false},
		{"one line", []Run{run(at(0, 90))}, 0, false},
		{"too soon", []Run{run(at(0, 90), at(29, 80))}, 0, false},
		{"half a minute", []Run{run(at(0, 90), at(30, 75))}, 0.5, true},
		{"several lines", []Run{run(at(0, 90), at(10, 90), at(20, 20), at(100, 15))}, 0.75, true},
		{"does not move", []Run{run(at(0, 90), at(60, 90))}, 0, false},
		{"encrypts", []Run{run(at(0, 50), at(60, 60))}, 0, false},
		{"encrypts in between", []Run{run(at(0, 50), at(60, 60), at(120, 10))}, 0, false},
		{"clock put back", []Run{run(at(100, 50), at(40, 40), at(200, 10))}, 0, false},
		{"newest that can tell", []Run{run(at(0, 10)), run(at(0, 90), at(100, 80)), run(at(0, 90), at(100, 40))}, 0.1, true},
		{"another volume", []Run{run(of(volumeD, at(0, 90)), of(volumeD, at(60, 30)))}, 0, false},
		{"among those of another volume", []Run{run(of(volumeD, at(0, 90)), at(0, 90), of(volumeD, at(60, 10)), at(60, 60))}, 0.5, true},
		{"no percentage", []Run{run(at(0, 90), Line{Event: EventProgress, Target: volumeC, Time: start.Add(time.Minute)})}, 0, false},
		{"not a percentage", []Run{run(at(0, 900), at(60, 90), at(120, 60), at(180, -5))}, 0.5, true},
		{"another event", []Run{run(at(0, 90), Line{Event: EventEnd, Target: volumeC, Percent: contract.Ptr(10.0), Time: start.Add(time.Minute)})}, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := History{Runs: test.runs}.Rate(volumeC)
			if ok != test.ok || math.Abs(got-test.want) > 1e-9 {
				t.Errorf("it is %v, %t; %v, %t is expected", got, ok, test.want, test.ok)
			}
		})
	}
}
