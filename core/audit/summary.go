package audit

import (
	"fmt"
	"regexp"
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
	least := standingNotEncrypted
	for _, volume := range status.Volumes {
		if isType(volume, contract.Removable) || bitlocker.Outside(volume) {
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
	if gaps || len(judged) == 0 && !status.Complete {
		least = standingUnknown
	}
	summary.State = states[least]
	if !gaps {
		counts.write(summary)
	}
	for _, finding := range status.Findings {
		switch finding.Severity {
		case contract.SeverityCritical:
			summary.Critical++
		case contract.SeverityWarning:
			summary.Warnings++
		}
	}
	if len(status.Findings) > 0 {
		summary.WorstFinding = &status.Findings[0].ID
	}
	summary.Detail = detail(judged)
	return summary
}

// standingOf judges one volume. A volume is not encrypted only when that is known and nothing
// contradicts it.
func standingOf(status contract.Status, v contract.Volume) standing {
	e := v.Encryption
	for _, problem := range v.Problems {
		if bitlocker.Unsettles(problem.Code) || bitlocker.Damaged(problem.Code) {
			return standingUnknown
		}
	}
	switch {
	case is(e.Lock, contract.Locked):
		return standingUnknown
	case plainOnDisk(status, e):
		return standingNotEncrypted
	case is(e.Conversion, contract.DecryptionInProgress):
		return standingDecrypting
	case is(e.Conversion, contract.EncryptionInProgress):
		return standingEncrypting
	case is(e.Conversion, contract.EncryptionPaused, contract.DecryptionPaused):
		return standingPaused
	case is(e.Conversion, contract.FullyDecrypted):
		// Microsoft's pages allow neither of a volume that is fully decrypted.
		if e.Percent != nil && *e.Percent > 0 || is(e.Protection, contract.ProtectionOn) {
			return standingUnknown
		}
		return standingNotEncrypted
	case is(e.Conversion, contract.FullyEncrypted) && is(e.Engine, contract.EngineSoftware):
		return standingSoftware
	case is(e.Conversion, contract.FullyEncrypted) && is(e.Engine, contract.EngineDrive, contract.EngineSoC):
		return standingHardware
	}
	return standingUnknown
}

// plainOnDisk reports whether the volume itself was read and holds no encryption. Only where the
// metadata on the volumes is the source does this answer what BitLocker does with them.
func plainOnDisk(status contract.Status, e contract.Encryption) bool {
	return e.Conversion == nil && is(e.Format, "none") && is(status.BitLocker.Provider, "on-disk")
}

// summaryCounts counts volumes.
type summaryCounts struct {
	volumes, software, hardware, plain, unprotected, unknown, converting uint64
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
	}
	if unprotected(v) {
		c.unprotected++
	}
}

func (c *summaryCounts) write(summary *contract.Summary) {
	summary.Volumes, summary.SoftwareEncrypted, summary.HardwareEncrypted = &c.volumes, &c.software, &c.hardware
	summary.NotEncrypted, summary.Unprotected, summary.UnknownVolumes, summary.Converting = &c.plain, &c.unprotected, &c.unknown, &c.converting
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
