// Package remediation_test lets the PowerShell module undo software BitLocker in PowerShell for
// Windows, under Wine, on simulated computers.
package remediation_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"diskaudit/tests/module/pester"
	"diskaudit/tests/require"
	"diskaudit/tests/rig"
	"diskaudit/tests/rig/simulator"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

// TestModuleDecryptsSimulatedComputers runs SimulatedRemediation.ps1 and then looks at the computers:
// only the one that was to be decrypted has changed, and no protector was deleted.
func TestModuleDecryptsSimulatedComputers(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: it takes minutes")
	}
	wine := pester.WindowsPowerShell(t)
	windows := rig.New(t)
	limited := windows.Build("./tests/rig/limited", "limited.exe")
	executable := windows.WindowsPath(windows.Executable())
	machines := map[string]*simulator.Machine{"refusing": computer(), "decrypting": computer()}
	addresses := map[string]string{}
	var secrets []string
	for name, machine := range machines {
		addresses[name] = windows.Simulate(machine).Address()
		secrets = append(secrets, machine.Secrets()...)
	}
	pester.WaitForRegistry(t, windows.Prefix())
	told, err := json.Marshal(addresses)
	if err != nil {
		t.Fatal(err)
	}
	result, transcript := filepath.Join(t.TempDir(), "result.json"), filepath.Join(t.TempDir(), "transcript.txt")
	folder := filepath.Join(require.Root(t), "tests", "module")
	cmd := exec.Command(wine, "-NoProfile", "-NonInteractive", "-File", windows.WindowsPath(filepath.Join(folder, "Invoke-Tests.ps1")),
		"-ResultFile", windows.WindowsPath(result), "-Path", windows.WindowsPath(filepath.Join(folder, "remediation", "SimulatedRemediation.ps1")))
	cmd.Env = pester.Environment(windows.Environment())
	cmd.Env = append(cmd.Env,
		"DISKAUDIT_PATH="+executable,
		"DISKAUDIT_TEST_COMPUTERS="+string(told),
		"DISKAUDIT_TEST_LIMITED="+windows.WindowsPath(limited),
		"DISKAUDIT_TEST_TRANSCRIPT="+windows.WindowsPath(transcript),
		"TZ=Africa/Johannesburg",
	)
	pester.Report(t, cmd, result)

	if calls := machines["refusing"].Forbidden(); len(calls) > 0 {
		t.Errorf("a computer that was not to be changed was: %+v", calls)
	}
	decrypted := machines["decrypting"]
	if got := decrypted.Called("Decrypt"); got != 1 {
		t.Errorf("Decrypt was called %d times, want once", got)
	}
	for _, call := range decrypted.Forbidden() {
		if !strings.EqualFold(call.Name, "Decrypt") {
			t.Errorf("a method was called that decrypting does not need: %+v", call)
		}
	}
	decrypted.Update(func(m *simulator.Machine) {
		if got := m.Volumes[0].Conversion; got != simulator.Decrypted {
			t.Errorf("the volume C: ended in the conversion %d", got)
		}
	})
	searchForSecrets(t, secrets, transcript, windows.Prefix())
}

// searchForSecrets looks into what the module wrote and into the journals (case C27).
func searchForSecrets(t *testing.T, secrets []string, transcript, prefix string) {
	t.Helper()
	if len(secrets) == 0 {
		t.Error("no secret was planted")
	}
	files, err := filepath.Glob(filepath.Join(prefix, "drive_c", "ProgramData", "BitLockerDiskAudit", "journal", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Error("there is no journal in ProgramData")
	}
	for _, file := range append(files, transcript) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
		}
		for _, secret := range secrets {
			if strings.Contains(string(data), secret) {
				t.Errorf("%s holds a recovery password", file)
			}
		}
	}
}

// computer is one whose system volume software encrypts, and decrypts in some seconds.
func computer() *simulator.Machine {
	return &simulator.Machine{
		Speed: 1,
		Volumes: []*simulator.Volume{
			{
				DeviceID: simulator.WineVolume('C'), DriveLetter: "C:", Type: simulator.OperatingSystem,
				PersistentVolumeID: "{9F0C1D2E-0000-4000-8000-000000000001}",
				Conversion:         simulator.Encrypted, Percent: 100, Method: 7, Version: 2, Takes: 12 * time.Second,
				Protectors: []simulator.Protector{
					{ID: "{9F0C1D2E-0000-4000-8000-00000000000A}", Type: 1},
					{ID: "{9F0C1D2E-0000-4000-8000-00000000000B}", Type: 3, Password: "111111-222222-333333-444444-555555-666666-777777-888888"},
				},
			},
			{DeviceID: simulator.WineVolume('Z'), DriveLetter: "Z:", Type: simulator.Fixed, Version: 2},
		},
	}
}
