package audit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
)

// standing is where one volume stands; its order is that of contract.ComputerStates.
type standing int

const (
	standingUnknown standing = iota
	standingDecrypting
	standingEncrypting
	standingPaused
	standingSoftware
	standingHardware
	standingNotEncrypted
)

// Summarize puts a status document, its findings included, into one state and a few counts. What is
// not known makes the state unknown, whatever is known beside it: nothing is to be done to a computer
// of which a part is not known.
func Summarize(status contract.Status) *contract.Summary {
	summary := &contract.Summary{Complete: status.Complete, ToolVersion: status.Tool.Version}
	judged, states, counts := []contract.Volume{}, contract.ComputerStates(), summaryCounts{}
	least, removable := standingNotEncrypted, map[string]bool{}
	for _, volume := range status.Volumes {
		if isType(volume, contract.Removable) {
			removable[volume.ID] = true
			continue
		}
		if bitlocker.Outside(volume) {
			continue
		}
		judged = append(judged, volume)
		stands := standingOf(status, volume)
		least = min(least, stands)
		counts.add(volume, stands)
		if isType(volume, contract.OperatingSystem) && summary.OSVolume == nil {
			describeOSVolume(summary, volume)
		}
	}
	gaps := len(status.Gaps()) > 0
	if gaps || len(judged) == 0 || !yes(status.BitLocker.Available) || newFacts(status).windows() && summary.OSVolume == nil {
		least = standingUnknown
	}
	summary.State = states[least]
	if !gaps {
		counts.write(summary)
	}
	for i, finding := range status.Findings {
		if removable[finding.Target] {
			continue
		}
		switch finding.Severity {
		case contract.SeverityCritical:
			summary.Critical++
		case contract.SeverityWarning:
			summary.Warnings++
		}
		if summary.WorstFinding == nil {
			summary.WorstFinding = &status.Findings[i].ID
		}
	}
	summary.Detail = detail(judged)
	return summary
}

// besideCodes are of level error and cost a fact that decides nothing about where a volume stands.
var besideCodes = []string{"protection-reason-unknown", "suspend-count-unknown", "type-unknown", "type-unrecognized", "extents-unknown"}

// standingOf judges one volume. Whatever it is called is so only when that is known and no other answer
// contradicts it.
func standingOf(status contract.Status, v contract.Volume) standing {
	e := v.Encryption
	doubt := false
	for _, problem := range v.Problems {
		if bitlocker.Unsettles(problem.Code) || bitlocker.Damaged(problem.Code) {
			return standingUnknown
		}
		doubt = doubt || problem.Level.OrError() == contract.LevelError && !slices.Contains(besideCodes, problem.Code)
	}
	switch {
	case e.Lock != nil && *e.Lock != contract.Unlocked:
		return standingUnknown
	case is(e.Conversion, contract.DecryptionInProgress):
		return standingDecrypting
	case is(e.Conversion, contract.EncryptionInProgress):
		return standingEncrypting
	case is(e.Conversion, contract.EncryptionPaused, contract.DecryptionPaused):
		return standingPaused
	case allEncrypted(e) && byCipher(e):
		return standingSoftware
	case doubt:
		return standingUnknown
	case allEncrypted(e) && byHardware(e):
		return standingHardware
	case nothingEncrypted(status, e):
		return standingNotEncrypted
	}
	return standingUnknown
}

// allEncrypted reports whether a volume is known to be fully encrypted, and no other answer says that it
// is not.
func allEncrypted(e contract.Encryption) bool {
	switch {
	case e.Percent != nil && *e.Percent < 100:
		return false
	case e.Format != nil && !strings.HasPrefix(*e.Format, "bitlocker"):
		return false
	case is(e.Method, contract.MethodNone), is(e.ProtectionReason, contract.ReasonDecrypted, contract.ReasonConverting):
		return false
	}
	return is(e.Conversion, contract.FullyEncrypted)
}

// byCipher reports whether a volume is known to be encrypted by software, and no other answer says that
// something else does it.
func byCipher(e contract.Encryption) bool {
	switch {
	case is(e.HardwareEncryption, contract.HardwareUsesHardware):
		return false
	case e.Method != nil && (!e.Method.Recognized() || is(e.Method, contract.MethodHardware, contract.MethodUnknown)):
		return false
	}
	return is(e.Engine, contract.EngineSoftware)
}

// byHardware reports whether a volume is known to be encrypted by the drive or by the processor's
// engine, and no other answer says that software does it.
func byHardware(e contract.Encryption) bool {
	switch {
	case is(e.HardwareEncryption, contract.HardwareUsesSoftware):
		return false
	case is(e.Engine, contract.EngineDrive):
		return e.Method == nil || *e.Method == contract.MethodHardware
	}
	return is(e.Engine, contract.EngineSoC)
}

// nothingEncrypted reports whether a volume is known not to be encrypted. Microsoft's pages allow a
// fully decrypted volume neither a share that is encrypted nor protection. Where the volumes themselves
// are the source, nothing tells of a lock, and one that shows a file system is not locked.
func nothingEncrypted(status contract.Status, e contract.Encryption) bool {
	onDisk := is(status.BitLocker.Provider, "on-disk")
	switch {
	case e.Percent != nil && *e.Percent > 0:
		return false
	case e.Protection != nil && *e.Protection != contract.ProtectionOff:
		return false
	case e.ProtectionReason != nil && *e.ProtectionReason != contract.ReasonDecrypted || yes(e.ClearKey):
		return false
	case !plainEngine(e) || !plainMethod(e):
		return false
	case e.Format != nil && strings.HasPrefix(*e.Format, "bitlocker"):
		return false
	}
	return is(e.Conversion, contract.FullyDecrypted) && (onDisk || e.Lock != nil)
}

// plainEngine reports whether what encrypts fits a volume that is not encrypted: nothing, or a drive
// that always encrypts and never locks.
func plainEngine(e contract.Encryption) bool {
	return e.Engine == nil || *e.Engine == contract.EngineNone || is(e.Engine, contract.EngineDrive) && is(e.Method, contract.MethodHardware)
}

// plainMethod reports whether the cipher fits a volume that is not encrypted: none, the drive's own, or
// the one that a pending test of the hardware will begin to encrypt with.
func plainMethod(e contract.Encryption) bool {
	return e.Method == nil || is(e.Method, contract.MethodNone, contract.MethodHardware) || is(e.HardwareTest, contract.HardwareTestPending)
}

// summaryCounts counts volumes.
type summaryCounts struct {
	volumes, software, hardware, plain, unprotected, unknown, converting uint64
	// unsureEngine and unsureProtection: of a volume with encrypted data it is not known what encrypts
	// it, or whether it is protected.
	unsureEngine, unsureProtection bool
}

func (c *summaryCounts) add(v contract.Volume, stands standing) {
	c.volumes++
	switch stands {
	case standingUnknown:
		c.unknown++
		return
	case standingNotEncrypted:
		c.plain++
		return
	case standingDecrypting, standingEncrypting, standingPaused:
		c.converting++
	}
	switch {
	case is(v.Encryption.Engine, contract.EngineSoftware):
		c.software++
	case is(v.Encryption.Engine, contract.EngineDrive, contract.EngineSoC):
		c.hardware++
	default:
		c.unsureEngine = true
	}
	switch {
	case unprotected(v):
		c.unprotected++
	case !is(v.Encryption.Protection, contract.ProtectionOn):
		c.unsureProtection = true
	}
}

func (c *summaryCounts) write(summary *contract.Summary) {
	summary.Volumes, summary.SoftwareEncrypted, summary.HardwareEncrypted = &c.volumes, &c.software, &c.hardware
	summary.NotEncrypted, summary.Unprotected, summary.UnknownVolumes, summary.Converting = &c.plain, &c.unprotected, &c.unknown, &c.converting
	if c.unsureEngine {
		summary.SoftwareEncrypted, summary.HardwareEncrypted = nil, nil
	}
	if c.unsureProtection {
		summary.Unprotected = nil
	}
}

func describeOSVolume(summary *contract.Summary, v contract.Volume) {
	place, e := name(v), v.Encryption
	summary.OSVolume = &place
	summary.OSConversion, summary.OSMethod, summary.OSProtection = nameOf(e.Conversion), nameOf(e.Method), nameOf(e.Protection)
	if e.Engine != nil {
		engine := string(*e.Engine)
		summary.OSEngine = &engine
	}
	if e.ProtectionReason != nil {
		reason := string(*e.ProtectionReason)
		summary.OSProtectionReason = &reason
	}
}

// nameOf is the name of a coded value; nil for an unknown one.
func nameOf[T fmt.Stringer](value *T) *string {
	if value == nil {
		return nil
	}
	name := (*value).String()
	return &name
}

// maxDetail keeps the detail, with everything else of a summary, below what management tools cut off:
// ConfigMgr 4 KB (learn.microsoft.com/intune/configmgr/apps/deploy-use/create-deploy-scripts).
const maxDetail = 2000

// detail writes each volume as one token of ASCII letters.
func detail(volumes []contract.Volume) string {
	var text strings.Builder
	for i, v := range volumes {
		e := v.Encryption
		engine := "Unknown"
		if e.Engine != nil {
			engine = string(*e.Engine)
		}
		token := fmt.Sprintf("%s=%s/%s/%s/%s", handle(v, i), engine, orUnknown(nameOf(e.Method)), orUnknown(nameOf(e.Conversion)), orUnknown(nameOf(e.Protection)))
		rest := fmt.Sprintf(" +%d more", len(volumes)-i)
		if text.Len()+len(token)+1+len(rest) > maxDetail {
			text.WriteString(rest)
			break
		}
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(token)
	}
	return text.String()
}

func orUnknown(text *string) string {
	if text == nil {
		return "Unknown"
	}
	return *text
}

// shortNames are what a volume is called in the detail: a letter, the GUID of its path, a device of
// Linux. Folders and image files can have names that are nobody else's business.
var shortNames = regexp.MustCompile(`^(?:[A-Za-z]:|Volume\{[0-9A-Fa-f-]{36}\}|/dev/[0-9A-Za-z/_.-]{1,60})$`)

func handle(v contract.Volume, place int) string {
	for _, mountPoint := range v.MountPoints {
		if letter, ok := driveLetter(mountPoint); ok {
			return letter
		}
	}
	short := strings.TrimSuffix(strings.TrimPrefix(v.ID, `\\?\`), `\`)
	if shortNames.MatchString(short) {
		return short
	}
	return fmt.Sprintf("volume%d", place+1)
}
