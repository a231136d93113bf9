package audit

import (
	"slices"

	"diskaudit/core/contract"
)

// encryptedUnprotected is the general message for an encrypted volume whose key lies open. It is
// silent where a more exact rule knows the cause; a volume that is still converting is not fully
// encrypted, so conversion-running or conversion-paused speaks instead.
func encryptedUnprotected(f facts, v contract.Volume) *conclusion {
	e := v.Encryption
	if !is(e.Conversion, contract.FullyEncrypted) || !unprotected(v) ||
		is(e.ProtectionReason, contract.ReasonSuspended, contract.ReasonWaitingForActivation) {
		return nil
	}
	title := say("Volume %s is encrypted, but protection is off", name(v))
	if !is(e.Protection, contract.ProtectionOff) {
		title = say("Volume %s is encrypted, but its key lies in the clear", name(v))
	}
	return &conclusion{
		title:    title,
		evidence: evidence(state(v), fact("suspendCount", e.SuspendCount), protectorsFact(v), fact("clearKey", e.ClearKey)),
		advice: sentences(
			say("Encrypted is not protected: the key is not kept from anyone who gets hold of the disk."),
			costWithoutProtection(v),
			f.rearm(v),
			f.giveUp(v),
		),
	}
}

// rearm tells how to turn protection on, by what is known of the protectors.
func (f facts) rearm(v contract.Volume) phrase {
	protectors := v.Encryption.Protectors
	resume := f.cmdlet(v, "Resume-BitLocker", "")
	if protectors == nil {
		return say("To protect it, look first which protectors it has (%s shows them, and recovery passwords with them), then run %s; that takes seconds and rewrites nothing.",
			f.manageBDE(v, "-protectors -get"), resume)
	}
	var missing []phrase
	if !hasProtector(protectors, contract.RecoveryPassword) {
		missing = append(missing, say("%s (and keep the password away from this computer)", f.cmdlet(v, "Add-BitLockerKeyProtector", "-RecoveryPasswordProtector")))
	}
	if isType(v, contract.OperatingSystem) && !hasProtector(protectors, startProtectors...) {
		missing = append(missing, say("%s (without it each start asks for the recovery password)", f.cmdlet(v, "Add-BitLockerKeyProtector", "-TpmProtector")))
	}
	switch len(missing) {
	case 0:
		return say("To protect it, run %s; that takes seconds and rewrites nothing.", resume)
	case 1:
		return say("To protect it, run %s, then run %s; that takes seconds and rewrites nothing.", missing[0], resume)
	}
	return say("To protect it, run %s and %s, then run %s; that takes seconds and rewrites nothing.", missing[0], missing[1], resume)
}

// startProtectors are the protectors that let an operating system volume start without recovery.
var startProtectors = []contract.ProtectorType{
	contract.Tpm, contract.TpmPin, contract.TpmStartupKey, contract.TpmPinStartupKey, contract.TpmNetworkKey,
	contract.ExternalKey, contract.Password,
}

func hasProtector(protectors []contract.Protector, types ...contract.ProtectorType) bool {
	return slices.ContainsFunc(protectors, func(p contract.Protector) bool { return slices.Contains(types, p.Type) })
}

// giveUp tells the way out for encryption that nobody wants.
func (f facts) giveUp(v contract.Volume) phrase {
	if f.managed() {
		return say("This computer is managed: tell its administrator, whose reports may count the volume as encrypted.")
	}
	if bySoftware(v) {
		return say("If the encryption is not wanted at all, %s shows the plan that removes it, and with --apply removes it, which rewrites the data in the background.", f.remediate("", v))
	}
	return say("If the encryption is not wanted at all, %s removes it, which rewrites the data in the background.", f.cmdlet(v, "Disable-BitLocker", ""))
}

// waitingForActivation finds encryption that was begun and never armed. Device encryption of Windows
// leaves a volume so until a recovery key is stored in an account.
// https://learn.microsoft.com/windows-hardware/design/device-experiences/oem-bitlocker
func waitingForActivation(f facts, v contract.Volume) *conclusion {
	e := v.Encryption
	if !is(e.ProtectionReason, contract.ReasonWaitingForActivation) {
		return nil
	}
	join := f.status.Machine.Join
	c := &conclusion{
		title: say("Volume %s is encrypted, but waits for activation and is not protected", name(v)),
		evidence: evidence(state(v), protectorsFact(v), fact("clearKey", e.ClearKey),
			fact("domain joined", join.Domain), fact("Entra joined", join.Entra), fact("MDM", join.MDM)),
	}
	origin := say("No key protector is in force: the key lies in the clear beside the data, so anyone with the disk can read it.")
	protect := f.rearm(v)
	switch {
	case isType(v, contract.OperatingSystem) && f.windowsClient():
		origin = say("Windows encrypted it by itself and keeps the key in the clear beside the data until a recovery key is stored in an account. With local accounts alone that never happens, so anyone with the disk can read it.")
		protect = say("To protect it, sign in with a Microsoft, work or school account that is an administrator here, and check that the recovery key is stored in that account.")
		if f.managed() {
			protect = say("This computer is managed, so the recovery key should have been stored with the organization: its administrator can see why that failed.")
		}
	case isType(v, contract.Removable) || f.windowsServer():
		origin = sentences(origin, say("Encryption that was turned on without a protector leaves a volume so."))
	default:
		origin = sentences(origin, say("Device encryption of Windows leaves a volume so until a recovery key is stored in an account, and so does encryption that was turned on without a protector."))
	}
	c.advice = sentences(origin, costWithoutProtection(v), protect, f.orDecrypt(v))
	return c
}

// orDecrypt is the second choice beside protecting; managed computers have none.
func (f facts) orDecrypt(v contract.Volume) phrase {
	if f.managed() {
		return phrase{}
	}
	return sentences(say("Or remove the encryption."), f.decrypt(v))
}

// protectionSuspended finds protection that somebody or an update turned off for a while.
func protectionSuspended(f facts, v contract.Volume) *conclusion {
	e := v.Encryption
	if !is(e.ProtectionReason, contract.ReasonSuspended) {
		return nil
	}
	c := &conclusion{
		title:    say("Protection of volume %s is suspended", name(v)),
		evidence: evidence(state(v), fact("suspendCount", e.SuspendCount), protectorsFact(v)),
	}
	var until phrase
	switch {
	case is(e.SuspendCount, 0):
		c.title = say("Protection of volume %s is suspended until someone resumes it", name(v))
		until = say("It does not come back by itself.")
	case e.SuspendCount != nil:
		c.severity = contract.SeverityNotice
		c.title = say("Protection of volume %s is suspended for %s more restart(s)", name(v), *e.SuspendCount)
		until = say("It comes back by itself after that.")
	}
	c.advice = sentences(
		say("While it is suspended the data stays encrypted, but its key lies in the clear on the disk."),
		until,
		costWithoutProtection(v),
		say("If no firmware or system update is under way, run %s; that takes seconds and rewrites nothing.", f.cmdlet(v, "Resume-BitLocker", "")),
	)
	return c
}

// noRecoveryProtector finds protected volumes that a changed TPM, a new mainboard or a forgotten
// password would make unreadable. A protector of unknown kind may be the way back, so it silences
// the rule; an external key may be a recovery key or only the one that unlocks automatically.
func noRecoveryProtector(f facts, v contract.Volume) *conclusion {
	e := v.Encryption
	keyIsSafe := protected(v) || no(e.ClearKey)
	if !stays(v) || !keyIsSafe || len(e.Protectors) == 0 || hasProtector(e.Protectors, contract.RecoveryPassword) ||
		slices.ContainsFunc(e.Protectors, func(p contract.Protector) bool {
			return p.Type == contract.ProtectorUnknown || !p.Type.Recognized()
		}) {
		return nil
	}
	c := &conclusion{
		title:    say("Volume %s has no recovery password", name(v)),
		evidence: evidence(protectorsFact(v), fact("protection", e.Protection), fact("clearKey", e.ClearKey)),
	}
	risk := say("If the protectors that it has fail - a cleared TPM, new firmware or mainboard, a forgotten password - the data is lost.")
	if hasProtector(e.Protectors, contract.ExternalKey, contract.PublicKey, contract.AdAccountOrGroup) {
		c.severity = contract.SeverityInfo
		risk = say("An external key, a certificate or an account may be the way back: make sure that it is, and where it is kept. A key that unlocks the volume automatically is lost together with Windows.")
	}
	c.advice = sentences(
		risk,
		say("Run %s.", f.cmdlet(v, "Add-BitLockerKeyProtector", "-RecoveryPasswordProtector")),
		say("It shows the password: store it away from this computer, in the Microsoft account, with BackupToAAD-BitLockerKeyProtector, with Backup-BitLockerKeyProtector or on paper."),
	)
	return c
}

// volumeLocked says that little can be known of the volume: locked is not decrypted.
func volumeLocked(f facts, v contract.Volume) *conclusion {
	e := v.Encryption
	if !is(e.Lock, contract.Locked) {
		return nil
	}
	c := &conclusion{
		title:    say("Volume %s is locked", name(v)),
		evidence: evidence(fact("lock", e.Lock), fact("format", e.Format), fact("method", e.Method), protectorsFact(v)),
	}
	if isType(v, contract.Removable) {
		c.severity = contract.SeverityInfo
	}
	unlock := say("If you need them, unlock it in Explorer, or with %s -RecoveryPassword and the 48 digits of its recovery password, and run diskaudit status again.", f.manageBDE(v, "-unlock"))
	if !f.windows() {
		unlock = say("If you need them, unlock it where it is used, and run diskaudit status again.")
	}
	missing := say("Its data is encrypted and cannot be reached; what is on it is unknown.")
	if v.Encryption.Conversion == nil {
		missing = say("Its data is encrypted and cannot be reached; how far it is encrypted and what is on it cannot be read, so those facts are unknown.")
	}
	c.advice = sentences(
		missing,
		unlock,
		say("If nobody has the password or the recovery key, the data cannot be read."),
	)
	return c
}
