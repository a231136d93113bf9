package provider

import (
	"slices"

	"diskaudit/core/contract"
)

// protection tells whether the key is kept from a thief, and why it is or is not. It follows the
// definitions of GetProtectionStatus and of what refuses beside it
// (learn.microsoft.com/windows/win32/secprov/getprotectionstatus-win32-encryptablevolume): off
// while a volume is not fully encrypted, and when the key lies in the clear on the disk; that is
// so when the protectors are disabled, or when none was ever added. An answer that is missing
// leaves open what depends on it.
func (d *description) protection(a answers) {
	e := &d.Encryption
	if a.protection == nil {
		if d.isLocked() {
			e.Protection = contract.Ptr(contract.ProtectionUnknown)
			e.ProtectionReason = contract.Ptr(contract.ReasonLocked)
		}
		return
	}
	e.Protection = contract.Ptr(code[contract.Protection](*a.protection))
	if !recognized(d, contract.LevelError, "protection", "the protection state", *e.Protection) {
		return
	}
	switch *e.Protection {
	case contract.ProtectionUnknown:
		d.undecided()
	case contract.ProtectionOn:
		d.on()
	default:
		d.off(a)
	}
}

func (d *description) undecided() {
	if d.isLocked() {
		d.Encryption.ProtectionReason = contract.Ptr(contract.ReasonLocked)
		return
	}
	d.problem(contract.LevelError, "protection-unknown",
		"Windows cannot tell whether the key of %s is protected, and the volume is not known to be locked. Run this again; look at manage-bde -status if that repeats.", d.target)
}

func (d *description) on() {
	e := &d.Encryption
	switch {
	case d.isLocked():
		// Locked is the better reason: the volume is protected, and nothing else can be told.
		e.ProtectionReason = contract.Ptr(contract.ReasonLocked)
	case e.Conversion == nil || !e.Conversion.Recognized():
		// On is said of fully encrypted volumes only, but the conversion is not known.
	case *e.Conversion != contract.FullyEncrypted:
		d.contradict("protection is on, but its conversion is %s", e.Conversion)
	case e.Protectors != nil && len(e.Protectors) == 0:
		d.contradict("protection is on, but it has no key protector")
	default:
		e.ProtectionReason = contract.Ptr(contract.ReasonProtected)
		e.ClearKey = contract.Ptr(false)
	}
}

func (d *description) off(a answers) {
	e := &d.Encryption
	switch {
	case d.isLocked():
		d.contradict("it is locked, but protection is off, which leaves its key in the clear")
	case e.Conversion == nil || !e.Conversion.Recognized():
		d.problem(contract.LevelError, "protection-reason-unknown",
			"Protection of %s is off, but how far it is encrypted is unknown, and so is why protection is off.", d.target)
	case *e.Conversion == contract.FullyDecrypted:
		e.ProtectionReason = contract.Ptr(contract.ReasonDecrypted)
		e.ClearKey = contract.Ptr(false)
	case *e.Conversion != contract.FullyEncrypted:
		e.ProtectionReason = contract.Ptr(contract.ReasonConverting)
		d.clearKeyWhileConverting()
	default:
		d.disarmed(a)
	}
}

// clearKeyWhileConverting: protection is off in any case then, so it says nothing of the key. But
// without any protector a volume can be encrypted only with its key in the clear.
func (d *description) clearKeyWhileConverting() {
	e := &d.Encryption
	switch {
	case e.Protectors != nil && len(e.Protectors) == 0:
		e.ClearKey = contract.Ptr(true)
	default:
		d.problem(contract.LevelInfo, "clear-key-unknown",
			"While %s is being converted, Windows does not tell whether a key lies in the clear beside the data; clearKey is null.", d.target)
	}
}

// disarmed tells why protection of a fully encrypted volume is off.
func (d *description) disarmed(a answers) {
	e := &d.Encryption
	drive := e.Engine != nil && *e.Engine == contract.EngineDrive
	if drive || e.Engine == nil {
		// For an encrypting drive, off can also mean that it never locks, or that somebody else
		// keeps its key.
		d.problem(contract.LevelInfo, "clear-key-unknown",
			"%s is not known to be encrypted by software, so protection that is off does not say that a key lies in the clear; clearKey is null.", d.target)
	} else {
		e.ClearKey = contract.Ptr(true)
	}
	switch {
	case e.Protectors == nil:
		d.problem(contract.LevelError, "protection-reason-unknown",
			"%s is encrypted, but protection is off, and its key protectors could not be read: whether protection is suspended or was never switched on is unknown.", d.target)
	case len(e.Protectors) == 0:
		e.ProtectionReason = contract.Ptr(contract.ReasonWaitingForActivation)
	case !a.notSuspended || !d.isSystem(a):
		e.ProtectionReason = contract.Ptr(contract.ReasonSuspended)
	case onlyTPM(e.Protectors):
		// Device encryption adds the TPM and keeps the key in the clear until a recovery key is
		// stored; GetSuspendCount says that this is no suspension.
		e.ProtectionReason = contract.Ptr(contract.ReasonWaitingForActivation)
	default:
		d.problem(contract.LevelError, "protection-reason-unknown",
			"%s is encrypted and has key protectors, but protection is off, and Windows says that it is not suspended: it may wait for its activation. Look at manage-bde -status, and at Settings, Privacy & security, Device encryption.", d.target)
	}
}

// isSystem tells whether the volume is known to be the running system's, of which alone
// GetSuspendCount speaks.
func (d *description) isSystem(a answers) bool {
	if a.isSystem != nil {
		return *a.isSystem
	}
	return d.Type != nil && *d.Type == contract.OperatingSystem
}

func onlyTPM(protectors []contract.Protector) bool {
	return !slices.ContainsFunc(protectors, func(p contract.Protector) bool { return p.Type != contract.Tpm })
}
