package report

import (
	"time"

	"diskaudit/core/contract"
)

const (
	idC = `\\?\Volume{11111111-0000-0000-0000-000000000001}\`
	idD = `\\?\Volume{22222222-0000-0000-0000-000000000002}\`
	// A volume without a letter.
	idE        = `\\?\Volume{33333333-0000-0000-0000-000000000003}\`
	prevention = `HKLM\SYSTEM\CurrentControlSet\Control\BitLocker\PreventDeviceEncryption`
)

// remediations are the documents that the golden files show.
func remediations() map[string]contract.Remediation {
	return map[string]contract.Remediation{
		"nothing":   nothingToDo(),
		"plan":      wholePlan(),
		"refused":   refusedPlan(),
		"done":      donePlan(),
		"running":   runningPlan(),
		"failed":    failedPlan(),
		"stopped":   stoppedPlan(),
		"elevation": withoutElevation(),
		"recorded":  recordedPlan(),
		"hostile":   hostileRemediation(),
	}
}

func projectedVolume(id string, conversion contract.Conversion, mounted ...string) contract.Volume {
	v := contract.Volume{ID: id, MountPoints: mounted, Type: p(contract.Data), Encryption: contract.Encryption{
		Conversion: p(conversion), Engine: p(contract.EngineNone), Lock: p(contract.Unlocked),
		Protection: p(contract.ProtectionOff), ProtectionReason: p(contract.ReasonDecrypted)}}
	switch conversion {
	case contract.FullyEncrypted:
		v.Encryption.Engine, v.Encryption.Protection, v.Encryption.ProtectionReason = p(contract.EngineSoftware), p(contract.ProtectionOn), p(contract.ReasonProtected)
	case contract.FullyDecrypted:
	default:
		v.Encryption.Engine, v.Encryption.ProtectionReason, v.Encryption.Percent = p(contract.EngineSoftware), p(contract.ReasonConverting), p(43.5)
	}
	return v
}

func projection(volumes ...contract.Volume) *contract.Status {
	return &contract.Status{Header: contract.Header{Complete: true}, Machine: contract.Machine{Source: contract.SourceWindows},
		BitLocker: contract.Provider{Available: p(true), Provider: p("wmi")}, Volumes: volumes}
}

func nothingToDo() contract.Remediation {
	return contract.Remediation{
		Header: contract.Header{Complete: true}, Plan: contract.Plan{ID: "e3b0c442", Action: contract.ActionDecrypt},
		Projected: projection(projectedVolume(idC, contract.FullyDecrypted, "C:")),
	}
}

func wholePlan() contract.Remediation {
	steps := contract.List[contract.PlanStep]{
		{ID: "1-set-prevent-device-encryption", Target: prevention, Change: contract.ChangePrevent, Text: "Set PreventDeviceEncryption to 1", Before: "absent", After: "1",
			Undoable: true, Undo: "--action undo removes the value again."},
		{ID: "2-decrypt", Target: idD, Change: contract.ChangeDecrypt, Text: "Begin to decrypt D:", Before: "FullyEncrypted", After: "DecryptionInProgress",
			Undo: "Turn BitLocker on again."},
		{ID: "3-wait", Target: idD, Change: contract.ChangeWait, Text: "Wait for D:", Before: "DecryptionInProgress", After: "FullyDecrypted",
			EstimatedSeconds: p(716.0), Estimate: &contract.Estimate{Bytes: 100 << 30, BytesPerSecond: 150e6}},
		{ID: "4-decrypt", Target: idC, Change: contract.ChangeDecrypt, Text: "Begin to decrypt C:", Before: "FullyEncrypted", After: "DecryptionInProgress",
			Undo: "Turn BitLocker on again."},
		{ID: "5-wait", Target: idC, Change: contract.ChangeWait, Text: "Wait for C:", Before: "DecryptionInProgress", After: "FullyDecrypted",
			EstimatedSeconds: p(8590.0), Estimate: &contract.Estimate{Bytes: 400 << 30, BytesPerSecond: 50e6, Basis: contract.BasisMeasured}},
		{ID: "6-verify", Target: "machine", Change: contract.ChangeVerify, Text: "Read everything afresh"},
	}
	status := projection(projectedVolume(idC, contract.FullyDecrypted, "C:"), projectedVolume(idD, contract.FullyDecrypted, "D:", `C:\mnt\data`),
		projectedVolume(idE, contract.FullyDecrypted))
	status.Findings = contract.List[contract.Finding]{{ID: "cache-flush-disabled", Severity: contract.SeverityWarning, Target: "disk0",
		Title: "Disk disk0 drops flushes", Evidence: "powerProtected=true", Advice: "Turn them on."}}
	return contract.Remediation{
		Header: contract.Header{Complete: true},
		Plan: contract.Plan{ID: "3f9a1c22", Action: contract.ActionDecrypt, Steps: steps, Guards: contract.List[contract.Guard]{
			{ID: "on-battery", Target: "machine", Result: contract.GuardAllow, Text: "On mains power."},
			{ID: "disk-health", Target: "disk0", Result: contract.GuardAllow, Text: "Sound."},
			{ID: "portable", Target: "machine", Result: contract.GuardOverridden, Text: "A thief could read the data. Overridden.", Override: p("--override portable")},
		}},
		Projected: status,
	}
}

func refusedPlan() contract.Remediation {
	document := wholePlan()
	document.Plan.Guards = contract.List[contract.Guard]{
		{ID: "locked", Target: idE, Result: contract.GuardOverridden, Text: "The volume is locked and is left out.", Override: p("--override locked")},
		{ID: "file-system", Target: idD, Result: contract.GuardUnknown, Text: "Whether the file system is sound is not known.", Override: p("--override file-system")},
		{ID: "auto-unlock-only-key", Target: idD, Result: contract.GuardRefuse, Text: "D: unlocks by one key only."},
		{ID: "on-battery", Target: "machine", Result: contract.GuardAllow},
	}
	return document
}

// withResults carries a plan out: each result took 90 s from the end of the one before it.
func withResults(document contract.Remediation, outcomes ...contract.StepOutcome) contract.Remediation {
	document.Applied = true
	document.Journal = p(`C:\ProgramData\BitLockerDiskAudit\journal\20261130T224000Z-1.jsonl`)
	at := time.Date(2026, 11, 30, 22, 40, 0, 0, time.UTC)
	for i, outcome := range outcomes {
		result := contract.StepResult{ID: document.Plan.Steps[i].ID, Result: outcome}
		if outcome != contract.StepNotStarted {
			result.StartedAt = p(at)
			at = at.Add(90 * time.Second)
			if outcome != contract.StepRunning {
				result.EndedAt = p(at)
			}
		}
		document.Steps = append(document.Steps, result)
	}
	return document
}

func donePlan() contract.Remediation {
	done := contract.StepDone
	return withResults(wholePlan(), contract.StepAlready, done, done, done, done, done)
}

func runningPlan() contract.Remediation {
	rest := contract.StepNotStarted
	document := withResults(wholePlan(), contract.StepDone, contract.StepDone, contract.StepRunning, rest, rest, rest)
	document.Running = contract.List[contract.Running]{{VolumeID: idD, Conversion: p(contract.DecryptionInProgress), Percent: p(43.51),
		PercentPerHour: p(-12.5), ETASeconds: p(12531.0), Watch: "diskaudit status --volume D:"}}
	return document
}

func failedPlan() contract.Remediation {
	rest := contract.StepNotStarted
	document := withResults(wholePlan(), contract.StepDone, contract.StepFailed, rest, rest, rest, rest)
	problem := contract.Problem{Code: "volume-vanished", Level: contract.LevelError, Stage: "decrypt", Target: idD, Text: "D: is not there any more."}
	document.Steps[1].Problem = &problem
	document.Problems = contract.List[contract.Problem]{problem}
	document.Complete = false
	return document
}

func stoppedPlan() contract.Remediation {
	rest := contract.StepNotStarted
	document := withResults(wholePlan(), contract.StepDone, rest, rest, rest, rest, rest)
	document.Problems = contract.List[contract.Problem]{{Code: "interrupted", Level: contract.LevelError, Text: "The run was interrupted."}}
	document.Complete = false
	return document
}

func withoutElevation() contract.Remediation {
	return contract.Remediation{
		Header: contract.Header{Problems: contract.List[contract.Problem]{
			{Code: "needs-elevation", Level: contract.LevelError, Stage: "volumes", Text: "Run it as an administrator."},
		}},
		Plan: contract.Plan{ID: "e3b0c442", Action: contract.ActionPause},
	}
}

func recordedPlan() contract.Remediation {
	document := nothingToDo()
	document.Plan = contract.Plan{ID: "77aa", Action: contract.ActionResume, Steps: contract.List[contract.PlanStep]{
		{ID: "1-resume-conversion", Target: idC, Change: contract.ChangeResume, Text: "Resume C:", Before: "DecryptionPaused", After: "DecryptionInProgress", Undoable: true, Undo: "--action undo pauses it again."},
	}}
	document.Projected = projection(projectedVolume(idC, contract.DecryptionInProgress, "C:"))
	document.Projected.Machine.Source = contract.SourceRecording
	return document
}

func hostileRemediation() contract.Remediation {
	evil := "\x1b[2J\x1b]0;owned\x07A\r\nDONE: all is well\u202Egnp.exe\u2066\u0085\u009b31m\u200b\ufeff\xff"
	status := hostileTexts()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return contract.Remediation{
		Header: contract.Header{Problems: status.Problems},
		Plan: contract.Plan{ID: evil, Action: contract.Action(evil),
			Steps: contract.List[contract.PlanStep]{
				{ID: evil, Target: evil, Change: contract.Change(evil), Text: evil, Before: evil, After: evil, Undo: evil, EstimatedSeconds: p(-1.0), Estimate: &contract.Estimate{Basis: contract.EstimateBasis(evil)}},
				{ID: "2", Target: `HKLM\` + evil, Text: evil, EstimatedSeconds: p(1e300), Estimate: &contract.Estimate{Bytes: 1 << 63, BytesPerSecond: 1e300}},
			},
			Guards: contract.List[contract.Guard]{{ID: evil, Target: evil, Result: contract.GuardResult(evil), Text: evil, Override: p(evil)}, {}}},
		Projected: &status, Applied: true,
		Steps:   contract.List[contract.StepResult]{{ID: evil, Result: contract.StepOutcome(evil), StartedAt: &at, EndedAt: &at, Problem: &contract.Problem{Code: evil, Text: evil}}, {}},
		Running: contract.List[contract.Running]{{VolumeID: evil, Conversion: p(contract.Conversion(99)), Percent: p(-5.0), PercentPerHour: p(1e300), ETASeconds: p(1e300), Watch: evil}},
		Journal: p(evil),
	}
}
