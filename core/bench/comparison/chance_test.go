package comparison

import (
	"math/rand/v2"
	"testing"

	"diskaudit/core/contract"
)

// eightTests are the options of a profile such as quick or cdm.
func eightTests() []contract.TestSpec {
	var specs []contract.TestSpec
	for _, depth := range []uint64{1, 2, 8, 32} {
		for _, operation := range []contract.Operation{contract.OperationRead, contract.OperationWrite} {
			s := spec(operation)
			s.QueueDepth = depth
			specs = append(specs, s)
		}
	}
	return specs
}

// run is a run of tests whose rounds vary by chance; slower are the factors of single tests.
func run(r *rand.Rand, specs []contract.TestSpec, deviation float64, slower map[int]float64) contract.Bench {
	var tests []contract.BenchTest
	for i, s := range specs {
		ns := 50_000.0
		if factor, ok := slower[i]; ok {
			ns *= factor
		}
		tests = append(tests, result(s, noisy(r, ns, deviation)...))
	}
	return document(tests...)
}

// regressions counts the comparisons in which something is called slower.
func regressions(t *testing.T, specs []contract.TestSpec, deviation float64, slower map[int]float64, times int) float64 {
	t.Helper()
	r := rand.New(rand.NewPCG(11, 7))
	found := 0
	for range times {
		then := run(r, specs, deviation, nil)
		baseline := &Result{Document: &then, Tests: latest(then)}
		if Compare(baseline, run(r, specs, deviation, slower), DefaultThresholdPercent).Regression {
			found++
		}
	}
	return float64(found) / float64(times)
}

// A against A: two runs in which nothing changed raise a regression in at most 5 % of cases, also
// where the rounds vary by so much that the threshold holds nothing back.
func TestNoFalseRegression(t *testing.T) {
	for _, deviation := range []float64{0.03, 0.06, 0.30} {
		if rate := regressions(t, eightTests(), deviation, nil, 500); rate > 0.05 {
			t.Errorf("rounds varying by %g %%: %.1f %% false regressions", 100*deviation, 100*rate)
		} else {
			t.Logf("rounds varying by %g %%: %.2f %% false regressions", 100*deviation, 100*rate)
		}
	}
}

// A true loss of a fifth is found: in one test of eight, and in one of a sweep of 36, where a
// method that guards every single figure could not find anything with six rounds.
func TestTrueRegressionIsFound(t *testing.T) {
	var sweep []contract.TestSpec
	for block := uint64(512); block <= 64<<20; block *= 2 {
		for _, operation := range []contract.Operation{contract.OperationRead, contract.OperationWrite} {
			s := spec(operation)
			s.BlockBytes, s.Pattern = block, contract.PatternSequential
			sweep = append(sweep, s)
		}
	}
	for name, test := range map[string]struct {
		specs     []contract.TestSpec
		deviation float64
		slower    map[int]float64
		least     float64
	}{
		"one of eight":                {eightTests(), 0.03, map[int]float64{3: 1.2}, 0.9},
		"one of eight, noisy":         {eightTests(), 0.06, map[int]float64{3: 1.2}, 0.5},
		"all of eight, noisy":         {eightTests(), 0.08, map[int]float64{0: 1.2, 1: 1.2, 2: 1.2, 3: 1.2, 4: 1.2, 5: 1.2, 6: 1.2, 7: 1.2}, 0.9},
		"one of a sweep":              {sweep, 0.03, map[int]float64{3: 1.2}, 0.9},
		"small blocks of a sweep":     {sweep, 0.06, map[int]float64{0: 1.2, 1: 1.2, 2: 1.2, 3: 1.2, 4: 1.2, 5: 1.2, 6: 1.2, 7: 1.2}, 0.9},
		"one of eight, by a doubling": {eightTests(), 0.10, map[int]float64{5: 2}, 0.95},
	} {
		rate := regressions(t, test.specs, test.deviation, test.slower, 60)
		t.Logf("%s: found in %.0f %% of cases", name, 100*rate)
		if rate < test.least {
			t.Errorf("%s: found in %.0f %% of cases only", name, 100*rate)
		}
	}
}

// Figures that changed by chance among many are held back, and it is said so.
func TestManyFiguresAreHeldBack(t *testing.T) {
	specs := eightTests()
	tests, others := []contract.BenchTest{}, []contract.BenchTest{}
	for i, s := range specs {
		then, now := around(50_000), around(50_020)
		if i == 0 {
			// One round of each lies among the other's: 4 of 36 pairs are in the other order, p = 0.026.
			then = []float64{50_000, 50_100, 50_200, 50_300, 50_400, 56_500}
			now = []float64{50_350, 55_000, 56_000, 57_000, 58_000, 59_000}
		}
		tests, others = append(tests, result(s, then...)), append(others, result(s, now...))
	}
	c := Compare(saved(t, document(tests...)), document(others...), 5)
	if c.Regression || noteCodes(c.Notes) != "many-figures" || c.Tests[0].Result != contract.ChangeUndecided {
		t.Errorf("among eight: %s, notes %v, p %v", results(c), c.Notes, *c.Tests[0].PValue)
	}
	c = Compare(saved(t, document(tests[0])), document(others[0]), 5)
	if !c.Regression {
		t.Errorf("alone: %s, p %v", results(c), *c.Tests[0].PValue)
	}
}

// Fractions of the method's own example: of fifteen probabilities the four smallest count at 5 %
// (Benjamini and Hochberg 1995, section 4.1).
func TestBenjaminiHochberg(t *testing.T) {
	p := []float64{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.000}
	if got := largestRejected(p, 0.05); got != 0.0095 {
		t.Errorf("got %g", got)
	}
	if got := largestRejected(nil, 0.05); got != 0 {
		t.Errorf("of none: %g", got)
	}
}
