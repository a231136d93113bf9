package engine

import "testing"

func TestParseProcStat(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
		ok   bool
	}{
		{"cpu  100 20 30 5000 40 5 6 7 8 9\ncpu0 1 2 3 4\n", (100 + 20 + 30 + 5 + 6) * 10e6, true},
		{"cpu  1 2 3 4 5 6 7", (1 + 2 + 3 + 6 + 7) * 10e6, true},
		{"", 0, false},
		{"cpu 1 2 3", 0, false},
		{"cpu0 1 2 3 4 5 6 7 8", 0, false},
		{"cpu x 2 3 4 5 6 7 8", 0, false},
		{"cpu -1 2 3 4 5 6 7 8", 0, false},
		{"cpu 9223372036854775807 2 3 4 5 6 7 8", 0, false},
	} {
		if got, ok := parseProcStat([]byte(c.text)); got != c.want && c.ok || ok != c.ok {
			t.Errorf("%q: %d, %v", c.text, got, ok)
		}
	}
}

// The busy time of a short round is unknown, not 0.
func TestBusyBetween(t *testing.T) {
	const step = 10e6
	at := func(ns, busy int64) systemTimes { return systemTimes{atNs: ns, busyNs: busy, granularityNs: step} }
	if got := busyBetween(at(0, 100), at(1e9, 700e6+100)); got == nil || *got != 700e6 {
		t.Errorf("%v, want 700 ms", got)
	}
	for name, c := range map[string][2]systemTimes{
		"short":      {at(0, 0), at(400e6, 100e6)},
		"no first":   {{}, at(1e9, 100e6)},
		"no second":  {at(0, 0), {}},
		"backwards":  {at(0, 100e6), at(1e9, 50e6)},
		"no reading": {{}, {}},
	} {
		if got := busyBetween(c[0], c[1]); got != nil {
			t.Errorf("%s: %d, want nothing", name, *got)
		}
	}
}

func TestReadSystemTimes(t *testing.T) {
	times := readSystemTimes()
	if times.granularityNs == 0 || times.busyNs <= 0 {
		t.Errorf("%+v: the processors' times could not be read", times)
	}
}
