package audit

import (
	"fmt"
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
	why := "protection is off"
	if !is(e.Protection, contract.ProtectionOff) {
		why = "its key lies in the clear"
	}
	return &conclusion{
		title:    fmt.Sprintf("Volume %s is encrypted, but %s", name(v), why),
		evidence: evidence(state(v), fact("suspendCount", e.SuspendCount), protectorsFact(v), fact("clearKey", e.ClearKey)),
		advice: sentences(
			"Encrypted is not protected: the key is not kept from anyone who gets hold of the disk.",
			costWithoutProtection(v),
			f.rearm(v),
			f.giveUp(v),
		),
	}
}

// rearm tells how to turn protection on, by what is known of the protectors.
func (f facts) rearm(v contract.Volume) string {
	protectors := v.Encryption.Protectors
	resume := "run " + f.cmdlet(v, "Resume-BitLocker", "") + "; that takes seconds and rewrites nothing."
	if protectors == nil {
		return "To protect it, look first which protectors it has (" + f.manageBDE(v, "-protectors -get") + " shows them, and recovery passwords with them), then " + resume
	}
	var missing []string
	if !hasProtector(protectors, contract.RecoveryPassword) {
		missing = append(missing, f.cmdlet(v, "Add-BitLockerKeyProtector", "-RecoveryPasswordProtector")+" (and keep the password away from this computer)")
	}
	if isType(v, contract.OperatingSystem) && !hasProtector(protectors, startProtectors...) {
		missing = append(missing, f.cmdlet(v, "Add-BitLockerKeyProtector", "-TpmProtector")+" (without it each start asks for the recovery password)")
	}
	switch len(missing) {
	case 0:
		return "To protect it, " + resume
	case 1:
		return "To protect it, run " + missing[0] + ", then " + resume
	}
	return "To protect it, run " + missing[0] + " and " + missing[1] + ", then " + resume
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
func (f facts) giveUp(v contract.Volume) string {
	if f.managed() {
		return "This computer is managed: tell its administrator, whose reports may count the volume as encrypted."
	}
	if bySoftware(v) {
		return "If the encryption is not wanted at all, " + f.remediate("", v) + " shows the plan that removes it, and with --apply removes it, which rewrites the data in the background."
	}
	return "If the encryption is not wanted at all, " + f.cmdlet(v, "Disable-BitLocker", "") + " removes it, which rewrites the data in the background."
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
		title: fmt.Sprintf("Volume %s is encrypted, but waits for activation and is not protected", name(v)),
		evidence: evidence(state(v), protectorsFact(v), fact("clearKey", e.ClearKey),
			fact("domain joined", join.Domain), fact("Entra joined", join.Entra), fact("MDM", join.MDM)),
	}
	origin := "No key protector is in force: the key lies in the clear beside the data, so anyone with the disk can read it."
	protect := f.rearm(v)
	switch {
	case isType(v, contract.OperatingSystem) && f.windowsClient():
		origin = "Windows encrypted it by itself and keeps the key in the clear beside the data until a recovery key is stored in an account. With local accounts alone that never happens, so anyone with the disk can read it."
		protect = "To protect it, sign in with a Microsoft, work or school account that is an administrator here, and check that the recovery key is stored in that account."
		if f.managed() {
			protect = "This computer is managed, so the recovery key should have been stored with the organization: its administrator can see why that failed."
		}
	case isType(v, contract.Removable) || f.windowsServer():
		origin = sentences(origin, "Encryption that was turned on without a protector leaves a volume so.")
	default:
		origin = sentences(origin, "Device encryption of Windows leaves a volume so until a recovery key is stored in an account, and so does encryption that was turned on without a protector.")
	}
	c.advice = sentences(origin, costWithoutProtection(v), protect, f.orDecrypt(v))
	return c
}

// orDecrypt is the second choice beside protecting; managed computers have none.
func (f facts) orDecrypt(v contract.Volume) string {
	if f.managed() {
		return ""
	}
	return sentences("Or remove the encryption.", f.decrypt(v))
}

// protectionSuspended finds protection that somebody or an update turned off for a while.
func protectionSuspended(f facts, v contract.Volume) *conclusion {
	e := v.Encryption
	if !is(e.ProtectionReason, contract.ReasonSuspended) {
		return nil
	}
	c := &conclusion{
		title:    fmt.Sprintf("Protection of volume %s is suspended", name(v)),
		evidence: evidence(state(v), fact("suspendCount", e.SuspendCount), protectorsFact(v)),
	}
	until := ""
	switch {
	case is(e.SuspendCount, 0):
		c.title += " until someone resumes it"
		until = "It does not come back by itself."
	case e.SuspendCount != nil:
		c.severity = contract.SeverityNotice
		c.title += fmt.Sprintf(" for %d more restart(s)", *e.SuspendCount)
		until = "It comes back by itself after that."
	}
	c.advice = sentences(
		"While it is suspended the data stays encrypted, but its key lies in the clear on the disk.",
		until,
		costWithoutProtection(v),
		"If no firmware or system update is under way, run "+f.cmdlet(v, "Resume-BitLocker", "")+"; that takes seconds and rewrites nothing.",
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
		title:    fmt.Sprintf("Volume %s has no recovery password", name(v)),
		evidence: evidence(protectorsFact(v), fact("protection", e.Protection), fact("clearKey", e.ClearKey)),
	}
	risk := "If the protectors that it has fail - a cleared TPM, new firmware or mainboard, a forgotten password - the data is lost."
	if hasProtector(e.Protectors, contract.ExternalKey, contract.PublicKey, contract.AdAccountOrGroup) {
		c.severity = contract.SeverityInfo
		risk = "An external key, a certificate or an account may be the way back: make sure that it is, and where it is kept. A key that unlocks the volume automatically is lost together with Windows."
	}
	c.advice = sentences(
		risk,
		"Run "+f.cmdlet(v, "Add-BitLockerKeyProtector", "-RecoveryPasswordProtector")+".",
		"It shows the password: store it away from this computer, in the Microsoft account, with BackupToAAD-BitLockerKeyProtector, with Backup-BitLockerKeyProtector or on paper.",
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
		title:    fmt.Sprintf("Volume %s is locked", name(v)),
		evidence: evidence(fact("lock", e.Lock), fact("format", e.Format), fact("method", e.Method), protectorsFact(v)),
	}
	if isType(v, contract.Removable) {
		c.severity = contract.SeverityInfo
	}
	unlock := "unlock it in Explorer, or with " + f.manageBDE(v, "-unlock") + " -RecoveryPassword and the 48 digits of its recovery password"
	if !f.windows() {
		unlock = "unlock it where it is used"
	}
	missing := "Its data is encrypted and cannot be reached; what is on it is unknown."
	if v.Encryption.Conversion == nil {
		missing = "Its data is encrypted and cannot be reached; how far it is encrypted and what is on it cannot be read, so those facts are unknown."
	}
	c.advice = sentences(
		missing,
		"If you need them, "+unlock+", and run diskaudit status again.",
		"If nobody has the password or the recovery key, the data cannot be read.",
	)
	return c
}
