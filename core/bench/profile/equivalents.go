package profile

import (
	"fmt"
	"math"
	"strings"

	"diskaudit/core/contract"
)

// Diskspd is the test as a command line of microsoft/diskspd 2.1 or later; nil when diskspd
// cannot do it: it has no flush after each write.
//
// -Su is FILE_FLAG_NO_BUFFERING, -Sh that and FILE_FLAG_WRITE_THROUGH; -o1 makes the handle
// synchronous; -Z64M writes random bytes from a pool; -L times each I/O; -T spreads threads over
// the file; -i and -j space I/Os (github.com/microsoft/diskspd/wiki/Command-line-and-parameters).
func Diskspd(test contract.TestSpec) *string {
	if test.Durability != nil && *test.Durability == contract.DurabilityFlush {
		return nil
	}
	words := []string{"diskspd", "-b" + size(test.BlockBytes), fmt.Sprintf("-t%d -o%d", test.Threads, test.QueueDepth)}
	switch {
	case test.Pattern == contract.PatternRandom:
		words = append(words, "-r")
	case test.Threads > 1:
		words = append(words, "-s", "-T"+size(test.SpanBytes/test.Threads))
	default:
		words = append(words, "-s")
	}
	cache := "-Su"
	if test.Operation == contract.OperationWrite {
		words = append(words, "-w100", "-Z64M")
		if *test.Durability == contract.DurabilityWriteThrough {
			cache = "-Sh"
		}
	} else {
		words = append(words, "-w0")
	}
	words = append(words, cache, "-L")
	if test.SpacingMs > 0 {
		words = append(words, fmt.Sprintf("-i1 -j%d", int64(test.SpacingMs)))
	}
	words = append(words,
		fmt.Sprintf("-W%d -d%d", wholeSeconds(test.WarmupMs), max(1, wholeSeconds(measuredMs(test)))),
		"-c"+size(test.SpanBytes), "FILE")
	line := strings.Join(words, " ")
	return &line
}

// Fio is the test as a command line of fio 3 on Linux (fio.readthedocs.io).
func Fio(test contract.TestSpec) *string {
	write := test.Operation == contract.OperationWrite
	rw := map[bool]string{false: "read", true: "write"}[write]
	if test.Pattern == contract.PatternRandom {
		rw = "rand" + rw
	}
	words := []string{"fio --name=" + ID(test), "--filename=FILE", "--direct=1", "--rw=" + rw, "--bs=" + size(test.BlockBytes)}
	if test.QueueDepth == 1 {
		words = append(words, "--ioengine=psync")
	} else {
		words = append(words, fmt.Sprintf("--ioengine=io_uring --fixedbufs=1 --registerfiles=1 --iodepth=%d", test.QueueDepth))
	}
	if test.Threads > 1 {
		words = append(words, fmt.Sprintf("--thread --numjobs=%d --group_reporting=1", test.Threads))
	}
	if test.Threads > 1 && test.Pattern == contract.PatternSequential {
		part := size(test.SpanBytes / test.Threads)
		words = append(words, "--size="+part, "--offset_increment="+part)
	} else {
		words = append(words, "--size="+size(test.SpanBytes))
	}
	if write {
		words = append(words, "--refill_buffers=1")
		switch *test.Durability {
		case contract.DurabilityWriteThrough:
			words = append(words, "--sync=dsync")
		case contract.DurabilityFlush:
			words = append(words, "--fdatasync=1")
		}
	}
	if test.SpacingMs > 0 {
		words = append(words, fmt.Sprintf("--thinktime=%dms", int64(test.SpacingMs)))
	}
	if test.WarmupMs > 0 {
		words = append(words, fmt.Sprintf("--ramp_time=%dms", int64(test.WarmupMs)))
	}
	words = append(words, fmt.Sprintf("--time_based=1 --runtime=%dms", int64(measuredMs(test))))
	if test.RoundOps > 0 && test.RoundOps < fewOps {
		words = append(words, fmt.Sprintf("--number_ios=%d", test.RoundOps*test.Rounds))
	}
	line := strings.Join(words, " ")
	return &line
}

// fewOps is below what any disk does in a round: a limit below it is what ends the round.
const fewOps = 10_000

func measuredMs(test contract.TestSpec) float64 {
	return test.RoundMs * float64(test.Rounds)
}

func wholeSeconds(ms float64) int64 {
	return int64(math.Ceil(ms / 1000))
}
