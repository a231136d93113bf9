package scripts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"diskaudit/tests/rig/simulator"
)

// overridden is a remediation whose configuration block was filled in, on one computer.
type overridden struct {
	script, computer string
	// begins are how often each changing method is called, in lower case as script objects are; none on a
	// computer that is to stay as it is.
	begins map[string]int
	// answer is what the remediation says. Where it has begun something, the detection of Intune says
	// afterwards that this is in progress; elsewhere testComputers shows what it says.
	answer answer
}

const (
	intuneScript    = "intune/Remediate-SoftwareBitLocker.ps1"
	configmgrScript = "configmgr/Remediate-SoftwareBitLocker.ps1"
)

var inProgress = answer{0, "IN PROGRESS: state=decrypting " + goesOn}

// overriddenRuns are the remediations by somebody who has weighed every guard. What the guards keep out
// all the same stays as it is. Decrypt also resumes a paused decryption
// (learn.microsoft.com/windows/win32/secprov/decrypt-win32-encryptablevolume).
var overriddenRuns = []overridden{
	{intuneScript, "XTS-AES 128, protected", map[string]int{"decrypt": 1}, answer{0, "BEGUN: volumes=C: overridden=disk-health,file-system,managed | Windows decrypts from now on, for hours. Do not reinstall, reset or repartition until it has ended."}},
	{intuneScript, "decryption paused", map[string]int{"decrypt": 1}, answer{0, "BEGUN: volumes=C: " + goesOn}},
	// One after the other, and the operating system's volume last: it holds the keys of the others.
	{intuneScript, "two data volumes that unlock by themselves", map[string]int{"decrypt": 1}, answer{0, "BEGUN: volumes=D: " + goesOn}},
	{intuneScript, "encrypting", nil, answer{0, "IN PROGRESS: state=encrypting " + goesOn}},
	{intuneScript, "encryption paused", nil, answer{1, "REFUSED: state=paused " + goesOn}},
	{intuneScript, "encrypted by the drive", nil, answer{0, "OK: state=hardware-encrypted " + goesOn}},
	{intuneScript, "encrypted beside a locked data volume", nil, answer{1, "UNKNOWN: state=unknown reasons=VolumeLocked " + goesOn}},
	{intuneScript, "conversion of one volume cannot be read", nil, answer{1, "UNKNOWN: state=unknown " + goesOn}},
	{configmgrScript, "XTS-AES 128, protected", map[string]int{"decrypt": 1}, answer{0, "Decrypting: Windows decrypts in the background. " + goesOn}},
	{configmgrScript, "encrypted beside a locked data volume", nil, answer{1, "NotChanged: VolumeLocked. " + goesOn}},
	{configmgrScript, "list of volumes breaks off", nil, answer{1, "NotChanged: " + goesOn}},
}

// testOverrides runs a remediation whose guards are overridden, and where something was begun the detection
// and the remediation again, which find it under way. The runs share the journals of the computer, so
// that they come one after the other.
func testOverrides(t *testing.T, f *fleet, h *host) {
	t.Helper()
	for _, o := range overriddenRuns {
		t.Run(o.script+" "+o.computer, func(t *testing.T) {
			c := named(t, o.computer)
			machine := c.machine()
			machine.Update(func(m *simulator.Machine) {
				m.Speed = 1
				for _, v := range m.Volumes {
					v.Takes = time.Hour
				}
			})
			forget(t, f)
			j := job{Environment: f.environment(c, simulate(t, machine)), Location: f.elsewhere}
			remediation := run{Script: f.edited(t, o.script, "overridden", weighed)}
			detection := run{Script: f.script(hostedScripts[0].name)}
			j.Runs = []run{remediation}
			wanted := []answer{o.answer}
			if o.begins != nil {
				j.Runs = append(j.Runs, detection, remediation)
				wanted = append(wanted, inProgress, o.again())
			}
			results := h.run(t, j)
			for i, want := range wanted {
				if wrong := want.differs(results[i]); wrong != "" {
					t.Errorf("run %d: %s\nit wrote:\n%s", i+1, wrong, results[i].text())
				}
				for _, wrong := range flaws(results[i]) {
					t.Errorf("run %d %s:\n%s", i+1, wrong, results[i].text())
				}
			}
			called := map[string]int{}
			for _, call := range machine.Forbidden() {
				called[strings.ToLower(call.Name)]++
			}
			for name, times := range called {
				if o.begins[name] != times {
					t.Errorf("%s was called %d times, want %d", name, times, o.begins[name])
				}
			}
			for name, times := range o.begins {
				if called[name] != times {
					t.Errorf("%s was called %d times, want %d", name, called[name], times)
				}
			}
		})
	}
	forget(t, f)
}

// again is what the remediation says when it finds under way what it has begun.
func (o overridden) again() answer {
	if o.script == configmgrScript {
		return o.answer
	}
	return inProgress
}

// weighed fills in the configuration block as an administrator does who has weighed every guard.
func weighed(text string) string {
	text = strings.Replace(text, "$Override = @()", "$Override = @('managed', 'disk-health', 'file-system')", 1)
	return strings.Replace(text, "$ClearAutoUnlock = $false", "$ClearAutoUnlock = $true", 1)
}

// forget removes what remediations leave on the computer: journals and PreventDeviceEncryption.
func forget(t *testing.T, f *fleet) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(f.Prefix(), "drive_c", "ProgramData", "BitLockerDiskAudit")); err != nil {
		t.Fatal(err)
	}
	f.Program(t.Context(), "reg", "delete", `HKLM\SYSTEM\CurrentControlSet\Control\BitLocker`, "/v", "PreventDeviceEncryption", "/f")
}
