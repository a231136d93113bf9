package engine

// SystemCPU is the time in ns for which all processors together have been busy since some moment,
// as the system counts it, which is in steps of several ms; false when it does not tell.
func SystemCPU() (ns int64, ok bool) {
	times := readSystemTimes()
	return times.busyNs, times.granularityNs > 0
}
