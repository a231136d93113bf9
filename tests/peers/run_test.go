//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"diskaudit/tests/layers/held"
	"diskaudit/tests/require"
)

func requireAll(t *testing.T) {
	t.Helper()
	for _, tool := range []string{"fio", "cc", "go"} {
		require.Tool(t, tool)
	}
	if os.Geteuid() != 0 {
		require.Missing(t, "root", "the test makes a RAM disk, and runs as another user")
	}
	if _, err := os.Stat(held.RAMDiskControl); err != nil {
		require.Missing(t, "zram", err.Error())
	}
}

// One short run of everything: both programs have figures for the same work in every row. How
// they compare is not looked at.
func TestRealRun(t *testing.T) {
	requireAll(t)
	said := &watcher{t: t}
	var stdout bytes.Buffer
	err := run(t.Context(), []string{"--runs", "1", "--seconds", "0.2", "--warmup", "0.05", "--size", "64M", "--file-size", "16M", "--json"}, &stdout, said)
	said.diskIsGone()
	if err != nil {
		t.Fatal(err)
	}
	var got report
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, stdout.String())
	}
	if len(got.Rows) != len(works) || got.Loop == nil {
		t.Fatalf("%d rows of %d: %s", len(got.Rows), len(works), stdout.String())
	}
	for _, row := range got.Rows {
		if row.Unequal != "" {
			t.Errorf("%s: %s", row.Work.Letter, row.Unequal)
		}
		for _, p := range row.Runs {
			for side, f := range map[string]figures{"diskaudit": p.Ours, "fio": p.Fio} {
				if f.Ops <= 0 || f.IOPS <= 0 || f.P50Ns <= 0 || f.CPUNsPerIO <= 0 || f.How == "" {
					t.Errorf("%s: %s has no figures: %+v", row.Work.Letter, side, f)
				}
			}
		}
		if row.IOPS == nil || row.P50 == nil {
			t.Errorf("%s: no ratio", row.Work.Letter)
		}
	}
	for _, r := range got.Loop.Runs {
		if r.Ours.Ops <= 0 || r.Bare.NsPerIO <= 0 || r.Clocked.NsPerIO <= 0 || r.Clocked.P50Ns <= 0 || r.Bare.P50Ns != 0 {
			t.Errorf("f: %+v", r)
		}
	}
	var text bytes.Buffer
	if err := got.print(&text); err != nil {
		t.Fatal(err)
	}
	for _, row := range got.Rows {
		if !strings.Contains(text.String(), row.Work.About) {
			t.Errorf("the table lacks %q:\n%s", row.Work.About, text.String())
		}
	}
}

// Interrupted in the middle, it ends soon and leaves no RAM disk, mount or file.
func TestInterrupted(t *testing.T) {
	requireAll(t)
	t.Setenv("TMPDIR", t.TempDir())
	ctx, interrupt := context.WithCancel(t.Context())
	said := &watcher{t: t, writing: make(chan struct{})}
	writing := said.writing
	go func() {
		select {
		case <-writing:
		case <-t.Context().Done():
			return
		}
		time.Sleep(300 * time.Millisecond)
		interrupt()
	}()
	var stdout bytes.Buffer
	err := run(ctx, []string{"--only", "b", "--seconds", "60", "--size", "64M", "--file-size", "16M"}, &stdout, said)
	said.diskIsGone()
	if err == nil || !strings.Contains(err.Error(), "interrupted") || stdout.Len() > 0 {
		t.Errorf("%v; printed %q", err, stdout.String())
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// watcher reads what is said in the course of a run.
type watcher struct {
	t *testing.T
	// writing is closed when the write test begins.
	writing chan struct{}
	// disk is the RAM disk that was made, by its path below /sys/block.
	disk string
	info os.FileInfo
}

func (w *watcher) Write(p []byte) (int, error) {
	text := string(p)
	w.t.Log(strings.TrimSpace(text))
	if name, ok := strings.CutPrefix(text, "made /dev/"); ok {
		w.disk = "/sys/block/" + strings.TrimSpace(name)
		var err error
		if w.info, err = os.Lstat(w.disk); err != nil {
			w.t.Error(err)
		}
	}
	if strings.HasPrefix(text, "b  run 1") && w.writing != nil {
		close(w.writing)
		w.writing = nil
	}
	return len(p), nil
}

// diskIsGone checks that the RAM disk is not there. Another program's may have its name by now.
func (w *watcher) diskIsGone() {
	w.t.Helper()
	if w.info == nil {
		w.t.Error("no RAM disk was made")
	} else if now, err := os.Lstat(w.disk); err == nil && os.SameFile(now, w.info) {
		w.t.Errorf("%s is still there", w.disk)
	}
}
