package audit

import (
	"regexp"
	"testing"

	"diskaudit/core/contract"
)

// tellsToDecrypt finds the ways in which an advice tells to decrypt, or to keep Windows from encrypting.
var tellsToDecrypt = regexp.MustCompile(`To decrypt, run|Disable-BitLocker|shows the plan|--action prevent|remove the encryption`)

// Where somebody else decides, or a policy brings the encryption back, no advice tells to decrypt: one
// finding must not tell what another says not to do.
func TestNothingToldAgainstAPolicy(t *testing.T) {
	states := map[string]change{}
	for _, kind := range kindsOfVolumes {
		states[kind.name] = func(s *contract.Status) { kind.change(volC(s)) }
	}
	states["waiting for activation"] = func(s *contract.Status) {
		encrypt(volC(s))
		disarm(volC(s), ptr(contract.ReasonWaitingForActivation))
	}
	states["unprotected"] = func(s *contract.Status) { encrypt(volC(s)); disarm(volC(s), nil) }
	states["unprotected, by the drive"] = func(s *contract.Status) {
		encrypt(volC(s))
		disarm(volC(s), nil)
		encC(s).Engine, encC(s).Method = ptr(contract.EngineDrive), ptr(contract.MethodHardware)
	}
	states["a hardware test is pending"] = func(s *contract.Status) { encC(s).HardwareTest = ptr(contract.HardwareTestPending) }
	states["prevented, but encrypted"] = func(s *contract.Status) {
		encrypt(volC(s))
		s.Policy.PreventDeviceEncryption = ptr(true)
	}
	states["an old cipher"] = func(s *contract.Status) { encrypt(volC(s)); encC(s).Method = ptr(contract.Aes128Diffuser) }
	told := false
	for name, state := range states {
		for who, managed := range map[string]change{
			"nobody":     nil,
			"a domain":   func(s *contract.Status) { s.Machine.Join.Domain = ptr(true) },
			"MDM":        func(s *contract.Status) { s.Machine.Join.MDM = ptr(true) },
			"the policy": func(s *contract.Status) { s.Policy.RequireDeviceEncryption = ptr(true) },
			"MBAM":       func(s *contract.Status) { s.Policy.ManagementEnforces = ptr(true) },
		} {
			status := with(state)
			if managed != nil {
				managed(&status)
			}
			for _, finding := range Findings(status) {
				tells := tellsToDecrypt.FindString(finding.Advice)
				told = told || managed == nil && tells != ""
				if managed != nil && tells != "" {
					t.Errorf("%s, managed by %s: %s says %q", name, who, finding.ID, tells)
				}
			}
		}
	}
	if !told {
		t.Error("no advice is recognised as one to decrypt where nobody manages the computer")
	}
}
