package engine

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// groupSize is the most processors of a processor group of Windows, and how their numbers are
// spread: 64 times the group plus the number within.
const groupSize = 64

// decodeCores reads what GetLogicalProcessorInformationEx(RelationProcessorCore) writes on a
// 64-bit Windows: records of
//
//	0  relationship, 0 for a core      4  size of the record
//	8  flags                           9  efficiency class: higher is faster
//	30 number of groups                32 for each group: mask (8 bytes), group (2), reserved (6)
//
// (https://learn.microsoft.com/windows/win32/api/winnt/ns-winnt-processor_relationship).
func decodeCores(data []byte) ([]logicalProcessor, error) {
	const core, header, affinity = 0, 32, 16
	var processors []logicalProcessor
	for number := 0; len(data) > 0; number++ {
		if len(data) < 8 {
			return nil, errors.New("the list of cores ends within a record")
		}
		size := binary.LittleEndian.Uint32(data[4:])
		if size < 8 || uint64(size) > uint64(len(data)) {
			return nil, errors.New("the list of cores ends within a record")
		}
		record := data[:size]
		data = data[size:]
		if binary.LittleEndian.Uint32(record) != core {
			continue
		}
		if len(record) < header {
			return nil, errors.New("a record of the list of cores is too short")
		}
		groups := int(binary.LittleEndian.Uint16(record[30:]))
		if len(record) < header+groups*affinity {
			return nil, errors.New("a record of the list of cores is too short for its groups")
		}
		for i := range groups {
			at := record[header+i*affinity:]
			group := int(binary.LittleEndian.Uint16(at[8:]))
			for mask := binary.LittleEndian.Uint64(at); mask != 0; mask &= mask - 1 {
				processors = append(processors, logicalProcessor{
					number: group*groupSize + bits.TrailingZeros64(mask),
					core:   number,
					speed:  int64(record[9]),
				})
			}
		}
	}
	return processors, nil
}

// allowedIn leaves the processors that a process may run on, from what GetProcessGroupAffinity
// and GetProcessAffinityMask tell. A process in one group whose mask is smaller than the group's
// was restricted, and to that group; the masks are 0 for a process in several groups. Without a
// restriction a thread can be bound to any group.
func allowedIn(processors []logicalProcessor, groups []uint16, processMask, systemMask uint64) []logicalProcessor {
	if len(groups) != 1 || processMask == 0 || processMask == systemMask {
		return processors
	}
	var allowed []logicalProcessor
	for _, p := range processors {
		if p.number/groupSize == int(groups[0]) && processMask&(1<<(p.number%groupSize)) != 0 {
			allowed = append(allowed, p)
		}
	}
	return allowed
}
