package engine

import (
	"bytes"
	"math"
	"strconv"
)

// systemTimes are the times of all processors together at one moment.
type systemTimes struct {
	// atNs is when they were read.
	atNs int64
	// busyNs is the time spent on anything but waiting.
	busyNs int64
	// granularityNs is the step of busyNs; 0 when it could not be read.
	granularityNs int64
}

// busyBetween is the busy time between two readings; nil when one is missing, or when the time
// between is less than 50 steps of the clock, so that the steps alone make 2 % and more.
func busyBetween(before, after systemTimes) *int64 {
	step := before.granularityNs
	if step == 0 || after.granularityNs == 0 || after.atNs-before.atNs < 50*step || after.busyNs < before.busyNs {
		return nil
	}
	busy := after.busyNs - before.busyNs
	return &busy
}

// parseProcStat reads the first line of /proc/stat: time in ticks of 1/100 s that all processors
// spent on user, nice, system, idle, iowait, irq, softirq, steal, guest and guest_nice (proc(5)).
// Steal belongs to other virtual machines, and the guests' time is in user and nice already.
func parseProcStat(data []byte) (busyNs int64, ok bool) {
	const tick = 10e6
	line, _, _ := bytes.Cut(data, []byte("\n"))
	fields := bytes.Fields(line)
	if len(fields) < 8 || string(fields[0]) != "cpu" {
		return 0, false
	}
	for _, column := range []int{1, 2, 3, 6, 7} {
		ticks, err := strconv.ParseInt(string(fields[column]), 10, 64)
		if err != nil || ticks < 0 || ticks > (math.MaxInt64-busyNs)/tick {
			return 0, false
		}
		busyNs += ticks * tick
	}
	return busyNs, true
}
