package shell

import (
	"fmt"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// state is what a value of the property proves, and no more. Microsoft documents the property's
// name, not its values; these are what prometheus-community/windows_exporter and public scripts
// agree on. The control panel's states of the same names are explained in
// learn.microsoft.com/windows/security/operating-system-security/data-protection/bitlocker/operations-guide.
type state struct {
	// shown is the state in words.
	shown      string
	bitlocker  bool
	conversion *contract.Conversion
	protection *contract.Protection
	reason     *contract.ProtectionReason
	lock       *contract.Lock
	clearKey   *bool
}

var states = map[int32]state{
	// No source tells "cannot be encrypted" from "not known yet".
	0: {shown: "that it does not know, or that the drive cannot be encrypted"},
	// Protection is on for a volume that is fully encrypted, says the page of GetProtectionStatus;
	// that the shell takes it from there is not documented, so the conversion stays open.
	1: {shown: "that BitLocker is on", bitlocker: true, protection: contract.Ptr(contract.ProtectionOn),
		reason: contract.Ptr(contract.ReasonProtected)},
	// Off is what remains when no other value fits. What it shows for a volume that is paused in
	// the middle is documented nowhere, so it proves no decrypted volume.
	2: {shown: "that BitLocker is off", protection: contract.Ptr(contract.ProtectionOff)},
	// While a volume is partly encrypted protection is off, says the page of GetProtectionStatus.
	3: {shown: "that it is being encrypted", bitlocker: true, conversion: contract.Ptr(contract.EncryptionInProgress),
		protection: contract.Ptr(contract.ProtectionOff), reason: contract.Ptr(contract.ReasonConverting)},
	4: {shown: "that it is being decrypted", bitlocker: true, conversion: contract.Ptr(contract.DecryptionInProgress),
		protection: contract.Ptr(contract.ProtectionOff), reason: contract.Ptr(contract.ReasonConverting)},
	5: {shown: "that protection is suspended", bitlocker: true, protection: contract.Ptr(contract.ProtectionOff),
		reason: contract.Ptr(contract.ReasonSuspended)},
	6: {shown: "that it is locked", bitlocker: true, protection: contract.Ptr(contract.ProtectionUnknown),
		reason: contract.Ptr(contract.ReasonLocked), lock: contract.Ptr(contract.Locked)},
	7: {shown: "that it does not know"},
	// The operations guide: enabled with a clear protector key.
	8: {shown: "that it waits for activation", bitlocker: true, protection: contract.Ptr(contract.ProtectionOff),
		reason: contract.Ptr(contract.ReasonWaitingForActivation), clearKey: contract.Ptr(true)},
}

// Decode says what the property proves of a volume, whom the problem calls target. Everything
// else is nil, for which there is one problem. No value, and no value that is not listed, says
// anything.
func Decode(value *int32, target string) (contract.Encryption, []contract.Problem) {
	shown := "nothing"
	var s state
	if value != nil {
		known := false
		if s, known = states[*value]; known {
			shown = s.shown
		} else {
			shown = fmt.Sprintf("a state of the number %d, which is not known", *value)
		}
	}
	e := contract.Encryption{
		Conversion: copyOf(s.conversion), Protection: copyOf(s.protection), ProtectionReason: copyOf(s.reason),
		Lock: copyOf(s.lock), ClearKey: copyOf(s.clearKey),
	}
	if s.bitlocker {
		e.Format = contract.Ptr("bitlocker")
	}
	return e, []contract.Problem{{
		Code: "needs-elevation", Level: contract.LevelError, Stage: machine.StageVolumes, Target: target,
		Text: fmt.Sprintf("Without administrator rights Windows tells only what Explorer shows of %s, which is %s. Everything else about its encryption is unknown. Run this again from an elevated prompt (Run as administrator) or as SYSTEM.", target, shown),
	}}
}

// copyOf keeps documents from sharing the table's values.
func copyOf[T any](value *T) *T {
	if value == nil {
		return nil
	}
	return contract.Ptr(*value)
}
