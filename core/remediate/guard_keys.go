package remediate

import (
	"fmt"
	"slices"

	"diskaudit/core/contract"
)

// judgeStoredKeys: an operating system volume that holds keys by which data volumes unlock refuses to be
// decrypted (learn.microsoft.com/windows/win32/secprov/decrypt-win32-encryptablevolume).
func (p *planning) judgeStoredKeys() []verdict {
	return each(p.decrypted(), func(volume contract.Volume) verdict {
		if volume.Type != nil && volume.Type.Recognized() && !isSystem(volume) {
			return verdict{}
		}
		v := verdict{
			risk:    p.afterClearing(volume),
			way:     "Have those passwords at hand, or decrypt such volumes first.",
			settled: p.clearsAt(volume) >= 0,
		}
		switch stored := volume.Encryption.AutoUnlockKeysStored; {
		case stored == nil:
			v.result, v.fact = contract.GuardUnknown, fmt.Sprintf("Whether %s holds keys by which data volumes unlock by themselves is not known.", named(volume))
		case *stored:
			v.result, v.fact = contract.GuardRefuse, fmt.Sprintf("%s holds keys by which data volumes unlock by themselves (autoUnlockKeysStored): Windows does not decrypt it with them.", named(volume))
		default:
			v.result, v.fact = contract.GuardAllow, named(volume)+" holds no keys by which data volumes unlock by themselves."
		}
		return v
	})
}

// afterClearing says what becomes of the volumes that unlock by the keys of another. All that ever did
// are concerned, also on drives that are not connected
// (learn.microsoft.com/windows/win32/secprov/clearallautounlockkeys-win32-encryptablevolume).
func (p *planning) afterClearing(system contract.Volume) string {
	var names []string
	for _, volume := range p.remaining(system) {
		if auto := volume.Encryption.AutoUnlock; auto == nil || *auto {
			names = append(names, named(volume))
		}
	}
	here := "."
	if len(names) > 0 {
		here = ": " + listed(names) + "."
	}
	return "Without these keys the next start leaves every volume locked that unlocks by them, also one on a drive that is not connected now" +
		here + " Each then needs its recovery password; without that its data is lost."
}

// clearsAt is the index of the step that removes the keys from a volume; -1 for none.
func (p *planning) clearsAt(system contract.Volume) int {
	return slices.IndexFunc(p.steps, func(step contract.PlanStep) bool {
		return step.Change == contract.ChangeClearAutoUnlock && step.Target == system.ID
	})
}

// remaining are the other volumes that are encrypted, or may be, when the keys are removed from the
// operating system's volume: all but those whose decryption the plan waits for before that.
func (p *planning) remaining(system contract.Volume) []contract.Volume {
	before := p.steps
	if at := p.clearsAt(system); at >= 0 {
		before = p.steps[:at]
	}
	awaited := map[string]bool{}
	for _, step := range before {
		if step.Change == contract.ChangeWait {
			awaited[step.Target] = true
		}
	}
	var remaining []contract.Volume
	for _, volume := range p.request.Status.Volumes {
		conversion := volume.Encryption.Conversion
		if volume.ID == system.ID || awaited[volume.ID] || outside(volume) || conversion != nil && *conversion == contract.FullyDecrypted {
			continue
		}
		remaining = append(remaining, volume)
	}
	return remaining
}

// opening are the protectors by which somebody can open a volume without another volume's key.
var opening = []contract.ProtectorType{contract.RecoveryPassword, contract.Password, contract.PublicKey, contract.AdAccountOrGroup}

// judgeOnlyKeys looks for volumes that nobody could open any more once the keys are removed. An external
// key may be the one that is removed, so it does not count as a way in.
func (p *planning) judgeOnlyKeys() []verdict {
	var verdicts []verdict
	for _, system := range p.changedBy(func(step contract.PlanStep) bool { return step.Change == contract.ChangeClearAutoUnlock }) {
		verdicts = append(verdicts, each(p.remaining(system), func(volume contract.Volume) verdict { return onlyKey(volume, system) })...)
	}
	return verdicts
}

func onlyKey(volume, system contract.Volume) verdict {
	e, who := volume.Encryption, named(volume)
	v := verdict{
		risk: fmt.Sprintf("Removing that key from %s could make its data unreadable: lost for good.", named(system)),
		way:  "Give it a recovery password first (Add-BitLockerKeyProtector -RecoveryPasswordProtector) and keep that elsewhere, or decrypt it before.",
	}
	way := slices.IndexFunc(e.Protectors, func(protector contract.Protector) bool { return slices.Contains(opening, protector.Type) })
	unclear := slices.ContainsFunc(e.Protectors, func(protector contract.Protector) bool {
		return protector.Type == contract.ProtectorUnknown || !protector.Type.Recognized()
	})
	automatic := "unlocks by itself"
	if e.AutoUnlock == nil {
		automatic = "may unlock by itself (autoUnlock is not known)"
	}
	switch {
	case e.AutoUnlock != nil && !*e.AutoUnlock:
		v.result, v.fact = contract.GuardAllow, who+" does not unlock by such a key."
	case way >= 0:
		v.result, v.fact = contract.GuardAllow, fmt.Sprintf("%s can be opened otherwise (%s).", who, e.Protectors[way].Type)
	case e.Protectors == nil:
		v.result, v.fact = contract.GuardUnknown, fmt.Sprintf("%s %s, and whether it can be opened otherwise is not known: what protectors it has is not known.", who, automatic)
	case unclear || e.AutoUnlock == nil:
		v.result, v.fact = contract.GuardUnknown, fmt.Sprintf("%s %s, and no other way to open it is known: it has %s.", who, automatic, protectorsOf(volume))
	default:
		v.result, v.fact = contract.GuardRefuse, fmt.Sprintf("%s %s, and that key is the only way to open it: it has %s.", who, automatic, protectorsOf(volume))
	}
	return v
}

func protectorsOf(volume contract.Volume) string {
	if len(volume.Encryption.Protectors) == 0 {
		return "no protector"
	}
	var types []string
	for _, protector := range volume.Encryption.Protectors {
		if kind := worded(&protector.Type); !slices.Contains(types, kind) {
			types = append(types, kind)
		}
	}
	return "nothing but " + listed(types)
}
