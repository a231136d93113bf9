package remediate

import (
	"fmt"
	"slices"
	"strings"

	"diskaudit/core/contract"
)

const (
	exposing   = " From now on the data can be read without a key, and when it has ended Windows has removed all key protectors: old recovery passwords open nothing any more."
	notUndone  = "A decryption cannot be taken back; Enable-BitLocker, or manage-bde -on, encrypts anew."
	nothingYet = "It changes nothing."
)

// decrypt plans the decryption of the candidates. The order is that of
// learn.microsoft.com/windows/win32/secprov/decrypt-win32-encryptablevolume: an operating system
// volume that holds keys for automatic unlocking refuses to be decrypted, and data volumes that
// unlock by those keys would stay locked without them.
func (p *planning) decrypt() {
	volumes := p.free()
	if len(volumes) == 0 {
		return
	}
	p.prevent()
	p.flushing(volumes, On, Off)
	first, later, systems := arrange(volumes)
	for _, volume := range first {
		p.start(volume)
		p.wait(volume)
	}
	for _, system := range systems {
		if p.request.ClearAutoUnlock && mayHoldKeys(system) {
			p.clearKeys(system)
		}
	}
	later = append(later, systems...)
	for _, volume := range later {
		p.start(volume)
	}
	for _, volume := range later {
		p.wait(volume)
	}
	p.flushing(volumes, Off, On)
	p.add(contract.PlanStep{
		Target: machineTarget, Change: contract.ChangeVerify, Before: contract.FullyDecrypted.String(), After: contract.FullyDecrypted.String(),
		Text: "Read the state of these volumes afresh and compare it with the plan.", Undo: nothingYet,
	})
}

// arrange puts the volumes in order: first the data volumes that unlock by themselves, or may, then
// the others, at last those of operating systems.
func arrange(volumes []contract.Volume) (first, later, systems []contract.Volume) {
	for _, volume := range volumes {
		auto := volume.Encryption.AutoUnlock
		switch {
		case isSystem(volume):
			systems = append(systems, volume)
		case auto == nil || *auto:
			first = append(first, volume)
		default:
			later = append(later, volume)
		}
	}
	return first, later, systems
}

func isSystem(volume contract.Volume) bool {
	return volume.Type != nil && *volume.Type == contract.OperatingSystem
}

// mayHoldKeys tells whether an operating system volume may refuse because of keys for automatic
// unlocking. One that is being decrypted has accepted already.
func mayHoldKeys(volume contract.Volume) bool {
	stored := volume.Encryption.AutoUnlockKeysStored
	return (stored == nil || *stored) && *volume.Encryption.Conversion != contract.DecryptionInProgress
}

func (p *planning) prevent() {
	policy := p.request.Status.Policy
	if policy.PreventDeviceEncryption != nil && *policy.PreventDeviceEncryption {
		return
	}
	p.add(contract.PlanStep{
		Target: PreventionTarget, Change: contract.ChangePrevent, Before: prevention(policy), After: "1",
		Text:     "Keep Windows from encrypting by itself (PreventDeviceEncryption = 1). This decrypts nothing.",
		Undoable: true, Undo: "diskaudit remediate --action undo --apply puts back what was there.",
	})
}

// prevention is the value of PreventDeviceEncryption in the words of Computer.
func prevention(policy contract.Policy) string {
	for _, setting := range policy.Settings {
		if strings.EqualFold(setting.Key+`\`+setting.Name, PreventionTarget) {
			return setting.Data
		}
	}
	if policy.PreventDeviceEncryption != nil && *policy.PreventDeviceEncryption {
		return "1"
	}
	return Absent
}

// flushing plans the switching of the flushing of hard disks below the volumes.
func (p *planning) flushing(volumes []contract.Volume, before, after string) {
	if !p.request.SpeedUp {
		return
	}
	for _, disk := range p.request.Status.Disks {
		below := slices.ContainsFunc(volumes, func(volume contract.Volume) bool {
			return slices.ContainsFunc(volume.Extents, func(extent contract.Extent) bool { return extent.DiskID == disk.ID })
		})
		// A disk whose flushing its owner has turned off is left so.
		if off := disk.WriteCache.PowerProtected; !below || off != nil && *off {
			continue
		}
		text := fmt.Sprintf("Turn the flushing of the write cache of %s off while it converts. A loss of power in that time can cost data.", disk.ID)
		if after == On {
			text = fmt.Sprintf("Turn the flushing of the write cache of %s on again. This is done on every way out.", disk.ID)
		}
		p.add(contract.PlanStep{
			Target: disk.ID, Change: contract.ChangeFlushing, Before: before, After: after, Text: text,
			Undoable: true, Undo: "This run turns it on again at its end; after a loss of power or a kill, the next run with --apply does.",
		})
	}
}

func (p *planning) start(volume contract.Volume) {
	conversion := *volume.Encryption.Conversion
	if conversion == contract.DecryptionInProgress {
		return
	}
	text := "Decrypt %s. Its data is rewritten in the background: do not reinstall, reset or repartition until that has ended."
	switch conversion {
	case contract.DecryptionPaused:
		text = "Go on decrypting %s, which is paused. Its data is rewritten in the background: do not reinstall, reset or repartition until that has ended."
	case contract.EncryptionInProgress, contract.EncryptionPaused:
		text = "Turn the encryption of %s round into a decryption. Its data is rewritten in the background: do not reinstall, reset or repartition until that has ended."
	}
	p.add(contract.PlanStep{
		Target: volume.ID, Change: contract.ChangeDecrypt, Before: conversion.String(), After: contract.DecryptionInProgress.String(),
		Text: fmt.Sprintf(text, named(volume)) + exposing, Undo: notUndone,
	})
}

func (p *planning) wait(volume contract.Volume) {
	step := contract.PlanStep{
		Target: volume.ID, Change: contract.ChangeWait, Before: contract.DecryptionInProgress.String(), After: contract.FullyDecrypted.String(),
		Text: fmt.Sprintf("Wait until %s is decrypted. Ctrl-C ends the waiting, not the decryption.", named(volume)), Undo: nothingYet,
	}
	step.EstimatedSeconds, step.Estimate = p.estimate(volume)
	p.add(step)
}

func (p *planning) clearKeys(volume contract.Volume) {
	p.add(contract.PlanStep{
		Target: volume.ID, Change: contract.ChangeClearAutoUnlock, Before: Stored, After: NotStored,
		Text: fmt.Sprintf("Remove the keys from %s by which data volumes unlock by themselves: Windows decrypts it only without them. Drives that are not connected now lose theirs too.", named(volume)),
		Undo: "The keys cannot be put back; Enable-BitLockerAutoUnlock makes new ones for a volume that is still encrypted.",
	})
}

// turns are the states of a conversion that a step leads from and to.
var (
	pausing = map[contract.Conversion]contract.Conversion{
		contract.EncryptionInProgress: contract.EncryptionPaused, contract.DecryptionInProgress: contract.DecryptionPaused,
	}
	resuming = map[contract.Conversion]contract.Conversion{
		contract.EncryptionPaused: contract.EncryptionInProgress, contract.DecryptionPaused: contract.DecryptionInProgress,
	}
)

// turn plans to pause or to resume what the candidates do.
func (p *planning) turn(change contract.Change, turns map[contract.Conversion]contract.Conversion) {
	for _, volume := range p.free() {
		before := *volume.Encryption.Conversion
		after, turns := turns[before]
		if !turns {
			continue
		}
		// "Hardware encryption cannot be paused": learn.microsoft.com/windows/win32/secprov/pauseconversion-win32-encryptablevolume.
		if engine := volume.Encryption.Engine; engine != nil && *engine == contract.EngineDrive {
			p.problems = append(p.problems, contract.Problem{
				Code: "drive-not-paused", Level: contract.LevelWarning, Stage: stage, Target: volume.ID,
				Text: fmt.Sprintf("%s is encrypted by the drive itself, which neither pauses nor resumes: it is left alone.", named(volume)),
			})
			continue
		}
		p.add(turning(volume, change, before, after))
	}
}

func turning(volume contract.Volume, change contract.Change, before, after contract.Conversion) contract.PlanStep {
	text := "Pause the conversion of %s. It stays where it is, part encrypted and part not, until it is resumed."
	if change == contract.ChangeResume {
		text = "Resume the conversion of %s, which is paused."
	}
	return contract.PlanStep{
		Target: volume.ID, Change: change, Before: before.String(), After: after.String(), Text: fmt.Sprintf(text, named(volume)),
		Undoable: true, Undo: "diskaudit remediate --action undo --apply turns it back, while the conversion lasts.",
	}
}

// named is a volume by the letter or folder under which people know it.
func named(volume contract.Volume) string {
	if len(volume.MountPoints) > 0 {
		return volume.MountPoints[0]
	}
	return volume.ID
}
