//go:build linux

package main

import (
	"context"
	"sync"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"diskaudit/tests/layers/layer"
)

// folder is what all files of a writable folder have in common.
type folder struct {
	options layer.Folder
	book    *book
	reads   pace
	writes  pace
	// free is what the file system below had to offer at the start, in bytes.
	free uint64
}

// newFolder shows the files of the folder backing.
func newFolder(backing string, options layer.Folder) (fs.InodeEmbedder, *book, error) {
	var below unix.Statfs_t
	if err := unix.Statfs(backing, &below); err != nil {
		return nil, nil, err
	}
	f := &folder{
		options: options, book: newBook(options.Faults), free: below.Bavail * uint64(below.Bsize),
		reads: pace{perSecond: options.ReadBytesPerSecond}, writes: pace{perSecond: options.WriteBytesPerSecond},
	}
	if options.FreeBytes > 0 {
		f.free = uint64(options.FreeBytes)
	}
	var st unix.Stat_t
	if err := unix.Stat(backing, &st); err != nil {
		return nil, nil, err
	}
	data := &fs.LoopbackRoot{Path: backing, Dev: st.Dev}
	root := &node{LoopbackNode: fs.LoopbackNode{RootData: data}, folder: f}
	data.RootNode = root
	return root, f.book, nil
}

// node is a file or folder.
type node struct {
	fs.LoopbackNode
	folder *folder
}

// WrapChild makes what lies in a folder a node too.
func (n *node) WrapChild(_ context.Context, child fs.InodeEmbedder) fs.InodeEmbedder {
	if below, ok := child.(*fs.LoopbackNode); ok {
		return &node{LoopbackNode: fs.LoopbackNode{RootData: below.RootData}, folder: n.folder}
	}
	return child
}

// flags of an open file: every request comes here, several at a time too.
const openFlags = fuse.FOPEN_DIRECT_IO | fuse.FOPEN_PARALLEL_DIRECT_WRITES

func (n *node) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	handle, _, errno := n.LoopbackNode.Open(ctx, flags&^unix.O_DIRECT)
	return n.folder.wrap(handle), openFlags, errno
}

func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	inode, handle, _, errno := n.LoopbackNode.Create(ctx, name, flags&^unix.O_DIRECT, mode, out)
	return inode, n.folder.wrap(handle), openFlags, errno
}

// Statfs says that the space shrinks by what was written.
func (n *node) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno {
	const block = 4096
	free := n.folder.free - min(n.folder.free, uint64(n.folder.book.written()))
	*out = fuse.StatfsOut{
		Blocks: n.folder.free / block, Bfree: free / block, Bavail: free / block,
		Bsize: block, Frsize: block, Files: 1 << 20, Ffree: 1 << 20, NameLen: 255,
	}
	return fs.OK
}

// CopyFileRange is left to reads and writes, which are what is slow or goes wrong.
func (n *node) CopyFileRange(context.Context, fs.FileHandle, uint64, *fs.Inode, fs.FileHandle, uint64, uint64, uint64) (uint32, syscall.Errno) {
	return 0, unix.EOPNOTSUPP
}

// Statx is left to Getattr, which knows open files that were removed.
func (n *node) Statx(context.Context, fs.FileHandle, uint32, uint32, *fuse.StatxOut) syscall.Errno {
	return unix.ENOSYS
}

// file is an open file.
type file struct {
	*fs.LoopbackFile
	folder *folder
}

func (f *folder) wrap(handle fs.FileHandle) fs.FileHandle {
	if below, ok := handle.(*fs.LoopbackFile); ok {
		return &file{LoopbackFile: below, folder: f}
	}
	return nil
}

// PassthroughFd offers no way around this file system.
func (f *file) PassthroughFd() (int, bool) { return 0, false }

func (f *file) Read(ctx context.Context, dest []byte, offset int64) (fuse.ReadResult, syscall.Errno) {
	arrived := now()
	book := f.folder.book
	fault := book.meet(request{operation: layer.Read, offset: offset, length: int64(len(dest))})
	if errno := fault.errno(book); errno != 0 {
		return nil, errno
	}
	below, errno := f.LoopbackFile.Read(ctx, dest, offset)
	if errno != 0 {
		return nil, errno
	}
	defer below.Done()
	content, status := below.Bytes(dest)
	if !status.Ok() {
		return nil, syscall.Errno(status)
	}
	f.folder.reads.take(int64(len(content)))
	content = fault.spoil(content)
	read := now()
	done := spin(read + int64(f.folder.options.Delay))
	book.read("", int64(len(content)), done-read, done-arrived)
	return fuse.ReadResultData(content), fs.OK
}

func (f *file) Write(ctx context.Context, data []byte, offset int64) (uint32, syscall.Errno) {
	book := f.folder.book
	fault := book.meet(request{operation: layer.Write, offset: offset, length: int64(len(data))})
	if errno := fault.errno(book); errno != 0 {
		return 0, errno
	}
	if fault.kind == layer.Short {
		data = data[:shortened(len(data))]
	}
	n, errno := f.LoopbackFile.Write(ctx, data, offset)
	if errno == 0 {
		f.folder.writes.take(int64(n))
		book.wrote("", int64(n))
	}
	return n, errno
}

// Fsync does not ask the file system below: what is here need not survive a crash.
func (f *file) Fsync(context.Context, uint32) syscall.Errno {
	book := f.folder.book
	return book.meet(request{operation: layer.Flush}).errno(book)
}

// Allocate is refused, as file systems do that cannot: the file has to be written.
func (f *file) Allocate(context.Context, uint64, uint64, uint32) syscall.Errno {
	return unix.EOPNOTSUPP
}

// pace lets so many bytes pass in a second, one request after the other, as one disk does.
type pace struct {
	perSecond int64
	mu        sync.Mutex
	next      time.Time
}

// take waits until the disk would have moved the bytes.
func (p *pace) take(bytes int64) {
	if p.perSecond <= 0 {
		return
	}
	p.mu.Lock()
	if current := time.Now(); p.next.Before(current) {
		p.next = current
	}
	p.next = p.next.Add(time.Duration(float64(bytes) / float64(p.perSecond) * float64(time.Second)))
	until := p.next
	p.mu.Unlock()
	time.Sleep(time.Until(until))
}
