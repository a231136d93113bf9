package linux

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// recorded reads a tree of testdata; its README describes the form.
func recorded(t testing.TB, name string) fstest.MapFS {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".tree"))
	if err != nil {
		t.Fatal(err)
	}
	out := fstest.MapFS{}
	folder := ""
	var open *fstest.MapFile
	for number, line := range strings.Split(string(data), "\n") {
		if text, ok := strings.CutPrefix(line, "\t"); ok && open != nil {
			open.Data = append(open.Data, text+"\n"...)
			continue
		}
		open = nil
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, "[") {
			folder = strings.Trim(line, "[]")
			continue
		}
		file := &fstest.MapFile{Mode: 0o444}
		key, ok := "", false
		if name, value, found := strings.Cut(line, " = "); found {
			key, ok, file.Data = name, true, []byte(value+"\n")
		} else if name, target, found := strings.Cut(line, " -> "); found {
			key, ok, file.Data, file.Mode = name, true, []byte(target), fs.ModeSymlink|0o777
		} else if name, digits, found := strings.Cut(line, " hex "); found {
			value, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
			key, ok, file.Data = name, err == nil, value
		} else if name, found := strings.CutSuffix(line, "/"); found {
			key, ok, file.Mode = name, true, fs.ModeDir|0o555
		} else if name, found := strings.CutSuffix(line, ":"); found {
			key, ok, open = name, true, file
		}
		if !ok {
			t.Fatalf("%s.tree:%d: not understood: %q", name, number+1, line)
		}
		out[path.Join(folder, key)] = file
	}
	return out
}

// fakeKernel answers from memory.
type fakeKernel struct {
	arch string
	user int
	// content is what a device holds, by node; any other device holds zeros.
	content map[string]io.ReaderAt
	// failing are devices that cannot be opened.
	failing map[string]error
	// unreadable are devices that can be opened and then fail.
	unreadable map[string]error
	// hanging are devices that answer only once the channel is closed.
	hanging map[string]chan struct{}
	spaces  map[string]space
	pages   map[string][]byte
	noPage  error
	tables  map[string][]linearTarget

	mu     sync.Mutex
	opened []string
	asked  []string
}

func (k *fakeKernel) hardware() (string, error) { return k.arch, nil }
func (k *fakeKernel) effectiveUser() int        { return k.user }

func (k *fakeKernel) open(name, _ string) (blockDevice, error) {
	k.mu.Lock()
	k.opened = append(k.opened, name)
	k.mu.Unlock()
	if hang, ok := k.hanging[name]; ok {
		<-hang
	}
	if err := k.failing[name]; err != nil {
		return nil, err
	}
	return fakeDevice{k.content[name], k.unreadable[name]}, nil
}

func (k *fakeKernel) space(point string) (space, error) {
	if s, ok := k.spaces[point]; ok {
		return s, nil
	}
	return space{}, fmt.Errorf("statfs of %s: %w", point, fs.ErrNotExist)
}

func (k *fakeKernel) smartLog(name string) ([]byte, error) {
	if hang, ok := k.hanging[name]; ok {
		<-hang
	}
	if page, ok := k.pages[name]; ok {
		return page, nil
	}
	return nil, k.noPage
}

func (k *fakeKernel) linearTable(name string) ([]linearTarget, error) {
	k.mu.Lock()
	k.asked = append(k.asked, name)
	k.mu.Unlock()
	if table, ok := k.tables[name]; ok {
		return table, nil
	}
	return nil, errTableKind
}

// fakeDevice holds its content, and zeros after it.
type fakeDevice struct {
	content io.ReaderAt
	err     error
}

func (d fakeDevice) ReadAt(p []byte, offset int64) (int, error) {
	if d.err != nil {
		return 0, d.err
	}
	n := 0
	if d.content != nil {
		n, _ = d.content.ReadAt(p, offset)
	}
	clear(p[n:])
	return len(p), nil
}

func (fakeDevice) Close() error { return nil }

// bitLockerMark stands for the metadata that a real Probe knows.
const bitLockerMark = "-FVE-FS-"

// markProbe tells a BitLocker volume by its mark, anything else is unknown to it.
func markProbe(_ context.Context, target string, r io.ReaderAt, _ int64) (contract.Encryption, ProbeFacts, []contract.Problem) {
	mark := make([]byte, len(bitLockerMark))
	if _, err := r.ReadAt(mark, 3); err != nil {
		return contract.Encryption{}, ProbeFacts{}, nil
	}
	if string(mark) == bitLockerMark {
		return contract.Encryption{Format: contract.Ptr("bitlocker")}, ProbeFacts{}, nil
	}
	return contract.Encryption{}, ProbeFacts{}, []contract.Problem{{Code: machine.CodeUnrecognized, Level: contract.LevelError, Target: target}}
}

// bitLocker is the first sector of a volume that markProbe knows.
func bitLocker() io.ReaderAt {
	return strings.NewReader("\xeb\x58\x90" + bitLockerMark + strings.Repeat("\x00", 501))
}

func collect(t testing.TB, tree fs.FS, kernel kernel, options Options) contract.Status {
	t.Helper()
	if options.Probe == nil {
		options.Probe = markProbe
	}
	return machine.Collect(context.Background(), newMachine(options, tree, kernel), nil)
}

func diskByID(t testing.TB, status contract.Status, id string) contract.Disk {
	t.Helper()
	for _, disk := range status.Disks {
		if disk.ID == id {
			return disk
		}
	}
	t.Fatalf("no disk %s in the document", id)
	return contract.Disk{}
}

func volumeByID(t testing.TB, status contract.Status, id string) contract.Volume {
	t.Helper()
	for _, volume := range status.Volumes {
		if volume.ID == id {
			return volume
		}
	}
	t.Fatalf("no volume %s in the document", id)
	return contract.Volume{}
}

// problem returns the only problem with a code about a target.
func problem(t testing.TB, problems []contract.Problem, code, target string) contract.Problem {
	t.Helper()
	var found []contract.Problem
	for _, p := range problems {
		if p.Code == code && p.Target == target {
			found = append(found, p)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d problems %s about %q instead of 1; all: %v", len(found), code, target, codes(problems))
	}
	return found[0]
}

// ofStage are the problems of one stage.
func ofStage(problems []contract.Problem, stage string) []contract.Problem {
	var out []contract.Problem
	for _, p := range problems {
		if p.Stage == stage {
			out = append(out, p)
		}
	}
	return out
}

func codes(problems []contract.Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, p.Code+" "+p.Target)
	}
	return out
}

// show writes an optional value for comparison.
func show[T any](value *T) string {
	if value == nil {
		return "null"
	}
	return fmt.Sprint(*value)
}
