package comparison

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"diskaudit/core/contract"
)

// measureDiskspd fills in the figures of a test. broken names what cannot be read; the fault says
// why what can be read is not compared.
func measureDiskspd(t *Test, planned, span *element) (broken string, wrong *fault) {
	seconds, ok := decimal(span.value("TestTimeSeconds"))
	if !ok || seconds <= 0 {
		return fmt.Sprintf("<TestTimeSeconds> is %q, which is no time", shorten(span.value("TestTimeSeconds"))), nil
	}
	threads := span.all("Thread")
	if uint64(len(threads)) != t.Threads {
		return fmt.Sprintf("there are %d <Thread> elements for %d threads", len(threads), t.Threads), nil
	}
	counted, broken := countDiskspd(t, threads)
	if broken != "" {
		return broken, nil
	}
	others, prefix := counted["WriteCount"], "Read"
	t.Ops, t.Bytes = counted["ReadCount"], counted["ReadBytes"]
	if t.Operation == contract.OperationWrite {
		others, prefix = counted["ReadCount"], "Write"
		t.Ops, t.Bytes = counted["WriteCount"], counted["WriteBytes"]
	}
	switch {
	case others > 0:
		return fmt.Sprintf("there are %d I/Os in the direction that the profile does not have", others), nil
	case t.Ops == 0:
		return "", faultf("no-figure", "it did no I/O. Look at diskspd's messages, and run it again.")
	case t.Ops > 1<<53 || float64(t.Bytes) != float64(t.Ops)*float64(t.BlockBytes):
		return fmt.Sprintf("%d I/Os of %d bytes do not make %d bytes", t.Ops, t.BlockBytes, t.Bytes), nil
	}
	t.narrowSpan(diskspdTarget(planned))
	t.RoundMs = contract.Ptr(seconds * 1000)
	if warmup, ok := whole(planned.value("Warmup")); ok {
		t.WarmupMs = contract.Ptr(float64(warmup) * 1000)
	}
	if t.SpacingMs == 0 {
		bytes := float64(t.Bytes) / seconds
		t.IOPS, t.MBPerSecond, t.MiBPerSecond = contract.Ptr(float64(t.Ops)/seconds), contract.Ptr(bytes/1e6), contract.Ptr(bytes/(1<<20))
	}
	return latencyOfDiskspd(t, span.child("Latency"), prefix), nil
}

// countDiskspd sums what the threads did, and finds the size of their target.
func countDiskspd(t *Test, threads []*element) (sums map[string]uint64, broken string) {
	sums = map[string]uint64{}
	for _, thread := range threads {
		for _, target := range thread.all("Target") {
			for _, name := range []string{"ReadCount", "WriteCount", "ReadBytes", "WriteBytes"} {
				value, ok := whole(target.value(name))
				if sums[name] += value; !ok || sums[name] > 1<<62 {
					return nil, fmt.Sprintf("<%s> is %q, which is no number of I/Os or bytes", name, shorten(target.value(name)))
				}
			}
			if size, ok := whole(target.value("FileSize")); ok && size > 0 {
				t.SpanBytes = &size
			}
		}
	}
	return sums, ""
}

// narrowSpan takes the part of the target that was asked for (-B, -f).
func (t *Test) narrowSpan(target *element) {
	base, _ := whole(target.value("BaseFileOffset"))
	end, _ := whole(target.value("MaxFileSize"))
	if t.SpanBytes != nil && (end == 0 || end > *t.SpanBytes) {
		end = *t.SpanBytes
	}
	if end > base {
		t.SpanBytes = contract.Ptr(end - base)
	}
}

// latencyOfDiskspd reads <Latency>, which is there with -L only. Its ms have three decimals; a
// time of 0.000 is below that resolution, and not a time.
func latencyOfDiskspd(t *Test, latency *element, prefix string) (broken string) {
	if latency == nil {
		return ""
	}
	nanoseconds := func(of *element, name string) (*float64, string) {
		const msToNs = 1e6
		text := of.value(name)
		value, ok := decimal(text)
		switch {
		case !ok:
			return nil, fmt.Sprintf("<%s> of <%s> is %q, which is no time", name, of.name, shorten(text))
		case value == 0:
			return nil, ""
		}
		return contract.Ptr(math.Round(value * msToNs)), ""
	}
	if t.LatencyNs.Mean, broken = nanoseconds(latency, "Average"+prefix+"Milliseconds"); broken != "" {
		return broken
	}
	for _, bucket := range latency.all("Bucket") {
		percent, ok := decimal(bucket.value("Percentile"))
		if !ok {
			return fmt.Sprintf("a <Percentile> is %q, which is no number", shorten(bucket.value("Percentile")))
		}
		ns, broken := nanoseconds(bucket, prefix+"Milliseconds")
		switch {
		case broken != "":
			return broken
		case ns == nil:
		case percent == 0:
			t.LatencyNs.Min = ns
		case percent == 100:
			t.LatencyNs.Max = ns
		default:
			setPercentile(&t.LatencyNs, percent, float64(t.Ops), *ns)
		}
	}
	return ""
}

// whole reads a number of things.
func whole(text string) (uint64, bool) {
	value, err := strconv.ParseUint(text, 10, 62)
	return value, err == nil
}

// decimal reads a number written in digits; not one in words, such as "nan".
func decimal(text string) (float64, bool) {
	if strings.Trim(text, "0123456789.") != "" {
		return 0, false
	}
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil
}
