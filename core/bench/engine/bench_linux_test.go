package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"diskaudit/tests/require"
)

// The benchmarks measure the engine against what it should not be slower than, on a device that is
// only read: DISKAUDIT_BENCH_DEVICE, or /dev/zram0. They take turns, so that what else runs on the
// computer disturbs both, and compare the fastest turn of each.

const (
	benchBlocks = 1 << 18 // 1 GiB
	benchTurns  = 8
)

func benchDevice(b *testing.B) string {
	b.Helper()
	device := os.Getenv("DISKAUDIT_BENCH_DEVICE")
	if device == "" {
		device = "/dev/zram0"
	}
	session, err := Open(readSpec(device, benchBlocks))
	if err != nil {
		require.Missing(b, "bench-device", err.Error())
	}
	if err := session.Close(); err != nil {
		b.Fatal(err)
	}
	return device
}

// turn is what one I/O took in ns, on average: elapsed, and of the processor's time. On a busy
// computer only the latter compares, and only on a device that works in the calling thread, as
// /dev/zram0 does.
type turn struct{ elapsed, cpu float64 }

func engineTurn(b *testing.B, s *Session, ops int64) turn {
	b.Helper()
	round, err := s.Round(context.Background(), Limit{Ops: ops})
	if err != nil {
		b.Fatal(err)
	}
	return turn{float64(round.ElapsedNs) / float64(round.Ops), float64(round.ThreadCPUNs) / float64(round.Ops)}
}

// fastest is the least of each.
func fastest(turns []turn) turn {
	least := turns[0]
	for _, t := range turns {
		least.elapsed, least.cpu = min(least.elapsed, t.elapsed), min(least.cpu, t.cpu)
	}
	return least
}

// compare runs both in turns and reports the fastest of each.
func compare(b *testing.B, engine, other func() turn) {
	b.Helper()
	var engines, others []turn
	for b.Loop() {
		for range benchTurns {
			engines = append(engines, engine())
			others = append(others, other())
		}
	}
	own, its := fastest(engines), fastest(others)
	b.ReportMetric(own.elapsed, "ns/io")
	b.ReportMetric(own.elapsed/its.elapsed, "ratio")
	b.ReportMetric(own.cpu, "cpu-ns/io")
	b.ReportMetric(own.cpu/its.cpu, "cpu-ratio")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkAgainstBareLoop compares with a loop of pread in C that neither reads a clock nor
// stores anything.
func BenchmarkAgainstBareLoop(b *testing.B) {
	device := benchDevice(b)
	compiler := require.Tool(b, "gcc")
	program := filepath.Join(b.TempDir(), "pread")
	if out, err := exec.Command(compiler, "-O2", "-o", program, filepath.Join("testdata", "pread.c")).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	spec := readSpec(device, benchBlocks)
	spec.Pin = true
	s := open(b, spec)
	const reads = 60000
	compare(b, func() turn { return engineTurn(b, s, reads) }, func() turn {
		out, err := pinned(b, program, device, strconv.Itoa(benchBlocks), strconv.Itoa(reads)).Output()
		if err != nil {
			b.Fatal(err)
		}
		var t turn
		if _, err := fmt.Sscan(string(out), &t.elapsed, &t.cpu); err != nil {
			b.Fatal(err)
		}
		return t
	})
}

// pinned runs a program on the processor to which a session binds its first thread.
func pinned(b *testing.B, name string, arguments ...string) *exec.Cmd {
	b.Helper()
	return exec.Command(require.Tool(b, "taskset"), append([]string{"-c", strconv.Itoa(Processors()[0]), name}, arguments...)...)
}

// BenchmarkAgainstFio compares random reads of 4 KiB with fio's fastest engine for the depth.
func BenchmarkAgainstFio(b *testing.B) {
	for _, c := range []struct {
		depth  int
		engine []string
	}{
		{1, []string{"--ioengine=psync"}},
		{32, []string{"--ioengine=io_uring", "--fixedbufs", "--registerfiles"}},
	} {
		b.Run(fmt.Sprintf("depth%d", c.depth), func(b *testing.B) {
			device := benchDevice(b)
			fio := require.Tool(b, "fio")
			spec := readSpec(device, benchBlocks)
			spec.QueueDepth, spec.Pin = c.depth, true
			s := open(b, spec)
			const reads = 100000
			arguments := append([]string{"--name=turn", "--filename=" + device, "--readonly", "--direct=1", "--rw=randread", "--bs=4k",
				"--size=1g", "--norandommap", "--thread", "--output-format=json", "--iodepth=" + strconv.Itoa(c.depth),
				"--io_size=" + strconv.Itoa(reads*4096)}, c.engine...)
			compare(b, func() turn { return engineTurn(b, s, reads) }, func() turn { return fioTurn(b, pinned(b, fio, arguments...)) })
		})
	}
}

func fioTurn(b *testing.B, cmd *exec.Cmd) turn {
	b.Helper()
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("fio: %v", err)
	}
	var result struct {
		Jobs []struct {
			Read struct {
				IOPS float64 `json:"iops"`
				Ops  float64 `json:"total_ios"`
			} `json:"read"`
			RuntimeMs float64 `json:"job_runtime"`
			User      float64 `json:"usr_cpu"`
			System    float64 `json:"sys_cpu"`
		} `json:"jobs"`
	}
	if err := json.Unmarshal(out, &result); err != nil || len(result.Jobs) != 1 || result.Jobs[0].Read.IOPS <= 0 {
		b.Fatalf("fio's document: %v\n%s", err, out)
	}
	job := result.Jobs[0]
	return turn{1e9 / job.Read.IOPS, (job.User + job.System) / 100 * job.RuntimeMs * 1e6 / job.Read.Ops}
}

// BenchmarkRingSetups compares the ways to set up a ring.
func BenchmarkRingSetups(b *testing.B) {
	device := benchDevice(b)
	original := ringSetups
	defer func() { ringSetups = original }()
	sessions := map[uint32]*Session{}
	times := map[uint32][]turn{}
	for _, setup := range original {
		ringSetups = []uint32{setup}
		spec := readSpec(device, benchBlocks)
		spec.QueueDepth, spec.Pin = 32, true
		sessions[setup] = open(b, spec)
	}
	for b.Loop() {
		for range benchTurns {
			for _, setup := range original {
				times[setup] = append(times[setup], engineTurn(b, sessions[setup], 100000))
			}
		}
	}
	for _, setup := range original {
		least := fastest(times[setup])
		b.ReportMetric(least.elapsed, fmt.Sprintf("%#x-ns/io", setup))
		b.ReportMetric(least.cpu, fmt.Sprintf("%#x-cpu-ns/io", setup))
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkTable compares a large table of offsets with one that stays in the cache, on the same
// blocks.
func BenchmarkTable(b *testing.B) {
	device := benchDevice(b)
	small := open(b, readSpec(device, 4096))
	large := open(b, readSpec(device, 4096))
	w := large.workers[0]
	w.order.table = slices.Repeat(w.order.table, maxTable/len(w.order.table))
	const reads = 60000
	compare(b, func() turn { return engineTurn(b, large, reads) }, func() turn { return engineTurn(b, small, reads) })
}

// BenchmarkClockReading is what a latency contains of the clock.
func BenchmarkClockReading(b *testing.B) {
	var last int64
	for b.Loop() {
		last = now()
	}
	if last == 0 {
		b.Fatal("the clock stands still")
	}
}
