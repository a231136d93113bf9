package remediate_test

import (
	"context"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// disk is a file system in memory that tells a computer of everything that changes it, and forgets
// on a loss of power what was not flushed: the bytes of a file since its last fsync, and the names
// in a folder since the last fsync of that folder or of one below it. All of it is guarded by the
// computer's lock.
type disk struct {
	computer *computer
	root     *node
}

// node is a file or a folder.
type node struct {
	fs.Inode
	disk   *disk
	name   string
	parent *node
	mode   uint32
	// entries are those of a folder; nil for a file.
	entries map[string]*node
	// data are the bytes of a file, kept those of them that a loss of power leaves.
	data, kept []byte
	// durable tells that a loss of power leaves the node's name in its folder.
	durable bool
}

var (
	_ fs.NodeLookuper  = (*node)(nil)
	_ fs.NodeReaddirer = (*node)(nil)
	_ fs.NodeGetattrer = (*node)(nil)
	_ fs.NodeSetattrer = (*node)(nil)
	_ fs.NodeMkdirer   = (*node)(nil)
	_ fs.NodeCreater   = (*node)(nil)
	_ fs.NodeUnlinker  = (*node)(nil)
	_ fs.NodeRenamer   = (*node)(nil)
	_ fs.NodeOpener    = (*node)(nil)
	_ fs.NodeReader    = (*node)(nil)
	_ fs.NodeWriter    = (*node)(nil)
	_ fs.NodeFsyncer   = (*node)(nil)
	_ fs.NodeFlusher   = (*node)(nil)
)

// journalFolder is the folder for journals on every disk.
const journalFolder = "journal"

// mountDisk makes the disk of a computer a folder of the mounted file system and returns its path.
func mountDisk(c *computer, name string) (*disk, string) {
	d := &disk{computer: c}
	d.root = &node{disk: d, mode: syscall.S_IFDIR | 0o700, entries: map[string]*node{}, durable: true}
	mounted.root.AddChild(name, mounted.root.NewPersistentInode(context.Background(), d.root, fs.StableAttr{Mode: syscall.S_IFDIR}), true)
	return d, path.Join(mounted.folder, name)
}

// files are the files below a folder of the disk by their path: what a loss of power leaves of them,
// or what they hold now.
func (d *disk) files(durable bool) map[string][]byte {
	files := map[string][]byte{}
	d.root.collect("", durable, files)
	return files
}

func (n *node) collect(above string, durable bool, files map[string][]byte) {
	for name, entry := range n.entries {
		here := path.Join(above, name)
		switch {
		case durable && !entry.durable:
		case entry.entries != nil:
			entry.collect(here, durable, files)
		case durable:
			files[here] = entry.kept
		default:
			files[here] = entry.data
		}
	}
}

// losePower leaves what was flushed, and of the rest of each file a part.
func (d *disk) losePower(part float64) { d.root.losePower(part) }

func (n *node) losePower(part float64) {
	for name, entry := range n.entries {
		switch {
		case !entry.durable:
			delete(n.entries, name)
		case entry.entries != nil:
			entry.losePower(part)
		case len(entry.data) > len(entry.kept):
			entry.data = entry.data[:len(entry.kept)+int(part*float64(len(entry.data)-len(entry.kept)))]
		default:
			entry.data = slices.Clone(entry.kept)
		}
	}
}

// do tells the computer of a change and makes it, unless the program is dead before that.
func (n *node) do(what string, change, half func()) syscall.Errno {
	if c := n.disk.computer; !c.happens(c.run, event{what: what, file: true, tears: half != nil}, change, half) {
		return syscall.EIO
	}
	return fs.OK
}

func (n *node) path() string {
	if n.parent == nil {
		return ""
	}
	return path.Join(n.parent.path(), n.name)
}

func (n *node) lock() func() {
	n.disk.computer.mu.Lock()
	return n.disk.computer.mu.Unlock
}

func (n *node) describe(out *fuse.Attr) {
	out.Mode, out.Size, out.Nlink, out.Blksize = n.mode, uint64(len(n.data)), 1, 4096
	out.Uid, out.Gid = uint32(os.Geteuid()), uint32(os.Getegid())
}

// Lookup finds an entry of a folder.
func (n *node) Lookup(_ context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	defer n.lock()()
	entry := n.entries[name]
	if entry == nil {
		return nil, syscall.ENOENT
	}
	entry.describe(&out.Attr)
	return entry.EmbeddedInode(), fs.OK
}

// Readdir lists a folder.
func (n *node) Readdir(context.Context) (fs.DirStream, syscall.Errno) {
	defer n.lock()()
	var entries []fuse.DirEntry
	for _, name := range slices.Sorted(maps.Keys(n.entries)) {
		entries = append(entries, fuse.DirEntry{Name: name, Mode: n.entries[name].mode, Ino: n.entries[name].StableAttr().Ino})
	}
	return fs.NewListDirStream(entries), fs.OK
}

// Getattr describes a node.
func (n *node) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	defer n.lock()()
	n.describe(&out.Attr)
	return fs.OK
}

// Setattr changes the rights or the length; times are not kept.
func (n *node) Setattr(_ context.Context, _ fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	defer n.lock()()
	if mode, given := in.GetMode(); given {
		n.mode = n.mode&syscall.S_IFMT | mode&^syscall.S_IFMT
	}
	if size, given := in.GetSize(); given && size != uint64(len(n.data)) {
		errno := n.do("truncate "+n.path(), func() {
			n.data = append(slices.Clone(n.data[:min(size, uint64(len(n.data)))]), make([]byte, max(size, uint64(len(n.data)))-uint64(len(n.data)))...)
		}, nil)
		if errno != fs.OK {
			return errno
		}
	}
	n.describe(&out.Attr)
	return fs.OK
}

// add makes a new entry. It gets its number first: the file system's own tree is asked again for
// every name, so what is not among the entries is not there.
func (n *node) add(ctx context.Context, name string, mode uint32) *node {
	entry := &node{disk: n.disk, name: name, parent: n, mode: mode}
	if mode&syscall.S_IFMT == syscall.S_IFDIR {
		entry.entries = map[string]*node{}
	}
	n.NewPersistentInode(ctx, entry, fs.StableAttr{Mode: mode & syscall.S_IFMT})
	return entry
}

// Mkdir makes a folder.
func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	defer n.lock()()
	if n.entries[name] != nil {
		return nil, syscall.EEXIST
	}
	entry := n.add(ctx, name, syscall.S_IFDIR|mode)
	if errno := n.do("mkdir "+entry.path(), func() { n.entries[name] = entry }, nil); errno != fs.OK {
		return nil, errno
	}
	entry.describe(&out.Attr)
	return entry.EmbeddedInode(), fs.OK
}

// Create makes a file.
func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	defer n.lock()()
	if n.entries[name] != nil {
		return nil, nil, 0, syscall.EEXIST
	}
	entry := n.add(ctx, name, syscall.S_IFREG|mode)
	if errno := n.do("create "+entry.path(), func() { n.entries[name] = entry }, nil); errno != fs.OK {
		return nil, nil, 0, errno
	}
	entry.describe(&out.Attr)
	return entry.EmbeddedInode(), nil, fuse.FOPEN_DIRECT_IO, fs.OK
}

// Unlink removes a file.
func (n *node) Unlink(_ context.Context, name string) syscall.Errno {
	defer n.lock()()
	entry := n.entries[name]
	if entry == nil {
		return syscall.ENOENT
	}
	return n.do("unlink "+entry.path(), func() { delete(n.entries, name) }, nil)
}

// Rename moves a file, for good.
func (n *node) Rename(_ context.Context, name string, newParent fs.InodeEmbedder, newName string, _ uint32) syscall.Errno {
	defer n.lock()()
	to, ours := newParent.(*node)
	entry := n.entries[name]
	if entry == nil || !ours {
		return syscall.ENOENT
	}
	return n.do("rename "+entry.path()+" to "+newName, func() {
		delete(n.entries, name)
		entry.name, entry.parent = newName, to
		to.entries[newName] = entry
	}, nil)
}

// Open has every read and write come here, for it lets no cache answer.
func (n *node) Open(_ context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_DIRECT_IO, fs.OK
}

// Read reads from a file.
func (n *node) Read(_ context.Context, _ fs.FileHandle, dest []byte, offset int64) (fuse.ReadResult, syscall.Errno) {
	defer n.lock()()
	if offset >= int64(len(n.data)) {
		return fuse.ReadResultData(nil), fs.OK
	}
	return fuse.ReadResultData(slices.Clone(n.data[offset:min(int64(len(n.data)), offset+int64(len(dest)))])), fs.OK
}

// Write writes to a file. It may be torn.
func (n *node) Write(_ context.Context, _ fs.FileHandle, data []byte, offset int64) (uint32, syscall.Errno) {
	defer n.lock()()
	put := func(part []byte) {
		end := offset + int64(len(part))
		if grown := end - int64(len(n.data)); grown > 0 {
			n.data = append(n.data, make([]byte, grown)...)
		}
		copy(n.data[offset:end], part)
	}
	what := "write " + n.path() + " " + firstWords(data)
	if errno := n.do(what, func() { put(data) }, func() { put(data[:len(data)/2]) }); errno != fs.OK {
		return 0, errno
	}
	return uint32(len(data)), fs.OK
}

// firstWords is what a line of the journal is about.
func firstWords(data []byte) string {
	text, _, _ := strings.Cut(string(data), `"time":`)
	if _, after, found := strings.Cut(string(data), `"event":`); found {
		text = after[:min(len(after), 48)]
	}
	return text
}

// Fsync keeps the bytes of a file, or the names in a folder and those of the folders above it.
func (n *node) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	defer n.lock()()
	return n.do("fsync "+n.path(), func() {
		if n.entries == nil {
			n.kept = slices.Clone(n.data)
			return
		}
		for _, entry := range n.entries {
			entry.durable = true
		}
		for above := n; above != nil; above = above.parent {
			above.durable = true
		}
	}, nil)
}

// Flush is the closing of a file, which keeps nothing. After this answer the kernel does not ask again.
func (n *node) Flush(context.Context, fs.FileHandle) syscall.Errno { return syscall.ENOSYS }
