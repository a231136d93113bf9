// Package recording keeps the facts of a machine in a file and replays them: a recording is a
// status document whose identifying texts are replaced, so that it can be attached to a bug
// report, and a Machine that answers from such a file.
package recording

import (
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/pattern"
)

// Redact returns a deep copy of a status in which the texts that identify a person, a computer or
// a disk are replaced by stand-ins: computer name, serial numbers, labels, descriptions, GUIDs,
// folders beyond a drive letter or a system folder, image paths, names of mapped devices and of
// own power plans, and all of these wherever they occur in problems and other prose. Names of
// devices such as PhysicalDrive0, C: and /dev/nvme0n1p3, models, firmware and all numbers stay. Of
// texts that a policy or a provider gave, numbers and object identifiers stay.
//
// The same original has the same stand-in throughout the document. Stand-ins are numbered in the
// order of appearance, so the same machine recorded twice gets the same ones, and redacting
// twice changes nothing. Findings are dropped: they follow from the facts when these are replayed.
func Redact(status contract.Status) contract.Status {
	redacted := deepCopy(status)
	redacted.Findings = nil
	redacted.Summary = nil
	book := newStandIns()
	redactMachine(book, &redacted.Machine)
	for i := range redacted.Disks {
		redactDisk(book, &redacted.Disks[i])
	}
	for i := range redacted.Volumes {
		redactVolume(book, &redacted.Volumes[i])
	}
	redactProse(book, &redacted)
	return redacted
}

func redactMachine(book *standIns, m *contract.Machine) {
	replace(m.ComputerName, book.computer)
	replace(m.Power.Plan, book.plan)
}

func redactDisk(book *standIns, d *contract.Disk) {
	d.ID = book.device(d.ID, diskKind(*d))
	replace(d.Serial, book.serial)
	replace(d.WriteCache.SpeedUpJournal, book.journal)
}

// diskKind is what a disk is called whose id is neither a device's name nor a file's.
func diskKind(d contract.Disk) string {
	if d.Container != nil {
		return "image"
	}
	return "disk"
}

func redactVolume(book *standIns, v *contract.Volume) {
	v.ID = book.device(v.ID, "volume")
	for i := range v.MountPoints {
		v.MountPoints[i] = book.folder(v.MountPoints[i])
	}
	replace(v.Label, book.label)
	for i := range v.Extents {
		v.Extents[i].DiskID = book.device(v.Extents[i].DiskID, "disk")
	}
	for i := range v.Layers {
		v.Layers[i].Device = book.device(v.Layers[i].Device, "device")
		replace(v.Layers[i].Below, func(below string) string { return book.device(below, "device") })
	}
	replace(v.Encryption.VolumeGUID, book.identifier)
	for i := range v.Encryption.Protectors {
		v.Encryption.Protectors[i].ID = book.identifier(v.Encryption.Protectors[i].ID)
	}
	replace(v.Encryption.Description, book.description)
	replace(v.Encryption.DriveMethod, driveMethod)
}

// driveMethod keeps an object identifier, and words as drives use them. What a drive says can be
// anything else.
func driveMethod(text string) string {
	const most = 100
	if len(text) > most || strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
		return textStandIn
	}
	return text
}

// redactProse comes last: it looks for everything that was replaced before.
func redactProse(book *standIns, status *contract.Status) {
	learnTargets(book, status.Problems)
	replace(status.BitLocker.Reason, book.prose)
	for i := range status.Policy.Origins {
		status.Policy.Origins[i] = book.prose(status.Policy.Origins[i])
	}
	for i := range status.Policy.Settings {
		redactSetting(&status.Policy.Settings[i])
	}
	redactProblems(book, status.Problems)
	for _, volume := range status.Volumes {
		redactProblems(book, volume.Problems)
	}
}

// redactSetting keeps numbers and object identifiers, which are what most policies consist of. Words
// can be anything that an administrator typed, such as the organization's own identifier.
func redactSetting(setting *contract.PolicySetting) {
	setting.Data = foreign(setting.Data)
}

// namespaces of WMI are the same on every computer.
var namespaces = pattern.New(`(?i)^root\\(?:CIMV2|Microsoft|StandardCimv2|WMI)(?:\\(?:Security|MicrosoftVolumeEncryption|Windows|Storage))*$`)

// learnTargets takes up what only a problem names: a file that is no image, a volume that is not
// there. Such a name can be anything, so all of it is replaced, wherever it occurs.
func learnTargets(book *standIns, problems []contract.Problem) {
	for _, problem := range problems {
		target := problem.Target
		known := book.exact[target] != "" || target == "" || linuxSystem.Regexp().MatchString(target) || namespaces.Regexp().MatchString(target) ||
			ownJournal.Regexp().MatchString(target)
		if !known && (problem.Stage == machine.StageDisks || problem.Stage == machine.StageVolumes) {
			book.device(target, "image")
		}
	}
}

func redactProblems(book *standIns, problems []contract.Problem) {
	for i := range problems {
		problems[i].Target = book.target(problems[i].Target)
		problems[i].Text = book.prose(withoutQuotes(problems[i].Code, problems[i].Text))
	}
}

// replace changes a text that is known.
func replace(text *string, with func(string) string) {
	if text != nil {
		*text = with(*text)
	}
}
