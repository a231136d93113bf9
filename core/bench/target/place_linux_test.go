package target

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"diskaudit/core/contract"
	"diskaudit/tests/require"
)

func TestSpecialFilesAreNoTargets(t *testing.T) {
	dir := testFolder(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := unix.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for name, to := range map[string]string{"dangling": "nowhere", "circle": "circle", "to pipe": "pipe"} {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string][2]string{
		"/dev/null":       {"not-a-target", "character device"},
		at("pipe"):        {"not-a-target", "pipe"},
		at("to pipe"):     {"not-a-target", "pipe"},
		at("socket"):      {"not-a-target", "socket"},
		at("dangling"):    {"not-found", unix.ENOENT.Error()},
		at("circle"):      {"not-found", unix.ELOOP.Error()},
		"/proc/self/maps": {"", "/proc/self/maps"},
		"/proc":           {"not-a-target", "without room"},
		"/sys/kernel/new": {"", "/sys/kernel"},
	} {
		t.Run(path, func(t *testing.T) {
			_, err := Open(t.Context(), asking(path))
			if err == nil {
				t.Fatal("no error")
			}
			if want[0] != "" {
				wantRefusal(t, err, want[0], path)
			}
			if !strings.Contains(err.Error(), want[1]) {
				t.Errorf("%q does not mention %q", err, want[1])
			}
		})
	}
}

func TestLinksAreFollowed(t *testing.T) {
	dir := testFolder(t)
	folder, file := filepath.Join(dir, "folder"), filepath.Join(dir, "file")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	writeAndSync(t, file, NewPool(1, 2<<20))
	for _, name := range []string{"folder", "file"} {
		link := filepath.Join(dir, "link to "+name)
		if err := os.Symlink(name, link); err != nil {
			t.Fatal(err)
		}
		opened := mustOpen(t, asking(link))
		want := map[string]contract.TargetKind{"folder": contract.TargetFile, "file": contract.TargetExistingFile}[name]
		if opened.Kind != want || opened.Shown != link {
			t.Errorf("%s is a %s, shown as %s", link, opened.Kind, opened.Shown)
		}
		opened.Close()
	}
	if left := names(t, folder); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Another user may not write in the folder, read the file or the device.
func TestWithoutRights(t *testing.T) {
	needRoot(t)
	shared := testFolder(t)
	closed, file := filepath.Join(shared, "closed"), filepath.Join(shared, "file")
	if err := os.Mkdir(closed, 0o755); err != nil {
		t.Fatal(err)
	}
	writeAndSync(t, file, NewPool(1, 2<<20))
	ours := filepath.Join(shared, oldName)
	leftover(t, ours, 1, 1<<20)
	program := filepath.Join(shared, "program")
	command(t, "cp", os.Args[0], program)
	for path, mode := range map[string]os.FileMode{filepath.Dir(shared): 0o755, shared: 0o777, file: 0o600, program: 0o755} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	device := loopDevice(t, image(t, testFolder(t), 8<<20))
	for path, want := range map[string]string{closed: "", filepath.Join(closed, "new"): "", file: "", device: "", shared: "works"} {
		cmd := child(t, "open", path)
		cmd.Path, cmd.Args[0] = program, program
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := cmd.CombinedOutput()
		if want == "works" {
			if err != nil {
				t.Errorf("%s: %v, %s", path, err, out)
			}
			continue
		}
		if text := string(out); err == nil || !strings.Contains(text, path) || !strings.Contains(text, unix.EACCES.Error()) || !strings.Contains(text, "root") {
			t.Errorf("%s: %v, %q", path, err, text)
		}
	}
	// It could have removed root's leftover from a folder that is everybody's, but it is not its own.
	if _, err := os.Stat(ours); err != nil {
		t.Errorf("another user's leftover: %v", err)
	}
	if left := names(t, closed); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// P44: a file system in user space is told. ntfs-3g has neither O_TMPFILE nor locks of its own.
func TestUserSpaceFileSystem(t *testing.T) {
	device := loopDevice(t, image(t, testFolder(t), 64<<20))
	command(t, "mkfs.ntfs", "-q", "-F", device)
	point := filepath.Join(testFolder(t), "mount")
	if err := os.Mkdir(point, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(require.Tool(t, "ntfs-3g"), device, point).CombinedOutput(); err != nil {
		require.Missing(t, "fuse", string(out))
	}
	t.Cleanup(func() { command(t, "umount", point) })
	opened, err := Open(t.Context(), asking(point))
	if err != nil {
		// A file system that cannot do unbuffered I/O is refused, and nothing stays.
		wantRefusal(t, err, "no-direct-io", point)
	} else {
		if f := opened.Facts.FUSE; f == nil || !*f {
			t.Errorf("FUSE: %v", f)
		}
		if opened.FileSystem == nil || *opened.FileSystem != "fuseblk" || opened.Device != device {
			t.Errorf("file system %v on %s", opened.FileSystem, opened.Device)
		}
		t.Logf("proof %+v, %s", opened.Proof, opened.Facts.Evidence(FactProof))
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	}
	if left := names(t, point); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestOverlay(t *testing.T) {
	device := loopDevice(t, image(t, testFolder(t), 64<<20))
	point := mounted(t, "ext4", device, "")
	for _, name := range []string{"lower", "upper", "work"} {
		if err := os.Mkdir(filepath.Join(point, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	merged := mountAt(t, "overlay", "overlay", "lowerdir="+point+"/lower,upperdir="+point+"/upper,workdir="+point+"/work")
	opened := mustOpen(t, asking(merged))
	if o := opened.Facts.Overlay; o == nil || !*o || opened.Device != device {
		t.Errorf("overlay: %v on %s", o, opened.Device)
	}
	if err := opened.Close(); err != nil {
		t.Error(err)
	}
	if left := names(t, merged); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// P15: what is on another computer is refused by its mount, before anything is asked of it.
func TestRemoteFileSystemsAreRefused(t *testing.T) {
	table := parseMounts(strings.Join([]string{
		"1 0 8:1 / / rw - ext4 /dev/sda1 rw",
		"2 1 0:40 / /net rw shared:5 - nfs4 server:/export rw",
		`3 1 0:41 / /mnt/my\040share rw - cifs //server/share rw`,
		"4 1 0:42 / /ssh rw - fuse.sshfs user@host: rw",
		"5 1 0:43 / /host rw - 9p hostshare rw",
		"6 1 8:2 / /net/local rw - xfs /dev/sda2 rw",
		"not a line of mountinfo",
	}, "\n"))
	if len(table) != 6 {
		t.Fatalf("%d mounts are understood, want 6", len(table))
	}
	for path, kind := range map[string]string{
		"/net/a": "nfs4", "/net": "nfs4", "/mnt/my share/b": "cifs", "/ssh/c": "fuse.sshfs", "/host": "9p",
		"/network": "", "/net/local/d": "", "/mnt/my": "", "/": "",
	} {
		m, ok := longestPrefix(table, path)
		if !ok {
			t.Errorf("%s is on no mount", path)
		}
		err := refuseRemote(path, m)
		if kind == "" {
			if err != nil {
				t.Errorf("%s is refused: %v", path, err)
			}
			continue
		}
		wantRefusal(t, err, "remote", path, kind, m.source)
	}
}

func TestExtentsAreSummedUp(t *testing.T) {
	var e extents
	for _, x := range []fiemapExtent{
		{logical: 0, length: 4096},
		{logical: 4096, length: 4096, flags: extentUnused},
		{logical: 8192, length: 4096, flags: extentEncoded | extentShared},
		{logical: 12288, length: 4096, flags: 0x4},
		{logical: 16384, length: 8192, flags: extentLast},
		{logical: 1 << 40, length: 4096},
	} {
		e.add(x, 20480)
	}
	if want := (extents{written: 12288, unwritten: 8192, encoded: 4096, shared: 4096}); e != want {
		t.Errorf("%+v, want %+v", e, want)
	}
}

// openLimited opens with a limit on the length of files.
func openLimited(path string) error {
	limit := unix.Rlimit{Cur: 2 << 20, Max: 2 << 20}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	return openOnce(path)
}

// A file longer than this process may make one: the signal that comes with it does not end the run
// before it has cleaned up.
func TestLimitOfTheProcess(t *testing.T) {
	dir := testFolder(t)
	path := filepath.Join(dir, "file")
	out, err := child(t, "open limited", path).CombinedOutput()
	if text := string(out); err == nil || !strings.Contains(text, path) || !strings.Contains(text, unix.EFBIG.Error()) || !strings.Contains(text, "ulimit") {
		t.Errorf("%v, %q", err, text)
	}
	if left := names(t, dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A folder in which no file may be made is passed over for the next, as on a drive of Windows on
// which a user may not write to the root.
func TestNextFolder(t *testing.T) {
	device := loopDevice(t, image(t, testFolder(t), 64<<20))
	point := mounted(t, "ext4", device, "")
	closed, open := filepath.Join(point, "closed"), filepath.Join(point, "open")
	for _, folder := range []string{closed, open} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	command(t, "chattr", "+i", closed)
	t.Cleanup(func() { command(t, "chattr", "-i", closed) })
	opened := &Target{Kind: contract.TargetFile}
	r := asking(point)
	if err := opened.make(t.Context(), r, choices{named: true}, place{kind: contract.TargetFile, path: point, folders: []string{closed, open}}); err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(opened.Path) != open {
		t.Errorf("the file is %s, want it in %s", opened.Path, open)
	}
	if err := opened.Close(); err != nil {
		t.Error(err)
	}
	err := (&Target{Kind: contract.TargetFile}).make(t.Context(), r, choices{}, place{kind: contract.TargetFile, path: point, folders: []string{closed, closed}})
	wantRefusal(t, err, "access-denied", closed, unix.EPERM.Error())
}
