//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"diskaudit/tests/layers/held"
	"diskaudit/tests/layers/layer"
)

// views is the folder that holds the two views.
type views struct {
	fs.Inode
	files []*view
}

// newViews opens the backing file or device past the page cache, where it allows that.
func newViews(backing string, options layer.Views) (fs.InodeEmbedder, *book, error) {
	file, err := os.OpenFile(backing, os.O_RDONLY|unix.O_DIRECT, 0)
	if errors.Is(err, unix.EINVAL) {
		file, err = os.Open(backing)
	}
	if err != nil {
		return nil, nil, err
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, nil, fmt.Errorf("finding the size of %s: %w", backing, err)
	}
	book := newBook(options.Faults)
	source := &source{file: file, size: size}
	root := &views{files: []*view{
		{name: layer.Bare, source: source, book: book},
		{name: layer.Slow, source: source, book: book, delay: options.Delay, mask: options.Mask},
	}}
	return root, book, nil
}

// OnAdd puts the two files into the folder.
func (r *views) OnAdd(ctx context.Context) {
	for _, file := range r.files {
		r.AddChild(string(file.name), r.NewPersistentInode(ctx, file, fs.StableAttr{Mode: fuse.S_IFREG}), false)
	}
}

// view is one file that shows the source.
type view struct {
	fs.Inode
	name   layer.View
	source *source
	book   *book
	delay  time.Duration
	mask   bool
}

func (v *view) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode = 0o444
	out.Size = uint64(v.source.size)
	out.Blocks = (out.Size + 511) / 512
	out.Blksize = 4096
	return fs.OK
}

// Open makes every read come here: FOPEN_DIRECT_IO keeps the page cache out
// (docs.kernel.org/filesystems/fuse/fuse-io.html).
func (v *view) Open(_ context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	if flags&unix.O_ACCMODE != unix.O_RDONLY {
		return nil, 0, unix.EROFS
	}
	return nil, fuse.FOPEN_DIRECT_IO, fs.OK
}

func (v *view) Read(_ context.Context, _ fs.FileHandle, dest []byte, offset int64) (fuse.ReadResult, syscall.Errno) {
	arrived := now()
	request := request{view: v.name, operation: layer.Read, offset: offset, length: int64(len(dest))}
	fault := v.book.meet(request)
	if errno := fault.errno(v.book); errno != 0 {
		return nil, errno
	}
	answer, err := v.source.read(offset, len(dest))
	if err != nil {
		return nil, fs.ToErrno(err)
	}
	content := now()
	if v.mask {
		mask(answer.content, offset)
	}
	answer.content = fault.spoil(answer.content)
	done := spin(content + int64(v.delay))
	v.book.read(v.name, int64(len(answer.content)), done-content, done-arrived)
	return answer, fs.OK
}

// source is the backing file or device.
type source struct {
	file    *os.File
	size    int64
	buffers sync.Pool
}

// answer is the content of one read, in a buffer that goes back to its pool after the reply.
type answer struct {
	content []byte
	buffer  []byte
	pool    *sync.Pool
}

// Bytes returns the content.
func (a *answer) Bytes([]byte) ([]byte, fuse.Status) { return a.content, fuse.OK }

// Size returns the length of the content.
func (a *answer) Size() int { return len(a.content) }

// Done gives the buffer back.
func (a *answer) Done() {
	if a.buffer != nil {
		a.pool.Put(&a.buffer)
	}
}

// unit is what direct reads of the backing are aligned to.
const unit = 4096

// read reads the whole units that hold the bytes wanted, and shows those.
func (s *source) read(offset int64, length int) (*answer, error) {
	first := offset / unit * unit
	last := min((offset+int64(length)+unit-1)/unit*unit, (s.size+unit-1)/unit*unit)
	if offset >= s.size || last <= first {
		return &answer{pool: &s.buffers}, nil
	}
	var buffer []byte
	if kept, ok := s.buffers.Get().(*[]byte); ok {
		buffer = *kept
	}
	if int64(len(buffer)) < last-first {
		buffer = held.Aligned(int(last - first))
	}
	result := &answer{buffer: buffer, pool: &s.buffers}
	n, err := unix.Pread(int(s.file.Fd()), buffer[:last-first], first)
	if err != nil {
		result.Done()
		return nil, err
	}
	from := min(int(offset-first), n)
	result.content = buffer[from:min(from+length, n)]
	return result, nil
}
