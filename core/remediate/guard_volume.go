package remediate

import (
	"fmt"

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

// judgeEngines keeps from decrypting what costs no speed.
func (p *planning) judgeEngines() []verdict {
	return each(p.decrypted(), func(volume contract.Volume) verdict {
		v := verdict{
			risk: "Such encryption costs hardly any speed, so that ending it gains hardly any, and the data would lie open to whoever gets hold of the disk.",
			way:  "Leave the volume out.",
		}
		engine := volume.Encryption.Engine
		switch {
		case engine != nil && *engine == contract.EngineSoftware:
			v.result, v.fact = contract.GuardAllow, named(volume)+" is encrypted by software."
		case engine != nil && *engine == contract.EngineDrive:
			v.result, v.fact = contract.GuardRefuse, named(volume)+" is encrypted by the drive itself (engine drive)."
		case engine != nil && *engine == contract.EngineSoC:
			v.result, v.fact = contract.GuardRefuse, named(volume)+" is encrypted by the processor's own crypto engine (engine soc)."
		default:
			v.result, v.fact = contract.GuardUnknown, fmt.Sprintf("What encrypts %s is not known (engine is %s).", named(volume), worded(engine))
			v.risk = "If it is the drive itself, ending that gains hardly any speed, and the data would lie open to whoever gets hold of the disk."
			v.way = "Find out with manage-bde -status, or leave the volume out."
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
			risk:   "Somebody, a policy or Windows itself has begun that and may begin it again: the two would work against each other.",
			way:    "Find out who began it, and let it end or have it called off.",
		}
		const ifSo = "If it is, somebody has begun that and may begin it again: the two would work against each other."
		switch {
		case e.Conversion == nil:
			v.result, v.fact = contract.GuardUnknown, fmt.Sprintf("Whether %s is being converted is not known.", named(volume))
			v.risk, v.way = ifSo, causeOf(named(volume))
		case *e.Conversion == contract.EncryptionInProgress || *e.Conversion == contract.EncryptionPaused:
			v.fact = fmt.Sprintf("%s is in the state %s.", named(volume), e.Conversion)
		case *e.Conversion != contract.FullyEncrypted:
			// Free space is wiped only once encryption is complete.
			v.result, v.fact = contract.GuardAllow, fmt.Sprintf("%s is in the state %s.", named(volume), e.Conversion)
		case e.Wiping == nil || !e.Wiping.Recognized():
			v.result, v.fact = contract.GuardUnknown, fmt.Sprintf("Whether the free space of %s is being wiped is not known: its state is %s.", named(volume), worded(e.Wiping))
			v.risk, v.way = ifSo, causeOf(named(volume))
		case *e.Wiping == contract.WipeInProgress || *e.Wiping == contract.WipePaused:
			v.fact = fmt.Sprintf("The free space of %s is being wiped (%s).", named(volume), e.Wiping)
		default:
			v.result, v.fact = contract.GuardAllow, fmt.Sprintf("%s is %s, and no conversion is under way.", named(volume), e.Conversion)
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
			v.result, v.fact = contract.GuardUnknown, fmt.Sprintf("Whether the file system of %s is marked as not sound is not known.", named(volume))
			v.way = causeOf(named(volume))
		case *dirty:
			v.result, v.fact = contract.GuardRefuse, fmt.Sprintf("The file system of %s is marked as not sound (fileSystemDirty).", named(volume))
		default:
			v.result, v.fact = contract.GuardAllow, fmt.Sprintf("The file system of %s is not marked as damaged.", named(volume))
		}
		return v
	})
}
