package audit

import (
	"diskaudit/core/contract"
	"diskaudit/core/language"
)

// rule is one row of the table. Exactly one of its checks is set; the check returns nil when the
// facts do not call for a finding, or do not say.
type rule struct {
	id        string
	severity  contract.Severity
	reference string

	volume  func(facts, contract.Volume) *conclusion
	disk    func(facts, contract.Disk) *conclusion
	machine func(facts) *conclusion
	problem func(facts, contract.Problem) *conclusion
}

// conclusion is what a check found. Severity and reference replace the rule's where they are set.
type conclusion struct {
	severity  contract.Severity
	title     phrase
	evidence  string
	advice    phrase
	reference string
}

// rules holds every rule, in the order that findings of equal severity appear in.
var rules = []rule{
	{id: "software-encryption", severity: contract.SeverityNotice, reference: pageFAQ, volume: softwareEncryption},
	{id: "encrypted-unprotected", severity: contract.SeverityWarning, reference: pageProtectionStatus, volume: encryptedUnprotected},
	{id: "waiting-for-activation", severity: contract.SeverityWarning, reference: pageBitLocker, volume: waitingForActivation},
	{id: "protection-suspended", severity: contract.SeverityWarning, reference: pageSuspend, volume: protectionSuspended},
	{id: "conversion-running", severity: contract.SeverityNotice, reference: pageConversionStatus, volume: conversionRunning},
	{id: "conversion-paused", severity: contract.SeverityWarning, reference: pageConversionStatus, volume: conversionPaused},
	{id: "hardware-test-pending", severity: contract.SeverityNotice, reference: pageHardwareTest, volume: hardwareTestPending},
	{id: "hardware-test-failed", severity: contract.SeverityWarning, reference: pageHardwareTest, volume: hardwareTestFailed},
	{id: "used-space-only", severity: contract.SeverityInfo, reference: pageWipeFreeSpace, volume: usedSpaceOnly},
	{id: "legacy-cipher", severity: contract.SeverityNotice, reference: pageEncryptionMethod, volume: legacyCipher},
	{id: "hardware-encryption-advisory", severity: contract.SeverityNotice, reference: pageAdvisory, volume: hardwareEncryptionAdvisory},
	{id: "hardware-offload-available", severity: contract.SeverityInfo, reference: pageAdvisory, volume: hardwareOffloadAvailable},
	{id: "policy-blocks-offload", severity: contract.SeverityInfo, reference: pageOffload, machine: policyBlocksOffload},
	{id: "policy-reencrypts", severity: contract.SeverityInfo, reference: pageCSP, machine: policyReencrypts},
	{id: "policy-denies-write-if-decrypted", severity: contract.SeverityInfo, reference: pageConfigure, volume: policyDeniesWrite},
	{id: "device-encryption-not-prevented", severity: contract.SeverityInfo, reference: pageBitLocker, machine: deviceEncryptionNotPrevented},
	{id: "prevented-but-encrypted", severity: contract.SeverityInfo, reference: pageBitLocker, volume: preventedButEncrypted},
	{id: "no-recovery-protector", severity: contract.SeverityWarning, reference: pageOperations, volume: noRecoveryProtector},
	{id: "volume-locked", severity: contract.SeverityNotice, reference: pageOperations, volume: volumeLocked},
	{id: "metadata-damaged", severity: contract.SeverityCritical, reference: pageRepair, problem: metadataDamaged},
	{id: "conversion-speed-up", severity: contract.SeverityWarning, reference: pageWriteCache, disk: conversionSpeedUp},
	{id: "cache-flush-disabled", severity: contract.SeverityWarning, reference: pageWriteCache, disk: cacheFlushDisabled},
	{id: "partition-misaligned", severity: contract.SeverityNotice, reference: pageSectors, volume: partitionMisaligned},
	{id: "small-cluster-for-database", severity: contract.SeverityInfo, reference: pageSQLStorage, volume: smallClusterForDatabase},
	{id: "nested-encryption", severity: contract.SeverityNotice, reference: pageFAQ, volume: nestedEncryption},
	{id: "power-saver", severity: contract.SeverityNotice, reference: pagePowercfg, machine: powerSaver},
	{id: "disk-health", severity: contract.SeverityCritical, reference: pageReliability, disk: diskHealth},
	{id: "provider-unavailable", severity: contract.SeverityWarning, reference: pageProvider, machine: providerUnavailable},
	{id: "needs-elevation", severity: contract.SeverityWarning, reference: pageProvider, machine: needsElevation},
}

// apply runs the rule on everything that it is about, and tells what it found in a language too.
func (r rule) apply(f facts, in language.Language) []contract.Finding {
	var findings []contract.Finding
	add := func(target string, c *conclusion) {
		if c != nil {
			findings = append(findings, r.finding(target, *c, in))
		}
	}
	switch {
	case r.volume != nil:
		for _, volume := range f.status.Volumes {
			add(volume.ID, r.volume(f, volume))
		}
	case r.disk != nil:
		for _, disk := range f.status.Disks {
			add(disk.ID, r.disk(f, disk))
		}
	case r.machine != nil:
		add(machineTarget, r.machine(f))
	case r.problem != nil:
		for _, problem := range f.problems {
			add(problemTarget(problem), r.problem(f, problem))
		}
	}
	return findings
}

func (r rule) finding(target string, c conclusion, in language.Language) contract.Finding {
	finding := contract.Finding{
		ID: r.id, Severity: r.severity, Target: target,
		Title: c.title.String(), Evidence: c.evidence, Advice: c.advice.String(), Reference: r.reference,
	}
	if in != language.English {
		finding.Localized = &contract.Localized{Language: string(in), Title: catalogue.Write(in, c.title), Advice: catalogue.Write(in, c.advice)}
	}
	if c.severity != "" {
		finding.Severity = c.severity
	}
	if c.reference != "" {
		finding.Reference = c.reference
	}
	return finding
}

// IDs lists the ids of all rules, in their order.
func IDs() []string {
	ids := make([]string, len(rules))
	for i, rule := range rules {
		ids[i] = rule.id
	}
	return ids
}
