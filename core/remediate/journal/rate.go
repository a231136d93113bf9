package journal

import "time"

// rateSpan is for how long a conversion must have been watched to tell its rate.
const rateSpan = 30 * time.Second

// Rate is how fast a volume was decrypted, in percent of it per second, as far as the newest run tells that
// watched it for long enough; false when none does.
func (h History) Rate(volumeID string) (percentPerSecond float64, ok bool) {
	for _, run := range h.Runs {
		if rate, ok := run.rate(volumeID); ok {
			return rate, true
		}
	}
	return 0, false
}

// rate compares the first and the last line about a volume's progress. A run in which it was encrypted further in
// between tells nothing.
func (r Run) rate(volumeID string) (float64, bool) {
	var first, last *Line
	for i := range r.Lines {
		line := &r.Lines[i]
		if line.Event != EventProgress || line.Target != volumeID || line.Percent == nil || *line.Percent < 0 || *line.Percent > 100 {
			continue
		}
		if first == nil {
			first = line
		}
		if last != nil && (*line.Percent > *last.Percent || line.Time.Before(last.Time)) {
			return 0, false
		}
		last = line
	}
	if first == nil {
		return 0, false
	}
	elapsed, part := last.Time.Sub(first.Time), *first.Percent-*last.Percent
	if elapsed < rateSpan || part <= 0 {
		return 0, false
	}
	return part / elapsed.Seconds(), true
}
