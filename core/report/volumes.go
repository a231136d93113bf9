package report

import (
	"fmt"
	"math"
	"strings"

	"diskaudit/core/contract"
)

func volumeGrid(status contract.Status) grid {
	g := grid{columns: []column{
		{name: "Volume"}, {name: "Label", spare: true}, {name: "Type"}, {name: "File system", spare: true}, {name: "Size", whole: true},
		{name: "Conversion"}, {name: "Method"}, {name: "Engine"}, {name: "Protection"}, {name: "Protectors"},
	}}
	for _, volume := range status.Volumes {
		e := volume.Encryption
		g.rows = append(g.rows, []span{
			{text: volumeName(volume)},
			{text: label(volume.Label)},
			{text: volumeType(volume.Type)},
			{text: orUnknown(volume.FileSystem, unknown, "")},
			{text: size(volume.SizeBytes)},
			ofBitLocker(status, e, e.Conversion == nil && !isFormat(e, "luks"), conversion(e)),
			ofBitLocker(status, e, e.Method == nil, span{text: coded(e.Method)}),
			ofBitLocker(status, e, e.Engine == nil, span{text: engine(e.Engine)}),
			ofBitLocker(status, e, e.Protection == nil && e.ProtectionReason == nil && !isLocked(e), protection(volume)),
			ofBitLocker(status, e, e.Protectors == nil, span{text: protectors(e.Protectors)}),
		})
	}
	return g
}

// volumeName is where a volume is mounted, or its id.
func volumeName(volume contract.Volume) string {
	var mounted []string
	for _, point := range volume.MountPoints {
		if strings.TrimSpace(point) != "" {
			mounted = append(mounted, point)
		}
	}
	if len(mounted) > 0 {
		return strings.Join(mounted, ", ")
	}
	return orUnknown(&volume.ID, unknown, "")
}

// volumeNames maps the ids of volumes to their names.
func volumeNames(status contract.Status) map[string]string {
	names := map[string]string{}
	for _, volume := range status.Volumes {
		if volume.ID != "" {
			names[volume.ID] = volumeName(volume)
		}
	}
	return names
}

// label is quoted, so that one that reads "unknown" is not mistaken for an unknown one.
func label(s *string) string {
	if s == nil {
		return unknown
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
func volumeType(t *contract.VolumeType) string {
	if t != nil && *t == contract.OperatingSystem {
		return "OS"
	}
	return coded(t)
}

// conversion tells how far the data is encrypted. While it changes, the percentage is the part
// that is encrypted, in either direction.
func conversion(e contract.Encryption) span {
	words := coded(e.Conversion)
	style := normal
	part, known := percent(e.Percent)
	changing := e.Conversion == nil || *e.Conversion != contract.FullyEncrypted && *e.Conversion != contract.FullyDecrypted
	switch {
	case e.Conversion == nil && isFormat(e, "luks"):
		return span{text: notApplicable + " (LUKS)"}
	case known && changing:
		words += ", " + part + " encrypted"
	case known:
		words += " " + part
	case changing && e.Conversion != nil:
		words += ", percentage " + unknown
	}
	if e.Conversion != nil && changing {
		style = caution
	}
	if e.UsedSpaceOnly != nil && *e.UsedSpaceOnly {
		words += ", used space only"
	}
	if e.Wiping != nil && *e.Wiping == contract.WipeInProgress {
		words += ", wiping free space"
	}
	if e.Wiping != nil && *e.Wiping == contract.WipePaused {
		words += ", wipe paused"
	}
	return span{words, style}
}

// percent cuts a percentage off after one decimal, so that an unfinished one never reads 100.
func percent(part *float64) (words string, known bool) {
	if part == nil || math.IsNaN(*part) || math.IsInf(*part, 0) {
		return "", false
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", math.Trunc(*part*10)/10), ".0") + "%", true
}

func engine(e *contract.Engine) string {
	if e == nil || *e == "" {
		return unknown
	}
	return string(*e)
}

// reasons are the words for why protection is what it is.
var reasons = map[contract.ProtectionReason]string{
	contract.ReasonWaitingForActivation: "waiting for activation: key in the clear",
	contract.ReasonConverting:           "converting",
	contract.ReasonLocked:               "locked",
	contract.ReasonDecrypted:            "decrypted",
}

// protection tells whether the key is protected, why or why not, and when the volume is locked.
func protection(volume contract.Volume) span {
	e := volume.Encryption
	words := coded(e.Protection)
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
			reason = known
		}
	}
	switch {
	case e.ProtectionReason == nil && e.Protection != nil && *e.Protection == contract.ProtectionOff:
		reason = "reason " + unknown
	case e.ProtectionReason != nil && *e.ProtectionReason == contract.ReasonSuspended:
		reason = suspended(volume)
	case e.ProtectionReason != nil && *e.ProtectionReason == contract.ReasonProtected:
		reason = ""
	}
	if reason != "" {
		words += " (" + reason + ")"
	}
	if isLocked(e) && reason != reasons[contract.ReasonLocked] {
		words += ", locked"
	}
	return span{words, style}
}

// suspended tells for how long. Windows counts restarts for the operating system volume only.
func suspended(volume contract.Volume) string {
	left := volume.Encryption.SuspendCount
	switch {
	case left != nil && *left == 0:
		return "suspended until resumed"
	case left != nil:
		return "suspended, " + plural(*left, "restart") + " left"
	case volume.Type != nil && *volume.Type != contract.OperatingSystem:
		return "suspended"
	}
	return "suspended, restarts left " + unknown
}

// protectors lists the types in their order, with a count where a type comes more than once.
func protectors(list []contract.Protector) string {
	if list == nil {
		return unknown
	}
	if len(list) == 0 {
		return "none"
	}
	var order []string
	counts := map[string]int{}
	for _, protector := range list {
		name := coded(&protector.Type)
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
