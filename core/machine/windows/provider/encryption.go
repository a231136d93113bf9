package provider

import (
	"fmt"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// description turns answers into the document's terms.
type description struct {
	Reading
	target string
	// contradictions are pairs of answers that cannot both be true.
	contradictions []string
}

// describe says what the answers mean. It never asks, and says of nothing more than they tell.
func describe(a answers, row Row, target string) *description {
	d := &description{target: target}
	d.volumeType(a, row)
	d.lock(a)
	d.conversion(a)
	d.method(a)
	d.listed(a)
	d.protection(a)
	d.rest(a, row)
	for _, contradiction := range d.contradictions {
		d.problem(contract.LevelError, "states-contradict",
			"BitLocker's answers about %s contradict each other, also when asked twice: %s. What depends on it is unknown; run this again, and look at manage-bde -status.", target, contradiction)
	}
	return d
}

func (d *description) problem(level contract.Level, code, format string, args ...any) {
	d.Problems = append(d.Problems, contract.Problem{
		Code: code, Level: level, Stage: machine.StageVolumes, Target: d.target, Text: fmt.Sprintf(format, args...),
	})
}

func (d *description) contradict(format string, args ...any) {
	d.contradictions = append(d.contradictions, fmt.Sprintf(format, args...))
}

// code is a uint32 of WMI, which scripting hands over signed.
func code[C coded](value int32) C { return C(uint32(value)) }

// coded is any contract.Coded.
type coded interface {
	~int64
	Recognized() bool
}

// recognized complains of a code without a name: it stays in the document as a number.
func recognized[C coded](d *description, level contract.Level, name, what string, value C) bool {
	if value.Recognized() {
		return true
	}
	d.problem(level, name+"-unrecognized",
		"BitLocker gives %s of %s as %d, a number that Microsoft does not document: what it means is unknown. Please report it with a recording (status --record FILE).", what, d.target, int64(value))
	return false
}

func (d *description) volumeType(a answers, row Row) {
	switch {
	case row.VolumeType != nil:
		kind := code[contract.VolumeType](*row.VolumeType)
		d.Type = &kind
		recognized(d, contract.LevelError, "type", "the type", kind)
	case a.isSystem != nil && *a.isSystem:
		// The property is missing, but a method answered that is for the system's volume only.
		d.Type = contract.Ptr(contract.OperatingSystem)
	default:
		d.problem(contract.LevelError, "type-unknown",
			"BitLocker's WMI provider does not say what kind of volume %s is: its type is unknown.", d.target)
	}
}

func (d *description) lock(a answers) {
	if a.lock == nil {
		return
	}
	d.Encryption.Lock = contract.Ptr(code[contract.Lock](*a.lock))
	recognized(d, contract.LevelError, "lock", "the lock state", *d.Encryption.Lock)
	if d.isLocked() {
		d.Problems = append(d.Problems, bitlocker.FVE_E_LOCKED_VOLUME.Problem(contract.LevelError, machine.StageVolumes, d.target))
	}
}

func (d *description) isLocked() bool {
	return d.Encryption.Lock != nil && *d.Encryption.Lock == contract.Locked
}

func (d *description) conversion(a answers) {
	e := &d.Encryption
	if a.conversion == nil {
		if d.isLocked() {
			// A locked volume is partly or fully encrypted, says the page of GetLockStatus.
			e.Format = contract.Ptr("bitlocker")
		}
		return
	}
	e.Conversion = contract.Ptr(code[contract.Conversion](*a.conversion))
	if d.isLocked() {
		d.contradict("it is locked, and its conversion is %s, which a locked volume does not tell", e.Conversion)
		e.Conversion = nil
		return
	}
	if !recognized(d, contract.LevelError, "conversion", "the conversion state", *e.Conversion) {
		return
	}
	plain := *e.Conversion == contract.FullyDecrypted
	switch {
	case plain && !(a.method != nil && contract.Method(*a.method) == contract.MethodHardware):
		e.Format = contract.Ptr("none")
	case plain:
		// "Fully decrypted" is also what an encrypting drive's volume is called that never locks.
		d.problem(contract.LevelInfo, "format-unknown",
			"%s lies on a drive that encrypts by itself and is always unlocked; whether BitLocker still has metadata on it is not told, so its format is null.", d.target)
	default:
		e.Format = contract.Ptr("bitlocker")
	}
	switch {
	case plain:
		e.UsedSpaceOnly = contract.Ptr(false)
	case a.flags != nil:
		// The flag with which encryption was begun, also where used space was all there was.
		const dataOnly = 1
		e.UsedSpaceOnly = contract.Ptr(uint32(*a.flags)&dataOnly != 0)
	}
	d.percent(a)
	d.wiping(a)
}

func (d *description) percent(a answers) {
	e := &d.Encryption
	switch *e.Conversion {
	case contract.FullyDecrypted:
		e.Percent = nothingOf(a.percent)
	case contract.FullyEncrypted:
		e.Percent = completeOf(a.percent)
	default:
		e.Percent = partOf(a.percent, a.roughPercent)
	}
	if e.Percent == nil && a.percent != nil {
		d.problem(contract.LevelError, "percent-unknown",
			"BitLocker gives %d as the encrypted part of %s, which is no part of anything in the state %s: the percentage is unknown.", *a.percent, d.target, e.Conversion)
	}
}

func (d *description) wiping(a answers) {
	e := &d.Encryption
	if a.wiping == nil {
		return
	}
	e.Wiping = contract.Ptr(code[contract.Wiping](*a.wiping))
	if !recognized(d, contract.LevelWarning, "wiping", "the state of the free-space wipe", *e.Wiping) {
		return
	}
	switch *e.Wiping {
	case contract.NotWiped:
		return
	case contract.Wiped:
		e.WipePercent = completeOf(a.wipePercent)
	default:
		e.WipePercent = partOf(a.wipePercent, a.roughWipePercent)
	}
	if e.WipePercent == nil && a.wipePercent != nil {
		d.problem(contract.LevelWarning, "wipe-percent-unknown",
			"BitLocker gives %d as the wiped part of the free space of %s, which is no part of anything in the state %s: that percentage is unknown.", *a.wipePercent, d.target, e.Wiping)
	}
}

// method tells the cipher, and what does the encrypting. No page tells how Windows shows
// encryption by the processor's offload engine, so an unlisted cipher leaves the engine open.
func (d *description) method(a answers) {
	e := &d.Encryption
	e.DriveMethod = a.driveMethod
	if a.method == nil {
		return
	}
	method := code[contract.Method](*a.method)
	if *a.method == int32(contract.MethodUnknown) {
		method = contract.MethodUnknown
	}
	if d.isLocked() && (method == contract.MethodNone || method == contract.MethodUnknown) {
		// Not told of a locked volume; that it is locked has its own problem.
		return
	}
	e.Method = &method
	plain := e.Conversion != nil && *e.Conversion == contract.FullyDecrypted
	testPending := a.hardwareTest != nil && contract.HardwareTest(*a.hardwareTest) == contract.HardwareTestPending
	switch {
	case method == contract.MethodUnknown:
		d.problem(contract.LevelError, "method-unknown",
			"Windows itself does not know the cipher of %s: neither the cipher nor what does the encrypting can be told.", d.target)
	case !recognized(d, contract.LevelError, "method", "the cipher", method):
	case method == contract.MethodHardware:
		e.Engine = contract.Ptr(contract.EngineDrive)
	case method == contract.MethodNone && plain, plain && testPending:
		e.Engine = contract.Ptr(contract.EngineNone)
	case method == contract.MethodNone && e.Conversion == nil:
		// What does the encrypting depends on whether anything is encrypted; that is not known.
	case method == contract.MethodNone:
		d.contradict("its conversion is %s, but it has no cipher", e.Conversion)
	case plain:
		d.contradict("it is fully decrypted, but has the cipher %s", method)
	default:
		e.Engine = contract.Ptr(contract.EngineSoftware)
	}
}

func (d *description) listed(a answers) {
	e := &d.Encryption
	e.Protectors = a.protectors
	if a.off && e.Protectors == nil {
		// The refusal says that no protector was ever added. It counts where nothing else was said.
		e.Protectors = []contract.Protector{}
	}
	for _, protector := range e.Protectors {
		recognized(d, contract.LevelWarning, "protector", "the type of a key protector", protector.Type)
	}
}

// rest are the facts that stand alone.
func (d *description) rest(a answers, row Row) {
	e := &d.Encryption
	e.AutoUnlock, e.AutoUnlockKeysStored = a.autoUnlock, a.keysStored
	if a.autoUnlock == nil && a.isSystem != nil && *a.isSystem {
		problem := bitlocker.FVE_E_NOT_DATA_VOLUME.Problem(contract.LevelInfo, machine.StageVolumes, d.target)
		problem.Code = "auto-unlock-not-applicable"
		problem.Text = fmt.Sprintf("Automatic unlocking is for data volumes; autoUnlock of %s, which the running Windows started from, is null.", d.target)
		d.Problems = append(d.Problems, problem)
	}
	if a.suspendCount != nil {
		// The page gives 0 to 15.
		if *a.suspendCount >= 0 && *a.suspendCount <= 15 {
			e.SuspendCount = contract.Ptr(uint64(*a.suspendCount))
		} else {
			d.problem(contract.LevelError, "suspend-count-unknown",
				"BitLocker gives %d as the number of restarts until protection of %s resumes, which Microsoft's page does not allow: it is unknown.", uint32(*a.suspendCount), d.target)
		}
	}
	if a.version != nil {
		d.version(uint32(*a.version))
	}
	if a.hardwareTest != nil {
		e.HardwareTest = contract.Ptr(code[contract.HardwareTest](*a.hardwareTest))
		recognized(d, contract.LevelWarning, "hardware-test", "the state of the hardware test", *e.HardwareTest)
	}
	if a.hardware != nil {
		e.HardwareEncryption = contract.Ptr(code[contract.HardwareEncryption](*a.hardware))
		recognized(d, contract.LevelWarning, "hardware-encryption", "the use of the drive's own encryption", *e.HardwareEncryption)
	}
	d.volumeGUID(row)
}

// version keeps the metadata's version; 0 is Microsoft's "unknown", as of a volume without any.
func (d *description) version(version uint32) {
	e := &d.Encryption
	if version != 0 {
		e.MetadataVersion = contract.Ptr(uint64(version))
	} else if e.Format != nil && *e.Format == "bitlocker" && !d.isLocked() {
		d.problem(contract.LevelInfo, "metadata-version-unknown",
			"BitLocker says that it does not know the version of the metadata of %s; metadataVersion is null.", d.target)
	}
}

// volumeGUID takes the only fact from the row that no method tells. It is empty for a volume that
// is fully decrypted.
func (d *description) volumeGUID(row Row) {
	given := row.PersistentVolumeID
	if given == nil || *given == "" {
		if c := d.Encryption.Conversion; c != nil && *c != contract.FullyDecrypted {
			d.problem(contract.LevelInfo, "volume-guid-unknown",
				"BitLocker's WMI provider does not give the GUID of the encrypted volume %s; volumeGuid is null.", d.target)
		}
		return
	}
	if d.Encryption.VolumeGUID = bareGUID(*given); d.Encryption.VolumeGUID == nil {
		d.problem(contract.LevelWarning, "volume-guid-malformed",
			"BitLocker's WMI provider gives %q as the GUID of %s, which is none; volumeGuid is null.", printable(*given), d.target)
	}
}
