package target

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// fakeFile is a file in memory that can be slow, full or stuck.
type fakeFile struct {
	mu       sync.Mutex
	data     []byte
	synced   int
	perWrite time.Duration
	room     int
	full     error
	stuck    bool
	// ended is closed at the end of the test.
	ended   chan struct{}
	onWrite func()
	t       *testing.T
}

// begin is called in the test's bubble of testing/synctest, whose channel it makes.
func (f *fakeFile) begin(t *testing.T) {
	t.Helper()
	f.t, f.ended = t, make(chan struct{})
	t.Cleanup(func() { close(f.ended) })
}

func (f *fakeFile) WriteAt(p []byte, offset int64) (int, error) {
	if f.stuck {
		<-f.ended
	}
	time.Sleep(f.perWrite)
	if f.onWrite != nil {
		f.onWrite()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if offset != int64(len(f.data)) {
		f.t.Errorf("a write at %d of a file of %d bytes leaves a hole or goes back", offset, len(f.data))
	}
	if f.full != nil && len(f.data)+len(p) > f.room {
		return 0, f.full
	}
	f.data = append(f.data, p...)
	f.synced = 0
	return len(p), nil
}

func (f *fakeFile) Sync() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.synced = len(f.data)
	return nil
}

func preparing(size, least int64, limit time.Duration) *preparation {
	return &preparation{name: "file", size: size, min: least, limit: limit, content: newContent(NewPool(1, 1<<20), 1, 1), alignment: 512}
}

// P1, P4, P26, P27: every byte is written, from the start to the end, and flushed.
func TestWritesAll(t *testing.T) {
	f := &fakeFile{t: t}
	p := preparing(20<<20, 1<<20, 0)
	var told []int64
	p.progress = func(done, total int64) {
		if total != 20<<20 {
			t.Errorf("progress of %d, want of %d", total, 20<<20)
		}
		told = append(told, done)
	}
	length, written, err := p.run(t.Context(), f)
	if err != nil || length != 20<<20 || written != int64(len(f.data)) {
		t.Fatalf("length %d, written %d of %d, %v", length, written, len(f.data), err)
	}
	want := make([]byte, length)
	p.content.fill(want, 0)
	if !bytes.Equal(f.data[:length], want) {
		t.Error("the file does not hold its content")
	}
	if _, ok := signature(f.data[len(f.data)-block:]); !ok {
		t.Error("the file does not end with the signature")
	}
	if f.synced != len(f.data) {
		t.Errorf("%d of %d bytes were flushed", f.synced, len(f.data))
	}
	if len(told) == 0 || told[len(told)-1] < 20<<20 {
		t.Errorf("progress ended at %v", told)
	}
}

func TestPrepareForEndsTheWriting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeFile{t: t, perWrite: 20 * time.Millisecond}
		length, _, err := preparing(1<<30, 2<<20, 200*time.Millisecond).run(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		if length < 2<<20 || length >= 1<<30 || length%chunk != 0 {
			t.Errorf("the file has %d bytes", length)
		}
	})
}

// The time is over before the minimum is reached: it goes on to the minimum, and no further.
func TestMinimumOutlastsPrepareFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeFile{t: t, perWrite: 400 * time.Millisecond}
		length, _, err := preparing(1<<30, 3<<20, time.Second).run(t.Context(), f)
		if err != nil || length != 3<<20 {
			t.Errorf("length %d, %v; want %d", length, err, 3<<20)
		}
	})
}

func TestTooSlow(t *testing.T) {
	for name, f := range map[string]*fakeFile{
		"slow":  {perWrite: 50 * time.Millisecond},
		"stuck": {stuck: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f.begin(t)
				_, _, err := preparing(1<<30, 1<<29, 50*time.Millisecond).run(t.Context(), f)
				wantRefusal(t, err, "too-slow", "file", "536870912")
			})
		})
	}
}

// What a disk or a quota says in the middle of writing.
func TestFullInTheMiddle(t *testing.T) {
	for code, number := range fullErrors {
		f := &fakeFile{t: t, room: 5 << 20, full: &pathError{number}}
		_, _, err := preparing(64<<20, 1<<20, 0).run(t.Context(), f)
		wantRefusal(t, err, strings.TrimRight(code, "0123456789"), "file", systemText(number))
		if !errors.Is(err, number) {
			t.Errorf("%v does not carry %v", err, number)
		}
	}
}

// pathError wraps a number as package os does.
type pathError struct{ number syscall.Errno }

func (e *pathError) Error() string { return "write file: " + e.number.Error() }
func (e *pathError) Unwrap() error { return e.number }

var errStopped = errors.New("stopped by a test")

func TestCancelledInTheMiddle(t *testing.T) {
	for name, f := range map[string]*fakeFile{
		"between writes": {perWrite: 10 * time.Millisecond},
		"in a write":     {stuck: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f.begin(t)
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(50*time.Millisecond, func() { cancel(errStopped) })
				_, _, err := preparing(1<<40, 1<<39, 0).run(ctx, f)
				if !errors.Is(err, errStopped) {
					t.Errorf("error %v, want the cause of the end", err)
				}
			})
		})
	}
}

// A panic while writing reaches the caller, whose deferred calls remove the file.
func TestPanicReachesTheCaller(t *testing.T) {
	f := &fakeFile{t: t, onWrite: func() { panic("in a write") }}
	defer func() {
		if got := recover(); got != "in a write" {
			t.Errorf("recovered %v", got)
		}
	}()
	_, _, err := preparing(4<<20, 1<<20, 0).run(t.Context(), f)
	t.Errorf("returned %v", err)
}

func TestAligned(t *testing.T) {
	for _, unit := range []int{512, 4096, 1 << 16} {
		if got := aligned(chunk, unit); len(got) != chunk || address(got)%uintptr(unit) != 0 {
			t.Errorf("%d bytes at %#x, want %d at a multiple of %d", len(got), address(got), chunk, unit)
		}
	}
}

// wantRefusal checks that an error is a refusal that names the thing and the reason.
func wantRefusal(t *testing.T, err error, code string, texts ...string) {
	t.Helper()
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		t.Fatalf("error %v, want the refusal %s", err, code)
	}
	if refusal.Code != code {
		t.Errorf("refused as %s (%s), want %s", refusal.Code, refusal.Text, code)
	}
	for _, text := range texts {
		if !strings.Contains(refusal.Text, text) {
			t.Errorf("%q does not mention %q", refusal.Text, text)
		}
	}
}
