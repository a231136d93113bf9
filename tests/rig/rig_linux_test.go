package rig_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/registry"
	"diskaudit/tests/require"
	"diskaudit/tests/rig"
)

// query is what Windows' own tool says of a registry value; empty when it says that there is none.
func query(t *testing.T, r *rig.Rig, key, name string) string {
	t.Helper()
	var result rig.Result
	// On a busy computer a program of Wine's can fail to start.
	for range 3 {
		result = r.Program(t.Context(), "reg", "query", key, "/v", name)
		for line := range strings.Lines(string(result.Stdout)) {
			if fields := strings.Fields(line); len(fields) >= 3 && fields[0] == name {
				return strings.Join(fields[1:], " ")
			}
		}
		if strings.Contains(string(result.Stdout)+string(result.Stderr), "Unable to find the specified registry") {
			return ""
		}
		t.Logf("reg query %s ended with %d: %s%s", key, result.Code, result.Stdout, result.Stderr)
	}
	t.Fatalf("reg does not tell %s of %s", name, key)
	return ""
}

// TestRegistry sets values of each type, and finds the registry as it was after the test.
func TestRegistry(t *testing.T) {
	r := rig.New(t)
	const there, missing = `HKLM\SOFTWARE\DiskauditRig`, `HKLM\SOFTWARE\DiskauditMissing\Below`
	r.Registry(registry.Memory{there: {"Kept": "a text with  spaces and \u00fc", "Number": 7}})
	t.Run("changed", func(t *testing.T) {
		part := r.On(t)
		part.Registry(registry.Memory{
			there:   {"Kept": "another", "Number": 8, "New": []string{"one", "two"}},
			missing: {"Quad": uint64(1) << 40, "Bytes": []byte{0xAB, 0xCD}},
		})
		for name, want := range map[string]string{
			there + "|Kept": "REG_SZ another", there + "|Number": "REG_DWORD 0x8", there + "|New": `REG_MULTI_SZ one\0two`,
			missing + "|Bytes": "REG_BINARY ABCD",
		} {
			key, value, _ := strings.Cut(name, "|")
			if got := query(t, part, key, value); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	})
	for name, want := range map[string]string{"Number": "REG_DWORD 0x7", "New": ""} {
		if got := query(t, r, there, name); got != want {
			t.Errorf("afterwards %s is %q, want %q", name, got, want)
		}
	}
	if got := query(t, r, there, "Kept"); !strings.Contains(got, "a text with spaces and") {
		t.Errorf("afterwards Kept is %q", got)
	}
	if result := r.Program(t.Context(), "reg", "query", `HKLM\SOFTWARE\DiskauditMissing`); result.Code == 0 {
		t.Errorf("afterwards the key that was missing is there:\n%s", result.Stdout)
	}
}

// The types of drives (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getdrivetypew).
const (
	windowsRemovable = 2
	windowsFixed     = 3
)

// TestDrives shows drives with a label outside ASCII and of another type, as an administrator and
// as a standard user sees them.
func TestDrives(t *testing.T) {
	r := rig.New(t)
	machine, _, _ := ordinary()
	r.Simulate(machine)
	folder := t.TempDir()
	r.Label(folder, "Gr\u00fc\u00dfe")
	r.Drive('D', folder)
	r.Drive('F', t.TempDir())
	r.DriveType('F', "floppy")
	for _, elevated := range []bool{true, false} {
		if !elevated {
			r.Limited()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		result := r.Run(ctx, "status", "--format", "json")
		document := decoded(t, result.Stdout)
		if got := choice(document.Machine.Elevated, "yes", "no"); (got == "yes") != elevated {
			t.Errorf("elevated is %s, want %v", got, elevated)
		}
		drives := map[string]contract.Volume{}
		for _, volume := range document.Volumes {
			for _, point := range volume.MountPoints {
				drives[point] = volume
			}
		}
		if got := text(drives["D:"].Label); got != "Gr\u00fc\u00dfe" {
			t.Errorf("the label of D: is %q", got)
		}
		if _, listed := drives["F:"]; !listed {
			t.Error("F: is not listed")
		}
	}
	if kinds := probe(t, machine).Drives; kinds["D:"] != windowsFixed || kinds["F:"] != windowsRemovable {
		t.Errorf("types of drives: %v", kinds)
	}
}

// TestPowerShell runs PowerShell for Windows in the same prefix: what it starts reaches the
// simulated computer.
func TestPowerShell(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: it takes half a minute")
	}
	program := os.Getenv("DISKAUDIT_PWSH_WINE")
	if program == "" {
		program = require.Shared(t, "wine", "powershell/pwsh-wine")
	}
	r := rig.New(t)
	machine, c, _ := ordinary()
	c.KeyInClear, c.Suspensions = true, 2
	r.Simulate(machine)
	script := "$s = & '" + r.WindowsPath(r.Executable()) + "' status --format json | ConvertFrom-Json; " +
		"($s.volumes | Where-Object mountPoints -eq 'C:').encryption.suspendCount"
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-NoProfile", "-NonInteractive", "-Command", script)
	cmd.Env = r.Environment()
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil || strings.TrimSpace(string(out)) != "2" {
		t.Errorf("%v\n%s", err, out)
	}
}
