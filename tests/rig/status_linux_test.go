package rig_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/audit"
	"diskaudit/core/contract"
	"diskaudit/core/machine/recording"
	"diskaudit/core/machine/windows/provider"
	"diskaudit/tests/require"
	"diskaudit/tests/rig"
	"diskaudit/tests/rig/simulator"
)

// TestStatus runs the Windows executable on each simulated computer: what it answers, that the
// recording of it says the same on Linux, and that no secret was asked for.
func TestStatus(t *testing.T) {
	if len(simulatedMachines) < 25 {
		t.Fatalf("the table has %d computers", len(simulatedMachines))
	}
	r := windowsComputer(t)
	linux := linuxExecutable(t)
	for _, test := range simulatedMachines {
		t.Run(test.name, func(t *testing.T) {
			machine := test.machine()
			ran := r.On(t)
			ran.Simulate(machine)
			if test.standardUser {
				ran.Limited()
			}
			if test.registry != nil {
				ran.Registry(test.registry)
			}
			here, windows := ran.Folder()
			arguments := []string{"status", "--format", "json", "--record", windows + `\machine.json`}
			if test.timeout != "" {
				arguments = append(arguments, "--timeout", test.timeout)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			begun := time.Now()
			result := ran.Run(ctx, arguments...)
			if limit, err := time.ParseDuration(test.timeout); err == nil && time.Since(begun) > limit+hurry {
				t.Errorf("it took %s with --timeout %s", time.Since(begun), test.timeout)
			}
			document := decoded(t, result.Stdout)
			if len(result.Stderr) > 0 {
				t.Errorf("stderr is not empty:\n%s", result.Stderr)
			}
			test.check(t, document, result.Code)
			secretless(t, machine, result.Stdout)
			replay(t, linux, filepath.Join(here, "machine.json"), document)
		})
	}
}

// TestStatusInProcess reads the same computers on Linux, without COM, Wine and the executable.
func TestStatusInProcess(t *testing.T) {
	for _, test := range simulatedMachines {
		if test.standardUser || test.timeout != "" {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			machine := test.machine()
			defer machine.Release()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			session, err := provider.Open(ctx, simulator.NewCaller(machine))
			var rows []provider.Row
			if err == nil {
				defer session.Close()
				rows, _, err = session.Volumes(ctx)
			}
			if err != nil {
				if test.code != 6 {
					t.Errorf("the provider is not available: %v", err)
				}
				return
			}
			for _, row := range rows {
				read := session.Read(ctx, row, *row.DeviceID)
				letter := *row.DeviceID
				if row.DriveLetter != nil {
					letter = *row.DriveLetter
				}
				want := test.want(letter)
				if got := describe(read.Encryption); got != want && want != "any" {
					t.Errorf("%s\n got %s\nwant %s", letter, got, want)
				}
			}
			if forbidden := machine.Forbidden(); len(forbidden) > 0 {
				t.Errorf("it called %v", forbidden)
			}
		})
	}
}

func (s simulated) machine() *simulator.Machine {
	machine, c, d := ordinary()
	if s.change != nil {
		s.change(machine, c, d)
	}
	return machine
}

// want is the answer for a volume by its letter or id.
func (s simulated) want(volume string) string {
	answers := map[string]string{"C:": protected, "D:": plain}
	for id, other := range s.others {
		answers[id] = other
	}
	for letter, answer := range map[string]string{"C:": s.c, "D:": s.d} {
		if answer != "" {
			answers[letter] = answer
		}
	}
	return answers[volume]
}

func (s simulated) check(t *testing.T, document contract.Status, code int) {
	t.Helper()
	if code != s.code {
		t.Errorf("exit code %d, want %d", code, s.code)
	}
	if complete := s.code == 0; document.Complete != complete {
		t.Errorf("complete is %v, want %v", document.Complete, complete)
	}
	by := "wmi"
	if s.provider != "" {
		by = s.provider
	}
	if got := text(document.BitLocker.Provider); got != by {
		t.Errorf("%s answered, want %s", got, by)
	}
	if available := choice(document.BitLocker.Available, "yes", "no"); (available == "yes") != (s.code != 6) {
		t.Errorf("available is %s", available)
	}
	if got := text(document.BitLocker.Reason); !strings.Contains(got, s.reason) {
		t.Errorf("the reason says nothing of %q: %s", s.reason, got)
	}
	volumes := []string{"C:", "D:"}
	for id := range s.others {
		volumes = append(volumes, id)
	}
	for _, volume := range document.Volumes {
		id := volume.ID
		if len(volume.MountPoints) > 0 {
			id = volume.MountPoints[0]
		}
		if i := slices.Index(volumes, id); i >= 0 {
			volumes = slices.Delete(volumes, i, i+1)
		} else {
			t.Errorf("there is a volume %s", id)
		}
		if got, want := describe(volume.Encryption), s.want(id); got != want && want != "any" {
			t.Errorf("%s\n got %s\nwant %s", id, got, want)
		}
	}
	if len(volumes) > 0 {
		t.Errorf("the document lacks %v", volumes)
	}
	s.checkProblems(t, document)
}

// checkProblems expects just the problems above level info that the table names.
func (s simulated) checkProblems(t *testing.T, document contract.Status) {
	t.Helper()
	found := map[string]bool{}
	for _, problem := range document.Problems {
		if problem.Level.OrError() == contract.LevelInfo {
			continue
		}
		found[problem.Code] = true
		if !slices.Contains(s.problems, problem.Code) && s.d != "any" {
			t.Errorf("%s %s: %s", problem.Level.OrError(), problem.Code, problem.Text)
		}
	}
	for _, code := range s.problems {
		if !found[code] {
			t.Errorf("there is no problem %s", code)
		}
	}
}

// secretless holds the output and the log of calls against the secrets that were planted.
func secretless(t *testing.T, machine *simulator.Machine, output []byte) {
	t.Helper()
	for _, secret := range machine.Secrets() {
		if bytes.Contains(output, []byte(secret)) {
			t.Errorf("the output holds the secret %q", secret)
		}
	}
	if forbidden := machine.Forbidden(); len(forbidden) > 0 {
		t.Errorf("it called %v", forbidden)
	}
}

// replay reads the recording with the executable for Linux.
func replay(t *testing.T, executable, file string, live contract.Status) {
	t.Helper()
	out, err := exec.Command(executable, "status", "--format", "json", "--recording", file).Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	// A recording has stand-ins for names and numbers by which a computer could be known again.
	redacted := recording.Redact(live)
	got := decoded(t, out)
	if diff := cmp.Diff(redacted.Volumes, got.Volumes); diff != "" {
		t.Errorf("volumes of the recording (-live +recording):\n%s", diff)
	}
	if diff := cmp.Diff(audit.Findings(redacted), []contract.Finding(got.Findings)); diff != "" {
		t.Errorf("findings of the recording (-live +recording):\n%s", diff)
	}
	if diff := cmp.Diff(kinds(live.Findings), kinds(got.Findings)); diff != "" {
		t.Errorf("kinds of findings (-live +recording):\n%s", diff)
	}
}

// kinds are what findings are, apart from what they are about.
func kinds(findings []contract.Finding) []string {
	var kinds []string
	for _, finding := range findings {
		kinds = append(kinds, string(finding.Severity)+" "+finding.ID)
	}
	return kinds
}

// flaw says what is wrong with a status document as such; empty when it is one line of ASCII, valid
// against the schema, and tells of no fault of the program.
func flaw(output []byte) string {
	if bytes.Count(output, []byte("\n")) != 1 || !bytes.HasSuffix(output, []byte("\n")) {
		return "stdout is not one line"
	}
	for _, b := range output {
		if b != '\n' && (b < ' ' || b > '~') {
			return fmt.Sprintf("stdout holds the byte %#x", b)
		}
	}
	if bytes.Contains(output, []byte("goroutine ")) || bytes.Contains(output, []byte("internal-error")) {
		return "stdout tells of a fault of the program"
	}
	if err := contract.Validate(contract.KindStatus, output); err != nil {
		return err.Error()
	}
	return ""
}

func decoded(t *testing.T, output []byte) contract.Status {
	t.Helper()
	if problem := flaw(output); problem != "" {
		t.Fatalf("%s:\n%s", problem, output)
	}
	var document contract.Status
	if err := json.Unmarshal(output, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

// windowsComputer has drives C: and D: and nothing of this computer's files.
func windowsComputer(t *testing.T) *rig.Rig {
	t.Helper()
	r := rig.New(t)
	r.Executable()
	r.Build("./tests/rig/limited", "limited.exe")
	data := t.TempDir()
	r.Label(data, "Daten")
	r.Drive('D', data)
	r.WithoutDrive('Z')
	return r
}

func linuxExecutable(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "diskaudit")
	cmd := exec.Command("go", "build", "-o", path, "./core")
	cmd.Dir = require.Root(t)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building diskaudit: %v\n%s", err, out)
	}
	return path
}
