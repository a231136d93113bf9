package remediate_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"diskaudit/tests/require"
)

// Environment variables by which this test program knows what it is started as.
const (
	// asProgram is set in a process that is the program.
	asProgram = "DISKAUDIT_REMEDIATE_CHILD"
	// inside is set in the process that runs the tests in mounts of its own.
	inside = "DISKAUDIT_REMEDIATE_INSIDE"
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(asProgram) != "":
		os.Exit(beProgram())
	case os.Getenv(inside) == "" && os.Geteuid() == 0:
		os.Exit(again())
	}
	code := m.Run()
	unmount()
	os.Exit(code)
}

// again runs the tests in a process with mounts of its own, which go with it however it ends: a
// mounted file system whose server was killed is a nuisance to everyone after it.
func again() int {
	// The signal comes when the thread ends that started the process.
	runtime.LockOSThread()
	self := exec.Command(os.Args[0], os.Args[1:]...)
	self.Env = append(os.Environ(), inside+"=1")
	self.Stdin, self.Stdout, self.Stderr = os.Stdin, os.Stdout, os.Stderr
	self.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	err := self.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return exit.ExitCode()
	case err != nil:
		fmt.Fprintf(os.Stderr, "running the tests in mounts of their own: %v\n", err)
		return 1
	}
	return 0
}

// mounted is the file system on which the disks of all computers are.
var mounted struct {
	sync.Mutex
	folder string
	root   *fs.Inode
	server *fuse.Server
}

// requireDisks mounts the file system, once.
func requireDisks(t *testing.T) {
	t.Helper()
	mounted.Lock()
	defer mounted.Unlock()
	if mounted.server != nil {
		return
	}
	if os.Getenv(inside) == "" {
		require.Missing(t, "fuse", "mounting needs root")
	}
	device, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		require.Missing(t, "fuse", err.Error())
	}
	device.Close()
	// For all tests, and so not in the folder of one of them.
	folder, err := os.MkdirTemp("", "diskaudit-remediate-") //nolint:usetesting // See above.
	if err != nil {
		t.Fatal(err)
	}
	// Every name is asked for anew, since a loss of power takes names away.
	var never time.Duration
	root := &fs.Inode{}
	server, err := fs.Mount(folder, root, &fs.Options{
		EntryTimeout: &never, AttrTimeout: &never, NegativeTimeout: &never,
		MountOptions: fuse.MountOptions{
			FsName: "diskaudit", Name: "diskaudit", MaxWrite: 1 << 20, DirectMount: true, DisableXAttrs: true, DisableSplice: true,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	mounted.folder, mounted.root, mounted.server = folder, root, server
	if err := keepToSelf("/dev/fuse"); err != nil {
		t.Fatal(err)
	}
}

// keepToSelf closes the files of a device in programs that are started: one that kept its disk's end
// of the connection open would wait for answers of a server that is gone.
func keepToSelf(device string) error {
	const folder = "/proc/self/fd"
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		number, err := strconv.Atoi(entry.Name())
		if target, _ := os.Readlink(filepath.Join(folder, entry.Name())); err == nil && target == device {
			unix.CloseOnExec(number)
		}
	}
	return nil
}

func unmount() {
	if mounted.server == nil {
		return
	}
	if err := mounted.server.Unmount(); err != nil {
		fmt.Fprintf(os.Stderr, "unmounting %s: %v\n", mounted.folder, err)
		return
	}
	os.Remove(mounted.folder)
}
