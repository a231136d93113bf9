package bitlocker

import (
	"strings"

	"diskaudit/core/contract"
)

// damageCodes are of metadata that is not sound. One that is merely older than the others is not among
// them: a running conversion leaves such a copy for a moment.
var damageCodes = map[string]struct{}{
	"metadata-damaged":           {},
	"metadata-copy-damaged":      {},
	"header-damaged":             {},
	"header-sector-size-unknown": {},
}

// unsettlingCodes say, at whatever level, that a volume's state is not what the document has of it, or
// that it was not found out.
var unsettlingCodes = map[string]struct{}{
	"states-contradict":       {},
	"not-asked":               {},
	"timeout":                 {},
	"interrupted":             {},
	"device-timeout":          {},
	"device-vanished":         {},
	"volume-vanished":         {},
	"not-listed-by-bitlocker": {},
	"conversion-unknown":      {},
	"method-unknown":          {},
	"method-unrecognized":     {},
	"metadata-unknown":        {},
	"internal-error":          {},
	"volume-locked":           {},
}

// Damaged tells whether a problem of this code is one of metadata that is not sound.
func Damaged(code string) bool {
	_, listed := damageCodes[code]
	return listed
}

// Unsettles tells whether a problem of this code leaves in doubt what a volume is to BitLocker.
func Unsettles(code string) bool {
	_, listed := unsettlingCodes[code]
	return listed
}

// natureCodes, at level info, say that a volume is none for BitLocker.
var natureCodes = map[string]string{
	"not-encryptable":  "BitLocker does not have it in its complete list, or says that it does not encrypt it",
	"no-medium":        "there is nothing in the drive",
	"optical-drive":    "BitLocker encrypts no optical disc",
	"no-volume-guid":   "a letter behind which Windows has no volume, such as a RAM disk",
	"other-encryption": "it is encrypted by LUKS or the like",
	"no-file-system":   "a partition that holds none by design",
}

// companionCodes may stand beside, without any doubt arising from them.
var companionCodes = map[string]string{
	"file-system-unrecognized": "it is not formatted for Windows",
	"content-unrecognized":     "at level info it explains a partition without a letter that BitLocker does not list",
	"volume-not-ready":         "BitLocker's word for a drive without a medium",
	"extents-unknown":          "it lies on no disk that Windows tells of",
	"volume-size-unknown":      "its size is not asked for",
	"free-space-unknown":       "its free space is not asked for",
	"volume-read-only":         "nothing is written to it anyway",
}

// Outside tells whether a volume is by its nature none that BitLocker has to do with: nothing speaks of
// encryption by BitLocker, one of its problems says why there is nothing, and none leaves a doubt.
func Outside(volume contract.Volume) bool {
	e := volume.Encryption
	if e.Lock != nil && *e.Lock != contract.Unlocked || e.Format != nil && strings.HasPrefix(*e.Format, "bitlocker") {
		return false
	}
	if e.Conversion != nil && *e.Conversion != contract.FullyDecrypted {
		return false
	}
	if len(e.Protectors) > 0 || e.VolumeGUID != nil || e.Engine != nil && *e.Engine != contract.EngineNone {
		return false
	}
	if e.Percent != nil && *e.Percent > 0 || e.Protection != nil && *e.Protection != contract.ProtectionOff || e.ClearKey != nil && *e.ClearKey {
		return false
	}
	if e.ProtectionReason != nil && *e.ProtectionReason != contract.ReasonDecrypted || e.AutoUnlock != nil && *e.AutoUnlock {
		return false
	}
	if e.Method != nil && *e.Method != contract.MethodNone {
		return false
	}
	explained := false
	for _, problem := range volume.Problems {
		level := problem.Level.OrError()
		_, nature := natureCodes[problem.Code]
		_, companion := companionCodes[problem.Code]
		switch {
		case nature && level == contract.LevelInfo:
			explained = true
		case companion && level != contract.LevelError:
		default:
			return false
		}
	}
	return explained
}
