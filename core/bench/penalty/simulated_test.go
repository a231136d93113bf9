package penalty

import (
	"testing"
	"time"
)

func TestFirst(t *testing.T) {
	for _, added := range []float64{0, 2000, 20000, 200000} {
		s := newSimulation(3)
		s.bare = func(s *simulation) float64 { return 40000 + 5000*s.random.ExpFloat64() + 2000*s.random.NormFloat64() }
		s.added = func(s *simulation) float64 { return added * (1 + 0.1*s.random.NormFloat64()) }
		start := time.Now()
		p := measure(t.Context(), s.setup(10*time.Second), s.conditions())
		t.Logf("%v: %v %+v control %+v pairs %d bare %v ended %v proof %+v reason %v", added, time.Since(start), p.AddedNs, p.Control, p.Pairs, *p.BareNs, *p.Ended, p.Proof, p.Reason)
		t.Log(Judge(p, 10).Text)
	}
}
