package penalty

import (
	"math"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

// found is a valid penalty of so many ns on a bare latency, with an interval of so much either way.
func found(bare, added, half float64) contract.Penalty {
	operation, size := contract.OperationRead, uint64(4096)
	ended := endedTime
	layered := bare + added
	return contract.Penalty{
		Evidence: contract.EvidencePaired, Valid: true, Operation: &operation, BlockBytes: &size,
		BareNs: &bare, LayeredNs: &layered,
		AddedNs:      &contract.Range{Low: added - half, Estimate: added, High: added + half},
		AddedPercent: &contract.Range{Low: 100 * (added - half) / bare, Estimate: 100 * added / bare, High: 100 * (added + half) / bare},
		Proof:        &contract.PathProof{Blocks: 48, LowerRandom: 48, Result: proofEncrypted},
		Pairs:        1000, Ended: &ended,
	}
}

func with(p contract.Penalty, change func(*contract.Penalty)) contract.Penalty {
	change(&p)
	return p
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name      string
		penalty   contract.Penalty
		threshold float64
		result    contract.VerdictResult
		says      []string
	}{
		{"P66: material, absolute and in percent", found(40_000, 11_000, 500), 10, contract.VerdictMaterial,
			[]string{"11.0 us", "10.5 us to 11.5 us", "27.5 %", "40.0 us", "26.2 to 28.8 %", "10 %", "4 KiB read"}},
		{"the same microseconds on a slow disk are negligible", found(400_000, 11_000, 500), 10, contract.VerdictNegligible, []string{"11.0 us", "2.8 %"}},
		{"another threshold", found(40_000, 11_000, 500), 50, contract.VerdictNegligible, []string{"50 %"}},
		{"the threshold within the interval", found(40_000, 4_100, 500), 10, contract.VerdictUndecided, []string{"measure longer"}},
		{"at the threshold", found(40_000, 4_500, 500), 10, contract.VerdictMaterial, nil},
		{"nothing", found(40_000, 20, 100), 10, contract.VerdictNegligible, []string{"0.02 us", "cannot be told from nothing"}},
		{"no threshold is 10 %", found(40_000, 11_000, 500), 0, contract.VerdictMaterial, []string{"10 %"}},
		{"not a threshold", found(40_000, 11_000, 500), math.NaN(), contract.VerdictMaterial, []string{"10 %"}},
		{"not valid", with(found(40_000, 11_000, 500), func(p *contract.Penalty) {
			p.Valid, p.Reason = false, because(codeFaster, "The paths are wrong.")
		}), 10, contract.VerdictUndecided, []string{"not known", "The paths are wrong."}},
		{"no evidence", contract.Penalty{}, 10, contract.VerdictUndecided, []string{"--twin", "--baseline"}},
		{"no cipher between the paths", with(found(40_000, 11_000, 500), func(p *contract.Penalty) { p.Proof.Result = proofSame }), 10,
			contract.VerdictMaterial, []string{"no cipher"}},
		{"nothing proved", with(found(40_000, 11_000, 500), func(p *contract.Penalty) { p.Proof.Result = proofInconclusive }), 10,
			contract.VerdictMaterial, []string{"do not prove"}},
		{"rounds of two tests", with(found(40_000, 11_000, 500), func(p *contract.Penalty) { p.Proof, p.Evidence = nil, contract.EvidenceTwin }), 10,
			contract.VerdictMaterial, []string{"Encryption adds"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := Judge(c.penalty, c.threshold)
			if v.Result != c.result {
				t.Errorf("%s: %s", v.Result, v.Text)
			}
			for _, words := range c.says {
				if !strings.Contains(v.Text, words) {
					t.Errorf("the text does not say %q: %s", words, v.Text)
				}
			}
			if v.ThresholdPercent <= 0 || math.IsNaN(v.ThresholdPercent) {
				t.Errorf("threshold %v", v.ThresholdPercent)
			}
		})
	}
}

func benchTest(p50, iops float64) contract.BenchTest {
	return contract.BenchTest{
		ID: "RND4K-Q1T1-read", Operation: contract.OperationRead, BlockBytes: 4096, Pattern: contract.PatternRandom,
		QueueDepth: 1, Threads: 1, LatencyNs: contract.Latency{P50: &p50}, IOPS: &iops, Valid: true,
	}
}

func TestPredict(t *testing.T) {
	headroom := Predict(found(40_000, 10_000, 1_000), []contract.BenchTest{benchTest(50_000, 20_000)})
	want := []contract.Headroom{
		{TestID: "RND4K-Q1T1-read", Metric: "p50Ns", Measured: 50_000, Predicted: contract.Range{Low: 39_000, Estimate: 40_000, High: 41_000}},
		// 20,000 a second are one in 50 us; without 9 to 11 us of them one in 39 to 41 us.
		{TestID: "RND4K-Q1T1-read", Metric: "iops", Measured: 20_000, Predicted: contract.Range{Low: 1e9 / 41_000., Estimate: 25_000, High: 1e9 / 39_000.}},
	}
	if len(headroom) != len(want) {
		t.Fatalf("%+v", headroom)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-6*b }
	for i, w := range want {
		got := headroom[i]
		if got.TestID != w.TestID || got.Metric != w.Metric || got.Measured != w.Measured ||
			!near(got.Predicted.Low, w.Predicted.Low) || !near(got.Predicted.Estimate, w.Predicted.Estimate) || !near(got.Predicted.High, w.Predicted.High) {
			t.Errorf("got %+v, want %+v", got, w)
		}
	}
}

// Where nothing follows, nothing is predicted.
func TestPredictNothing(t *testing.T) {
	change := func(f func(*contract.BenchTest)) contract.BenchTest {
		test := benchTest(50_000, 20_000)
		f(&test)
		return test
	}
	good := found(40_000, 10_000, 1_000)
	for _, c := range []struct {
		name    string
		penalty contract.Penalty
		test    contract.BenchTest
	}{
		{"deeper queue", good, change(func(b *contract.BenchTest) { b.QueueDepth = 8 })},
		{"more threads", good, change(func(b *contract.BenchTest) { b.Threads = 2 })},
		{"other blocks", good, change(func(b *contract.BenchTest) { b.BlockBytes = 1 << 20 })},
		{"writes", good, change(func(b *contract.BenchTest) { b.Operation = contract.OperationWrite })},
		{"a test that is not valid", good, change(func(b *contract.BenchTest) { b.Valid = false })},
		{"a test without figures", good, change(func(b *contract.BenchTest) { b.LatencyNs.P50, b.IOPS = nil, nil })},
		{"a test faster than the layer", good, benchTest(9_000, 200_000)},
		{"a penalty that is not valid", with(good, func(p *contract.Penalty) { p.Valid = false }), benchTest(50_000, 20_000)},
		{"a penalty that may be nothing", found(40_000, 500, 600), benchTest(50_000, 20_000)},
		{"no cipher", with(good, func(p *contract.Penalty) { p.Proof.Result = proofSame }), benchTest(50_000, 20_000)},
		{"no penalty", contract.Penalty{}, benchTest(50_000, 20_000)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if headroom := Predict(c.penalty, []contract.BenchTest{c.test}); len(headroom) != 0 {
				t.Errorf("predicted %+v", headroom)
			}
		})
	}
}
