package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"diskaudit/core/bitlocker"
	"diskaudit/core/bitlocker/ondisk"
	"diskaudit/core/contract"
	"diskaudit/core/disk"
)

// Inspection is what a volume's own bytes say without a key.
type Inspection struct {
	// FileSystem, Label and ClusterBytes are nil where they cannot be seen.
	FileSystem   *string
	Label        *string
	ClusterBytes *uint64
	// SizeBytes is the volume's size by BitLocker's metadata; nil when that does not say.
	SizeBytes *uint64
	// Truncated tells that the volume goes on beyond the bytes that are there.
	Truncated  bool
	Encryption contract.Encryption
	Problems   []contract.Problem
}

// Subject is a volume to inspect.
type Subject struct {
	// ID names the volume in problems.
	ID string
	// Reader gives the volume's bytes; Size is how many there are.
	Reader io.ReaderAt
	Size   int64
	// Length is how many bytes the volume has by what holds it, more than Size where that was cut
	// short; 0 means Size.
	Length int64
	// Reserved names a kind of partition that holds no file system by design; empty for others.
	Reserved string
}

// Codes of problems that say why nothing is known of a volume.
const (
	// CodeUnrecognized: nothing known was seen on it.
	CodeUnrecognized = "content-unrecognized"
	// CodeMember: it is a part of something larger, such as LVM, which can hold anything.
	CodeMember = "volume-member"
)

// Inspect reads BitLocker's metadata and recognises the file system. A volume is called decrypted
// only when a file system in the clear was seen on it. Everything else is unknown, with a
// problem that says why.
func Inspect(subject Subject) Inspection {
	if subject.Length == 0 {
		subject.Length = subject.Size
	}
	i := &Inspection{}
	volume, err := ondisk.Read(subject.Reader, subject.Size)
	switch {
	case errors.Is(err, ondisk.ErrNotBitLocker):
		i.recognize(subject)
	case err == nil:
		i.describe(subject, volume)
	case errors.Is(err, ondisk.ErrVista):
		i.Encryption.Format = contract.Ptr(string(volume.Format))
		i.problem(subject, "vista-format", contract.LevelError,
			"%s is encrypted by BitLocker in the format of Windows Vista, which this program does not read: its state is unknown. Ask manage-bde on a Windows that opens it.", subject.ID)
	case errors.Is(err, ondisk.ErrDamaged) && allOutside(volume.Copies):
		i.header(subject, volume)
		i.Truncated = true
		i.problem(subject, "image-truncated", contract.LevelError,
			"%s begins like a BitLocker volume, but ends before the first copy of its metadata (%s): its state is unknown. It was cut short; copy it anew.",
			subject.ID, damageOf(volume.Copies[:1]))
	case errors.Is(err, ondisk.ErrDamaged):
		i.header(subject, volume)
		i.problem(subject, "metadata-damaged", contract.LevelError,
			"%s begins like a BitLocker volume, but none of its three copies of the metadata is intact (%s): its state is unknown. Change nothing on it; work on a copy, and try repair-bde with the recovery password.",
			subject.ID, damageOf(volume.Copies))
	default:
		i.unreadable(subject, err)
	}
	return *i
}

func (i *Inspection) problem(subject Subject, code string, level contract.Level, format string, args ...any) {
	i.Problems = append(i.Problems, contract.Problem{
		Code: code, Level: level, Stage: StageVolumes, Target: subject.ID, Text: fmt.Sprintf(format, args...),
	})
}

func (i *Inspection) unreadable(subject Subject, err error) {
	problem := ReadProblem(StageVolumes, subject.ID, err)
	i.Problems = append(i.Problems, problem)
}

// ReadProblem says that something could not be read, by the kind of error: rights, a device
// that has gone, or a failing read.
func ReadProblem(stage, target string, err error) contract.Problem {
	problem := contract.Problem{Code: "read-failed", Level: contract.LevelError, Stage: stage, Target: target, Retryable: true}
	switch {
	case errors.Is(err, ErrInterrupted) || errors.Is(err, context.Canceled):
		problem.Code = "interrupted"
		problem.Text = fmt.Sprintf("Reading %s was interrupted. Its state is unknown; run again.", target)
	case errors.Is(err, context.DeadlineExceeded):
		problem.Code = "timeout"
		problem.Text = fmt.Sprintf("The time limit was reached while reading %s. Its state is unknown; raise --timeout.", target)
	case errors.Is(err, fs.ErrPermission):
		problem.Code, problem.Retryable = "access-denied", false
		problem.Text = fmt.Sprintf("%s cannot be read: access is denied. Its state is unknown; run with the rights to read it.", target)
	case errors.Is(err, fs.ErrNotExist) || isGone(err):
		problem.Code = "device-vanished"
		problem.Text = fmt.Sprintf("%s is no longer there: it went away while it was read. Its state is unknown; run again.", target)
	default:
		problem.Text = fmt.Sprintf("%s cannot be read: %v. Its state is unknown; check the disk and its connection.", target, err)
	}
	return problem
}

// header takes over what the volume's first sector says.
func (i *Inspection) header(subject Subject, volume *ondisk.Volume) {
	i.Encryption.Format = contract.Ptr(string(volume.Format))
	i.Encryption.UsedSpaceOnly = volume.UsedSpaceOnly
	if volume.UsedSpaceOnly == nil {
		i.problem(subject, "header-identifier-unknown", contract.LevelWarning,
			"%s has an identifier in its first sector that is not known; whether only the used space is encrypted cannot be told.", subject.ID)
	}
	if volume.SectorBytes == 0 {
		i.problem(subject, "header-sector-size-unknown", contract.LevelWarning,
			"%s has an impossible sector size in its first sector, so the sector that the cipher works on is unknown. The first sector is damaged; make a backup.", subject.ID)
		return
	}
	i.Encryption.SectorBytes = contract.Ptr(uint64(volume.SectorBytes))
}

func allOutside(copies []ondisk.Copy) bool {
	return len(copies) > 0 && !slices.ContainsFunc(copies, func(c ondisk.Copy) bool { return c.State != ondisk.Outside })
}

// describe takes over what intact metadata says.
func (i *Inspection) describe(subject Subject, volume *ondisk.Volume) {
	i.header(subject, volume)
	e := &i.Encryption
	e.VolumeGUID = &volume.GUID
	e.Description = volume.Description
	e.Method = contract.Ptr(bitlocker.MethodOnDisk(volume.Method))
	if volume.Created.IsZero() {
		i.problem(subject, "created-unknown", contract.LevelInfo,
			"%s has no date in its metadata, or one that no calendar holds: when its encryption began is unknown.", subject.ID)
	} else {
		e.CreatedAt = &volume.Created
	}
	e.Protectors = make([]contract.Protector, 0, len(volume.Protectors))
	e.ClearKey = contract.Ptr(false)
	secure, unknown := false, false
	for _, protector := range volume.Protectors {
		kind := bitlocker.ProtectorOnDisk(protector.Protection)
		e.Protectors = append(e.Protectors, contract.Protector{ID: protector.ID, Type: kind})
		switch {
		case kind == contract.ClearKey:
			*e.ClearKey = true
		case kind.Recognized():
			secure = true
		default:
			unknown = true
			i.problem(subject, "protector-unrecognized", contract.LevelInfo,
				"%s has a key protector whose type on disk, %#x, is not known; its name is Unrecognized.", subject.ID, uint16(protector.Protection))
		}
	}
	var reason string
	e.Conversion, reason = bitlocker.ConversionOnDisk(volume.State, volume.NextState)
	if reason != "" {
		i.problem(subject, "conversion-unknown", contract.LevelError, "%s", reason)
	}
	if e.Method.Recognized() {
		e.Engine = contract.Ptr(contract.EngineSoftware)
	} else {
		i.problem(subject, "method-unrecognized", contract.LevelError,
			"%s is encrypted with a method whose number on disk, %#x, is not known: neither the cipher nor what does the encrypting can be told.", subject.ID, uint16(volume.Method))
	}
	e.Protection, e.ProtectionReason = protectionOf(e, secure, unknown)
	if e.Protection != nil && e.ProtectionReason == nil && e.Conversion != nil {
		i.problem(subject, "protection-reason-unknown", contract.LevelError,
			"%s has a key in the clear beside a key protector of a type that is not known: whether its protection is suspended or was never switched on is unknown.", subject.ID)
	}
	if e.Protection == nil && e.Conversion != nil {
		i.problem(subject, "protection-unknown", contract.LevelError,
			"%s is encrypted, but its metadata lists no key protector of a known type: whether its key is protected is unknown.", subject.ID)
	}
	i.copies(subject, volume)
	i.size(subject, volume)
	i.percent(subject, volume)
}

// percent is 100 when the conversion is complete. While BitLocker decrypts, from the back to the
// front, the metadata counts the bytes that are still encrypted; what they are a part of is the
// volume's own size, which a container that was cut short does not tell.
func (i *Inspection) percent(subject Subject, volume *ondisk.Volume) {
	switch {
	case i.Encryption.Conversion == nil:
	case *i.Encryption.Conversion == contract.FullyEncrypted:
		i.Encryption.Percent = contract.Ptr(100.0)
	case subject.Length > 0 && volume.EncryptedBytes <= uint64(subject.Length) && !i.Truncated:
		i.Encryption.Percent = contract.Ptr(float64(volume.EncryptedBytes) / float64(subject.Length) * 100)
	default:
		i.problem(subject, "percent-unknown", contract.LevelError,
			"%s is partly encrypted, but its size is not known, so neither is the part that is encrypted.", subject.ID)
	}
}

// protectionOf tells protection and its reason from a complete list of protectors: secure is true
// when one of a known type keeps the key, unknown when there is one of a type that is not known.
// It follows the definition of GetProtectionStatus
// (learn.microsoft.com/windows/win32/secprov/getprotectionstatus-win32-encryptablevolume): on
// when the volume is fully encrypted and its key is not in the clear on the disk. A clear key
// beside other protectors is how Windows suspends protection; alone, nobody has ever armed it.
func protectionOf(e *contract.Encryption, secure, unknown bool) (*contract.Protection, *contract.ProtectionReason) {
	converting := e.Conversion != nil && *e.Conversion != contract.FullyEncrypted
	switch {
	case converting:
		return contract.Ptr(contract.ProtectionOff), contract.Ptr(contract.ReasonConverting)
	case *e.ClearKey && e.Conversion == nil:
		return contract.Ptr(contract.ProtectionOff), nil
	case *e.ClearKey && secure:
		return contract.Ptr(contract.ProtectionOff), contract.Ptr(contract.ReasonSuspended)
	case *e.ClearKey && unknown:
		return contract.Ptr(contract.ProtectionOff), nil
	case *e.ClearKey:
		return contract.Ptr(contract.ProtectionOff), contract.Ptr(contract.ReasonWaitingForActivation)
	case e.Conversion == nil || !secure:
		return nil, nil
	}
	return contract.Ptr(contract.ProtectionOn), contract.Ptr(contract.ReasonProtected)
}

// copies names each copy of the metadata that is not sound, and where the volume was cut off.
func (i *Inspection) copies(subject Subject, volume *ondisk.Volume) {
	var outside []ondisk.Copy
	for _, c := range volume.Copies {
		switch c.State {
		case ondisk.Intact:
		case ondisk.Outside:
			outside = append(outside, c)
		default:
			code := "metadata-copy-damaged"
			if c.State == ondisk.Stale {
				code = "metadata-copy-stale"
			}
			i.problem(subject, code, contract.LevelWarning,
				"%s: copy %d of its BitLocker metadata, at byte %d, is not sound: %s. The answer comes from an intact copy; make a backup, since a second damage may be fatal.",
				subject.ID, c.Number, c.Offset, c.Detail)
		}
	}
	if len(outside) > 0 {
		i.Truncated = true
		i.problem(subject, "image-truncated", contract.LevelWarning,
			"%s ends before the volume does: %d of its 3 copies of the BitLocker metadata lie beyond the end (%s). It was cut short; copy it anew.",
			subject.ID, len(outside), damageOf(outside))
	}
}

// size takes the volume's size from the metadata, which states it once the conversion is complete.
func (i *Inspection) size(subject Subject, volume *ondisk.Volume) {
	if i.Encryption.Conversion == nil || *i.Encryption.Conversion != contract.FullyEncrypted {
		return
	}
	if volume.EncryptedBytes == 0 {
		i.problem(subject, "volume-size-unknown", contract.LevelWarning,
			"%s has a size of 0 in its BitLocker metadata; the size given is that of where it lies.", subject.ID)
		return
	}
	i.SizeBytes = &volume.EncryptedBytes
	if volume.EncryptedBytes <= uint64(subject.Size) || i.Truncated {
		return
	}
	i.Truncated = true
	i.problem(subject, "image-truncated", contract.LevelWarning,
		"%s has %d bytes, but its BitLocker metadata speaks of a volume of %d: it was cut short. Copy it anew.", subject.ID, subject.Size, volume.EncryptedBytes)
}

func damageOf(copies []ondisk.Copy) string {
	text := ""
	for n, c := range copies {
		if n > 0 {
			text += "; "
		}
		text += fmt.Sprintf("copy %d: %s", c.Number, c.Detail)
	}
	return text
}

// recognize looks for what else the volume may be.
func (i *Inspection) recognize(subject Subject) {
	content, err := disk.Recognize(subject.Reader, subject.Size)
	if err != nil {
		i.unreadable(subject, err)
		return
	}
	i.Label, i.ClusterBytes = content.Label, content.ClusterBytes
	switch content.Kind {
	case disk.KindFileSystem, disk.KindSwap:
		i.FileSystem = &content.Name
		i.Encryption = Plain()
	case disk.KindEncrypted:
		i.Encryption.Format = contract.Ptr("luks")
		i.problem(subject, "other-encryption", contract.LevelInfo,
			"%s is encrypted by %s, not by BitLocker: BitLocker's states do not apply to it and are null.", subject.ID, content.Name)
	case disk.KindMember:
		i.problem(subject, CodeMember, contract.LevelError,
			"%s is a part of something larger (%s). Whether what that holds is encrypted is unknown; it can be told only where it is mapped.", subject.ID, content.Name)
	case disk.KindBitLocker:
		i.problem(subject, "header-damaged", contract.LevelError,
			"%s looks like a BitLocker volume, but its first sector is not sound%s: its state is unknown. Change nothing on it.", subject.ID, doubt(content))
	default:
		i.unrecognized(subject, content)
	}
}

func (i *Inspection) unrecognized(subject Subject, content disk.Content) {
	if subject.Reserved != "" {
		i.problem(subject, "no-file-system", contract.LevelInfo,
			"%s is a partition of type %s, which holds no file system by design; its states are null.", subject.ID, subject.Reserved)
		return
	}
	what := "holds no file system and no BitLocker metadata that this program knows"
	if content.Kind == disk.KindBlank {
		what = "holds only zeros where a file system or BitLocker metadata would be"
	}
	i.problem(subject, CodeUnrecognized, contract.LevelError,
		"%s %s%s. Whether it is encrypted is unknown: it may be unformatted, damaged, no disk image at all, or encrypted by something that leaves no mark.",
		subject.ID, what, doubt(content))
}

func doubt(content disk.Content) string {
	if content.Doubt == "" {
		return ""
	}
	return " (" + content.Doubt + ")"
}

// Plain is the state of a volume on which a file system in the clear was seen.
func Plain() contract.Encryption {
	return contract.Encryption{
		Format:           contract.Ptr("none"),
		Conversion:       contract.Ptr(contract.FullyDecrypted),
		Percent:          contract.Ptr(0.0),
		Method:           contract.Ptr(contract.MethodNone),
		Engine:           contract.Ptr(contract.EngineNone),
		Protection:       contract.Ptr(contract.ProtectionOff),
		ProtectionReason: contract.Ptr(contract.ReasonDecrypted),
		Protectors:       []contract.Protector{},
		ClearKey:         contract.Ptr(false),
	}
}
