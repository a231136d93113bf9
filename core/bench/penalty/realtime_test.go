package penalty_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"diskaudit/core/bench/penalty"
	"diskaudit/core/contract"
)

// waiting is a path that keeps its processor busy for as long as a read takes.
type waiting struct {
	least, more time.Duration
	random      *rand.Rand
	block       []byte
}

func (w *waiting) Read(int64) (int64, error) {
	start := time.Now()
	length := w.least + time.Duration(w.random.ExpFloat64()*float64(w.more))
	for time.Since(start) < length {
	}
	return int64(time.Since(start)), nil
}

func (w *waiting) Block() []byte { return w.block }

// A delay that really passes is found, under the conditions of a real measurement.
func TestRealDelays(t *testing.T) {
	block := []byte("the same on both paths")
	for _, added := range []time.Duration{10 * time.Microsecond, 100 * time.Microsecond} {
		within := false
		// What else runs on this computer can take the processor at any time; not each time.
		for try := 0; try < 6 && !within; try++ {
			random := rand.New(rand.NewPCG(uint64(try), 1))
			p := penalty.Measure(t.Context(), penalty.Setup{
				Upper:  &waiting{15*time.Microsecond + added, 2 * time.Microsecond, random, block},
				Lower:  &waiting{15 * time.Microsecond, 2 * time.Microsecond, random, block},
				Ranges: []penalty.Range{{Offset: 0, Length: 1 << 30}}, BlockBytes: 4096, Seed: uint64(try),
				Budget: time.Second, Processor: -1,
			})
			if !p.Valid {
				t.Logf("%v: %+v", added, p.Reason)
				continue
			}
			t.Logf("%v: %s", added, figures(p))
			within = math.Abs(p.AddedNs.Estimate-float64(added)) < 0.05*float64(added) ||
				p.AddedNs.Low < float64(added) && float64(added) < p.AddedNs.High && p.AddedNs.High < 2*float64(added)
			if p.Operation == nil || *p.Operation != contract.OperationRead || *p.BlockBytes != 4096 {
				t.Errorf("operation %v, block %v", p.Operation, p.BlockBytes)
			}
		}
		if !within {
			t.Errorf("%v was never found", added)
		}
	}
}

// figures are a result for the log.
func figures(p contract.Penalty) string {
	if p.AddedNs == nil {
		return fmt.Sprintf("valid %v, reason %+v", p.Valid, p.Reason)
	}
	cpu := "unknown"
	if p.CPUNsPerIO != nil {
		cpu = fmt.Sprintf("%.2f us", *p.CPUNsPerIO/1000)
	}
	us := func(r contract.Range) string {
		return fmt.Sprintf("%.2f us [%.2f, %.2f]", r.Estimate/1000, r.Low/1000, r.High/1000)
	}
	return fmt.Sprintf("added %s (%.1f %%) to %.2f us, layered %.2f us, control %s, processor %s, %d pairs, ended %s, proof %s, valid %v",
		us(*p.AddedNs), p.AddedPercent.Estimate, *p.BareNs/1000, *p.LayeredNs/1000, us(p.Control.AddedNs), cpu, p.Pairs, *p.Ended, p.Proof.Result, p.Valid)
}
