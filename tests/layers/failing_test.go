//go:build linux

package layers_test

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"diskaudit/core/contract"
	"diskaudit/tests/layers"
)

// random4K are the options of one short test at queue depth 1.
var random4K = []string{
	"--no-penalty", "--profile", "custom", "--operation", "read", "--pattern", "random", "--block", "4K",
	"--queue-depth", "1", "--threads", "1", "--size", "32M", "--rounds", "6", "--warmup", "50ms", "--duration", "600ms",
}

// A disk that stops answering in the middle does not keep the document from coming: --timeout ends
// the run, and what was measured until then is in it. As with a real disk, the process itself
// cannot end before the disk answers, or is taken away.
func TestDiskThatHangs(t *testing.T) {
	disk := layers.RAMDisk(t, 64<<20)
	for _, c := range []struct {
		about string
		hang  func(*testing.T) (*layers.Mounted, []string)
		kept  func(*testing.T, contract.Bench)
	}{
		{
			"while a test reads",
			func(t *testing.T) (*layers.Mounted, []string) {
				t.Helper()
				views := layers.Mount(t, disk, layers.Options{Faults: []layers.Fault{{Kind: layers.Hang, View: layers.Slow, AfterRequests: 2000}}})
				return views.Mounted, append([]string{"--target", views.Slow, "--duration", "60s"}, without(random4K, "--duration")...)
			},
			func(t *testing.T, got contract.Bench) {
				t.Helper()
				if len(got.Tests) != 1 || got.Tests[0].Ops == 0 && len(got.Tests[0].Rounds) > 0 {
					t.Errorf("tests: %+v", got.Tests)
				}
			},
		},
		{
			"while the file is made",
			func(t *testing.T) (*layers.Mounted, []string) {
				t.Helper()
				folder := layers.Folder(t, layers.FolderOptions{FreeBytes: 1 << 33, Faults: []layers.Fault{{Kind: layers.Hang, Operation: layers.Write, AfterBytes: 8 << 20}}})
				return folder, append([]string{"--target", folder.Path}, random4K...)
			},
			func(t *testing.T, got contract.Bench) {
				t.Helper()
				if slices.ContainsFunc(got.Tests, func(test contract.BenchTest) bool { return test.Ops > 0 }) {
					t.Errorf("figures of a file that was not made: %+v", got.Tests)
				}
			},
		},
		{
			"while two paths are compared",
			func(t *testing.T) (*layers.Mounted, []string) {
				t.Helper()
				views := layers.Mount(t, disk, layers.Options{Faults: []layers.Fault{{Kind: layers.Hang, View: layers.Slow, AfterRequests: 1000}}})
				return views.Mounted, []string{"--upper", views.Slow, "--lower", views.Bare, "--lower-offset", "0", "--penalty-time", "60s"}
			},
			func(t *testing.T, got contract.Bench) {
				t.Helper()
				// The pairs until then may well be enough for a figure.
				if p := got.Penalty; p.Valid && (p.Ended == nil || *p.Ended != "interrupted") || !p.Valid && p.Reason == nil {
					t.Errorf("penalty: %+v", p)
				}
			},
		},
	} {
		t.Run(c.about, func(t *testing.T) {
			mounted, args := c.hang(t)
			// Whatever happens, the process can end with the test.
			p := start(t, append([]string{"bench", "--format", "json", "--timeout", "5s"}, args...)...)
			lines := make(chan []byte, 1)
			go func() {
				line, _ := bufio.NewReader(p.stdout).ReadBytes('\n')
				lines <- line
			}()
			defer mounted.Resume()
			select {
			case line := <-lines:
				got := document(t, line)
				if problem(got, "timeout") == nil || got.Complete {
					t.Errorf("complete %v, problems %q; want one of code timeout", got.Complete, graver(got))
				}
				c.kept(t, got)
			case <-time.After(30 * time.Second):
				t.Fatal("no document although the time limit is long over")
			}
			// What was on its way meanwhile hangs after the first time, too.
			ended := make(chan struct{})
			go func() {
				for {
					mounted.Resume()
					select {
					case <-ended:
						return
					case <-time.After(100 * time.Millisecond):
					}
				}
			}()
			exit := p.exit(t)
			close(ended)
			if exit != 1 && exit != 3 {
				t.Errorf("exit %d, want 1 or 3", exit)
			}
			if p.stderr.Len() > 0 {
				t.Errorf("stderr is not silent: %s", p.stderr.String())
			}
		})
	}
}

// without returns options without one of them and its value.
func without(options []string, name string) []string {
	at := slices.Index(options, name)
	return slices.Delete(slices.Clone(options), at, at+2)
}

// Case P34: an error in the middle ends the test, and what was measured before is kept.
func TestDiskThatFails(t *testing.T) {
	disk := layers.RAMDisk(t, 64<<20)
	views := layers.Mount(t, disk, layers.Options{Faults: []layers.Fault{{Kind: layers.IOError, View: layers.Slow, AfterRequests: 1000}}})
	got, exit := bench(t, append([]string{"--target", views.Slow, "--duration", "60s"}, without(random4K, "--duration")...)...)
	failed := problem(got, "io-error")
	if exit != 1 && exit != 3 || failed == nil || got.Complete {
		t.Fatalf("exit %d, complete %v, problems %q", exit, got.Complete, graver(got))
	}
	for _, word := range []string{views.Slow, "input/output error"} {
		if !strings.Contains(failed.Text, word) {
			t.Errorf("the problem does not name %q: %s", word, failed.Text)
		}
	}
	if len(got.Tests) != 1 || got.Tests[0].Valid {
		t.Errorf("tests: %+v", got.Tests)
	}

	views = layers.Mount(t, disk, layers.Options{Faults: []layers.Fault{{Kind: layers.IOError, View: layers.Slow, AfterRequests: 500}}})
	got, exit = bench(t, "--upper", views.Slow, "--lower", views.Bare, "--lower-offset", "0", "--penalty-time", "10s")
	if got.Penalty.Valid || got.Penalty.Reason == nil || exit != 1 && exit != 3 && exit != 0 {
		t.Errorf("two paths: exit %d, penalty %+v, problems %q", exit, got.Penalty, graver(got))
	}
}

// A short answer is not taken for a whole one.
func TestDiskThatAnswersShort(t *testing.T) {
	disk := layers.RAMDisk(t, 64<<20)
	views := layers.Mount(t, disk, layers.Options{Faults: []layers.Fault{{Kind: layers.Short, View: layers.Slow, AfterRequests: 1000}}})
	got, exit := bench(t, append([]string{"--target", views.Slow}, random4K...)...)
	if exit == 0 || len(graver(got)) == 0 || got.Complete {
		t.Errorf("exit %d, complete %v, problems %q", exit, got.Complete, graver(got))
	}
}

// A full disk, and one that cannot write, are named while the file is made, and nothing is left of
// it.
func TestFileThatCannotBeMade(t *testing.T) {
	for _, c := range []struct {
		about, code string
		fault       layers.Fault
	}{
		{"full", "no-space", layers.Fault{Kind: layers.NoSpace, Operation: layers.Write, AfterBytes: 8 << 20}},
		{"full in a short write", "no-space", layers.Fault{Kind: layers.Short, Operation: layers.Write, AfterBytes: 8 << 20, Times: 1}},
		{"bad sector", "io-error", layers.Fault{Kind: layers.IOError, Operation: layers.Write, AfterBytes: 8 << 20}},
		{"failing flush", "io-error", layers.Fault{Kind: layers.IOError, Operation: layers.Flush}},
	} {
		t.Run(c.about, func(t *testing.T) {
			faults := []layers.Fault{c.fault}
			if c.fault.Kind == layers.Short {
				// As a disk does that gets full within a write: the rest is refused.
				faults = append(faults, layers.Fault{Kind: layers.NoSpace, Operation: layers.Write, AfterBytes: 8<<20 + 1<<19})
			}
			folder := layers.Folder(t, layers.FolderOptions{FreeBytes: 1 << 33, Faults: faults})
			got, exit := bench(t, append([]string{"--target", folder.Path}, random4K...)...)
			p := problem(got, c.code)
			if p == nil || exit != 1 && exit != 3 || got.Complete {
				t.Fatalf("exit %d, complete %v, problems %q; want %s", exit, got.Complete, graver(got), c.code)
			}
			if !strings.Contains(p.Text, folder.Path) {
				t.Errorf("the problem does not name the place: %s", p.Text)
			}
			if left, err := os.ReadDir(folder.Path); err != nil || len(left) > 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}

// A disk that returns other bytes than were written is caught before anything is measured.
func TestDiskThatForgets(t *testing.T) {
	folder := layers.Folder(t, layers.FolderOptions{FreeBytes: 1 << 33, Faults: []layers.Fault{{Kind: layers.Changing}}})
	got, exit := bench(t, append([]string{"--target", folder.Path}, random4K...)...)
	valid := slices.ContainsFunc(got.Tests, func(test contract.BenchTest) bool { return test.Valid })
	if valid || exit == 0 && len(got.Tests) == 0 {
		t.Errorf("exit %d, problems %q, tests %+v", exit, graver(got), got.Tests)
	}
	if left, err := os.ReadDir(folder.Path); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// Case P67: the default measurement ends in its time on a slow disk too. The limit is of the time
// that the disk would need for what was asked of it, not of the computer's speed: at 20 MB/s the
// quick profile's file alone would take nearly a minute if it were not cut short, and its tests come on top.
func TestSlowDisk(t *testing.T) {
	folder := layers.Folder(t, layers.FolderOptions{FreeBytes: 1 << 34, ReadBytesPerSecond: 20e6, WriteBytesPerSecond: 20e6})
	began := time.Now()
	got, exit := bench(t, "--target", folder.Path, "--profile", "quick")
	took := time.Since(began)
	if exit != 0 || len(got.Tests) != len(got.Profile.Tests) || len(got.Tests) == 0 {
		t.Fatalf("exit %d, %d tests of %d, problems %q", exit, len(got.Tests), len(got.Profile.Tests), graver(got))
	}
	if took > time.Minute {
		t.Errorf("it took %v, want a minute at most", took)
	}
	for _, test := range got.Tests {
		if test.Ops == 0 || test.MBPerSecond == nil || *test.MBPerSecond > 21 {
			t.Errorf("%s: %d I/Os, %v MB/s on a disk of 20 MB/s", test.ID, test.Ops, test.MBPerSecond)
		}
	}
	if left, err := os.ReadDir(folder.Path); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	t.Logf("it took %v, with %d MiB written", took.Round(time.Second/10), got.Target.BytesWritten>>20)
}
