package scripts_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"diskaudit/tests/module/pester"
	"diskaudit/tests/require"
	"diskaudit/tests/rig"
)

// job is what runs in one PowerShell session; see Host.ps1.
type job struct {
	// Environment is what is set for it alone, Location the current folder.
	Environment map[string]string `json:"environment"`
	Location    string            `json:"location"`
	// Constrained is a session in Constrained Language Mode.
	Constrained bool  `json:"constrained"`
	Runs        []run `json:"runs"`
}

// run is one run of a script.
type run struct {
	// Script is its path as Windows names it, Arguments its parameters by name.
	Script    string         `json:"script"`
	Arguments map[string]any `json:"arguments"`
	// AsJSON passes what it returns through ConvertTo-Json.
	AsJSON bool `json:"asJson"`
}

// done is what came of a run.
type done struct {
	// Output is what it returned, Errors its error stream and what it threw, Others all other streams.
	Output, Errors, Others []string
	// Exit is its exit code; nil when it ended without one.
	Exit *int
	// Seconds is how long it took.
	Seconds float64
}

// last is the last line of the output; empty when there is none.
func (d done) last() string {
	if len(d.Output) == 0 {
		return ""
	}
	return d.Output[len(d.Output)-1]
}

// text is all that it wrote.
func (d done) text() string {
	var all []string
	for _, stream := range [][]string{d.Output, d.Errors, d.Others} {
		all = append(all, stream...)
	}
	return strings.Join(all, "\n")
}

// host is a PowerShell for Windows that runs jobs, one at a time.
type host struct {
	t      *testing.T
	here   string
	number int
	ended  chan error
	output *bytes.Buffer
}

// patience is how long the runs of one job may take together before one of them counts as waiting for
// somebody.
const patience = 10 * time.Minute

// startHost starts PowerShell in the rig's prefix. It ends with the test, and must then have written
// nothing past the streams of its sessions.
func startHost(t *testing.T, windows *rig.Rig) *host {
	t.Helper()
	return startHostBy(t, windows, func(script, folder string) []string {
		return []string{"-File", script, "-Folder", folder}
	})
}

// startLimitedHost starts one as a standard user: with the token of an administrator before consent.
func startLimitedHost(t *testing.T, windows *rig.Rig) *host {
	t.Helper()
	limited := windows.WindowsPath(windows.Build("./tests/rig/limited", "limited.exe"))
	return startHostBy(t, windows, func(script, folder string) []string {
		return []string{"-Command", "& '" + limited + "' ([System.Environment]::ProcessPath) -NoProfile -NonInteractive -File '" + script + "' -Folder '" + folder + "'"}
	})
}

func startHostBy(t *testing.T, windows *rig.Rig, arguments func(script, folder string) []string) *host {
	t.Helper()
	here, folder := windows.Folder()
	script := windows.WindowsPath(filepath.Join(require.Root(t), "tests", "scripts", "Host.ps1"))
	h := &host{t: t, here: here, ended: make(chan error, 1), output: &bytes.Buffer{}}
	cmd := powershell(t, windows, nil, append([]string{"-NoProfile", "-NonInteractive"}, arguments(script, folder)...)...)
	cmd.Stdout, cmd.Stderr = h.output, h.output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { h.ended <- cmd.Wait() }()
	t.Cleanup(h.stop)
	return h
}

// powershell prepares PowerShell for Windows with a few variables of its own.
func powershell(t *testing.T, windows *rig.Rig, environment map[string]string, arguments ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(pester.WindowsPowerShell(t), arguments...)
	cmd.Env = pester.Environment(windows.Environment())
	for name, value := range maps.All(environment) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// withoutWine leaves out what Wine itself says about a drive that it cannot look into.
func withoutWine(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "wine: Read access denied for device") {
			kept.WriteString(line)
		}
	}
	return strings.TrimSpace(kept.String())
}

// stop ends the process.
func (h *host) stop() {
	h.write(job{Runs: []run{}})
	select {
	case err := <-h.ended:
		if written := withoutWine(h.output.String()); err != nil || written != "" {
			h.t.Errorf("PowerShell ended with %v and wrote:\n%s", err, written)
		}
	case <-time.After(patience):
		h.t.Error("PowerShell did not end")
	}
}

func (h *host) write(j job) {
	h.t.Helper()
	h.number++
	text, err := json.Marshal(j)
	if err != nil {
		h.t.Fatal(err)
	}
	file := filepath.Join(h.here, fmt.Sprintf("%d.job.json", h.number))
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		h.t.Fatal(err)
	}
}

// run runs a job and waits for its end. There is one result for each of its runs.
func (h *host) run(t *testing.T, j job) []done {
	t.Helper()
	h.write(j)
	file := filepath.Join(h.here, fmt.Sprintf("%d.done.json", h.number))
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		select {
		case err := <-h.ended:
			h.ended <- err
			t.Fatalf("PowerShell ended in the middle of %v: %v\n%s", j.Runs, err, h.output)
		default:
		}
		text, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		var results []done
		if err == nil {
			err = json.Unmarshal(text, &results)
		}
		if err != nil || len(results) != len(j.Runs) {
			t.Fatalf("%d results of %d runs: %v", len(results), len(j.Runs), err)
		}
		return results
	}
	t.Fatalf("one of %v does not end: does it wait for an answer?", j.Runs)
	return nil
}
