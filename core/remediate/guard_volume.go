package remediate

import (
	"fmt"
	"slices"

	"diskaudit/core/contract"
)

// decrypted are the volumes that the plan decrypts, in the order of the facts. To resume a decryption
// counts where decrypting was asked for.
func (p *planning) decrypted() []contract.Volume {
	return p.changedBy(func(step contract.PlanStep) bool {
		return step.Change == contract.ChangeDecrypt || decrypts(p.request.Action) && step.Change == contract.ChangeResume
	})
}

// changedBy are the volumes that are the target of such a step.
func (p *planning) changedBy(of func(contract.PlanStep) bool) []contract.Volume {
	targets := map[string]bool{}
	for _, step := range p.steps {
		if of(step) {
			targets[step.Target] = true
		}
	}
	var volumes []contract.Volume
	for _, volume := range p.request.Status.Volumes {
		if targets[volume.ID] {
			volumes = append(volumes, volume)
		}
	}
	return volumes
}

// each asks for a verdict on each volume; one without a result is none.
func each(volumes []contract.Volume, judge func(contract.Volume) verdict) []verdict {
	var verdicts []verdict
	for _, volume := range volumes {
		v := judge(volume)
		if v.result == "" {
			continue
		}
		v.target = volume.ID
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// judgeTargets keeps steps away from a volume that is barred, whichever way they came into the plan:
// what an earlier run left is no reason to touch it.
func (p *planning) judgeTargets() []verdict {
	return each(p.changed(), func(volume contract.Volume) verdict {
		barred, _ := bar(volume, p.request.Action)
		if barred == "" {
			return verdict{}
		}
		v := leaving(candidate{volume: volume, bar: barred}, p.request.Action)
		v.guard = barred
		return v
	})
}

func (p *planning) judgeEngines() []verdict {
	return each(p.changed(), func(volume contract.Volume) verdict {
		v := verdict{
			risk: "Such encryption costs hardly any speed, so that ending it gains nothing, and the data would lie open to whoever gets hold of the disk.",
			way:  "Leave the volume out.",
		}
		engine := volume.Encryption.Engine
		switch {
		case engine == nil:
			v.result = contract.GuardUnknown
			v.fact = fmt.Sprintf("What encrypts %s is not known.", named(volume))
			v.risk = "If it is the drive itself, ending that gains no speed, and the data would lie open to whoever gets hold of the disk."
			v.way = "Find out with manage-bde -status, or leave the volume out."
		case *engine == contract.EngineSoftware:
			v.result, v.fact = contract.GuardAllow, named(volume)+" is encrypted by software."
		case *engine == contract.EngineDrive:
			v.result, v.fact = contract.GuardRefuse, named(volume)+" is encrypted by the drive itself (engine drive)."
		default:
			v.result, v.fact = contract.GuardRefuse, fmt.Sprintf("%s is encrypted by the processor's own crypto engine (engine %s).", named(volume), *engine)
		}
		return v
	})
}

// judgeRunning: Decrypt turns an encryption that is under way round into a decryption
// (learn.microsoft.com/windows/win32/secprov/decrypt-win32-encryptablevolume).
func (p *planning) judgeRunning() []verdict {
	return each(p.decrypted(), func(volume contract.Volume) verdict {
		e := volume.Encryption
		v := verdict{
			result: contract.GuardRefuse,
			risk:   "Somebody, or a policy, has begun that and may begin it again: the two would work against each other, and rewrite the data each time.",
			way:    "Find out who began it, and let it end or have it called off.",
		}
		switch {
		case e.Conversion == nil:
			v.result, v.fact = contract.GuardUnknown, fmt.Sprintf("Whether %s is being converted is not known.", named(volume))
		case *e.Conversion == contract.EncryptionInProgress || *e.Conversion == contract.EncryptionPaused:
			v.fact = fmt.Sprintf("%s is in the state %s.", named(volume), e.Conversion)
		case *e.Conversion != contract.FullyEncrypted:
			// Free space is wiped only once encryption is complete.
			v.result, v.fact = contract.GuardAllow, fmt.Sprintf("%s is in the state %s.", named(volume), e.Conversion)
		case e.Wiping == nil || !e.Wiping.Recognized():
			v.result, v.fact = contract.GuardUnknown, fmt.Sprintf("Whether the free space of %s is being wiped is not known: its state is %s.", named(volume), worded(e.Wiping))
		case *e.Wiping == contract.WipeInProgress || *e.Wiping == contract.WipePaused:
			v.fact = fmt.Sprintf("The free space of %s is being wiped (%s).", named(volume), e.Wiping)
		default:
			v.result, v.fact = contract.GuardAllow, fmt.Sprintf("%s is %s, and no conversion is under way.", named(volume), e.Conversion)
		}
		return v
	})
}

// judgeHardwareTest: a pending test is one that runs with the next restart, after which a volume that is
// still decrypted gets encrypted
// (learn.microsoft.com/windows/win32/secprov/gethardwareteststatus-win32-encryptablevolume). That
// concerns the decryption of other volumes too.
func (p *planning) judgeHardwareTest() []verdict {
	mine := p.decrypted()
	if len(mine) == 0 {
		return nil
	}
	return each(p.request.Status.Volumes, func(volume contract.Volume) verdict {
		test := volume.Encryption.HardwareTest
		pending := test != nil && *test == contract.HardwareTestPending
		isMine := slices.ContainsFunc(mine, func(other contract.Volume) bool { return other.ID == volume.ID })
		if volume.Type != nil && volume.Type.Recognized() && !isSystem(volume) || !isMine && !pending {
			return verdict{}
		}
		v := verdict{
			risk: "With the next restart Windows would begin to encrypt, against this plan.",
			way:  "Restart, so that the test runs and shows whether Windows encrypts, and run this again.",
		}
		switch {
		case pending:
			v.result, v.fact = contract.GuardRefuse, fmt.Sprintf("A hardware test of %s is pending (hardwareTest Pending).", named(volume))
		case test == nil || !test.Recognized():
			v.result, v.fact = contract.GuardUnknown, fmt.Sprintf("Whether a hardware test of %s is pending is not known (hardwareTest is %s).", named(volume), worded(test))
		case *test == contract.HardwareTestFailed:
			v.result, v.fact = contract.GuardAllow, fmt.Sprintf("No hardware test of %s is pending; the last one failed.", named(volume))
		default:
			v.result, v.fact = contract.GuardAllow, fmt.Sprintf("No hardware test of %s is pending.", named(volume))
		}
		return v
	})
}

func (p *planning) judgeFileSystem() []verdict {
	return each(p.decrypted(), func(volume contract.Volume) verdict {
		dirty := volume.FileSystemDirty
		v := verdict{
			risk: "Rewriting a volume whose file system is not sound can lose data, and hides from where the fault came.",
			way:  "Run chkdsk with /f on it, or restart so that Windows does, and then run this again.",
		}
		switch {
		case volume.FileSystem == nil && (dirty == nil || !*dirty):
			v.result, v.fact = contract.GuardUnknown, fmt.Sprintf("What file system %s has is not known, and so neither whether it is sound nor whether it is one of a cluster.", named(volume))
			v.way = "If the volume is not formatted, format it instead of decrypting it; else find out with Get-Volume."
		case dirty == nil:
			v.result, v.fact = contract.GuardUnknown, fmt.Sprintf("Whether the file system of %s is sound is not known.", named(volume))
		case *dirty:
			v.result, v.fact = contract.GuardRefuse, fmt.Sprintf("The file system of %s is marked as not sound (fileSystemDirty).", named(volume))
		default:
			v.result, v.fact = contract.GuardAllow, fmt.Sprintf("The file system of %s is sound.", named(volume))
		}
		return v
	})
}
