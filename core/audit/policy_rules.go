package audit

import (
	"fmt"
	"slices"
	"strings"

	"diskaudit/core/contract"
)

// windows24H2 is the build of Windows 11 from which device encryption needs neither Modern
// Standby nor HSTI, and from which processors with a crypto engine can take over BitLocker's work.
const windows24H2 = 26100

// policyBlocksOffload finds settings that keep hardware-accelerated BitLocker from being used:
// it does XTS-AES-256, and in FIPS mode it needs a certificate. Whether this processor has a
// crypto engine is not known.
func policyBlocksOffload(f facts) *conclusion {
	if !f.windows11From(windows24H2) {
		return nil
	}
	policy := f.status.Policy
	var volumes, blocks []string
	for _, kind := range []struct {
		volume contract.VolumeType
		name   string
		method *contract.Method
	}{
		{contract.OperatingSystem, "operating system volumes", policy.EncryptionMethods.OperatingSystem},
		{contract.Data, "fixed data volumes", policy.EncryptionMethods.Fixed},
	} {
		weak := is(kind.method, contract.Aes128Diffuser, contract.Aes256Diffuser, contract.Aes128, contract.Aes256, contract.XtsAes128)
		var affected []string
		for _, v := range f.status.Volumes {
			if (weak || yes(policy.FIPS)) && isType(v, kind.volume) && bySoftware(v) &&
				f.everyDisk(v, func(d contract.Disk) bool { return yes(d.NVMe) }) {
				affected = append(affected, name(v))
			}
		}
		if weak && len(affected) > 0 {
			blocks = append(blocks, fmt.Sprintf("policy method for %s %s", kind.name, kind.method))
		}
		volumes = append(volumes, affected...)
	}
	if len(volumes) == 0 {
		return nil
	}
	if yes(policy.FIPS) {
		blocks = append(blocks, "FIPS mode on")
	}
	return &conclusion{
		title:    say("A policy would keep a processor with a crypto engine from taking over BitLocker's work"),
		evidence: evidence(fact("build", f.status.Machine.Build), strings.Join(blocks, "; "), "encrypted by software on NVMe: "+strings.Join(volumes, ", ")),
		advice: sentences(
			say("Hardware-accelerated BitLocker exists only on some new processors; whether this is one is not known here. Where it exists it uses XTS-AES-256, and stays off when a policy demands another cipher or a shorter key, or FIPS mode finds no certificate."),
			say("If the processor's maker names the feature, set the policy \"%s\" to XTS-AES 256-bit or to not configured.", "Choose drive encryption method and cipher strength"),
			say("Volumes that are encrypted already keep their cipher: they have to be decrypted and encrypted again, which rewrites all data. On other processors there is nothing to gain."),
		),
	}
}

// policyReencrypts warns those who are about to decrypt.
func policyReencrypts(f facts) *conclusion {
	policy := f.status.Policy
	if !yes(policy.RequireDeviceEncryption) && !yes(policy.ManagementEnforces) {
		return nil
	}
	origins := ""
	if len(policy.Origins) > 0 {
		origins = "policies from " + strings.Join(policy.Origins, ", ")
	}
	return &conclusion{
		title:    say("A policy requires encryption: what is decrypted gets encrypted again"),
		evidence: evidence(fact("requireDeviceEncryption", policy.RequireDeviceEncryption), fact("managementEnforces", policy.ManagementEnforces), origins),
		advice:   say("Do not decrypt: the policy would bring the encryption back, and the computer would be reported as not compliant meanwhile. Talk to the administrator of the policy (RequireDeviceEncryption of the BitLocker CSP, or BitLocker management of Configuration Manager or MBAM). Withdrawing the policy decrypts nothing by itself."),
	}
}

// policyDeniesWrite finds volumes that become read-only by decrypting, or are already. That a volume
// is read-only is told by Windows alone: one that was mounted before the policy came is not.
func policyDeniesWrite(f facts, v contract.Volume) *conclusion {
	setting := ""
	switch policy := f.status.Policy; {
	case isType(v, contract.Data) && yes(policy.DenyWriteFixed):
		setting = "FDVDenyWriteAccess"
	case isType(v, contract.Removable) && yes(policy.DenyWriteRemovable):
		setting = "RDVDenyWriteAccess"
	default:
		return nil
	}
	c := &conclusion{evidence: evidence("policy "+setting+" 1", fact("type", v.Type), fact("conversion", v.Encryption.Conversion))}
	fix := say("The setting lies at %s and comes from a group policy or an MDM: change it there, a value changed by hand comes back.", `HKLM\SYSTEM\CurrentControlSet\Policies\Microsoft\FVE`)
	switch {
	case stays(v):
		c.title = say("Volume %s would become read-only if it were decrypted", name(v))
		c.advice = sentences(say("Windows mounts volumes of this kind without BitLocker read-only. Leave it encrypted, or have the policy changed before you decrypt."), fix)
	case is(v.Encryption.Conversion, contract.DecryptionInProgress, contract.DecryptionPaused):
		c.severity = contract.SeverityWarning
		c.title = say("Volume %s becomes read-only when its decryption is complete", name(v))
		c.advice = sentences(say("Windows mounts volumes of this kind without BitLocker read-only. Have the policy changed, or encrypt the volume again once the decryption is complete."), fix)
	case !is(v.Encryption.Conversion, contract.FullyDecrypted) || len(v.MountPoints) == 0:
		return nil
	case hasProblem(v, "volume-read-only"):
		c.severity = contract.SeverityWarning
		c.title = say("Volume %s is mounted read-only, and a policy demands BitLocker for writing", name(v))
		c.evidence = evidence(c.evidence, "problem volume-read-only")
		c.advice = sentences(say("Programs fail to write to it although disk and file system are in order. Encrypt it with %s, or have the policy changed.", f.cmdlet(v, "Enable-BitLocker", "-PasswordProtector")), fix)
	default:
		c.severity = contract.SeverityNotice
		c.title = say("Volume %s becomes read-only when it is mounted the next time: a policy demands BitLocker for writing", name(v))
		c.advice = sentences(say("Windows does not say that it is read-only now; the policy counts from the next start, or the next time the volume is attached."),
			say("Encrypt it before that with %s, or have the policy changed.", f.cmdlet(v, "Enable-BitLocker", "-PasswordProtector")), fix)
	}
	return c
}

func hasProblem(v contract.Volume, code string) bool {
	return slices.ContainsFunc(v.Problems, func(p contract.Problem) bool { return p.Code == code })
}

// deviceEncryptionNotPrevented tells the owner of a computer that nobody manages that Windows may
// encrypt by itself, or will again. Without a TPM or Secure Boot it cannot.
func deviceEncryptionNotPrevented(f facts) *conclusion {
	m := f.status.Machine
	if !no(f.status.Policy.PreventDeviceEncryption) || !f.unmanaged() || !f.windows11From(windows24H2) ||
		!yes(m.TPM.Present) || !yes(m.SecureBoot) {
		return nil
	}
	for _, v := range f.status.Volumes {
		if !isType(v, contract.OperatingSystem) || !unprotected(v) || v.Encryption.Conversion == nil {
			continue
		}
		c := &conclusion{
			title: say("Windows may encrypt this computer by itself"),
			evidence: evidence(fact("preventDeviceEncryption", f.status.Policy.PreventDeviceEncryption), fact("build", m.Build),
				fact("TPM present", m.TPM.Present), fact("Secure Boot", m.SecureBoot), "operating system volume "+name(v), state(v)),
			advice: sentences(
				say("From Windows 11 24H2 on, device encryption begins by itself on computers like this one, on the operating system volume and on fixed data volumes."),
				say("If you want the protection, leave it on and store the recovery key in an account."),
				say("If not, run %s. It keeps Windows from beginning; it decrypts nothing that is encrypted already.", preventCommand),
			),
		}
		if is(v.Encryption.ProtectionReason, contract.ReasonWaitingForActivation) {
			c.severity = contract.SeverityNotice
			c.title = say("Windows has encrypted this computer by itself, and nothing keeps it from doing so again")
		}
		return c
	}
	return nil
}

// preventedButEncrypted corrects a common belief: the setting prevents and decrypts nothing.
func preventedButEncrypted(f facts, v contract.Volume) *conclusion {
	if !yes(f.status.Policy.PreventDeviceEncryption) || !isType(v, contract.OperatingSystem, contract.Data) || !stays(v) {
		return nil
	}
	c := &conclusion{
		title:    say("PreventDeviceEncryption is set, but volume %s is encrypted", name(v)),
		evidence: evidence(fact("preventDeviceEncryption", f.status.Policy.PreventDeviceEncryption), state(v)),
	}
	if unprotected(v) {
		c.severity = contract.SeverityNotice
	}
	c.advice = sentences(
		say("The setting only keeps Windows from encrypting by itself; it decrypts nothing, and it hinders no decryption either."),
		say("If the encryption is wanted, there is nothing to do."),
	)
	switch unlocked := !is(v.Encryption.Lock, contract.Locked); {
	case bySoftware(v) && unlocked && f.managed():
		c.advice = sentences(c.advice, say("If it was meant to be gone, the finding %s about this volume says what to weigh.", "software-encryption"))
	case bySoftware(v) && unlocked:
		c.advice = sentences(c.advice, say("If it was meant to be gone, %s shows the plan to decrypt; the finding %s about this volume says what to weigh.", f.remediate("", v), "software-encryption"))
	case !unlocked && !f.managed():
		c.advice = sentences(c.advice, say("If it was meant to be gone, unlock it first: a locked volume cannot be decrypted."))
	default:
		c.advice = sentences(c.advice, say("If it was meant to be gone:"), f.decrypt(v))
	}
	return c
}
