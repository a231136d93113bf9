package profile

import (
	"fmt"
	"strings"

	"diskaudit/core/contract"
)

// ID names a test by its options, such as "RND4K-Q1T1-read" or "SEQ1M-Q8T1-write-through". A
// write that ends in the device's cache is plainly "write".
func ID(test contract.TestSpec) string {
	order := "RND"
	if test.Pattern == contract.PatternSequential {
		order = "SEQ"
	}
	what := "read"
	if test.Operation == contract.OperationWrite {
		what = writeNames[*test.Durability]
	}
	if test.SpacingMs > 0 {
		what += "-spaced"
	}
	return fmt.Sprintf("%s%s-Q%dT%d-%s", order, BlockName(test.BlockBytes), test.QueueDepth, test.Threads, what)
}

var writeNames = map[contract.Durability]string{
	contract.DurabilityDeviceCache:  "write",
	contract.DurabilityWriteThrough: "write-through",
	contract.DurabilityFlush:        "write-flush",
}

// BlockName writes a size in the shortest binary unit: 512B, 4K, 1M. Numbers of bytes that are
// not whole KiB stay bytes.
func BlockName(bytes uint64) string {
	for _, unit := range []struct {
		name string
		size uint64
	}{{"G", uint64(gib)}, {"M", uint64(mib)}, {"K", uint64(kib)}} {
		if bytes >= unit.size && bytes%unit.size == 0 {
			return fmt.Sprintf("%d%s", bytes/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%dB", bytes)
}

// size writes a size as diskspd and fio read it: without a B after a number of bytes.
func size(bytes uint64) string {
	return strings.TrimSuffix(BlockName(bytes), "B")
}
