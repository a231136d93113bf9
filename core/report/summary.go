package report

import (
	"diskaudit/core/contract"
	"diskaudit/core/language"
)

// summary says in one sentence what the volumes are.
func (t tongue) summary(status contract.Status) string {
	if len(status.Volumes) == 0 {
		if !status.Complete {
			return t.say("No volumes; some facts could not be read.")
		}
		return t.say("No volumes.")
	}
	var order []string
	counts := map[string]int{}
	for _, volume := range status.Volumes {
		class := t.classify(status, volume.Encryption)
		if counts[class] == 0 {
			order = append(order, class)
		}
		counts[class]++
	}
	for i, class := range order {
		order[i] = t.say("%s %s", counts[class], class)
	}
	volumes := t.counted(uint64(len(status.Volumes)), "%s volume", "%s volumes")
	if !status.Complete {
		return t.say("%s: %s; some facts could not be read.", volumes, t.list(order))
	}
	return t.say("%s: %s.", volumes, t.list(order))
}

// states are the words for the conversion states; those of an encrypted volume begin with its engine.
var states = map[contract.Conversion]language.Phrase{
	contract.FullyDecrypted:       say("not encrypted"),
	contract.EncryptionInProgress: say("being encrypted"),
	contract.DecryptionInProgress: say("being decrypted"),
	contract.EncryptionPaused:     say("paused while being encrypted"),
	contract.DecryptionPaused:     say("paused while being decrypted"),
}

var engines = map[contract.Engine]language.Phrase{
	contract.EngineSoftware: say("software-encrypted"),
	contract.EngineDrive:    say("encrypted by the drive"),
	contract.EngineSoC:      say("hardware-accelerated"),
}

// classify puts what a volume is into a few words. Nothing that is unknown counts as safe or as
// decrypted.
func (t tongue) classify(status contract.Status, e contract.Encryption) string {
	switch {
	case e.Conversion == nil && isLocked(e):
		return t.say("locked")
	case e.Conversion == nil && isFormat(e, "luks"):
		return t.say("encrypted by LUKS")
	case withoutBitLocker(status, e):
		return t.say("without BitLocker")
	case e.Conversion == nil:
		return t.unknown()
	}
	if *e.Conversion != contract.FullyEncrypted {
		if state, ok := states[*e.Conversion]; ok {
			return t.write(state)
		}
		return t.unknown()
	}
	words := t.say("encrypted by an unknown engine")
	if e.Engine != nil {
		if known, ok := engines[*e.Engine]; ok {
			words = t.write(known)
		}
	}
	switch {
	case e.Protection != nil && *e.Protection == contract.ProtectionOn:
		return t.say("%s and protected", words)
	case e.Protection != nil && *e.Protection == contract.ProtectionOff:
		return t.say("%s but not protected", words)
	}
	return t.say("%s with protection unknown", words)
}
