// Package layer describes what the file system in tests/layers/slowfs does, in the words that it
// and the tests have in common.
package layer

import "time"

// View is one of the two files that show a backing file or device.
type View string

// The views.
const (
	// Bare answers as fast as it can.
	Bare View = "bare"
	// Slow takes Views.Delay longer for each read.
	Slow View = "slow"
)

// Views describe two read-only files, "bare" and "slow", that show one backing file or device.
// Both go the same way in the same process, so the time that the way takes cancels out, and what
// is left between them is the delay.
type Views struct {
	// Delay is how much longer a read through the slow view takes. It is spent waiting busily, for
	// exactness.
	Delay time.Duration
	// Mask makes the slow view show the backing's bytes combined with a fixed stream of
	// random-looking bytes, as a cipher does. The time for it is part of the delay.
	Mask bool
	// KeepAwake keeps every processor from going idle while the views are mounted, by threads of
	// the lowest priority. A processor that has gone to sleep takes the longer to wake up the longer
	// it slept, in a virtual machine most of all; without this, that is in the difference between
	// the views as well as the delay. It takes all processor time that nobody else wants.
	KeepAwake bool
	// Faults are what goes wrong; none by default.
	Faults []Fault
}

// Folder describes a folder in which files can be made, written, read and removed.
type Folder struct {
	// ReadBytesPerSecond and WriteBytesPerSecond are how fast the disk is, all requests together;
	// 0 is no limit.
	ReadBytesPerSecond, WriteBytesPerSecond int64
	// Delay is how much longer each read takes.
	Delay time.Duration
	// FreeBytes is how much space the file system says is free, before anything is written; 0: as
	// much as the file system below says.
	FreeBytes int64
	// Faults are what goes wrong; none by default.
	Faults []Fault
}

// Operation is a kind of request.
type Operation string

// The operations.
const (
	Read  Operation = "read"
	Write Operation = "write"
	Flush Operation = "flush"
)

// Kind is a way in which a request goes wrong.
type Kind string

// The kinds of faults.
const (
	// IOError answers EIO, as a bad sector does.
	IOError Kind = "io-error"
	// Hang does not answer until Mounted.Resume is called or the mount ends. As with a disk that
	// has stopped answering, the process that waits cannot be killed until then.
	Hang Kind = "hang"
	// Short answers with half of the bytes, in whole sectors of 512.
	Short Kind = "short"
	// Changing answers a read with bytes that are others each time.
	Changing Kind = "changing"
	// NoSpace answers ENOSPC, as a full disk does, whatever FreeBytes says.
	NoSpace Kind = "no-space"
)

// Fault is something that goes wrong.
type Fault struct {
	Kind Kind
	// View is the view that has the fault; "" is both. It means nothing in a folder.
	View View
	// Operation is the kind of request that meets it; "" is Read.
	Operation Operation
	// From and To limit it to requests that touch these bytes of a file; To 0 is to the end. They
	// mean nothing for a flush.
	From, To int64
	// AfterRequests and AfterBytes are how much of what would meet the fault is answered well
	// before it begins. Views and files count together.
	AfterRequests, AfterBytes int64
	// Times is how many requests meet it; 0 is all.
	Times int64
}

// Counters tell what a view, or a folder, has done so far.
type Counters struct {
	// Reads, Writes and Flushes that were asked for, those that went wrong included.
	Reads, Writes, Flushes int64
	// ReadBytes and WrittenBytes that were answered.
	ReadBytes, WrittenBytes int64
	// Faults that were met.
	Faults int64
	// Added is the time that was waited in answer to each read, measured in the file system; Answer
	// is the whole time from its request's arrival there to its answer. Of the reads that went well.
	Added, Answer Times
}

// Times describe how long something took.
type Times struct {
	Count            int64
	Min, Median, Max time.Duration
}

// Setup is what the file system is told at its start, as one line of JSON on its stdin. The lines
// after it are commands: "resume" ends all hangs, "counters" prints a Report, and the end of
// stdin unmounts.
type Setup struct {
	// Mount is the folder to mount on, Backing the file, device or folder that is shown.
	Mount, Backing string
	// One of the two says what to show.
	Views  *Views
	Folder *Folder
}

// Report is what the file system prints, one line of JSON each: once when it is mounted, and once
// for each command "counters".
type Report struct {
	// Error says why it could not be mounted; "" if it was.
	Error string
	// Counters by view; a folder's are under "".
	Counters map[View]Counters
}
