package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"diskaudit/core/contract"
)

// The kernel says that each handle is unbuffered, and synchronous where it was announced (P22).
func TestDescriptorFlags(t *testing.T) {
	needUnbuffered(t)
	path := newFile(t, 64*testBlock)
	for durability, sync := range map[contract.Durability]bool{
		contract.DurabilityDeviceCache: false, contract.DurabilityWriteThrough: true, contract.DurabilityFlush: false,
	} {
		for _, v := range variants {
			if durability == contract.DurabilityFlush && v.depth > 1 {
				continue
			}
			spec := v.of(writeSpec(path, 64))
			spec.Durability = durability
			for _, w := range open(t, spec).workers {
				flags, err := unix.FcntlInt(w.file.descriptor, unix.F_GETFL, 0)
				if err != nil {
					t.Fatal(err)
				}
				if flags&unix.O_DIRECT == 0 || flags&unix.O_ACCMODE != unix.O_WRONLY || (flags&unix.O_DSYNC != 0) != sync {
					t.Errorf("%s, %s: flags %#x", v.name, durability, flags)
				}
			}
		}
	}
	for _, w := range open(t, readSpec(path, 64)).workers {
		if flags, err := unix.FcntlInt(w.file.descriptor, unix.F_GETFL, 0); err != nil || flags&unix.O_ACCMODE != unix.O_RDONLY {
			t.Errorf("reading: flags %#x, %v", flags, err)
		}
	}
}

// What is no file and no block device is refused before it is opened: a pipe would wait for ever.
func TestOtherKindsOfFiles(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, "/dev/null", t.TempDir()} {
		if _, err := Open(readSpec(path, 1)); err == nil || !strings.Contains(err.Error(), "neither a file nor a block device") {
			t.Errorf("%s: %v", path, err)
		}
	}
	// Nothing is ever opened for writing but ordinary files (P13).
	for _, mode := range []os.FileMode{os.ModeDevice, os.ModeDevice | os.ModeCharDevice, os.ModeNamedPipe, os.ModeSocket, os.ModeDir} {
		if err := checkKind(writeSpec("it", 1), mode); err == nil {
			t.Errorf("writes to %v are allowed", mode)
		}
	}
	if err := checkKind(readSpec("it", 1), os.ModeDevice); err != nil {
		t.Errorf("reads of a block device: %v", err)
	}
}

// Each thread is bound to the processor that the description names, and the runtime's signal is
// kept away from it. No other thread is affected, neither while it runs nor afterwards.
func TestThreads(t *testing.T) {
	needUnbuffered(t)
	allowed, err := allowedProcessors()
	if err != nil {
		t.Fatal(err)
	}
	spec := readSpec(newFile(t, 64*testBlock), 64)
	spec.Threads, spec.Pin = len(allowed)+1, true
	many := open(t, spec)
	if got := many.Description().Processors; len(got) != 0 {
		t.Errorf("more threads than processors are bound to %v", got)
	}
	if err := many.Close(); err != nil {
		t.Fatal(err)
	}
	spec.Threads = len(allowed)
	s := open(t, spec)
	if got, order := s.Description().Processors, Processors(); !slices.Equal(got, order) {
		t.Errorf("bound to %v, want each of %v", got, order)
	}
	for i, w := range s.workers {
		w.do(func() {
			bound, err := allowedProcessors()
			if want := []int{s.Description().Processors[i]}; err != nil || !slices.Equal(bound, want) {
				t.Errorf("thread %d may run on %v, want %v (%v)", i, bound, want, err)
			}
			var mask unix.Sigset_t
			if err := unix.PthreadSigmask(unix.SIG_BLOCK, nil, &mask); err != nil {
				t.Error(err)
			}
			for signal, blocked := range map[unix.Signal]bool{unix.SIGURG: true, unix.SIGINT: true, unix.SIGSEGV: false, unix.SIGBUS: false} {
				if got := mask.Val[0]>>(signal-1)&1 != 0; got != blocked {
					t.Errorf("%v blocked: %v, want %v", signal, got, blocked)
				}
			}
		})
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// An ended thread stays visible for a moment.
	for range 100 {
		if bound := boundThreads(t, len(allowed)); bound == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("threads that are bound are left")
}

// boundThreads counts the threads of this process that may run on fewer processors than it may.
func boundThreads(t *testing.T, allowed int) int {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, task := range tasks {
		var id int
		if _, err := fmt.Sscan(task.Name(), &id); err != nil {
			t.Fatal(err)
		}
		var set unix.CPUSet
		if unix.SchedGetaffinity(id, &set) == nil && set.Count() < allowed {
			count++
		}
	}
	return count
}

// Everything that was opened is closed.
func TestNoDescriptorIsLeft(t *testing.T) {
	needUnbuffered(t)
	path := newFile(t, 64*testBlock)
	before := descriptors(t)
	for _, v := range variants {
		s, err := Open(v.of(readSpec(path, 64)))
		if err != nil {
			t.Fatal(err)
		}
		runRound(t, s, Limit{Ops: 50})
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if after := descriptors(t); !slices.Equal(after, before) {
		t.Errorf("open: %v, before: %v", after, before)
	}
}

func descriptors(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var open []string
	for _, entry := range entries {
		if to, err := os.Readlink("/proc/self/fd/" + entry.Name()); err == nil {
			open = append(open, to)
		}
	}
	slices.Sort(open)
	return open
}

// An I/O that hangs does not hold up the round for more than a second after the end of its
// context. What was measured is returned, nothing is freed that the kernel may still write to,
// and when the I/O ends after all, all is given back.
func TestHangingIO(t *testing.T) {
	needUnbuffered(t)
	percent := debug.SetGCPercent(100)
	defer debug.SetGCPercent(percent)
	s, err := Open(readSpec(newFile(t, 64*testBlock), 64))
	if err != nil {
		t.Fatal(err)
	}
	// A pipe instead of the file: reading it waits for a writer. Three blocks are there.
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	writer := os.NewFile(uintptr(ends[1]), "writer")
	defer writer.Close()
	if _, err := writer.Write(make([]byte, 3*testBlock)); err != nil {
		t.Fatal(err)
	}
	w := s.workers[0]
	original := w.file.descriptor
	w.file.descriptor, w.file.number = uintptr(ends[0]), unix.SYS_READ

	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	begin := time.Now()
	r, err := s.Round(ctx, Limit{Ops: 10})
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("the round took %v", took)
	}
	if err == nil || r.Ops != 3 || len(r.LatenciesNs) != 3 {
		t.Errorf("%d I/Os and %d latencies were kept, want 3; %v", r.Ops, len(r.LatenciesNs), err)
	}
	if _, err := s.Round(context.Background(), Limit{Ops: 1}); err == nil || !strings.Contains(err.Error(), "hangs") {
		t.Errorf("the next round: %v", err)
	}
	if err := Timed(-1, func() {}); err == nil || !strings.Contains(err.Error(), "hangs") {
		t.Errorf("another measurement: %v", err)
	}
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "hangs") {
		t.Errorf("closing: %v", err)
	}

	if _, err := writer.Write(make([]byte, testBlock)); err != nil {
		t.Fatal(err)
	}
	<-w.gone
	for range 1000 {
		if err = Timed(-1, func() {}); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		t.Errorf("measuring after the end of the I/O: %v", err)
	}
	if after := debug.SetGCPercent(100); after != 100 {
		t.Errorf("the collector is at %d %%", after)
	}
	if err := unix.Close(int(original)); err != nil {
		t.Error(err)
	}
}

// A system in which sysfs tells about three processors of five.
func TestDescribeProcessors(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"cpu0/topology/physical_package_id": "0\n", "cpu0/topology/core_id": "0\n", "cpu0/cpufreq/cpuinfo_max_freq": "4800000\n",
		"cpu1/topology/physical_package_id": "0\n", "cpu1/topology/core_id": "0\n", "cpu1/cpufreq/cpuinfo_max_freq": "4800000\n",
		"cpu2/topology/physical_package_id": "1\n", "cpu2/topology/core_id": "0\n", "cpu2/cpu_capacity": "1024\n", "cpu2/cpufreq/cpuinfo_max_freq": "3\n",
		"cpu3/topology/physical_package_id": "0\n",
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := describeProcessors(folder, []int{0, 1, 2, 3, 4})
	want := []logicalProcessor{{0, 0, 4800000}, {1, 0, 4800000}, {2, 2, 1024}, {3, -4, 0}, {4, -5, 0}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
