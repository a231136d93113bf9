package package_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"diskaudit/tests/module/pester"
	"diskaudit/tests/require"
	"diskaudit/tests/rig"
	"diskaudit/tests/rig/simulator"
)

// installed is what Install.ps1 tells of one way to install.
type installed struct {
	Found, Version, Blocked string
	Tags, Files, Listed     []string
	Answer                  struct {
		Volumes, Profiles, Changes []string
		Applied                    bool
		From                       string
	}
}

// installations are all that it tells.
type installations struct {
	Package, Folder, Zip installed
	Computer             struct{ Volumes, Plan []string }
}

// TestInstallOnLinux publishes the release to folders that are repositories, installs from them into
// a profile that is empty, and runs the three commands.
func TestInstallOnLinux(t *testing.T) {
	t.Parallel()
	folder := release(t)
	work, home := t.TempDir(), t.TempDir()
	result := filepath.Join(work, "result.json")
	cmd := exec.Command(pester.PowerShell(t), "-NoProfile", "-NonInteractive", "-File", filepath.Join(require.Root(t), "tests", "package", "Install.ps1"),
		"-Release", folder, "-Work", work, "-Recording", recording(t), "-ResultFile", result)
	for _, entry := range pester.Environment(os.Environ()) {
		if !strings.HasPrefix(entry, "XDG_") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	// .NET takes a folder that is not there for none, and writes to the current one.
	for _, folder := range []string{".local/share", ".config"} {
		if err := os.MkdirAll(filepath.Join(home, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Env = append(cmd.Env, "HOME="+home, "PSModulePath=")
	// PowerShell itself may have been unpacked there.
	if cache, err := os.UserCacheDir(); err == nil {
		cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+cache)
	}
	cmd.Dir = work
	got := install(t, cmd, result)
	for _, one := range []installed{got.Package, got.Folder} {
		if !strings.HasPrefix(one.Answer.From, home) {
			t.Errorf("the module that answered is %s, not the one that was installed in %s", one.Answer.From, home)
		}
	}
	if got.Package.Blocked != "" {
		t.Errorf("after installing the package as it is, the executable does not run: %s", got.Package.Blocked)
	}
	// As install.md says.
	if got.Folder.Blocked != "" && (!strings.HasPrefix(got.Folder.Blocked, "CoreBlocked") || !strings.Contains(got.Folder.Blocked, "chmod +x")) {
		t.Errorf("the executable does not run, and the error says not what to do: %s", got.Folder.Blocked)
	}
}

// TestInstallOnWindows does the same in PowerShell for Windows, under Wine, on a computer with
// BitLocker, and then runs the executable alone.
func TestInstallOnWindows(t *testing.T) {
	wine := pester.WindowsPowerShell(t)
	folder := release(t)
	windows := rig.New(t)
	machine := &simulator.Machine{Volumes: []*simulator.Volume{
		{
			DeviceID: simulator.WineVolume('C'), DriveLetter: "C:", Type: simulator.OperatingSystem,
			PersistentVolumeID: "{9F0C1D2E-0000-4000-8000-000000000001}", Conversion: simulator.Encrypted, Percent: 100, Method: 7, Version: 2,
			Protectors: []simulator.Protector{{ID: "{9F0C1D2E-0000-4000-8000-00000000000A}", Type: simulator.TPM}},
		},
	}}
	windows.Simulate(machine)
	pester.WaitForRegistry(t, windows.Prefix())
	work := t.TempDir()
	result := filepath.Join(work, "result.json")
	cmd := exec.Command(wine, "-NoProfile", "-NonInteractive", "-File", windows.WindowsPath(filepath.Join(require.Root(t), "tests", "package", "Install.ps1")),
		"-Release", windows.WindowsPath(folder), "-Work", windows.WindowsPath(work), "-Recording", windows.WindowsPath(recording(t)), "-ResultFile", windows.WindowsPath(result))
	cmd.Env = pester.Environment(windows.Environment())
	got := install(t, cmd, result)
	if got.Package.Blocked != "" || got.Folder.Blocked != "" {
		t.Errorf("the executable does not run: %q %q", got.Package.Blocked, got.Folder.Blocked)
	}
	if !slices.Contains(got.Computer.Volumes, "C: software On") {
		t.Errorf("on the computer the installed module finds %q", got.Computer.Volumes)
	}
	if !slices.Contains(got.Computer.Plan, "decrypt C:") {
		t.Errorf("on the computer the installed module plans %q", got.Computer.Plan)
	}
	if calls := machine.Forbidden(); len(calls) > 0 {
		t.Errorf("-WhatIf has changed the computer: %+v", calls)
	}
	alone := windows.Program(t.Context(), programFor(t, folder, "win-x64"), "version")
	if !strings.Contains(string(alone.Stdout), `"version":"`+version+`"`) || alone.Code != 0 {
		t.Errorf("the executable alone does not tell its version: %d %s%s", alone.Code, alone.Stdout, alone.Stderr)
	}
}

func recording(t *testing.T) string {
	t.Helper()
	return filepath.Join(require.Root(t), "tests", "testdata", "recordings", "laptop-24h2-waiting.json")
}

// install runs Install.ps1 and checks what does not depend on the system.
func install(t *testing.T, cmd *exec.Cmd, result string) installations {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("installing: %v\n%s", err, out)
	}
	var got installations
	if err := json.Unmarshal([]byte(read(t, result)), &got); err != nil {
		t.Fatal(err)
	}
	for how, one := range map[string]installed{"the package": got.Package, "the folder": got.Folder} {
		if one.Found != version || one.Version != version {
			t.Errorf("%s: the version is %s in the repository and %s when installed, not %s", how, one.Found, one.Version, version)
		}
		if !slices.Contains(one.Tags, "BitLocker") {
			t.Errorf("%s: the tags are %q", how, one.Tags)
		}
		if len(one.Files) == 0 || !slices.Equal(one.Files, one.Listed) {
			t.Errorf("%s: installed are\n%q, but FileList lists\n%q", how, one.Files, one.Listed)
		}
	}
	for how, one := range map[string]installed{"the package": got.Package, "the folder": got.Folder, "the zip": got.Zip} {
		if !slices.Contains(one.Answer.Volumes, "C: software Off") || len(one.Answer.Volumes) != 3 {
			t.Errorf("%s: Get-BitLockerDiskAudit tells %q of the recorded laptop", how, one.Answer.Volumes)
		}
		if !slices.Contains(one.Answer.Profiles, "quick") {
			t.Errorf("%s: Test-NvmeLatency knows the profiles %q", how, one.Answer.Profiles)
		}
		if one.Answer.Applied || !slices.Contains(one.Answer.Changes, "decrypt") {
			t.Errorf("%s: Disable-SoftwareBitLocker -WhatIf plans %q, applied %v", how, one.Answer.Changes, one.Answer.Applied)
		}
	}
	return got
}
