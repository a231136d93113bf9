package comparison

import (
	"fmt"
	"math"
	"strings"

	"diskaudit/core/contract"
)

const (
	// spanRatio is how many times larger a random test's span may be than the other's. Beyond it a
	// cache in front of one is none in front of the other (cases P35, P53).
	spanRatio = 2
	// depthRatio is the same for the number of I/Os that were really in flight (case P23).
	depthRatio = 1.5
	// lengthRatio is the same for what is only noted: length of the rounds, bytes touched (case P47).
	lengthRatio = 4
)

// comparePair compares a matched pair of tests.
func (c *comparer) comparePair(then, now *Test) {
	if c.refusePair(then, now) {
		return
	}
	c.notePair(then, now)
	compared := false
	for _, choice := range choices(now) {
		if f, ok := c.figure(choice, then, now); ok {
			c.pending = append(c.pending, f)
			compared = true
		}
	}
	if !compared {
		c.refuse("no-figure", now.ID, "%s has no figure that both sides have. Measure it again on both.", now.ID)
	}
}

// refusePair refuses what makes the figures of a pair unlike.
func (c *comparer) refusePair(then, now *Test) bool {
	before := len(c.out.Refusals)
	for _, side := range []struct {
		name string
		test *Test
	}{{"the baseline", then}, {"this run", now}} {
		if !side.test.Valid {
			c.refuse("test-invalid", now.ID, "%s is not compared: in %s it is not valid (%s). Remove the cause and measure it again.", now.ID, side.name, reasons(side.test.InvalidReasons))
		}
	}
	if x, y, ok := both(then.AchievedDepth, now.AchievedDepth); ok && ratio(x, y) > depthRatio {
		c.refuse("achieved-depth-differs", now.ID, "%s is not compared: %.1f I/Os were in flight in the baseline and %.1f now. Measure again where the I/O takes the same path (%s, now %s).", now.ID, x, y, orNotTold(then.API), orNotTold(now.API))
	}
	if x, y, ok := spans(then, now); ok && now.Pattern == contract.PatternRandom && ratio(x, y) > spanRatio {
		c.refuse("span-differs", now.ID, "%s is not compared: it used %s in the baseline and %s now, so that caches hold another part of it. Measure with the same --size.", now.ID, mib(x), mib(y))
	}
	return len(c.out.Refusals) > before
}

// notePair notes what differs without making the figures unlike.
func (c *comparer) notePair(then, now *Test) {
	x, y, ok := spans(then, now)
	switch {
	case !ok:
		c.noteTest("span-unknown", now.ID, "How much of the target was used is not known of both sides.")
	case x != y:
		c.noteTest("span-differs", now.ID, "%s of the target were used in the baseline and %s now.", mib(x), mib(y))
	}
	if then.DistinctBlocks != nil && now.DistinctBlocks != nil && now.Pattern == contract.PatternRandom {
		x, y := float64(*then.DistinctBlocks), float64(*now.DistinctBlocks)
		if x > 0 && y > 0 && ratio(x, y) > lengthRatio {
			c.noteTest("footprint-differs", now.ID, "%s were really touched in the baseline and %s now, whatever the span.", mib(x*float64(then.BlockBytes)), mib(y*float64(now.BlockBytes)))
		}
	}
	if c.baseline.Document == nil {
		return
	}
	if then.API != nil && now.API != nil && *then.API != *now.API {
		c.noteTest("api-differs", now.ID, "I/O was done by %s in the baseline and by %s now, which takes another time.", *then.API, *now.API)
	}
	if x, y, ok := both(then.RoundMs, now.RoundMs); ok && x > 0 && y > 0 && ratio(x, y) > lengthRatio {
		c.noteTest("length-differs", now.ID, "Rounds took %.0f ms in the baseline and %.0f ms now. A longer test sees more of a disk's cache filling up.", x, y)
	}
}

func reasons(list []contract.InvalidReason) string {
	if len(list) == 0 {
		return "no reason is given"
	}
	codes := make([]string, len(list))
	for i, reason := range list {
		codes[i] = shorten(reason.Code)
	}
	return strings.Join(codes, ", ")
}

func spans(a, b *Test) (x, y float64, ok bool) {
	if a.SpanBytes == nil || b.SpanBytes == nil || *a.SpanBytes == 0 || *b.SpanBytes == 0 {
		return 0, 0, false
	}
	return float64(*a.SpanBytes), float64(*b.SpanBytes), true
}

func both(a, b *float64) (x, y float64, ok bool) {
	if a == nil || b == nil {
		return 0, 0, false
	}
	return *a, *b, true
}

// ratio is how many times larger the larger is.
func ratio(x, y float64) float64 {
	return math.Max(x, y) / math.Min(x, y)
}

func mib(bytes float64) string { return fmt.Sprintf("%.0f MiB", bytes/(1<<20)) }

func orNotTold(text *string) string {
	if text == nil {
		return "not told"
	}
	return *text
}
