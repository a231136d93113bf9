// Package nvme decodes what NVMe controllers tell of themselves, whichever system asked them.
package nvme

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"diskaudit/core/contract"
)

// Where the fields of the SMART / Health Information log page are. Source: NVM Express Base
// Specification, Get Log Page, log page identifier 02h. Counters are 16 bytes, little-endian.
const (
	// SMARTLogBytes is the length of the page.
	SMARTLogBytes = 512

	smartTemperature     = 1 // two bytes, kelvins
	smartSpare           = 3
	smartSpareThreshold  = 4
	smartPercentUsed     = 5
	smartUnitsRead       = 32
	smartUnitsWritten    = 48
	smartPowerOnHours    = 128
	smartUnsafeShutdowns = 144
	smartMediaErrors     = 160
)

// dataUnitBytes is the unit of the data counters: thousands of 512 bytes.
const dataUnitBytes = 1000 * 512

// ErrNotSupported is the error of an answer that holds nothing.
var ErrNotSupported = errors.New("the device does not support this")

const zeroCelsius = 273

// The bits of the critical warning, byte 0 of the page. Those of failure say that the disk cannot
// be relied on any more: spare blocks below the threshold (0), reliability degraded by errors
// (2), medium read-only (3), backup of the volatile memory failed (4), persistent memory region
// read-only or unreliable (5). Bit 1 alone says that the temperature is out of its range, which
// passes; the others are reserved.
const (
	smartFailureBits = 1<<0 | 1<<2 | 1<<3 | 1<<4 | 1<<5
	smartHeatBit     = 1 << 1
)

// DecodeSMART reads a SMART / Health Information log page. OK is false when the disk warns of
// failure; heat is none, and what a reserved bit says is unknown. Counters beyond 64 bits come out
// as the largest number. A page of zeros is what emulated devices answer; it tells nothing and is ErrNotSupported.
func DecodeSMART(page []byte) (contract.Health, error) {
	if len(page) < SMARTLogBytes {
		return contract.Health{}, fmt.Errorf("the SMART log has %d bytes instead of %d", len(page), SMARTLogBytes)
	}
	if blank(page[:SMARTLogBytes]) {
		return contract.Health{}, fmt.Errorf("the SMART log is empty: %w", ErrNotSupported)
	}
	health := contract.Health{
		OK:                    verdict(page[0]),
		CriticalWarning:       contract.Ptr(uint64(page[0])),
		PercentUsed:           contract.Ptr(float64(page[smartPercentUsed])),
		AvailableSparePercent: contract.Ptr(float64(page[smartSpare])),
		SpareThresholdPercent: contract.Ptr(float64(page[smartSpareThreshold])),
		MediaErrors:           contract.Ptr(counter(page, smartMediaErrors)),
		PowerOnHours:          contract.Ptr(counter(page, smartPowerOnHours)),
		UnsafeShutdowns:       contract.Ptr(counter(page, smartUnsafeShutdowns)),
		ReadBytes:             dataUnits(page, smartUnitsRead),
		WrittenBytes:          dataUnits(page, smartUnitsWritten),
	}
	if kelvins := binary.LittleEndian.Uint16(page[smartTemperature:]); kelvins != 0 {
		health.TemperatureCelsius = contract.Ptr(float64(kelvins) - zeroCelsius)
	}
	return health, nil
}

// verdict is what the critical warning says of the disk; nil when that is not known.
func verdict(warning byte) *bool {
	switch {
	case warning&smartFailureBits != 0:
		return contract.Ptr(false)
	case warning&^smartHeatBit != 0:
		return nil
	}
	return contract.Ptr(true)
}

// counter reads 16 bytes, saturated to 64 bits.
func counter(page []byte, offset int) uint64 {
	if binary.LittleEndian.Uint64(page[offset+8:]) != 0 {
		return math.MaxUint64
	}
	return binary.LittleEndian.Uint64(page[offset:])
}

// dataUnits reads a counter of data; zero means that the device does not count it.
func dataUnits(page []byte, offset int) *uint64 {
	units := counter(page, offset)
	if units == 0 {
		return nil
	}
	over, count := bits.Mul64(units, dataUnitBytes)
	if over != 0 {
		count = math.MaxUint64
	}
	return &count
}

func blank(page []byte) bool {
	for _, b := range page {
		if b != 0 {
			return false
		}
	}
	return true
}
