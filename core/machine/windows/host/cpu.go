package host

import (
	"context"
	"encoding/binary"
	"errors"
	"math/bits"

	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/registry"
)

const processorKey = `HKLM\HARDWARE\DESCRIPTION\System\CentralProcessor\0`

func (r *Reader) cpu(ctx context.Context, notes *notes, architecture *string) contract.CPU {
	var cpu contract.CPU
	if name := stored(r, notes, "name of the processor", processorKey, "ProcessorNameString", registry.Text); name != nil {
		cpu.Name = named(notes, "name of the processor", *name)
	}
	cpu.Cores, cpu.LogicalProcessors = r.cores(ctx, notes)
	if err := r.sees(architecture); err != nil {
		notes.unknown("AES instructions", err.Error())
	} else {
		cpu.AES = fact(ctx, notes, "AES instructions", r.system.AES)
	}
	return cpu
}

func (r *Reader) cores(ctx context.Context, notes *notes) (cores, processors *uint64) {
	list, err := within(ctx, r.system.Cores)
	if err != nil {
		notes.failed("cores", err)
		return nil, nil
	}
	c, p, err := decodeCores(list)
	if err != nil {
		notes.failed("cores", err)
		return nil, nil
	}
	// A group of processors can have 64, of which the masks of a 32-bit program show half.
	if list.PointerBytes < 8 && p >= 32 {
		notes.unknown("logical processors", "a 32-bit program does not see all of them")
		return &c, nil
	}
	return &c, &p
}

var errCores = errors.New("the processor's cores are not listed as documented")

// decodeCores counts cores, and logical processors in all groups. An entry is a relationship, the
// entry's length, and for a core a PROCESSOR_RELATIONSHIP: flags, efficiency class, 20 reserved
// bytes, the count of groups, and for each a GROUP_AFFINITY of a mask, the group's number and six
// reserved bytes (learn.microsoft.com/windows/win32/api/winnt/ns-winnt-processor_relationship).
func decodeCores(list Cores) (cores, processors uint64, err error) {
	const (
		relationProcessorCore = 0
		header                = 8
		countAt               = header + 22
		masksAt               = header + 24
	)
	if list.PointerBytes != 4 && list.PointerBytes != 8 {
		return 0, 0, errCores
	}
	affinity := list.PointerBytes + 8
	for data := list.Data; len(data) > 0; {
		if len(data) < header {
			return 0, 0, errCores
		}
		size := binary.LittleEndian.Uint32(data[4:])
		if size < header || uint64(size) > uint64(len(data)) {
			return 0, 0, errCores
		}
		entry := data[:size]
		data = data[size:]
		if binary.LittleEndian.Uint32(entry) != relationProcessorCore {
			continue
		}
		if len(entry) < masksAt {
			return 0, 0, errCores
		}
		groups := int(binary.LittleEndian.Uint16(entry[countAt:]))
		if len(entry) < masksAt+groups*affinity {
			return 0, 0, errCores
		}
		cores++
		for group := range groups {
			mask := entry[masksAt+group*affinity:]
			processors += uint64(bits.OnesCount32(binary.LittleEndian.Uint32(mask)))
			if list.PointerBytes == 8 {
				processors += uint64(bits.OnesCount32(binary.LittleEndian.Uint32(mask[4:])))
			}
		}
	}
	if cores == 0 || processors < cores {
		return 0, 0, errCores
	}
	return cores, processors, nil
}
