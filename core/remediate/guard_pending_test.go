package remediate

import (
	"strings"
	"testing"

	"diskaudit/core/contract"
)

// plainWithTest is a volume that is not encrypted and waits for the test with which that begins.
func plainWithTest(v *contract.Volume) {
	v.Encryption = plainEncryption()
	v.Encryption.HardwareTest = contract.Ptr(contract.HardwareTestPending)
}

// A computer whose next start begins to encrypt is not one with nothing to do.
func TestPendingTestAlone(t *testing.T) {
	plainD := onVolume(soundD, func(v *contract.Volume) { v.Encryption = plainEncryption() })
	onlyC := func(r *Request) { r.Volumes = []string{soundC} }
	for name, c := range map[string]struct {
		edit edit
		want contract.GuardResult
	}{
		"pending":                    {together(plainD, onVolume(soundC, plainWithTest)), contract.GuardRefuse},
		"pending, named":             {together(onlyC, onVolume(soundC, plainWithTest)), contract.GuardRefuse},
		"pending, left as it is":     {together(plainD, onVolume(soundC, plainWithTest), func(r *Request) { r.Overrides = []string{guardTest} }), contract.GuardOverridden},
		"pending, another one named": {together(plainD, onVolume(soundC, plainWithTest), func(r *Request) { r.Volumes = []string{soundD} }), ""},
		"a data volume's":            {together(onlyC, onVolume(soundC, plainWithTest), onVolume(soundC, func(v *contract.Volume) { v.Type = contract.Ptr(contract.Data) })), ""},
		"type unknown":               {together(onlyC, onVolume(soundC, plainWithTest), onVolume(soundC, func(v *contract.Volume) { v.Type = nil })), contract.GuardRefuse},
		"none":                       {together(plainD, onVolume(soundC, func(v *contract.Volume) { v.Encryption = plainEncryption() })), ""},
		"not known": {together(plainD, onVolume(soundC, plainWithTest), onVolume(soundC, func(v *contract.Volume) {
			v.Encryption.HardwareTest = nil
		})), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := &planning{request: requestWith(c.edit)}
			p.choose()
			p.plan()
			if len(p.steps) > 0 {
				t.Fatalf("there are steps: %+v", p.steps)
			}
			guards := p.pendingTest()
			if c.want == "" {
				if len(guards) > 0 {
					t.Errorf("%+v", guards)
				}
				return
			}
			got := findGuard(t, guards, guardTest, soundC)
			if got.Result != c.want || got.Override == nil || *got.Override != "--override "+guardTest {
				t.Errorf("%s, override %v", got.Result, got.Override)
			}
			for _, word := range []string{"C:", "next restart", "manage-bde -off C: (or Disable-BitLocker -MountPoint 'C:')", "is left as it is"} {
				if !strings.Contains(got.Text, word) {
					t.Errorf("%q is missing in: %s", word, got.Text)
				}
			}
			checkGuard(t, name, got)
		})
	}
}

// Commands have to reach the volume that is meant.
func TestTurnOff(t *testing.T) {
	for point, want := range map[string]string{
		"C:":                "manage-bde -off C: (or Disable-BitLocker -MountPoint 'C:')",
		`C:\it's here (1)\`: `manage-bde -off "C:\it's here (1)" (or Disable-BitLocker -MountPoint 'C:\it''s here (1)\')`,
	} {
		if got := turnOff(contract.Volume{MountPoints: contract.List[string]{point}}); got != want {
			t.Errorf("%s: %s", point, got)
		}
	}
}
