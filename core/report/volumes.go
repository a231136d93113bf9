package report

import (
	"fmt"
	"math"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/language"
)

func (t tongue) volumeGrid(status contract.Status) grid {
	g := grid{columns: []column{
		{name: t.say("Volume")}, {name: t.say("Label"), spare: true}, {name: t.say("Type")}, {name: t.say("File system"), spare: true},
		{name: t.say("Size"), whole: true}, {name: t.say("Conversion")}, {name: t.say("Method")}, {name: t.say("Engine")},
		{name: t.say("Protection")}, {name: t.say("Protectors")},
	}}
	for _, volume := range status.Volumes {
		e := volume.Encryption
		g.rows = append(g.rows, []span{
			{text: t.volumeName(volume)},
			{text: t.label(volume.Label)},
			{text: t.volumeType(volume.Type)},
			{text: orUnknown(volume.FileSystem, t.unknown(), "")},
			{text: t.size(volume.SizeBytes)},
			ofBitLocker(status, e, e.Conversion == nil && !isFormat(e, "luks"), t.conversion(e)),
			ofBitLocker(status, e, e.Method == nil, span{text: coded(t, e.Method)}),
			ofBitLocker(status, e, e.Engine == nil, span{text: t.engine(e.Engine)}),
			ofBitLocker(status, e, e.Protection == nil && e.ProtectionReason == nil && !isLocked(e), t.protection(volume)),
			ofBitLocker(status, e, e.Protectors == nil, span{text: t.protectors(e.Protectors)}),
		})
	}
	return g
}

// volumeName is where a volume is mounted, or its id.
func (t tongue) volumeName(volume contract.Volume) string {
	var mounted []string
	for _, point := range volume.MountPoints {
		if strings.TrimSpace(point) != "" {
			mounted = append(mounted, point)
		}
	}
	if len(mounted) > 0 {
		return strings.Join(mounted, ", ")
	}
	return orUnknown(&volume.ID, t.unknown(), "")
}

// volumeNames maps the ids of volumes to their names.
func (t tongue) volumeNames(status contract.Status) map[string]string {
	names := map[string]string{}
	for _, volume := range status.Volumes {
		if volume.ID != "" {
			names[volume.ID] = t.volumeName(volume)
		}
	}
	return names
}

// label is quoted, so that one that reads "unknown" is not mistaken for an unknown one.
func (t tongue) label(s *string) string {
	if s == nil {
		return t.unknown()
	}
	return `"` + *s + `"`
}

// ofBitLocker replaces a fact that BitLocker has none of: the volume is another system's, which
// was found by reading the volume itself, not by a question that failed.
func ofBitLocker(status contract.Status, e contract.Encryption, absent bool, s span) span {
	if absent && (isFormat(e, "luks") || withoutBitLocker(status, e)) {
		return span{text: notApplicable}
	}
	return s
}

func isFormat(e contract.Encryption, format string) bool {
	return e.Format != nil && *e.Format == format
}

// withoutBitLocker reports whether the volume itself was read and holds no encryption. Only where
// the metadata on the volumes is the source does this answer what BitLocker does with them.
func withoutBitLocker(status contract.Status, e contract.Encryption) bool {
	source := status.BitLocker.Provider
	return e.Conversion == nil && isFormat(e, "none") && source != nil && *source == "on-disk"
}

func isLocked(e contract.Encryption) bool {
	return e.Lock != nil && *e.Lock == contract.Locked
}

// volumeType is the type's name; the longest is shortened, for the table's sake.
func (t tongue) volumeType(kind *contract.VolumeType) string {
	if kind != nil && *kind == contract.OperatingSystem {
		return t.say("OS")
	}
	return coded(t, kind)
}

// conversion tells how far the data is encrypted. While it changes, the percentage is the part
// that is encrypted, in either direction.
func (t tongue) conversion(e contract.Encryption) span {
	words := coded(t, e.Conversion)
	style := normal
	part, known := t.percent(e.Percent)
	changing := e.Conversion == nil || *e.Conversion != contract.FullyEncrypted && *e.Conversion != contract.FullyDecrypted
	switch {
	case e.Conversion == nil && isFormat(e, "luks"):
		return span{text: notApplicable + " (LUKS)"}
	case known && changing:
		words = t.say("%s, %s encrypted", words, part)
	case known:
		words += " " + part
	case changing && e.Conversion != nil:
		words = t.say("%s, percentage unknown", words)
	}
	if e.Conversion != nil && changing {
		style = caution
	}
	if e.UsedSpaceOnly != nil && *e.UsedSpaceOnly {
		words = t.say("%s, used space only", words)
	}
	if e.Wiping != nil && *e.Wiping == contract.WipeInProgress {
		words = t.say("%s, wiping free space", words)
	}
	if e.Wiping != nil && *e.Wiping == contract.WipePaused {
		words = t.say("%s, wipe paused", words)
	}
	return span{words, style}
}

// percent cuts a percentage off after one decimal, so that an unfinished one never reads 100.
func (t tongue) percent(part *float64) (words string, known bool) {
	if part == nil || math.IsNaN(*part) || math.IsInf(*part, 0) {
		return "", false
	}
	return language.Number(language.Language(t), math.Trunc(*part*10)/10) + "%", true
}

func (t tongue) engine(e *contract.Engine) string {
	if e == nil || *e == "" {
		return t.unknown()
	}
	return string(*e)
}

// reasons are the words for why protection is what it is.
var reasons = map[contract.ProtectionReason]language.Phrase{
	contract.ReasonWaitingForActivation: say("waiting for activation: key in the clear"),
	contract.ReasonConverting:           say("converting"),
	contract.ReasonLocked:               say("locked"),
	contract.ReasonDecrypted:            say("decrypted"),
}

// protection tells whether the key is protected, why or why not, and when the volume is locked.
func (t tongue) protection(volume contract.Volume) span {
	e := volume.Encryption
	words := coded(t, e.Protection)
	style := normal
	if e.Protection != nil {
		switch {
		case *e.Protection == contract.ProtectionOn:
			style = good
		case *e.Protection == contract.ProtectionOff && (e.Conversion == nil || *e.Conversion != contract.FullyDecrypted):
			style = caution
		}
	}
	reason := ""
	if isLocked(e) {
		style = caution
	}
	if e.ProtectionReason != nil {
		reason = string(*e.ProtectionReason)
		if known, ok := reasons[*e.ProtectionReason]; ok {
			reason = t.write(known)
		}
	}
	switch {
	case e.ProtectionReason == nil && e.Protection != nil && *e.Protection == contract.ProtectionOff:
		reason = t.say("reason unknown")
	case e.ProtectionReason != nil && *e.ProtectionReason == contract.ReasonSuspended:
		reason = t.suspended(volume)
	case e.ProtectionReason != nil && *e.ProtectionReason == contract.ReasonProtected:
		reason = ""
	}
	if reason != "" {
		words += " (" + reason + ")"
	}
	if isLocked(e) && !isReason(e, contract.ReasonLocked) {
		words = t.say("%s, locked", words)
	}
	return span{words, style}
}

// suspended tells for how long. Windows counts restarts for the operating system volume only.
func (t tongue) suspended(volume contract.Volume) string {
	left := volume.Encryption.SuspendCount
	switch {
	case left != nil && *left == 0:
		return t.say("suspended until resumed")
	case left != nil:
		return t.counted(*left, "suspended, %s restart left", "suspended, %s restarts left")
	case volume.Type != nil && *volume.Type != contract.OperatingSystem:
		return t.say("suspended")
	}
	return t.say("suspended, restarts left unknown")
}

// protectors lists the types in their order, with a count where a type comes more than once.
func (t tongue) protectors(list []contract.Protector) string {
	if list == nil {
		return t.unknown()
	}
	if len(list) == 0 {
		return t.say("none")
	}
	var order []string
	counts := map[string]int{}
	for _, protector := range list {
		name := coded(t, &protector.Type)
		if counts[name] == 0 {
			order = append(order, name)
		}
		counts[name]++
	}
	for i, name := range order {
		if counts[name] > 1 {
			order[i] = fmt.Sprintf("%d %s", counts[name], name)
		}
	}
	return strings.Join(order, ", ")
}

func isReason(e contract.Encryption, reason contract.ProtectionReason) bool {
	return e.ProtectionReason != nil && *e.ProtectionReason == reason
}
