package linux

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"diskaudit/core/contract"
)

// Where the fields of the SMART / Health Information log page are. Source: NVM Express Base
// Specification, Get Log Page, log page identifier 02h. Counters are 16 bytes, little-endian.
const (
	smartLogBytes        = 512
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

const zeroCelsius = 273

// decodeSMART reads a SMART / Health Information log page. Counters beyond 64 bits come out as
// the largest number. A page of zeros is what emulated devices answer; it tells nothing.
func decodeSMART(page []byte) (contract.Health, error) {
	if len(page) < smartLogBytes {
		return contract.Health{}, fmt.Errorf("the SMART log has %d bytes instead of %d", len(page), smartLogBytes)
	}
	if blank(page[:smartLogBytes]) {
		return contract.Health{}, fmt.Errorf("the SMART log is empty: %w", errNotSupported)
	}
	health := contract.Health{
		OK:                    contract.Ptr(page[0] == 0),
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
