package engine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"diskaudit/core/contract"
	"diskaudit/tests/require"
)

// In a process to which io_uring is forbidden, as in a container, synchronous threads keep as
// many I/Os in flight, read the right blocks, and the description says why.
func TestWithoutIoURing(t *testing.T) {
	for _, errno := range []unix.Errno{unix.EPERM, unix.ENOSYS} {
		inChild(t, fmt.Sprintf("forbid=%d", errno), nil)
	}
}

// Where the buffers cannot be registered, io_uring does without.
func TestWithoutLockedMemory(t *testing.T) {
	if os.Getuid() != 0 {
		require.Missing(t, "root", "another user is needed whose limit of locked memory holds")
	}
	inChild(t, "memlock", &syscall.Credential{Uid: 65534, Gid: 65534})
}

const childVariable = "DISKAUDIT_TEST_ENGINE_CHILD"

// inChild runs TestInChild in a process of its own, in which it can give up rights.
func inChild(t *testing.T, what string, credential *syscall.Credential) {
	t.Helper()
	needUnbuffered(t)
	if _, err := openRing(nil, nil, 0, false); err == nil {
		t.Fatal("an io_uring of depth 0 was set up")
	}
	folder := t.TempDir()
	if credential != nil {
		if err := os.Chown(folder, int(credential.Uid), int(credential.Gid)); err != nil {
			t.Fatal(err)
		}
		// Another user has to get there.
		if err := os.Chmod(filepath.Dir(folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := folder + "/engine.test"
	if err := exec.Command("cp", executable, program).Run(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run=^TestInChild$", "-test.v")
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), childVariable+"="+what, "TMPDIR="+folder)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestInChild") {
		t.Errorf("%s: %v\n%s", what, err, out)
	}
}

func TestInChild(t *testing.T) {
	what := os.Getenv(childVariable)
	if what == "" {
		t.Skip("only for a process of TestWithoutIoURing and TestWithoutLockedMemory")
	}
	path := newFile(t, 96*testBlock)
	if what == "memlock" {
		// Enough for the rings themselves, not for the buffers.
		const limit = 64 << 10
		if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			t.Fatal(err)
		}
		spec := readSpec(path, 96)
		spec.BlockBytes, spec.QueueDepth = 32<<10, 6
		s := open(t, spec)
		if d := s.Description(); d.API != apiURing || d.Fallback != nil || d.RegisteredBuffers {
			t.Errorf("%+v, want io_uring without registered buffers", d)
		}
		checkReads(t, s)
		return
	}
	var errno unix.Errno
	if _, err := fmt.Sscanf(what, "forbid=%d", &errno); err != nil {
		t.Fatal(err)
	}
	forbid(t, sysURingSetup, errno)
	for _, pattern := range []contract.AccessPattern{contract.PatternRandom, contract.PatternSequential} {
		spec := variant{depth: 4, threads: 2}.of(readSpec(path, 96))
		spec.Pattern, spec.Pin = pattern, true
		s := open(t, spec)
		d := s.Description()
		if d.API != apiPread || d.Fallback == nil || !strings.Contains(*d.Fallback, errno.Error()) || len(s.workers) != 8 || len(d.Processors) != 2 {
			t.Errorf("%+v with %d threads, want 8 threads on 2 processors and a reason", d, len(s.workers))
		}
		if r := runRound(t, s, Limit{Ops: 96}); r.Ops != 96 {
			t.Errorf("%d I/Os, want 96", r.Ops)
		}
		if got := s.DistinctBlocks(); got != 96 {
			t.Errorf("%s: %d distinct blocks, want 96", pattern, got)
		}
		for _, w := range s.workers {
			if pattern == contract.PatternRandom {
				if got := string(w.slots[0].memory[:testBlock]); got != string(content(lastOffset(w, 0), testBlock)) {
					t.Errorf("not the bytes of offset %d", lastOffset(w, 0))
				}
			}
		}
	}
	spec := variant{depth: 64, threads: 32}.of(readSpec(path, 96))
	spec.BlockBytes, spec.Length = 512, 96*testBlock
	if _, err := Open(spec); err == nil {
		t.Error("more I/Os in flight than blocks were accepted")
	}
}

// forbid makes a system call fail in all threads of this process (seccomp(2)).
func forbid(t *testing.T, number uint32, errno unix.Errno) {
	t.Helper()
	const setModeFilter, allThreads = 1, 1
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the call's number
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: number, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	for range 100 {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			t.Fatal(err)
		}
		if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, setModeFilter, allThreads, uintptr(unsafe.Pointer(&program))); errno == 0 {
			return
		}
	}
	require.Missing(t, "seccomp", "filters of system calls cannot be set")
}
