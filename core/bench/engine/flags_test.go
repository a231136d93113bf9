package engine

import (
	"slices"
	"testing"

	"diskaudit/core/contract"
)

// The flags are exactly those that the durability announces, on either system (P22, P61).
func TestOpenFlags(t *testing.T) {
	for _, c := range []struct {
		operation  contract.Operation
		durability contract.Durability
		depth      int
		linux      []string
		windows    []string
	}{
		{contract.OperationRead, "", 1,
			[]string{"O_RDONLY", "O_DIRECT", "O_CLOEXEC"},
			[]string{"GENERIC_READ", "FILE_FLAG_NO_BUFFERING"}},
		{contract.OperationRead, "", 32,
			[]string{"O_RDONLY", "O_DIRECT", "O_CLOEXEC"},
			[]string{"GENERIC_READ", "FILE_FLAG_NO_BUFFERING", "FILE_FLAG_OVERLAPPED"}},
		{contract.OperationWrite, contract.DurabilityDeviceCache, 1,
			[]string{"O_WRONLY", "O_DIRECT", "O_CLOEXEC"},
			[]string{"GENERIC_WRITE", "FILE_FLAG_NO_BUFFERING"}},
		{contract.OperationWrite, contract.DurabilityDeviceCache, 2,
			[]string{"O_WRONLY", "O_DIRECT", "O_CLOEXEC"},
			[]string{"GENERIC_WRITE", "FILE_FLAG_NO_BUFFERING", "FILE_FLAG_OVERLAPPED"}},
		{contract.OperationWrite, contract.DurabilityWriteThrough, 1,
			[]string{"O_WRONLY", "O_DIRECT", "O_CLOEXEC", "O_DSYNC"},
			[]string{"GENERIC_WRITE", "FILE_FLAG_NO_BUFFERING", "FILE_FLAG_WRITE_THROUGH"}},
		{contract.OperationWrite, contract.DurabilityWriteThrough, 8,
			[]string{"O_WRONLY", "O_DIRECT", "O_CLOEXEC", "O_DSYNC"},
			[]string{"GENERIC_WRITE", "FILE_FLAG_NO_BUFFERING", "FILE_FLAG_OVERLAPPED", "FILE_FLAG_WRITE_THROUGH"}},
		{contract.OperationWrite, contract.DurabilityFlush, 1,
			[]string{"O_WRONLY", "O_DIRECT", "O_CLOEXEC"},
			[]string{"GENERIC_WRITE", "FILE_FLAG_NO_BUFFERING"}},
	} {
		s := Spec{Operation: c.operation, Durability: c.durability, QueueDepth: c.depth}
		if got := linuxFlags(s); !slices.Equal(got, c.linux) {
			t.Errorf("%s %s depth %d on Linux: %v, want %v", c.operation, c.durability, c.depth, got, c.linux)
		}
		if got := windowsFlags(s); !slices.Equal(got, c.windows) {
			t.Errorf("%s %s depth %d on Windows: %v, want %v", c.operation, c.durability, c.depth, got, c.windows)
		}
		for _, flag := range openFlags(s) {
			if flag.Value == 0 && flag.Name != "O_RDONLY" {
				t.Errorf("%s has no number", flag.Name)
			}
		}
	}
}
