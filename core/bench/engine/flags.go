package engine

import "diskaudit/core/contract"

// Flag is a flag with which a target was opened.
type Flag struct {
	// Name as in the system's documentation.
	Name string
	// Value is the number that was passed.
	Value uint32
}

// linuxFlags names the flags of open(2) for a test. O_DIRECT is always among them.
func linuxFlags(s Spec) []string {
	names := []string{"O_RDONLY", "O_DIRECT", "O_CLOEXEC"}
	if s.writes() {
		names[0] = "O_WRONLY"
	}
	if s.Durability == contract.DurabilityWriteThrough {
		names = append(names, "O_DSYNC")
	}
	return names
}

// windowsFlags names the access rights and the flags of CreateFile for a test.
// FILE_FLAG_NO_BUFFERING is always among them. A handle without FILE_FLAG_OVERLAPPED does one I/O
// at a time in the calling thread, without a completion to wait for
// (https://learn.microsoft.com/windows/win32/fileio/synchronous-and-asynchronous-i-o).
func windowsFlags(s Spec) []string {
	names := []string{"GENERIC_READ", "FILE_FLAG_NO_BUFFERING"}
	if s.writes() {
		names[0] = "GENERIC_WRITE"
	}
	if s.QueueDepth > 1 {
		names = append(names, "FILE_FLAG_OVERLAPPED")
	}
	if s.Durability == contract.DurabilityWriteThrough {
		names = append(names, "FILE_FLAG_WRITE_THROUGH")
	}
	return names
}

// withValues adds the numbers to names.
func withValues(names []string, values map[string]uint32) []Flag {
	flags := make([]Flag, len(names))
	for i, name := range names {
		flags[i] = Flag{Name: name, Value: values[name]}
	}
	return flags
}
