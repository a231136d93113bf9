// Package audit turns the facts of a status document into findings: what is wrong, what it rests
// on, what to do about it and what that costs. It is pure: the same facts give the same findings.
//
// A fact that is unknown makes no finding. Three rules speak about the unknown itself:
// provider-unavailable, needs-elevation and metadata-damaged; they rest on the provider's answer
// and on problems, never on a missing fact alone.
//
// Encrypted is not protected, and one cause gets one message: protection-suspended and
// waiting-for-activation name a known cause, conversion-running and conversion-paused explain why
// protection is not on yet, and encrypted-unprotected speaks when none of these is known to be the
// reason. In the same way conversion-speed-up speaks in place of cache-flush-disabled where this
// program itself turned the flushing off.
//
// The rules in their order, with their severities:
//
//	software-encryption              notice; info for a removable volume, on hard disks alone, and when protected on a portable or managed computer
//	encrypted-unprotected            warning
//	waiting-for-activation           warning
//	protection-suspended             warning; notice when it is known to end by itself after some restarts
//	conversion-running               notice
//	conversion-paused                warning
//	hardware-test-pending            notice
//	hardware-test-failed             warning
//	used-space-only                  info
//	legacy-cipher                    notice; info for a removable volume
//	hardware-encryption-advisory     notice; warning for a drive that the advisory's research names; info for one that never locks
//	hardware-offload-available       info
//	policy-blocks-offload            info
//	policy-reencrypts                info
//	policy-denies-write-if-decrypted info; notice for a decrypted volume until it is mounted next; warning for one that is being decrypted or is mounted read-only
//	device-encryption-not-prevented  info; notice once the operating system volume waits for activation
//	prevented-but-encrypted          info; notice for a volume that is known not to be protected
//	no-recovery-protector            warning; info when an external key, a certificate or an account may serve
//	volume-locked                    notice; info for a removable volume
//	metadata-damaged                 critical; warning while a good copy is left
//	conversion-speed-up              warning; critical once nothing on the disk is known to convert any more; notice when Windows flushes the cache again
//	cache-flush-disabled             warning; notice when it is only stored and comes with the next start
//	partition-misaligned             notice; info for a volume that is not mounted and not the operating system's
//	small-cluster-for-database       info
//	nested-encryption                notice; info for a guess about the host of a virtual machine
//	power-saver                      notice
//	disk-health                      critical; warning for nothing but wear, heat or uncorrected errors
//	provider-unavailable             warning
//	needs-elevation                  warning
//
// A portable or managed computer that is encrypted and protected as it should be gets findings of
// severity info only.
package audit

import (
	"slices"

	"diskaudit/core/contract"
	"diskaudit/core/language"
)

// machineTarget is the target of findings about the computer as a whole.
const machineTarget = "machine"

// Findings applies every rule to the facts. The result is sorted: worst severity first, then the
// rules' order, then the order of volumes and disks in the document. It is never nil.
func Findings(status contract.Status) []contract.Finding {
	return FindingsIn(status, language.English)
}

// FindingsIn is Findings with titles and advice in a language beside the English ones.
func FindingsIn(status contract.Status, in language.Language) []contract.Finding {
	facts := newFacts(status)
	findings := []contract.Finding{}
	for _, rule := range rules {
		findings = append(findings, rule.apply(facts, in)...)
	}
	slices.SortStableFunc(findings, func(a, b contract.Finding) int {
		return b.Severity.Rank() - a.Severity.Rank()
	})
	return findings
}
