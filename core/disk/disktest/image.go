// Package disktest builds images of disks and volumes for tests: partition tables, containers
// and small file systems, written from their specifications. Images are sparse: a disk of many
// gigabytes costs only what was put into it.
package disktest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// Image is a sparse run of bytes. What was not put into it reads as zero.
type Image struct {
	size     int64
	segments []segment
}

// segment shows length bytes of r, from offset on, at a place of the image.
type segment struct {
	at, length int64
	r          io.ReaderAt
	offset     int64
}

// New returns an empty image of size bytes.
func New(size int64) *Image {
	return &Image{size: size}
}

// From returns an image of size bytes that shows r.
func From(r io.ReaderAt, size int64) *Image {
	return New(size).put(0, size, r, 0)
}

// Size is the image's length in bytes.
func (i *Image) Size() int64 { return i.size }

// Put writes data at a place, over what is there, and returns the image.
func (i *Image) Put(at int64, data []byte) *Image {
	return i.put(at, int64(len(data)), bytes.NewReader(bytes.Clone(data)), 0)
}

// PutImage writes another image at a place.
func (i *Image) PutImage(at int64, other *Image) *Image {
	return i.put(at, other.size, other, 0)
}

func (i *Image) put(at, length int64, r io.ReaderAt, offset int64) *Image {
	if at < 0 || length > i.size-at {
		panic(fmt.Sprintf("%d bytes at %d do not fit into an image of %d", length, at, i.size))
	}
	i.segments = append(i.segments, segment{at: at, length: length, r: r, offset: offset})
	return i
}

// Cut returns the first size bytes of the image.
func (i *Image) Cut(size int64) *Image {
	return New(size).put(0, size, i, 0)
}

// ReadAt implements io.ReaderAt.
func (i *Image) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 {
		return 0, errors.New("negative offset")
	}
	if at >= i.size {
		return 0, io.EOF
	}
	end := false
	if int64(len(p)) > i.size-at {
		p, end = p[:i.size-at], true
	}
	clear(p)
	for _, s := range i.segments {
		from, to := max(at, s.at), min(at+int64(len(p)), s.at+s.length)
		if from >= to {
			continue
		}
		if n, err := s.r.ReadAt(p[from-at:to-at], s.offset+from-s.at); int64(n) < to-from {
			return 0, fmt.Errorf("reading a part of the image: %w", err)
		}
	}
	if end {
		return len(p), io.EOF
	}
	return len(p), nil
}

// runs calls visit for each part of a range that something was put into, until it returns true.
// Parts can overlap.
func (i *Image) runs(at, length int64, visit func(at, length int64) bool) bool {
	for _, s := range i.segments {
		from, to := max(at, s.at), min(at+length, s.at+s.length)
		if from >= to {
			continue
		}
		inner, ok := s.r.(*Image)
		if !ok {
			if visit(from, to-from) {
				return true
			}
			continue
		}
		shift := s.at - s.offset
		if inner.runs(from-shift, to-from, func(at, length int64) bool { return visit(at+shift, length) }) {
			return true
		}
	}
	return false
}

// pieceBytes is the unit in which content is copied.
const pieceBytes = 64 << 10

// data calls visit for the pieces of a range that are not all zero, until it returns true.
func (i *Image) data(at, length int64, visit func(at int64, data []byte) bool) bool {
	var buffer []byte
	return i.runs(at, length, func(at, length int64) bool {
		if buffer == nil {
			buffer = make([]byte, pieceBytes)
		}
		for end := at + length; at < end; at += pieceBytes {
			piece := buffer[:min(pieceBytes, end-at)]
			if _, err := i.ReadAt(piece, at); err != nil && !errors.Is(err, io.EOF) {
				panic(err)
			}
			if len(bytes.Trim(piece, "\x00")) > 0 && visit(at, piece) {
				return true
			}
		}
		return false
	})
}

// holdsData reports whether a range has a byte that is not zero.
func (i *Image) holdsData(at, length int64) bool {
	return i.data(at, length, func(int64, []byte) bool { return true })
}

// Bytes returns the whole image; it is for small ones.
func (i *Image) Bytes() []byte {
	data := make([]byte, i.size)
	if _, err := i.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		panic(err)
	}
	return data
}

// WriteFile writes the image to a new sparse file.
func (i *Image) WriteFile(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Truncate(i.size); err != nil {
		return err
	}
	i.data(0, i.size, func(at int64, data []byte) bool {
		_, err = file.WriteAt(data, at)
		return err != nil
	})
	if err != nil {
		return err
	}
	return file.Close()
}
