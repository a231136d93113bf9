package target

// Fact names a field of Facts.
type Fact string

// The facts that have evidence.
const (
	FactInMemory   Fact = "in-memory"
	FactRemote     Fact = "remote"
	FactSparse     Fact = "sparse"
	FactCompressed Fact = "compressed"
	FactEncrypted  Fact = "encrypted"
	FactReadOnly   Fact = "read-only"
	FactFUSE       Fact = "fuse"
	FactOverlay    Fact = "overlay"
	FactMounted    Fact = "mounted"
	FactCached     Fact = "cached"
	FactZeros      Fact = "zeros"
	FactShortened  Fact = "shortened"
	FactSwept      Fact = "swept"
	FactAlignment  Fact = "alignment"
	FactProof      Fact = "proof"
)

// Facts is what can make figures say something else than the speed of a disk. Nil is unknown.
type Facts struct {
	// InMemory: the bytes are in memory, not on a disk: tmpfs, zram, a loop device over such.
	InMemory *bool
	// Remote: the bytes are on another computer.
	Remote *bool
	// Sparse: parts of the file are holes, or were never written.
	Sparse *bool
	// Compressed: the file system or the device compresses the bytes.
	Compressed *bool
	// Encrypted: the file system encrypts this file by itself: EFS, fscrypt. It does not speak of
	// BitLocker or dm-crypt below.
	Encrypted *bool
	// ReadOnly: the file system or the device takes no writes.
	ReadOnly *bool
	// FUSE: a program in user space answers for the file system.
	FUSE *bool
	// Overlay: the file system lies on others, as in containers.
	Overlay *bool
	// Cached: a layer below keeps what was read or written in memory, unbuffered I/O or not: a
	// loop device that is not set to direct I/O.
	Cached *bool
	// Mounted: the device or a part of it holds a mounted file system.
	Mounted *bool
	// Zeros: most of the sampled blocks of an existing file or device hold only zeros, as a disk
	// answers without looking for blocks that were trimmed. Nil for a file that was made here.
	Zeros *bool
	// Shortened: the file is shorter than was asked for.
	Shortened *bool
	// LogicalSectorBytes is the smallest unit that the device reads or writes.
	LogicalSectorBytes *int
	// PhysicalSectorBytes is the unit that the device reads or writes without extra work.
	PhysicalSectorBytes *int
	// FreeBytes is the room on the volume before the file was made, for this user.
	FreeBytes *int64
	// ReserveBytes of it are left alone.
	ReserveBytes *int64
	// WholeBytes is the length of an existing file or device, which the tests may use a part of.
	WholeBytes *int64
	// Swept are the files of earlier runs that were removed at the start.
	Swept []string

	evidence map[Fact]string
	content  *content
}

// Evidence tells what a fact rests on, or why it is unknown; "" when nothing was looked at.
func (f *Facts) Evidence(fact Fact) string { return f.evidence[fact] }

// note sets a fact with its evidence. A fact that was found true stays true: one layer that
// compresses is enough. A nil value only adds why it is unknown.
func (f *Facts) note(fact Fact, value *bool, evidence string) {
	if f.evidence == nil {
		f.evidence = map[Fact]string{}
	}
	at := f.at(fact)
	if at != nil && *at != nil && (value == nil || **at && !*value) {
		return
	}
	if at != nil {
		*at = value
	}
	f.evidence[fact] = evidence
}

func (f *Facts) yes(fact Fact, evidence string) { value := true; f.note(fact, &value, evidence) }

func (f *Facts) no(fact Fact, evidence string) { value := false; f.note(fact, &value, evidence) }

// at is the field of a fact, nil for those that are not a yes or no.
func (f *Facts) at(fact Fact) **bool {
	return map[Fact]**bool{
		FactInMemory: &f.InMemory, FactRemote: &f.Remote, FactSparse: &f.Sparse, FactCompressed: &f.Compressed,
		FactEncrypted: &f.Encrypted, FactReadOnly: &f.ReadOnly, FactFUSE: &f.FUSE, FactOverlay: &f.Overlay,
		FactMounted: &f.Mounted, FactCached: &f.Cached, FactZeros: &f.Zeros, FactShortened: &f.Shortened,
	}[fact]
}
