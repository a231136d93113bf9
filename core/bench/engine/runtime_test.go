package engine

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

// A timed section allocates nothing, whatever the way and the direction.
func TestNoAllocation(t *testing.T) {
	needUnbuffered(t)
	for _, v := range variants {
		for _, write := range []bool{false, true} {
			for _, flush := range []bool{false, true} {
				if flush && (!write || v.depth > 1) {
					continue
				}
				path := newFile(t, 64*testBlock)
				spec := v.of(readSpec(path, 64))
				if write {
					spec = v.of(writeSpec(path, 64))
				}
				if flush {
					spec.Durability = contract.DurabilityFlush
				}
				if got := allocations(t, open(t, spec)); got != 0 {
					t.Errorf("%s, write %v, flush %v: %d allocations in 100 I/Os", v.name, write, flush, got)
				}
			}
		}
	}
}

// allocations counts what one worker allocates in 100 I/Os.
func allocations(t *testing.T, s *Session) uint64 {
	t.Helper()
	w := s.workers[0]
	least := ^uint64(0)
	// Something else in the process may allocate at the same time: then another try is free of it.
	for range 5 {
		task := newTask(100)
		w.do(func() {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			w.run(task)
			runtime.ReadMemStats(&after)
			least = min(least, after.Mallocs-before.Mallocs)
		})
		if task.done.Load() != 100 || task.fault.set {
			t.Fatalf("%d I/Os, %v", task.done.Load(), task.fault.error(s.spec))
		}
	}
	return least
}

// The collector is off while something is timed and on again afterwards, and there is a processor
// slot for each thread.
func TestRuntimeIsRestored(t *testing.T) {
	percent, procs := debug.SetGCPercent(73), runtime.GOMAXPROCS(0)
	defer debug.SetGCPercent(percent)
	var during, slots int
	err := Timed(-1, func() {
		// Setting it tells what it was.
		during = debug.SetGCPercent(-1)
		slots = runtime.GOMAXPROCS(0)
	})
	if err != nil {
		t.Fatal(err)
	}
	if during != -1 || slots < 3 {
		t.Errorf("collector at %d %% and %d slots while timed, want -1 and at least 3", during, slots)
	}
	if after := debug.SetGCPercent(73); after != 73 {
		t.Errorf("collector at %d %% afterwards, want 73", after)
	}
	if after := runtime.GOMAXPROCS(0); after != procs {
		t.Errorf("GOMAXPROCS is %d afterwards, want %d", after, procs)
	}
	needUnbuffered(t)
	s := open(t, readSpec(newFile(t, 64*testBlock), 64))
	runRound(t, s, Limit{Ops: 10})
	if after := debug.SetGCPercent(73); after != 73 {
		t.Errorf("collector at %d %% after a round, want 73", after)
	}
}

// A panic in a timed function is the caller's to handle.
func TestTimedPanic(t *testing.T) {
	defer func() {
		if text, ok := recover().(string); !ok || !strings.Contains(text, "from within") {
			t.Errorf("%v", text)
		}
		if err := Timed(-1, func() {}); err != nil {
			t.Error(err)
		}
	}()
	_ = Timed(-1, func() { panic("from within") })
	t.Error("no panic")
}

func TestTimedOnNoProcessor(t *testing.T) {
	if err := Timed(8000, func() { t.Error("it ran") }); err == nil || !strings.Contains(err.Error(), "binding to processor") {
		t.Errorf("%v, want an error that says what could not be bound to", err)
	}
}

// Goroutines end with their session.
func TestNoGoroutineIsLeft(t *testing.T) {
	needUnbuffered(t)
	before := runtime.NumGoroutine()
	for _, v := range variants {
		s, err := Open(v.of(readSpec(newFile(t, 64*testBlock), 64)))
		if err != nil {
			t.Fatal(err)
		}
		runRound(t, s, Limit{Ops: 50})
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := Timed(-1, func() {}); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
