// Package windows_test runs the Pester tests of the PowerShell module in PowerShell for Windows,
// under Wine. They take minutes, so they are a test program of their own.
package windows_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"diskaudit/tests/module/pester"
	"diskaudit/tests/require"
	"diskaudit/tests/rig"
	"diskaudit/tests/rig/simulator"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

// TestPesterUnderWine runs the Pester tests in PowerShell for Windows with the Windows builds of
// the executables: other paths, other ways to pass arguments, code page 437.
func TestPesterUnderWine(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: it takes minutes")
	}
	wine := pester.WindowsPowerShell(t)
	windows := rig.New(t)
	// One volume that BitLocker can be asked about, so that something is found on this computer.
	windows.Simulate(&simulator.Machine{Volumes: []*simulator.Volume{
		{DeviceID: simulator.WineVolume('C'), DriveLetter: "C:", Type: simulator.OperatingSystem, Version: 2},
	}})
	pester.WaitForRegistry(t, windows.Prefix())
	result := filepath.Join(t.TempDir(), "result.json")
	script := filepath.Join(require.Root(t), "tests", "module", "Invoke-Tests.ps1")
	cmd := exec.Command(wine, "-NoProfile", "-NonInteractive", "-File", windows.WindowsPath(script), "-ResultFile", windows.WindowsPath(result), "-ExcludeTag", "Sources,Documents")
	cmd.Env = pester.Environment(windows.Environment())
	cmd.Env = append(cmd.Env,
		"DISKAUDIT_TEST_FAKECORE="+windows.WindowsPath(windows.Build("./tests/module/fakecore", "fakecore.exe")),
		"DISKAUDIT_TEST_CORE="+windows.WindowsPath(windows.Executable()),
		"TZ=Africa/Johannesburg",
	)
	pester.Report(t, cmd, result)
}
