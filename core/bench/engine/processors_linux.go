package engine

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// processorFolder holds a folder for each processor (Documentation/ABI/stable/
// sysfs-devices-system-cpu of the kernel).
const processorFolder = "/sys/devices/system/cpu"

// logicalProcessors lists the processors that this process may run on.
func logicalProcessors() []logicalProcessor {
	allowed, err := allowedProcessors()
	if err != nil {
		return nil
	}
	return describeProcessors(processorFolder, allowed)
}

// describeProcessors reads what sysfs tells about processors. One that it tells nothing about is
// a core of its own.
func describeProcessors(folder string, numbers []int) []logicalProcessor {
	type place struct{ packageID, coreID int64 }
	cores := map[place]int{}
	processors := make([]logicalProcessor, len(numbers))
	for i, number := range numbers {
		own := filepath.Join(folder, "cpu"+strconv.Itoa(number))
		p := logicalProcessor{number: number, core: -1 - number}
		packageID, known := readNumber(own, "topology/physical_package_id")
		coreID, coreKnown := readNumber(own, "topology/core_id")
		if known && coreKnown {
			at := place{packageID, coreID}
			if _, ok := cores[at]; !ok {
				cores[at] = number
			}
			p.core = cores[at]
		}
		// ARM states the capacity; on x86 performance cores have the higher frequency.
		for _, name := range []string{"cpu_capacity", "cpufreq/cpuinfo_max_freq"} {
			if speed, ok := readNumber(own, name); ok {
				p.speed = speed
				break
			}
		}
		processors[i] = p
	}
	return processors
}

func readNumber(folder, name string) (int64, bool) {
	data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
	if err != nil {
		return 0, false
	}
	number, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	return number, err == nil
}
