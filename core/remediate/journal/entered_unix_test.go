//go:build unix

package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"diskaudit/core/contract"
	"diskaudit/tests/require"
)

// refused tells of a refusal that names the path, the reason and a way out.
func refused(t *testing.T, err error, path, reason string) {
	t.Helper()
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		t.Fatalf("%s is not refused: %v", path, err)
	}
	for _, want := range []string{path, reason, "run this again"} {
		if !strings.Contains(refusal.Error(), want) {
			t.Errorf("%q is not in %q", want, refusal.Error())
		}
	}
}

// Only this user can read and write what is made, whatever the user's mask says.
func TestModes(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	folder, err := Open(filepath.Join(t.TempDir(), "above", "journal"))
	if err != nil {
		t.Fatal(err)
	}
	taken(t, folder, Owner{})
	begun(t, folder, contract.ActionDecrypt)
	if err := filepath.WalkDir(filepath.Dir(folder.path), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if entry.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has the mode %v, not %v", path, info.Mode(), want)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// What somebody else may have put there, or could change, is neither used nor believed, and stays as it is.
func TestPlantedFolders(t *testing.T) {
	for _, test := range []struct {
		name   string
		plant  func(path, elsewhere string) error
		reason string
	}{
		{"a link to a folder", func(path, elsewhere string) error { return os.Symlink(elsewhere, path) }, "it is a link"},
		{"a link to nothing", func(path, elsewhere string) error { return os.Symlink(filepath.Join(elsewhere, "x"), path) }, "it is a link"},
		{"a file", func(path, _ string) error { return os.WriteFile(path, []byte("x"), 0o600) }, "it is not a folder"},
		{"a pipe", func(path, _ string) error { return syscall.Mkfifo(path, 0o600) }, "it is not a folder"},
		{"a folder for all", func(path, _ string) error {
			return errors.Join(os.Mkdir(path, 0o700), os.Chmod(path, 0o777))
		}, "others may write there"},
		{"a folder for a group", func(path, _ string) error {
			return errors.Join(os.Mkdir(path, 0o700), os.Chmod(path, 0o770))
		}, "others may write there"},
		{"a folder as for temporary files", func(path, _ string) error {
			return errors.Join(os.Mkdir(path, 0o700), os.Chmod(path, 0o777|fs.ModeSticky))
		}, "others may write there"},
		{"somebody else's folder", func(path, _ string) error {
			return errors.Join(os.Mkdir(path, 0o700), os.Chown(path, 65534, 65534))
		}, "it belongs to user 65534"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if strings.HasPrefix(test.name, "somebody else's") {
				asRoot(t)
			}
			path := filepath.Join(t.TempDir(), "journal")
			if err := test.plant(path, t.TempDir()); err != nil {
				t.Fatal(err)
			}
			before, err := os.Lstat(path)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Open(path)
			refused(t, err, path, test.reason)
			history, problems := Read(path)
			if len(history.Runs) > 0 || codes(problems) != "journal-not-trusted" || problems[0].Level != contract.LevelError ||
				!strings.Contains(problems[0].Text, test.reason) || problems[0].Target != path {
				t.Errorf("reading: %+v, %+v", history, problems)
			}
			after, err := os.Lstat(path)
			if err != nil || after.Mode() != before.Mode() || !after.ModTime().Equal(before.ModTime()) {
				t.Errorf("it became %v, %v", after, err)
			}
		})
	}
}

// A folder of our own that others may look into, and one with a path that ends in a slash, serve.
func TestOwnFolders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	if err := errors.Join(os.Mkdir(path, 0o700), os.Chmod(path, 0o755)); err != nil {
		t.Fatal(err)
	}
	folder, err := Open(path + "//")
	if err != nil || folder.Path() != path {
		t.Fatalf("%+v, %v", folder, err)
	}
	begun(t, folder, contract.ActionDecrypt)
}

// A folder that is changed for another while this program has it open is not used any more.
func TestFolderReplaced(t *testing.T) {
	folder := opened(t)
	elsewhere := t.TempDir()
	if err := os.Rename(folder.path, folder.path+"-"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, folder.path); err != nil {
		t.Fatal(err)
	}
	_, err := folder.Create(contract.Tool{}, contract.Plan{})
	refused(t, err, folder.path, "it is a link")
	_, err = folder.Lock(Owner{})
	refused(t, err, folder.path, "it is a link")
	if names := namesIn(t, elsewhere); len(names) > 0 {
		t.Errorf("files were made elsewhere: %v", names)
	}
}

func TestPlantedLock(t *testing.T) {
	for _, test := range []struct {
		name   string
		plant  func(path, victim string) error
		reason string
	}{
		{"a link to a file", func(path, victim string) error { return os.Symlink(victim, path) }, "it is a link"},
		{"a link to nothing", func(path, victim string) error { return os.Symlink(victim+"-new", path) }, "it is a link"},
		{"a pipe", func(path, _ string) error { return syscall.Mkfifo(path, 0o600) }, "it is not a file"},
		{"a file for all", func(path, _ string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, 0o666))
		}, "others may write there"},
		{"somebody else's file", func(path, _ string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Chown(path, 65534, 65534))
		}, "it belongs to user 65534"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if strings.HasPrefix(test.name, "somebody else's") {
				asRoot(t)
			}
			folder := opened(t)
			victim := filepath.Join(t.TempDir(), "victim")
			if err := os.WriteFile(victim, []byte("somebody's"), 0o600); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(folder.path, "lock")
			if err := test.plant(path, victim); err != nil {
				t.Fatal(err)
			}
			_, err := folder.Lock(Owner{})
			refused(t, err, path, test.reason)
			if content(t, victim) != "somebody's" || len(namesIn(t, filepath.Dir(victim))) != 1 {
				t.Error("what the link led to was changed")
			}
		})
	}
	// A folder cannot be written to in any case.
	folder := opened(t)
	if err := os.Mkdir(filepath.Join(folder.path, "lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.Lock(Owner{}); err == nil {
		t.Error("a folder is locked")
	}
}

// A journal that is not a file of our own is a problem that names it, and hides no other; a pipe is not waited for.
func TestPlantedJournals(t *testing.T) {
	for _, test := range []struct {
		name  string
		plant func(path, elsewhere string) error
	}{
		{"a link", func(path, elsewhere string) error {
			target := filepath.Join(elsewhere, "x")
			return errors.Join(os.WriteFile(target, []byte(sample), 0o600), os.Symlink(target, path))
		}},
		{"a pipe", func(path, _ string) error { return syscall.Mkfifo(path, 0o600) }},
		{"a file for all", func(path, _ string) error {
			return errors.Join(os.WriteFile(path, []byte(sample), 0o600), os.Chmod(path, 0o666))
		}},
		{"somebody else's file", func(path, _ string) error {
			return errors.Join(os.WriteFile(path, []byte(sample), 0o600), os.Chown(path, 65534, 65534))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if strings.HasPrefix(test.name, "somebody else's") {
				asRoot(t)
			}
			folder := opened(t)
			path := filepath.Join(folder.path, sampleName)
			if err := test.plant(path, t.TempDir()); err != nil {
				t.Fatal(err)
			}
			put(t, folder, "20261130T220009.000000Z-00000001.jsonl", sample)
			type answer struct {
				history  History
				problems []contract.Problem
			}
			answered := make(chan answer, 1)
			go func() {
				history, problems := Read(folder.Path())
				answered <- answer{history, problems}
			}()
			select {
			case got := <-answered:
				if len(got.history.Runs) != 1 || codes(got.problems) != "journal-not-trusted" || got.problems[0].Target != path {
					t.Errorf("the history is %+v, %+v", got.history, got.problems)
				}
			case <-time.After(time.Minute):
				t.Fatal("it is waited for")
			}
		})
	}
}

// A folder that this user may not look into tells nothing; that is no fact that is missing.
func TestFolderForAdministrators(t *testing.T) {
	problem := unreadable("a/folder", &fs.PathError{Op: "open", Path: "a/folder", Err: syscall.EACCES})
	want := contract.LevelInfo
	if privileged() {
		want = contract.LevelError
	}
	if problem.Level != want || !strings.Contains(problem.Text, "a/folder") || !strings.Contains(problem.Text, "not known") {
		t.Errorf("the problem is %+v", problem)
	}
}

// A disk that is full is told before anything is changed.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		require.Missing(t, "dev-full", err.Error())
	}
	defer full.Close()
	folder := opened(t)
	folder.letThrough(func(File) File { return full })
	if _, err := folder.Create(contract.Tool{}, contract.Plan{}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("it says %v", err)
	}
}

// asRoot skips what only root can prepare.
func asRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		require.Missing(t, "root", "only root can give files to another user")
	}
}
