package engine

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	getLogicalProcessorInformationEx = kernel32.NewProc("GetLogicalProcessorInformationEx")
	getProcessAffinityMask           = kernel32.NewProc("GetProcessAffinityMask")
	getProcessGroupAffinity          = kernel32.NewProc("GetProcessGroupAffinity")
)

// logicalProcessors lists the processors that this process may run on.
func logicalProcessors() []logicalProcessor {
	processors, err := decodeCores(coreInformation())
	if err != nil {
		return nil
	}
	groups, processMask, systemMask := processAffinity()
	return allowedIn(processors, groups, processMask, systemMask)
}

// coreInformation is the system's list of cores, as decodeCores reads it; nil when there is none.
func coreInformation() []byte {
	const relationProcessorCore = 0
	size := uint32(0)
	_, _, _ = getLogicalProcessorInformationEx.Call(relationProcessorCore, 0, uintptr(unsafe.Pointer(&size)))
	if size == 0 || size > 16<<20 {
		return nil
	}
	data := make([]byte, size)
	ok, _, _ := getLogicalProcessorInformationEx.Call(relationProcessorCore, uintptr(unsafe.Pointer(&data[0])), uintptr(unsafe.Pointer(&size)))
	if uint32(ok) == 0 || int(size) > len(data) {
		return nil
	}
	return data[:size]
}

// processAffinity tells the groups of this process and the masks of its processors and of its
// group's.
func processAffinity() (groups []uint16, processMask, systemMask uint64) {
	process := uintptr(windows.CurrentProcess())
	var own, all uintptr
	_, _, _ = getProcessAffinityMask.Call(process, uintptr(unsafe.Pointer(&own)), uintptr(unsafe.Pointer(&all)))
	count := uint16(64)
	list := make([]uint16, count)
	ok, _, _ := getProcessGroupAffinity.Call(process, uintptr(unsafe.Pointer(&count)), uintptr(unsafe.Pointer(&list[0])))
	if uint32(ok) == 0 || int(count) > len(list) {
		return nil, uint64(own), uint64(all)
	}
	return list[:count], uint64(own), uint64(all)
}
