package remediate

import (
	"fmt"
	"slices"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
)

// judgeStoredKeys: an operating system volume that holds keys by which data volumes unlock refuses to be
// decrypted (learn.microsoft.com/windows/win32/secprov/decrypt-win32-encryptablevolume).
func (p *planning) judgeStoredKeys() []verdict {
	return each(p.decrypted(), func(volume contract.Volume) verdict {
		if !maySystem(volume) {
			return verdict{}
		}
		v := verdict{
			risk:    p.afterClearing(volume),
			way:     "Have such a password at hand for each of them, or decrypt them first.",
			settled: p.clears(volume),
		}
		switch stored, unlocking := volume.Encryption.AutoUnlockKeysStored, p.unlocking(volume); {
		case stored == nil:
			v.result, v.fact = contract.GuardUnknown, fmt.Sprintf("Whether %s holds keys by which data volumes unlock by themselves is not known.", named(volume))
		case *stored:
			v.result, v.fact = contract.GuardRefuse, fmt.Sprintf("%s holds keys by which data volumes unlock by themselves (autoUnlockKeysStored): Windows does not decrypt it with them.", named(volume))
		case len(unlocking) > 0:
			v.result, v.firm = contract.GuardUnknown, !v.settled
			v.fact = fmt.Sprintf("Whether %s holds keys by which data volumes unlock by themselves is not known: it is said to hold none (autoUnlockKeysStored false), and yet to unlock %s (autoUnlock true).", named(volume), listed(unlocking))
			v.way = "Decrypt first what unlocks by itself; or give it a recovery password (Add-BitLockerKeyProtector -RecoveryPasswordProtector), keep that elsewhere, and then turn the automatic unlocking off (Disable-BitLockerAutoUnlock)."
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
		if auto := automatic(volume); auto == nil || *auto {
			names = append(names, named(volume))
		}
	}
	here := "."
	if len(names) > 0 {
		here = ": " + listed(names) + "."
	}
	return "Without these keys the next start leaves every volume locked that unlocks by them, also one on a drive that is not connected now" +
		here + " Each can then be opened by another protector only, such as its recovery password; without one its data is lost."
}

// unlocking names the data volumes that are said to unlock by themselves, which needs a key on the
// running operating system's volume
// (learn.microsoft.com/windows/win32/secprov/isautounlockenabled-win32-encryptablevolume), unless
// another volume than this one is said to hold keys.
func (p *planning) unlocking(system contract.Volume) []string {
	var names []string
	for _, volume := range p.request.Status.Volumes {
		if volume.ID == system.ID {
			continue
		}
		if stored := volume.Encryption.AutoUnlockKeysStored; stored != nil && *stored {
			return nil
		}
		if auto := automatic(volume); auto != nil && *auto {
			names = append(names, named(volume))
		}
	}
	return names
}

// automatic tells whether a volume unlocks by itself; nil when that is not known. The volume that the
// running Windows started from does not: nothing could hold its key.
func automatic(volume contract.Volume) *bool {
	auto := volume.Encryption.AutoUnlock
	if auto == nil && isSystem(volume) && hasProblem(volume, "auto-unlock-not-applicable", bitlocker.FVE_E_NOT_DATA_VOLUME) {
		return contract.Ptr(false)
	}
	return auto
}

// clears tells whether the plan removes the keys from a volume.
func (p *planning) clears(system contract.Volume) bool {
	return slices.ContainsFunc(p.steps, func(step contract.PlanStep) bool {
		return step.Change == contract.ChangeClearAutoUnlock && step.Target == system.ID
	})
}

// endsKeys tells of a step on the operating system's volume whether its keys end with that, or by the
// time of it: a decryption leaves none.
func endsKeys(step contract.PlanStep) bool {
	return step.Change == contract.ChangeClearAutoUnlock || step.Change == contract.ChangeDecrypt || step.Change == contract.ChangeWait
}

// remaining are the other volumes that are encrypted, or may be, when the keys on the operating
// system's volume end: all but those whose decryption the plan waits for before that, and those of
// which it is known without a doubt that there is nothing to decrypt.
func (p *planning) remaining(system contract.Volume) []contract.Volume {
	before := p.steps
	if at := slices.IndexFunc(p.steps, func(step contract.PlanStep) bool { return step.Target == system.ID && endsKeys(step) }); at >= 0 {
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
		_, concerned := bar(volume, contract.ActionDecrypt)
		if concerned && volume.ID != system.ID && !awaited[volume.ID] {
			remaining = append(remaining, volume)
		}
	}
	return remaining
}

// opening are the protectors by which somebody can open a volume without another volume's key.
var opening = []contract.ProtectorType{contract.RecoveryPassword, contract.Password, contract.PublicKey, contract.AdAccountOrGroup}

// judgeOnlyKeys looks for volumes that nobody could open any more once the keys on the operating system's
// volume are gone: removed, or with its decryption, whatever it is said to hold. An external key may be
// the one that goes, so it does not count as a way in.
func (p *planning) judgeOnlyKeys() []verdict {
	var verdicts []verdict
	for _, system := range p.changedBy(endsKeys) {
		if !maySystem(system) {
			continue
		}
		ends := fmt.Sprintf("Any key for that ends with the decryption of %s", named(system))
		if p.clears(system) {
			ends = fmt.Sprintf("Any key for that is removed from %s", named(system))
		}
		// One that holds no keys, which nothing contradicts, has none for a volume that is not known either.
		stored := system.Encryption.AutoUnlockKeysStored
		none := stored != nil && !*stored && len(p.unlocking(system)) == 0
		verdicts = append(verdicts, each(p.remaining(system), func(volume contract.Volume) verdict {
			if none && automatic(volume) == nil {
				return verdict{result: contract.GuardAllow, fact: fmt.Sprintf("%s holds no key by which %s could unlock.", named(system), named(volume))}
			}
			return onlyKey(volume, ends)
		})...)
	}
	return verdicts
}

// onlyKey judges one volume; ends says what becomes of its key.
func onlyKey(volume contract.Volume, ends string) verdict {
	e, auto, who := volume.Encryption, automatic(volume), named(volume)
	v := verdict{
		risk: ends + ", which could make its data unreadable: lost for good.",
		way:  "Before that, give it a recovery password (Add-BitLockerKeyProtector -RecoveryPasswordProtector) and keep that elsewhere, or decrypt it.",
	}
	way := slices.IndexFunc(e.Protectors, func(protector contract.Protector) bool { return slices.Contains(opening, protector.Type) })
	unclear := slices.ContainsFunc(e.Protectors, func(protector contract.Protector) bool {
		return protector.Type == contract.ProtectorUnknown || !protector.Type.Recognized()
	})
	unlocks := "unlocks by itself"
	if auto == nil {
		unlocks = "may unlock by itself (autoUnlock is not known)"
	}
	switch {
	case auto != nil && !*auto:
		v.result, v.fact = contract.GuardAllow, who+" does not unlock by such a key."
	case way >= 0:
		v.result, v.fact = contract.GuardAllow, fmt.Sprintf("%s can be opened otherwise (%s).", who, e.Protectors[way].Type)
	case e.Protectors == nil:
		v.result, v.fact = contract.GuardUnknown, fmt.Sprintf("%s %s, and whether it can be opened otherwise is not known: what protectors it has is not known.", who, unlocks)
	case unclear || auto == nil:
		v.result, v.fact = contract.GuardUnknown, fmt.Sprintf("%s %s, and whether it can be opened otherwise is not known: it has %s.", who, unlocks, protectorsOf(volume))
	default:
		v.result, v.fact = contract.GuardRefuse, fmt.Sprintf("%s %s, and nothing is known by which somebody could open it otherwise: it has %s.", who, unlocks, protectorsOf(volume))
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
