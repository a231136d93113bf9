//go:build linux

package layers_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"diskaudit/tests/layers"
	"diskaudit/tests/layers/held"
)

// backing is a file of random bytes whose size is no multiple of a sector.
func backing(t *testing.T) (string, []byte) {
	t.Helper()
	content := make([]byte, 300_123)
	source := rand.NewChaCha8([32]byte{1})
	if _, err := source.Read(content); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "backing")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, content
}

// direct opens a file past the page cache.
func direct(t *testing.T, path string) int {
	t.Helper()
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatalf("opening %s with O_DIRECT: %v", path, err)
	}
	t.Cleanup(func() {
		if err := unix.Close(fd); err != nil {
			t.Error(err)
		}
	})
	return fd
}

func TestViewsShowTheBacking(t *testing.T) {
	path, content := backing(t)
	views := layers.Mount(t, path, layers.Options{Delay: 50 * time.Microsecond})
	for _, view := range []string{views.Bare, views.Slow} {
		whole, err := os.ReadFile(view)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(whole, content) {
			t.Errorf("%s shows other bytes than the backing", view)
		}
		file, err := os.Open(view)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		for _, at := range []struct{ offset, length int }{{0, 1}, {4095, 2}, {8192, 4096}, {299_000, 1123}, {123_457, 70_001}} {
			part := make([]byte, at.length)
			if _, err := file.ReadAt(part, int64(at.offset)); err != nil {
				t.Errorf("%s: %d bytes at %d: %v", view, at.length, at.offset, err)
			}
			if !bytes.Equal(part, content[at.offset:at.offset+at.length]) {
				t.Errorf("%s: %d bytes at %d are others than the backing's", view, at.length, at.offset)
			}
		}
		if n, err := file.ReadAt(make([]byte, 100), 300_123); n != 0 || err != io.EOF {
			t.Errorf("%s: reading behind the end gives %d bytes, %v", view, n, err)
		}
		if _, err := os.OpenFile(view, os.O_WRONLY, 0); err == nil {
			t.Errorf("%s can be opened for writing", view)
		}
	}
}

// A read never comes from a cache: each one arrives in the file system, and waits there.
func TestDelayOfEachRead(t *testing.T) {
	path, content := backing(t)
	const delay = 200 * time.Microsecond
	views := layers.Mount(t, path, layers.Options{Delay: delay})
	buffer := held.Aligned(4096)
	for _, view := range []string{views.Bare, views.Slow} {
		fd := direct(t, view)
		for i := range 300 {
			offset := int64(i % 3 * 4096)
			if n, err := unix.Pread(fd, buffer, offset); n != 4096 || err != nil {
				t.Fatalf("reading %s: %d bytes, %v", view, n, err)
			}
			if !bytes.Equal(buffer, content[offset:offset+4096]) {
				t.Fatalf("%s: other bytes at %d", view, offset)
			}
		}
	}
	slow, bare := views.Counters(layers.Slow), views.Counters(layers.Bare)
	if slow.Reads != 300 || bare.Reads != 300 || slow.Added.Count != 300 || slow.ReadBytes != 300*4096 {
		t.Errorf("of 300 reads each, %d and %d arrived, %d bytes were answered", slow.Reads, bare.Reads, slow.ReadBytes)
	}
	// The file system's own clock: at least the delay, and as a rule not much more.
	if slow.Added.Min < delay || slow.Added.Median > delay+delay/50 {
		t.Errorf("the slow view waited %+v, want %v", slow.Added, delay)
	}
	if bare.Added.Median > delay/50 {
		t.Errorf("the bare view waited %+v, want nothing", bare.Added)
	}
}

// With a mask the views are related as a cipher's two sides are: different bytes at each place,
// and always the same ones.
func TestMask(t *testing.T) {
	path, content := backing(t)
	views := layers.Mount(t, path, layers.Options{Mask: true})
	first, err := os.ReadFile(views.Slow)
	if err != nil {
		t.Fatal(err)
	}
	again, err := os.ReadFile(views.Slow)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, again) {
		t.Error("the masked view shows other bytes the second time")
	}
	// Where the mask is applied does not depend on how a read is cut.
	file, err := os.Open(views.Slow)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	part := make([]byte, 1001)
	if _, err := file.ReadAt(part, 5003); err != nil || !bytes.Equal(part, first[5003:6004]) {
		t.Errorf("the masked view shows other bytes in a read at an odd place (%v)", err)
	}
	same := 0
	for i := range content {
		if content[i] == first[i] {
			same++
		}
	}
	// Of random bytes, one in 256 is equal by chance: 1172 here, give or take 34.
	if same > 1172+6*34 || len(first) != len(content) {
		t.Errorf("%d of %d bytes are the same behind the mask", same, len(content))
	}
	masked := layers.Mount(t, save(t, first), layers.Options{Mask: true})
	if plain, err := os.ReadFile(masked.Slow); err != nil || !bytes.Equal(plain, content) {
		t.Errorf("masking twice does not restore the content (%v)", err)
	}
}

func save(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "saved")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFaultsOfViews(t *testing.T) {
	path, content := backing(t)
	views := layers.Mount(t, path, layers.Options{Faults: []layers.Fault{
		{Kind: layers.IOError, View: layers.Slow, From: 8192, To: 12288},
		{Kind: layers.Short, View: layers.Bare, From: 16384, To: 20480},
		{Kind: layers.Changing, From: 24576, To: 28672},
		{Kind: layers.IOError, View: layers.Bare, From: 40960, To: 45056, AfterRequests: 2, Times: 1},
	}})
	bare, slow := direct(t, views.Bare), direct(t, views.Slow)
	buffer := held.Aligned(4096)
	for _, c := range []struct {
		about  string
		fd     int
		offset int64
		n      int
		err    error
	}{
		{"before the bad stretch", slow, 4096, 4096, nil},
		{"in the bad stretch", slow, 8192, -1, unix.EIO},
		{"in the bad stretch again", slow, 8192, -1, unix.EIO},
		{"behind the bad stretch", slow, 12288, 4096, nil},
		{"the other view, in the bad stretch", bare, 8192, 4096, nil},
		{"in the short stretch", bare, 16384, 2048, nil},
		{"the other view, in the short stretch", slow, 16384, 4096, nil},
		{"first of the two good ones", bare, 40960, 4096, nil},
		{"second of the two good ones", bare, 40960, 4096, nil},
		{"third", bare, 40960, -1, unix.EIO},
		{"after the one fault", bare, 40960, 4096, nil},
	} {
		n, err := unix.Pread(c.fd, buffer, c.offset)
		if !errors.Is(err, c.err) || n != c.n {
			t.Errorf("%s: %d bytes, %v; want %d, %v", c.about, n, err, c.n, c.err)
		}
		if n > 0 && !bytes.Equal(buffer[:n], content[c.offset:c.offset+int64(n)]) {
			t.Errorf("%s: other bytes than the backing's", c.about)
		}
	}
	seen := map[string]bool{}
	for range 4 {
		if _, err := unix.Pread(slow, buffer, 24576); err != nil {
			t.Fatal(err)
		}
		seen[string(buffer)] = true
	}
	if len(seen) != 4 || seen[string(content[24576:28672])] {
		t.Errorf("changing content: %d different answers of 4", len(seen))
	}
	if faults := views.Counters(layers.Bare).Faults; faults != 2 {
		t.Errorf("the bare view met %d faults, want 2", faults)
	}
}

// A read that hangs is answered after Resume, and by the end of the mount if that never comes.
func TestHang(t *testing.T) {
	path, content := backing(t)
	type result struct {
		n   int
		err error
	}
	start := func(t *testing.T, views *layers.Views) chan result {
		t.Helper()
		fd, buffer := direct(t, views.Slow), held.Aligned(4096)
		done := make(chan result, 1)
		go func() {
			n, err := unix.Pread(fd, buffer, 4096)
			if err == nil && !bytes.Equal(buffer, content[4096:8192]) {
				err = errors.New("other bytes than the backing's")
			}
			done <- result{n, err}
		}()
		// It has arrived once the file system has counted it.
		for views.Counters(layers.Slow).Faults == 0 {
			time.Sleep(time.Millisecond)
		}
		select {
		case r := <-done:
			t.Fatalf("the read did not hang: %d bytes, %v", r.n, r.err)
		case <-time.After(50 * time.Millisecond):
		}
		return done
	}
	hanging := layers.Options{Faults: []layers.Fault{{Kind: layers.Hang, View: layers.Slow}}}

	t.Run("resumed", func(t *testing.T) {
		views := layers.Mount(t, path, hanging)
		done := start(t, views)
		views.Resume()
		if r := <-done; r.n != 4096 || r.err != nil {
			t.Errorf("after Resume: %d bytes, %v", r.n, r.err)
		}
	})
	var done chan result
	t.Run("never resumed", func(t *testing.T) {
		done = start(t, layers.Mount(t, path, hanging))
	})
	select {
	case r := <-done:
		if r.err == nil {
			t.Errorf("after the end of the mount: %d bytes and no error", r.n)
		}
	case <-time.After(20 * time.Second):
		t.Error("the read still hangs after the end of the mount")
	}
}
