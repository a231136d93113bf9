package device

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// sectors is a disk that refuses all but whole sectors, as a volume of Windows does (case P36, P63).
type sectors struct {
	t       *testing.T
	content []byte
	broken  int64
}

var errBroken = errors.New("data error (cyclic redundancy check)")

func (s sectors) read(part []byte, offset int64) (int, error) {
	atEnd := offset+int64(len(part)) == int64(len(s.content))
	if offset%unit != 0 || len(part)%unit != 0 && !atEnd || len(part)%512 != 0 || len(part) == 0 {
		s.t.Errorf("a read of %d bytes at byte %d", len(part), offset)
	}
	if s.broken > 0 && offset+int64(len(part)) > s.broken {
		return 0, errBroken
	}
	return copy(part, s.content[offset:]), nil
}

func TestAligned(t *testing.T) {
	content := make([]byte, window*2+3*512)
	for i := range content {
		content[i] = byte(i>>9 ^ i)
	}
	disk := sectors{t: t, content: content}
	reader := &aligned{size: int64(len(content)), read: disk.read, memory: make([]byte, window)}
	for _, c := range []struct{ offset, length int64 }{
		{0, 512}, {0, 0}, {1, 1}, {511, 2}, {4095, 2}, {4096, 4096}, {100, window}, {window - 1, window + 2},
		{0, int64(len(content))}, {int64(len(content)) - 1, 1}, {int64(len(content)) - 512, 512}, {window * 2, 3 * 512},
	} {
		got := make([]byte, c.length)
		n, err := reader.ReadAt(got, c.offset)
		if n != len(got) || err != nil || !bytes.Equal(got, content[c.offset:c.offset+c.length]) {
			t.Errorf("%d bytes at byte %d: %d read, error %v", c.length, c.offset, n, err)
		}
	}
	for _, c := range []struct {
		offset int64
		want   int
	}{{int64(len(content)) - 10, 10}, {int64(len(content)), 0}, {int64(len(content)) + 99, 0}} {
		if n, err := reader.ReadAt(make([]byte, 20), c.offset); n != c.want || !errors.Is(err, io.EOF) {
			t.Errorf("20 bytes at byte %d: %d read, error %v", c.offset, n, err)
		}
	}
	if _, err := reader.ReadAt(make([]byte, 1), -1); err == nil {
		t.Error("reading before the start is no error")
	}
	disk.broken = 8192
	reader.read = disk.read
	if n, err := reader.ReadAt(make([]byte, 100), 0); n != 100 || err != nil {
		t.Errorf("before a bad sector: %d bytes, error %v", n, err)
	}
	if _, err := reader.ReadAt(make([]byte, 100), 8192); !errors.Is(err, errBroken) {
		t.Errorf("a bad sector: error %v", err)
	}
	// A driver that gives less than was asked for.
	reader.read = func(part []byte, offset int64) (int, error) { return copy(part[:512], content[offset:]), nil }
	got := make([]byte, 700)
	if n, err := reader.ReadAt(got, 100); n != 412 || !errors.Is(err, io.ErrUnexpectedEOF) || !bytes.Equal(got[:412], content[100:512]) {
		t.Errorf("a short read: %d bytes, error %v", n, err)
	}
}

func TestEndOf(t *testing.T) {
	for _, size := range []int64{0, 100, unit, unit + 1, 3 * unit, 256 << 20, 256<<20 + 512, 20<<40 + 5*unit} {
		reads := 0
		got := endOf(func(offset int64) bool {
			reads++
			return offset+unit <= size
		})
		if got != size/unit*unit || reads > 120 {
			t.Errorf("%d bytes: the end is at %d, after %d reads", size, got, reads)
		}
	}
	// What can be read without end has no length.
	if got := endOf(func(int64) bool { return true }); got != 0 {
		t.Errorf("without end: %d", got)
	}
}
