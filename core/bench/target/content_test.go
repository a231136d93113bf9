package target

import (
	"bytes"
	"compress/flate"
	"testing"
)

// P6, P129 of diskspd: what compresses makes a disk look faster than it is.
func TestPoolDoesNotCompress(t *testing.T) {
	pool := NewPool(1, 1<<20)
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(pool); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if out.Len() < len(pool) {
		t.Errorf("%d bytes compress to %d", len(pool), out.Len())
	}
}

func TestPoolFollowsItsSeed(t *testing.T) {
	if !bytes.Equal(NewPool(7, 1<<20), NewPool(7, 1<<20)) {
		t.Error("the same seed gives other bytes")
	}
	if bytes.Equal(NewPool(7, 1<<20), NewPool(8, 1<<20)) {
		t.Error("another seed gives the same bytes")
	}
	for size, want := range map[int]int{-1: 4096, 0: 4096, 1: 4096, 4097: 8192, 1 << 20: 1 << 20} {
		if got := len(NewPool(1, size)); got != want {
			t.Errorf("a pool of %d bytes has %d, want %d", size, got, want)
		}
	}
}

// P5, P6, P49: a file that is longer than the pool repeats nothing, neither whole blocks nor
// parts of them at the same place.
func TestContentNeverRepeats(t *testing.T) {
	c := newContent(NewPool(1, 1<<20), 1, 99)
	seen := map[string]int64{}
	data := make([]byte, 1<<20)
	for offset := int64(0); offset < 4<<20; offset += int64(len(data)) {
		c.fill(data, offset)
		for at := 0; at < len(data); at += 512 {
			sector := string(data[at : at+512])
			if before, ok := seen[sector]; ok {
				t.Fatalf("the sectors at %d and %d are the same", before, offset+int64(at))
			}
			seen[sector] = offset + int64(at)
		}
	}
}

// What a block holds depends on its place alone, or the sample could not be compared.
func TestContentIsTheSameInAnyOrder(t *testing.T) {
	c := newContent(NewPool(3, 1<<20), 3, 99)
	whole := make([]byte, 4<<20)
	c.fill(whole, 0)
	for _, offset := range []int64{0, 4096, 1 << 20, 3<<20 + 8192} {
		part := make([]byte, 8192)
		c.fill(part, offset)
		if !bytes.Equal(part, whole[offset:offset+8192]) {
			t.Errorf("the blocks at %d are not those of the whole", offset)
		}
	}
}

func TestSignature(t *testing.T) {
	c := newContent(NewPool(1, 1<<20), 1, 4711)
	first, last := make([]byte, block), make([]byte, 3*block)
	c.fill(first, 0)
	c.trailer(last, 1<<20)
	for name, data := range map[string][]byte{"first block": first, "trailer": last[2*block:]} {
		if identity, ok := signature(data); !ok || identity != 4711 {
			t.Errorf("%s: identity %d, %v; want 4711", name, identity, ok)
		}
	}
	for at := range signed {
		changed := bytes.Clone(first)
		changed[at] ^= 1
		if _, ok := signature(changed); ok {
			t.Errorf("a signature with byte %d changed counts", at)
		}
	}
	if _, ok := signature(first[:signed-1]); ok {
		t.Error("a part of a signature counts")
	}
}
