// Package computers_test runs the PowerShell module in PowerShell for Windows, under Wine, on
// simulated computers with BitLocker.
package computers_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"diskaudit/core/bitlocker"
	"diskaudit/tests/module/pester"
	"diskaudit/tests/require"
	"diskaudit/tests/rig"
	"diskaudit/tests/rig/simulator"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

// TestModuleOnSimulatedComputers runs the module in PowerShell for Windows, code page 437, with the
// executable that build.ps1 makes, on simulated computers with BitLocker.
func TestModuleOnSimulatedComputers(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: it takes minutes")
	}
	wine := pester.WindowsPowerShell(t)
	windows := rig.New(t)
	sources := filepath.Join(t.TempDir(), "sources")
	pester.CopySources(t, require.Root(t), sources)
	pester.BuildScript(t, pester.PowerShell(t), sources, "win-x64", "9.8.7-test.1")
	drive := t.TempDir()
	windows.Label(drive, "Gr\u00fc\u00dfe")
	windows.Drive('D', drive)
	limited := windows.Build("./tests/rig/limited", "limited.exe")
	// The rig shows the new drive to what it starts itself.
	windows.Program(t.Context(), "cmd", "/c", "exit")
	pester.WaitForRegistry(t, windows.Prefix())

	addresses := map[string]string{}
	machines := map[string]*simulator.Machine{}
	for name, machine := range computers() {
		addresses[name] = windows.Simulate(machine).Address()
		machines[name] = machine
	}
	told, err := json.Marshal(addresses)
	if err != nil {
		t.Fatal(err)
	}
	result := filepath.Join(t.TempDir(), "result.json")
	folder := filepath.Join(require.Root(t), "tests", "module")
	cmd := exec.Command(wine, "-NoProfile", "-NonInteractive", "-File", windows.WindowsPath(filepath.Join(folder, "Invoke-Tests.ps1")),
		"-ResultFile", windows.WindowsPath(result), "-Path", windows.WindowsPath(filepath.Join(folder, "computers", "SimulatedComputers.ps1")))
	cmd.Env = pester.Environment(windows.Environment())
	cmd.Env = append(cmd.Env,
		"DISKAUDIT_TEST_MODULE="+windows.WindowsPath(filepath.Join(sources, "module", "BitLockerDiskAudit.psd1")),
		"DISKAUDIT_TEST_COMPUTERS="+string(told),
		"DISKAUDIT_TEST_LIMITED="+windows.WindowsPath(limited),
		"TZ=Africa/Johannesburg",
	)
	pester.Report(t, cmd, result)
	for name, machine := range machines {
		// A call that hangs is known when it ends.
		if name != "hung" && machine.Called("ConnectServer") == 0 {
			t.Errorf("no program asked the computer %s for BitLocker", name)
		}
		if calls := machine.Forbidden(); len(calls) > 0 {
			t.Errorf("on the computer %s a secret was asked for, or something was changed: %+v", name, calls)
		}
	}
}

// computers are the computers that SimulatedComputers.ps1 knows, by name. All have the volumes C:,
// the system's, D:, and Z:, which is this computer's root and plain.
func computers() map[string]*simulator.Machine {
	made := map[string]*simulator.Machine{}
	for _, name := range []string{"protected", "partial", "denying", "hung", "hung at a volume", "no BitLocker"} {
		made[name] = &simulator.Machine{
			Volumes: []*simulator.Volume{
				{
					DeviceID: simulator.WineVolume('C'), DriveLetter: "C:", Type: simulator.OperatingSystem,
					PersistentVolumeID: "{9F0C1D2E-0000-4000-8000-000000000001}",
					Conversion:         simulator.Encrypted, Percent: 100, Method: 7, Version: 2,
					Protectors: []simulator.Protector{
						{ID: "{9F0C1D2E-0000-4000-8000-00000000000A}", Type: 1},
						{ID: "{9F0C1D2E-0000-4000-8000-00000000000B}", Type: 3, Password: "111111-222222-333333-444444-555555-666666-777777-888888"},
					},
				},
				{
					DeviceID: simulator.WineVolume('D'), DriveLetter: "D:", Type: simulator.Fixed,
					PersistentVolumeID: "{9F0C1D2E-0000-4000-8000-000000000002}",
					Conversion:         simulator.Encrypting, Percent: 37, Method: 6, Version: 2, Flags: 1,
					Protectors: []simulator.Protector{{ID: "{9F0C1D2E-0000-4000-8000-00000000000C}", Type: 8}},
				},
				{DeviceID: simulator.WineVolume('Z'), DriveLetter: "Z:", Type: simulator.Fixed, Version: 2},
			},
			Shell: map[string]simulator.Value{`C:\`: int32(1), `D:\`: int32(3)},
		}
	}
	made["partial"].Faults = []*simulator.Fault{{Point: simulator.AtMethod, DeviceID: simulator.WineVolume('D'), Name: "GetConversionStatus", Instead: returned(bitlocker.FVE_E_TRANSIENT_STATE)}}
	made["denying"].Faults = []*simulator.Fault{{Point: simulator.AtConnect, Raise: bitlocker.WBEM_E_ACCESS_DENIED}}
	made["hung"].Faults = []*simulator.Fault{{Point: simulator.AtConnect, Hang: true}}
	made["hung at a volume"].Faults = []*simulator.Fault{{Point: simulator.AtMethod, DeviceID: simulator.WineVolume('D'), Name: "GetConversionStatus", Hang: true}}
	made["no BitLocker"].NoBitLocker = true
	return made
}

// returned is how a method of the provider returns a code.
func returned(code bitlocker.HResult) simulator.Value { return int32(uint32(code)) }
