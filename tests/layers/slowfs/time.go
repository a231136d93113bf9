//go:build linux

package main

import (
	"encoding/binary"
	"time"
)

// began is what now counts from.
var began = time.Now()

// now is the time in ns, by a clock that never goes back.
func now() int64 { return int64(time.Since(began)) }

// spin waits busily until the given time and returns when it really ended. A sleeping wait would
// end tens of microseconds late.
func spin(until int64) int64 {
	for {
		if at := now(); at >= until {
			return at
		}
	}
}

// mask combines content with a fixed stream of random-looking bytes, derived from the position of
// each group of eight (the mixing function is SplitMix64's). Doing it twice restores the content.
func mask(content []byte, offset int64) {
	for i := 0; i < len(content); {
		at := uint64(offset) + uint64(i)
		var stream [8]byte
		binary.LittleEndian.PutUint64(stream[:], mix(at/8))
		for k := int(at % 8); k < 8 && i < len(content); k, i = k+1, i+1 {
			content[i] ^= stream[k]
		}
	}
}

func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
