package report

import (
	"fmt"
	"strings"

	"diskaudit/core/contract"
)

// summary says in one sentence what the volumes are.
func summary(status contract.Status) string {
	missing := ""
	if !status.Complete {
		missing = "; some facts could not be read"
	}
	if len(status.Volumes) == 0 {
		return "No volumes" + missing + "."
	}
	var order []string
	counts := map[string]int{}
	for _, volume := range status.Volumes {
		class := classify(status, volume.Encryption)
		if counts[class] == 0 {
			order = append(order, class)
		}
		counts[class]++
	}
	for i, class := range order {
		order[i] = fmt.Sprintf("%d %s", counts[class], class)
	}
	return plural(uint64(len(status.Volumes)), "volume") + ": " + strings.Join(order, ", ") + missing + "."
}

// states are the words for the conversion states; those of an encrypted volume begin with its engine.
var states = map[contract.Conversion]string{
	contract.FullyDecrypted:       "not encrypted",
	contract.EncryptionInProgress: "being encrypted",
	contract.DecryptionInProgress: "being decrypted",
	contract.EncryptionPaused:     "paused while being encrypted",
	contract.DecryptionPaused:     "paused while being decrypted",
}

var engines = map[contract.Engine]string{
	contract.EngineSoftware: "software-encrypted",
	contract.EngineDrive:    "encrypted by the drive",
	contract.EngineSoC:      "hardware-accelerated",
}

// classify puts what a volume is into a few words. Nothing that is unknown counts as safe or as
// decrypted.
func classify(status contract.Status, e contract.Encryption) string {
	switch {
	case e.Conversion == nil && isLocked(e):
		return "locked"
	case e.Conversion == nil && isFormat(e, "luks"):
		return "encrypted by LUKS"
	case withoutBitLocker(status, e):
		return "without BitLocker"
	case e.Conversion == nil:
		return unknown
	}
	if *e.Conversion != contract.FullyEncrypted {
		if state, ok := states[*e.Conversion]; ok {
			return state
		}
		return unknown
	}
	words := "encrypted by an " + unknown + " engine"
	if e.Engine != nil {
		if known, ok := engines[*e.Engine]; ok {
			words = known
		}
	}
	switch {
	case e.Protection != nil && *e.Protection == contract.ProtectionOn:
		return words + " and protected"
	case e.Protection != nil && *e.Protection == contract.ProtectionOff:
		return words + " but not protected"
	}
	return words + " with protection " + unknown
}
