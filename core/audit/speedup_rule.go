package audit

import (
	"slices"
	"strings"

	"diskaudit/core/contract"
)

// conversionSpeedUp finds disks whose flushing a remediation turned off to convert faster and has not
// turned on again.
func conversionSpeedUp(f facts, d contract.Disk) *conclusion {
	cache := d.WriteCache
	if cache.SpeedUpJournal == nil {
		return nil
	}
	converting, settled := f.conversionsOn(d)
	running := ""
	if len(converting) > 0 {
		running = "converting " + strings.Join(converting, ", ")
	}
	c := &conclusion{
		title: say("A remediation turned the flushing of disk %s off and has not turned it on again", d.ID),
		evidence: evidence(fact("disk", &d.ID), "journal "+*cache.SpeedUpJournal, fact("powerProtected", cache.PowerProtected),
			fact("stored powerProtected", cache.StoredPowerProtected), running, fact("model", d.Model)),
	}
	risk := say("Until flushing is on again, a power cut can lose data that programs hold for written, and damage file systems and databases.")
	need := say("Whether a volume on this disk is still converting is not known.")
	switch {
	case no(cache.PowerProtected) && !yes(cache.StoredPowerProtected):
		c.severity = contract.SeverityNotice
		c.title = say("Disk %s is flushed, but the remediation that turned flushing off has not closed its journal", d.ID)
		risk = say("By what Windows says now, the disk is flushed and nothing is at risk. If another disk's flushing is off without a reason, the numbers of the disks have changed meanwhile: that one is meant.")
		need = phrase{}
	case len(converting) > 0:
		need = say("The conversion needs it only to be faster: it goes on without.")
	case settled:
		c.severity = contract.SeverityCritical
		c.title = say("Flushing of disk %s is still off, although nothing on it is converting", d.ID)
		need = say("No volume on this disk is converting, so nothing needs it any more.")
	}
	c.advice = sentences(
		say("diskaudit remediate kept Windows from flushing this disk's write cache, to convert faster. A run that is still at work turns flushing on again at its end; one that was ended by force could not."),
		risk,
		need,
		say("Unless that run is still at work, run %s as administrator. It turns flushing on again first, and so does every other run of diskaudit remediate with --apply.", "diskaudit remediate --action undo --apply"),
	)
	return c
}

// settledBy are the codes of problems of volumes that BitLocker cannot be converting.
var settledBy = []string{"not-encryptable", "no-medium", "optical-drive", "no-volume-guid"}

// conversionsOn names the volumes on a disk that are being converted, and tells whether it is known of
// all others that may lie there that they are not.
func (f facts) conversionsOn(d contract.Disk) (converting []string, settled bool) {
	settled = len(f.status.Volumes) > 0
	for _, v := range f.status.Volumes {
		elsewhere := len(v.Extents) > 0 && !slices.ContainsFunc(v.Extents, func(e contract.Extent) bool { return e.DiskID == d.ID })
		conversion := v.Encryption.Conversion
		switch {
		case elsewhere:
		case is(conversion, contract.EncryptionInProgress, contract.DecryptionInProgress) && len(v.Extents) > 0:
			converting = append(converting, name(v))
		case is(conversion, contract.FullyDecrypted, contract.FullyEncrypted, contract.EncryptionPaused, contract.DecryptionPaused):
		case is(v.Encryption.Lock, contract.Locked):
			// Without its key nothing converts.
		case slices.ContainsFunc(settledBy, func(code string) bool { return hasProblem(v, code) }):
		default:
			settled = false
		}
	}
	return converting, settled && len(converting) == 0
}
