package linux

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// linearTarget is one run of a device-mapper device on another device. All lengths are bytes.
type linearTarget struct {
	// start and length are where the run is in the mapped device.
	start, length uint64
	// device is the "major:minor" of the device below, offset where the run begins on it.
	device string
	offset uint64
}

// A target in the answer to DM_TABLE_STATUS: struct dm_target_spec of the kernel's
// include/uapi/linux/dm-ioctl.h, 40 bytes in the byte order of the machine, then its parameters
// as text that ends with a zero byte. Its field next counts from the start of the answer's data.
const (
	specBytes      = 40
	specNextOffset = 20
	specTypeOffset = 24
)

// targetType is the kind of each target in an answer to DM_TABLE_STATUS, without parameters.
func targetTypes(data []byte, count uint32) ([]string, error) {
	var types []string
	err := eachTarget(data, count, func(spec []byte, kind, _ string) error {
		types = append(types, kind)
		return nil
	})
	return types, err
}

// parseLinearTable reads an answer to DM_TABLE_STATUS whose targets are all linear. The
// parameters of such a target are the device below and the sector on it.
// Source: Documentation/admin-guide/device-mapper/linear.rst of the kernel.
func parseLinearTable(data []byte, count uint32) ([]linearTarget, error) {
	var table []linearTarget
	err := eachTarget(data, count, func(spec []byte, kind, parameters string) error {
		if kind != "linear" {
			return fmt.Errorf("a target of type %q: %w", printable(kind), errTableKind)
		}
		below, sector, _ := strings.Cut(parameters, " ")
		offsetSectors, err := strconv.ParseUint(sector, 10, 64)
		if err != nil {
			return fmt.Errorf("the parameters of a linear target: %w", err)
		}
		start, startFits := inBytes(binary.NativeEndian.Uint64(spec[0:]))
		length, lengthFits := inBytes(binary.NativeEndian.Uint64(spec[8:]))
		offset, offsetFits := inBytes(offsetSectors)
		if !startFits || !lengthFits || !offsetFits {
			return fmt.Errorf("a linear target beyond 16 EiB")
		}
		table = append(table, linearTarget{start: start, length: length, device: below, offset: offset})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return table, nil
}

func eachTarget(data []byte, count uint32, visit func(spec []byte, kind, parameters string) error) error {
	at := uint64(0)
	for range count {
		if at+specBytes > uint64(len(data)) {
			return fmt.Errorf("the table of %d targets ends after %d bytes", count, len(data))
		}
		spec := data[at : at+specBytes]
		kind, _, _ := bytes.Cut(spec[specTypeOffset:], []byte{0})
		parameters, _, ended := bytes.Cut(data[at+specBytes:], []byte{0})
		if !ended {
			return fmt.Errorf("the parameters of a target do not end")
		}
		if err := visit(spec, string(kind), string(parameters)); err != nil {
			return err
		}
		next := uint64(binary.NativeEndian.Uint32(spec[specNextOffset:]))
		if next <= at {
			// The last target may point nowhere; any other must point onwards.
			next = uint64(len(data))
		}
		at = next
	}
	return nil
}

// inBytes converts sectors; it returns false when the result does not fit.
func inBytes(sectors uint64) (uint64, bool) {
	return sectors * sectorBytes, sectors <= math.MaxUint64/sectorBytes
}
