package linux

import (
	"slices"
	"strconv"
	"strings"

	"diskaudit/core/contract"
)

// cpuInfo is what /proc/cpuinfo says; its keys differ between architectures.
type cpuInfo struct {
	// name is the first processor's "model name"; empty on most ARM computers.
	name string
	// aes and hypervisor are nil where the list of features is missing or cannot tell.
	aes, hypervisor *bool
	// processors is the number of entries.
	processors uint64
}

func readCPUInfo(t tree) cpuInfo {
	data, _ := t.bytes("proc/cpuinfo", tableLimit)
	return parseCPUInfo(string(data))
}

// parseCPUInfo reads /proc/cpuinfo. Only x86 lists "flags" and ARM "Features"; the flag
// "hypervisor" exists on x86 alone.
func parseCPUInfo(text string) cpuInfo {
	var info cpuInfo
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "processor":
			info.processors++
		case "model name":
			if info.name == "" {
				info.name = printable(value)
			}
		case "flags":
			features := strings.Fields(value)
			if info.aes == nil && len(features) > 0 {
				info.aes = contract.Ptr(slices.Contains(features, "aes"))
				info.hypervisor = contract.Ptr(slices.Contains(features, "hypervisor"))
			}
		case "Features":
			features := strings.Fields(value)
			if info.aes == nil && len(features) > 0 {
				info.aes = contract.Ptr(slices.Contains(features, "aes"))
			}
		}
	}
	return info
}

const cpuFolder = "sys/devices/system/cpu"

// findCPU describes the processor. Source of the topology: Documentation/ABI/stable/
// sysfs-devices-system-cpu of the kernel.
func findCPU(t tree, info cpuInfo, unknown *reasons) contract.CPU {
	cpu := contract.CPU{AES: info.aes}
	if info.name != "" {
		cpu.Name = &info.name
	} else {
		unknown.add("name of the processor", "/proc/cpuinfo does not name it")
	}
	if info.aes == nil {
		unknown.add("AES instructions", "/proc/cpuinfo lists no features")
	}
	online, _ := t.text(cpuFolder + "/online")
	if count, ok := countRanges(online); ok {
		cpu.LogicalProcessors = &count
	} else if info.processors > 0 {
		cpu.LogicalProcessors = &info.processors
	} else {
		unknown.add("logical processors", "/sys and /proc list none")
	}
	if cpu.Cores = countCores(t); cpu.Cores == nil {
		unknown.add("cores", "/sys does not tell which processors share one")
	}
	return cpu
}

// countCores counts the sets of processors that are threads of one core; nil when an online
// processor does not tell.
func countCores(t tree) *uint64 {
	names, err := t.list(cpuFolder)
	if err != nil {
		return nil
	}
	cores := map[string]bool{}
	for _, name := range names {
		number, ok := strings.CutPrefix(name, "cpu")
		if _, err := strconv.ParseUint(number, 10, 32); !ok || err != nil {
			continue
		}
		// The first processor has no switch where it cannot be turned off.
		if online := t.flag(cpuFolder + "/" + name + "/online"); online != nil && !*online {
			continue
		}
		threads, ok := t.text(cpuFolder + "/" + name + "/topology/thread_siblings_list")
		if !ok {
			return nil
		}
		cores[threads] = true
	}
	if len(cores) == 0 {
		return nil
	}
	return contract.Ptr(uint64(len(cores)))
}

// countRanges counts the numbers in a list such as "0-3,8,10-11".
func countRanges(list string) (uint64, bool) {
	if list == "" {
		return 0, false
	}
	var count uint64
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, errFrom := strconv.ParseUint(first, 10, 32)
		to, errTo := strconv.ParseUint(last, 10, 32)
		if errFrom != nil || errTo != nil || to < from {
			return 0, false
		}
		count += to - from + 1
	}
	return count, true
}
