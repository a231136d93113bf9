package fleet_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"diskaudit/core/command"
)

// asReport makes the test binary the program, for a process of its own whose memory can be measured.
const asReport = "DISKAUDIT_AS_REPORT"

func TestReportInOwnProcess(t *testing.T) {
	folder := os.Getenv(asReport)
	if folder == "" {
		t.Skip("is run by TestReportGrows")
	}
	output := filepath.Join(folder, "..", filepath.Base(folder)+".html")
	os.Exit(command.Run(context.Background(), []string{"diskaudit", "report", folder, "--output", output}, os.Stdout, os.Stderr))
}

// Ten times as many documents take ten times as long, and no more memory. DISKAUDIT_FLEET sets the
// larger number, such as 20000; the usual one keeps the test short.
func TestReportGrows(t *testing.T) {
	t.Parallel()
	most := 3000
	if given := os.Getenv("DISKAUDIT_FLEET"); given != "" {
		var err error
		if most, err = strconv.Atoi(given); err != nil || most < 100 {
			t.Fatalf("DISKAUDIT_FLEET=%q: a number of documents from 100 on is wanted", given)
		}
	}
	var peaks []int64
	for _, count := range []int{most / 10, most} {
		folder := writeGenerated(t, count)
		child := exec.Command(os.Args[0], "-test.run=^TestReportInOwnProcess$")
		child.Env = append(os.Environ(), asReport+"="+folder)
		started := time.Now()
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out[:min(len(out), 2000)])
		}
		elapsed := time.Since(started)
		// In KiB on Linux (getrusage(2)).
		peak := child.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
		page, err := os.Stat(folder + ".html")
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d documents: %.1f s (%.1f s of processor), %.1f MiB at most, page of %d bytes",
			count, elapsed.Seconds(), (child.ProcessState.UserTime() + child.ProcessState.SystemTime()).Seconds(), float64(peak)/(1<<20), page.Size())
		if page.Size() >= 5_000_000 {
			t.Errorf("the page has %d bytes", page.Size())
		}
		peaks = append(peaks, peak)
	}
	// Documents that were kept would be many times that.
	if peaks[1] > peaks[0]*3/2+32<<20 {
		t.Errorf("ten times as many documents take %d bytes instead of %d", peaks[1], peaks[0])
	}
}
