package engine

import "os"

// readSystemTimes reads the processors' times from /proc/stat; its clock ticks every 10 ms.
func readSystemTimes() systemTimes {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return systemTimes{}
	}
	busy, ok := parseProcStat(data)
	if !ok {
		return systemTimes{}
	}
	return systemTimes{atNs: nanoseconds(now()), busyNs: busy, granularityNs: 10e6}
}
