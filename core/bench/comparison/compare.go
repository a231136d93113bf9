package comparison

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"diskaudit/core/contract"
)

// DefaultThresholdPercent is the change below which a difference is not called one.
const DefaultThresholdPercent = 5

// BandWithoutRounds is the change in percent that a figure must exceed to be called slower or
// faster when a side has no rounds. Best of five passes against a median, or one run against
// another, differ by a tenth or two on a quiet computer without anything having changed.
const BandWithoutRounds = 25

// threshold is what was asked for, or the default where that is no threshold.
func threshold(percent float64) float64 {
	if percent > 0 && !math.IsInf(percent, 0) {
		return percent
	}
	return DefaultThresholdPercent
}

// Compare compares a new result with a baseline. thresholdPercent is the change below which a
// difference is not called one; 0 or less is [DefaultThresholdPercent]. Whatever cannot be
// compared is a refusal with the reason and the way out, so there is no error; both results are
// left as they are.
func Compare(baseline *Result, now contract.Bench, thresholdPercent float64) contract.Comparison {
	c := &comparer{
		baseline: baseline, now: now,
		out: contract.Comparison{Baseline: baseline.Baseline, ThresholdPercent: threshold(thresholdPercent)},
	}
	c.out.Refusals = append(c.out.Refusals, baseline.Refusals...)
	c.out.Notes = append(c.out.Notes, baseline.Notes...)
	current := latest(now)
	if sameRun(baseline, now) {
		c.refuse("same-run", "", "The baseline is this very run: its rounds are the same to the last digit. Give a result that was measured before.")
		return c.out
	}
	if c.compareRuns() {
		c.compareTests(current)
	}
	c.out.Comparable = len(c.out.Tests) > 0
	if !c.out.Comparable && len(c.out.Refusals) == 0 {
		c.refuse("nothing-measured", "", "This run has no test to compare with the baseline. Measure at least one that the baseline has.")
	}
	return c.out
}

// comparer gathers a comparison.
type comparer struct {
	baseline *Result
	now      contract.Bench
	out      contract.Comparison
	pending  []figure
	// perTest are notes that hold for some of the tests, with their ids.
	perTest []testNote
}

// testNote is one note for all tests that it holds for.
type testNote struct {
	code, text string
	tests      []string
}

func (c *comparer) refuse(code, test, format string, args ...any) {
	c.out.Refusals = append(c.out.Refusals, contract.Refusal{Code: code, TestID: test, Text: fmt.Sprintf(format, args...)})
}

// noteTest adds a note on one test; the same note on several becomes one.
func (c *comparer) noteTest(code, test, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for i := range c.perTest {
		if have := &c.perTest[i]; have.code == code && have.text == text {
			have.tests = append(have.tests, test)
			return
		}
	}
	c.perTest = append(c.perTest, testNote{code, text, []string{test}})
}

func (c *comparer) note(code, format string, args ...any) {
	c.out.Notes = append(c.out.Notes, note(code, fmt.Sprintf(format, args...)))
}

// compareRuns compares what holds for all tests, and tells whether they can be compared.
func (c *comparer) compareRuns() bool {
	before := len(c.out.Refusals)
	c.compareTimes()
	if c.baseline.Document == nil {
		c.note("context-unknown", "The file does not tell disk, driver, operating system, layer and encryption of its run. That they are those of this run is for you to know; it was not checked.")
		c.note("without-rounds", "The baseline has no rounds to tell chance by, so a change is undecided up to %d %%, and as long as a round of this run reaches the baseline's figure.", BandWithoutRounds)
		return true
	}
	c.compareFacts()
	return len(c.out.Refusals) == before
}

func (c *comparer) compareTimes() {
	then := c.baseline.Baseline.CollectedAt
	if then != nil && !c.now.CollectedAt.IsZero() && then.After(c.now.CollectedAt) {
		c.note("baseline-newer", "The baseline was measured at %s, after this run. Changes read from it to this run all the same.", then.Format("2006-01-02 15:04:05 UTC"))
	}
}

// sameRun tells whether a baseline is the run itself: chance gives no second run the same rounds.
func sameRun(baseline *Result, now contract.Bench) bool {
	if baseline.Document == nil || len(baseline.Document.Tests) != len(now.Tests) {
		return false
	}
	rounds := 0
	for i, test := range now.Tests {
		other := baseline.Document.Tests[i]
		if test.ID != other.ID || len(test.Rounds) != len(other.Rounds) {
			return false
		}
		for j := range test.Rounds {
			if !reflect.DeepEqual(test.Rounds[j], other.Rounds[j]) {
				return false
			}
			rounds++
		}
	}
	return rounds > 0
}

// compareTests matches the tests of both sides, gathers their figures and judges them together.
func (c *comparer) compareTests(current []Test) {
	used := make([]bool, len(c.baseline.Tests))
	for i := range current {
		if at, ok := c.match(&current[i], used); ok {
			c.comparePair(&c.baseline.Tests[at], &current[i])
		}
	}
	for i, test := range c.baseline.Tests {
		if !used[i] {
			c.refuse("test-not-run", test.ID, "%s is in the baseline, but was not measured now. Measure it with --profile custom, or with the profile of the baseline.", test.ID)
		}
	}
	for _, n := range c.perTest {
		c.note(n.code, "%s (%s)", n.text, strings.Join(n.tests, ", "))
	}
	c.judge()
}

// likeness is what two tests have to share to be one.
type likeness struct {
	operation             contract.Operation
	pattern               contract.AccessPattern
	block, depth, threads uint64
	durability            contract.Durability
	spacing               float64
}

func (t *Test) likeness() likeness {
	l := likeness{t.Operation, t.Pattern, t.BlockBytes, t.QueueDepth, t.Threads, "", t.SpacingMs}
	if t.Durability != nil {
		l.durability = *t.Durability
	}
	return l
}

// match finds the baseline's test for one of this run, or says why there is none. used marks the
// baseline's tests that were named.
func (c *comparer) match(now *Test, used []bool) (at int, ok bool) {
	var same, sameSpan []int
	for i := range c.baseline.Tests {
		test := &c.baseline.Tests[i]
		if test.likeness() != now.likeness() {
			continue
		}
		same = append(same, i)
		if test.SpanBytes != nil && now.SpanBytes != nil && *test.SpanBytes == *now.SpanBytes {
			sameSpan = append(sameSpan, i)
		}
	}
	for _, i := range same {
		used[i] = true
	}
	if len(sameSpan) > 0 {
		same = sameSpan
	}
	switch {
	case len(same) == 1:
		return same[0], true
	case len(same) > 1:
		c.refuse("test-repeated", now.ID, "%s is %d times in the baseline, and which of them to compare with is not guessed. Give a baseline that has it once.", now.ID, len(same))
		return 0, false
	}
	for _, near := range nearMisses {
		for i := range c.baseline.Tests {
			if test := &c.baseline.Tests[i]; !used[i] && near.like(test, now) {
				used[i] = true
				c.refuse(near.code, now.ID, "%s is not compared: %s", now.ID, near.text(test, now))
				return 0, false
			}
		}
	}
	if !c.refused(now.ID) {
		c.refuse("test-missing", now.ID, "%s is not in the baseline. Measure a baseline with the profile of this run.", now.ID)
	}
	return 0, false
}

// refused tells whether the reader has already said why the baseline's test is not there.
func (c *comparer) refused(id string) bool {
	for _, refusal := range c.baseline.Refusals {
		if refusal.TestID == id {
			return true
		}
	}
	return false
}

// nearMisses name the one option in which a test of the baseline differs.
var nearMisses = []struct {
	code string
	like func(a, b *Test) bool
	text func(a, b *Test) string
}{
	{"durability-differs", func(a, b *Test) bool {
		x, y := a.likeness(), b.likeness()
		x.durability = y.durability
		return x == y
	}, func(a, b *Test) string {
		return fmt.Sprintf("a write counts as done at %q in the baseline and at %q now, which can differ a hundredfold. Measure with the same --durability.", orUnknown(a.Durability), orUnknown(b.Durability))
	}},
	{"spacing-differs", func(a, b *Test) bool {
		x, y := a.likeness(), b.likeness()
		x.spacing = y.spacing
		return x == y
	}, func(a, b *Test) string {
		return fmt.Sprintf("the baseline leaves %g ms between I/Os and this run %g ms, and a disk that was left alone wakes up first. Measure with the same --spacing.", a.SpacingMs, b.SpacingMs)
	}},
	{"options-differ", func(a, b *Test) bool { return a.ID == b.ID }, func(a, b *Test) string {
		return fmt.Sprintf("the baseline's test of that name does other things (%s, now %s). Measure both with the same profile.", a.options(), b.options())
	}},
}

func (t *Test) options() string {
	l := t.likeness()
	words := []string{string(l.pattern), string(l.operation), fmt.Sprintf("of %d bytes, queue depth %d, threads %d", l.block, l.depth, l.threads)}
	if l.durability != "" {
		words = append(words, string(l.durability))
	}
	return strings.Join(words, " ")
}

func orUnknown(d *contract.Durability) string {
	if d == nil {
		return "unknown"
	}
	return string(*d)
}
