//go:build linux

package main

import "fmt"

// work is what both programs are asked to do.
type work struct {
	Letter string `json:"letter"`
	About  string `json:"about"`
	Write  bool   `json:"write"`
	// BlockBytes of one I/O, QueueDepth I/Os in flight in each of Threads.
	BlockBytes int64 `json:"blockBytes"`
	Sequential bool  `json:"sequential"`
	QueueDepth int64 `json:"queueDepth"`
	Threads    int64 `json:"threads"`
	// SpanBytes are used, from the beginning of the device or file.
	SpanBytes int64 `json:"spanBytes"`
}

// works are the tests that both programs do. The last one, f, is another: see bare.go.
var works = []work{
	{Letter: "a", About: "4K random read, QD1", BlockBytes: 4 << 10, QueueDepth: 1, Threads: 1},
	{Letter: "c", About: "4K random read, QD32", BlockBytes: 4 << 10, QueueDepth: 32, Threads: 1},
	{Letter: "d", About: "8K random read, 8 threads x QD8", BlockBytes: 8 << 10, QueueDepth: 8, Threads: 8},
	{Letter: "e", About: "1M sequential read, QD8", BlockBytes: 1 << 20, Sequential: true, QueueDepth: 8, Threads: 1},
	// Last, as the file system is made on the RAM disk that the others read.
	{Letter: "b", About: "4K random write in a file, QD1", Write: true, BlockBytes: 4 << 10, QueueDepth: 1, Threads: 1},
}

// differs tells in what two works are not the same; "" if in nothing.
func (w work) differs(other work) string {
	for _, c := range []struct {
		what string
		a, b any
	}{
		{"block", w.BlockBytes, other.BlockBytes}, {"queue depth", w.QueueDepth, other.QueueDepth},
		{"threads", w.Threads, other.Threads}, {"span", w.SpanBytes, other.SpanBytes},
		{"direction", w.Write, other.Write}, {"order", w.Sequential, other.Sequential},
	} {
		if c.a != c.b {
			return fmt.Sprintf("the %s is %v and %v", c.what, c.a, c.b)
		}
	}
	return ""
}

// figures are what one program measured in one run.
type figures struct {
	Work work  `json:"work"`
	Ops  int64 `json:"ops"`
	// IOPS are I/Os per second.
	IOPS float64 `json:"iops"`
	// P50Ns and P99Ns are percentiles of the latency in ns; 0 if there are none.
	P50Ns float64 `json:"p50Ns"`
	P99Ns float64 `json:"p99Ns"`
	// P50StepNs and P99StepNs are how fine the percentiles are known, in ns; 0 is exactly.
	P50StepNs float64 `json:"p50StepNs"`
	P99StepNs float64 `json:"p99StepNs"`
	// CPUNsPerIO is the processor time of the program's threads per I/O, in ns.
	CPUNsPerIO float64 `json:"cpuNsPerIo"`
	// How tells the calls that did the I/O, and Notes what to know about it.
	How   string   `json:"how"`
	Notes []string `json:"notes,omitempty"`
	// Processors are those that the threads were bound to; none if they were not.
	Processors []uint64 `json:"processors,omitempty"`
}
