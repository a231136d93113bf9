package machine_test

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"

	"diskaudit/core/bitlocker/ondisk/ondisktest"
	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

func inspect(image *ondisktest.Image) machine.Inspection {
	return machine.Inspect(machine.Subject{ID: "V", Reader: image, Size: image.Size})
}

func problems(i machine.Inspection) string {
	var codes []string
	for _, problem := range i.Problems {
		codes = append(codes, problem.Code+"="+string(problem.Level))
	}
	return strings.Join(codes, " ")
}

func text[T any](value *T, show func(T) string) string {
	if value == nil {
		return "unknown"
	}
	return show(*value)
}

// state writes the four answers of an inspection on one line.
func state(e contract.Encryption) string {
	protectors := "unknown"
	if e.Protectors != nil {
		protectors = "none"
		if len(e.Protectors) > 0 {
			var names []string
			for _, protector := range e.Protectors {
				names = append(names, protector.Type.String())
			}
			protectors = strings.Join(names, "+")
		}
	}
	return strings.Join([]string{
		text(e.Conversion, contract.Conversion.String), text(e.Method, contract.Method.String),
		text(e.Engine, func(v contract.Engine) string { return string(v) }),
		text(e.Protection, contract.Protection.String),
		text(e.ProtectionReason, func(v contract.ProtectionReason) string { return string(v) }),
		protectors,
	}, " ")
}

func TestInspectBitLocker(t *testing.T) {
	clearKey := ondisktest.Protector{ID: [16]byte{9}, Protection: 0, Version: 1}
	password := ondisktest.Protector{ID: [16]byte{8}, Protection: 0x2000, Version: 1}
	for name, test := range map[string]struct {
		change   func(*ondisktest.Spec)
		want     string
		problems string
	}{
		"protected": {
			func(*ondisktest.Spec) {},
			"FullyEncrypted XtsAes128 software On protected Tpm+RecoveryPassword", "",
		},
		// Cases B8, B32, B33: only a clear key. Nobody has armed it.
		"waiting for activation": {
			func(s *ondisktest.Spec) { s.Protectors = []ondisktest.Protector{clearKey} },
			"FullyEncrypted XtsAes128 software Off waiting-for-activation ClearKey", "",
		},
		// Cases B5, C37: real protectors, but the key is in the clear beside them.
		"suspended": {
			func(s *ondisktest.Spec) { s.Protectors = []ondisktest.Protector{password, clearKey} },
			"FullyEncrypted XtsAes128 software Off suspended Password+ClearKey", "",
		},
		"no protector at all": {
			func(s *ondisktest.Spec) { s.Protectors = nil },
			"FullyEncrypted XtsAes128 software unknown unknown none", "protection-unknown=error",
		},
		"only protectors of unknown types": {
			func(s *ondisktest.Spec) { s.Protectors = []ondisktest.Protector{{Protection: 0x1234}} },
			"FullyEncrypted XtsAes128 software unknown unknown Unrecognized", "protector-unrecognized=info protection-unknown=error",
		},
		// A clear key beside a protector that is not known: suspended, or never armed? Not known.
		"a clear key and an unknown protector": {
			func(s *ondisktest.Spec) { s.Protectors = []ondisktest.Protector{clearKey, {Protection: 0x0300}} },
			"FullyEncrypted XtsAes128 software Off unknown ClearKey+Unrecognized", "protector-unrecognized=info protection-reason-unknown=error",
		},
		"decryption paused, and more encrypted than there is": {
			func(s *ondisktest.Spec) { s.State, s.Next, s.EncryptedBytes = 5, 1, 1<<40 },
			"DecryptionPaused XtsAes128 software Off converting Tpm+RecoveryPassword", "percent-unknown=error",
		},
		"no date": {
			func(s *ondisktest.Spec) { s.Created = time.Time{} },
			"FullyEncrypted XtsAes128 software On protected Tpm+RecoveryPassword", "created-unknown=info",
		},
		"no sector size": {
			func(s *ondisktest.Spec) { s.SectorBytes = 0 },
			"FullyEncrypted XtsAes128 software On protected Tpm+RecoveryPassword", "header-sector-size-unknown=warning",
		},
		"cut off before its metadata": {
			func(s *ondisktest.Spec) { s.Offsets = [3]int64{1 << 30, 2 << 30, 3 << 30} },
			"unknown unknown unknown unknown unknown unknown", "image-truncated=error",
		},
		"decryption paused": {
			func(s *ondisktest.Spec) { s.State, s.Next, s.EncryptedBytes = 5, 1, 16<<20 },
			"DecryptionPaused XtsAes128 software Off converting Tpm+RecoveryPassword", "",
		},
		// Case B7: a volume that is changing is neither encrypted nor decrypted.
		"states without a documented meaning": {
			func(s *ondisktest.Spec) { s.State, s.Next = 2, 1 },
			"unknown XtsAes128 software unknown unknown Tpm+RecoveryPassword", "conversion-unknown=error",
		},
		"the same with a clear key": {
			func(s *ondisktest.Spec) {
				s.State, s.Next, s.Protectors = 2, 4, []ondisktest.Protector{password, clearKey}
			},
			"unknown XtsAes128 software Off unknown Password+ClearKey", "conversion-unknown=error",
		},
		"a method of the future": {
			func(s *ondisktest.Spec) { s.Method = 0x8006 },
			"FullyEncrypted Unrecognized unknown On protected Tpm+RecoveryPassword", "method-unrecognized=error",
		},
		// A number on disk must never be taken for one of WMI's: 0x0005 is not the drive's encryption.
		"a method with a number of WMI": {
			func(s *ondisktest.Spec) { s.Method = 5 },
			"FullyEncrypted Unrecognized unknown On protected Tpm+RecoveryPassword", "method-unrecognized=error",
		},
		"a protector with a number of WMI": {
			func(s *ondisktest.Spec) { s.Protectors[0].Protection = 3 },
			"FullyEncrypted XtsAes128 software On protected Unrecognized+RecoveryPassword", "protector-unrecognized=info",
		},
		"diffuser": {
			func(s *ondisktest.Spec) { s.Method = 0x8000 },
			"FullyEncrypted Aes128Diffuser software On protected Tpm+RecoveryPassword", "",
		},
		"To Go": {
			func(s *ondisktest.Spec) { s.ToGo, s.Method = true, 0x8005 },
			"FullyEncrypted XtsAes256 software On protected Tpm+RecoveryPassword", "",
		},
		"Vista": {
			func(s *ondisktest.Spec) { s.Vista = true },
			"unknown unknown unknown unknown unknown unknown", "vista-format=error",
		},
		"an identifier of the future": {
			func(s *ondisktest.Spec) { s.Identifier = [16]byte{1} },
			"FullyEncrypted XtsAes128 software On protected Tpm+RecoveryPassword", "header-identifier-unknown=warning",
		},
		"larger than where it lies": {
			func(s *ondisktest.Spec) { s.EncryptedBytes = s.SizeBytes + 1<<20 },
			"FullyEncrypted XtsAes128 software On protected Tpm+RecoveryPassword", "image-truncated=warning",
		},
	} {
		spec := ondisktest.Default()
		test.change(&spec)
		got := inspect(ondisktest.Build(spec))
		if state(got.Encryption) != test.want || problems(got) != test.problems {
			t.Errorf("%s:\n got %s (%s)\nwant %s (%s)", name, state(got.Encryption), problems(got), test.want, test.problems)
		}
		for _, problem := range got.Problems {
			if problem.Target != "V" || problem.Stage != machine.StageVolumes || !strings.Contains(problem.Text, " ") {
				t.Errorf("%s: problem %+v does not name its volume", name, problem)
			}
		}
	}
}

func TestInspectPercentAndSize(t *testing.T) {
	spec := ondisktest.Default()
	spec.State, spec.Next, spec.EncryptedBytes = 5, 1, 16<<20
	got := inspect(ondisktest.Build(spec))
	if got.Encryption.Percent == nil || *got.Encryption.Percent != 25 || got.SizeBytes != nil {
		t.Errorf("a quarter still encrypted: percent %v, size %v", got.Encryption.Percent, got.SizeBytes)
	}
	got = inspect(ondisktest.Build(ondisktest.Default()))
	if *got.Encryption.Percent != 100 || *got.SizeBytes != 64<<20 {
		t.Errorf("complete: percent %v, size %v", *got.Encryption.Percent, *got.SizeBytes)
	}
}

// Cases B4 and C34: whatever cannot be read is unknown, never decrypted.
func TestInspectNeverTakesUnknownForDecrypted(t *testing.T) {
	damaged := ondisktest.Build(ondisktest.Default())
	for i := range damaged.Parts[1:] {
		damaged.Parts[i+1].Data[99] ^= 1
	}
	random := &ondisktest.Image{Size: 1 << 20, Parts: []ondisktest.Part{{Data: []byte(strings.Repeat("k7#x", 1<<18))}}}
	for name, test := range map[string]struct {
		subject machine.Subject
		code    string
	}{
		"all copies damaged": {machine.Subject{Reader: damaged, Size: damaged.Size}, "metadata-damaged=error"},
		"zeros":              {machine.Subject{Reader: &ondisktest.Image{Size: 1 << 20}, Size: 1 << 20}, "content-unrecognized=error"},
		"noise":              {machine.Subject{Reader: random, Size: 1 << 20}, "content-unrecognized=error"},
		"a few bytes":        {machine.Subject{Reader: strings.NewReader("abc"), Size: 3}, "content-unrecognized=error"},
		"nothing":            {machine.Subject{Reader: strings.NewReader(""), Size: 0}, "content-unrecognized=error"},
		"a reserved partition": {
			machine.Subject{Reader: &ondisktest.Image{Size: 1 << 20}, Size: 1 << 20, Reserved: "Microsoft reserved"}, "no-file-system=info",
		},
		"no rights":      {machine.Subject{Reader: failing{fs.ErrPermission}, Size: 1 << 20}, "access-denied=error"},
		"unplugged":      {machine.Subject{Reader: failing{syscall.ENXIO}, Size: 1 << 20}, "device-vanished=error"},
		"a bad sector 0": {machine.Subject{Reader: failing{errors.New("medium error")}, Size: 1 << 20}, "read-failed=error"},
	} {
		test.subject.ID = "V"
		got := machine.Inspect(test.subject)
		if problems(got) != test.code {
			t.Errorf("%s: problems %q, want %q", name, problems(got), test.code)
		}
		e := got.Encryption
		if e.Conversion != nil || e.Protection != nil || e.Protectors != nil || e.Engine != nil || e.Method != nil || e.ClearKey != nil || got.FileSystem != nil {
			t.Errorf("%s: %s, want everything unknown", name, state(e))
		}
	}
}

type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }

// The part that is encrypted is one of the whole volume, also where only some of it is there.
func TestPercentOfATruncatedVolume(t *testing.T) {
	spec := ondisktest.Default()
	spec.State, spec.Next, spec.EncryptedBytes = 5, 1, 16<<20
	image := ondisktest.Build(spec)
	whole := machine.Inspect(machine.Subject{ID: "V", Reader: image, Size: image.Size, Length: 128 << 20})
	if *whole.Encryption.Percent != 12.5 {
		t.Errorf("16 of 128 MiB are %v %%", *whole.Encryption.Percent)
	}
	cut := *image
	cut.Size = 50 << 20
	if got := machine.Inspect(machine.Subject{ID: "V", Reader: &cut, Size: cut.Size}); got.Encryption.Percent != nil || !strings.Contains(problems(got), "percent-unknown=error") {
		t.Errorf("percent %v of a volume of unknown size, problems %s", got.Encryption.Percent, problems(got))
	}
}

// A part of LVM can hold anything: unknown, and not complete.
func TestMemberIsUnknown(t *testing.T) {
	member := &ondisktest.Image{Size: 1 << 20, Parts: []ondisktest.Part{{Offset: 512, Data: lvmLabel()}}}
	got := machine.Inspect(machine.Subject{ID: "V", Reader: member, Size: member.Size})
	if problems(got) != machine.CodeMember+"=error" || got.Encryption.Conversion != nil {
		t.Errorf("problems %s, conversion %v", problems(got), got.Encryption.Conversion)
	}
}

// lvmLabel is the label sector of an LVM2 physical volume (LVM2, lib/label/label.h): signature,
// sector number, CRC of the rest, offset of the content, type.
func lvmLabel() []byte {
	label := make([]byte, 512)
	copy(label, "LABELONE")
	label[8] = 1
	label[20] = 32
	copy(label[24:], "LVM2 001")
	binary.LittleEndian.PutUint32(label[16:], lvmChecksum(label[20:]))
	return label
}

// lvmChecksum is LVM's CRC-32: the usual polynomial, begun with its own seed and not inverted.
func lvmChecksum(data []byte) uint32 {
	crc := uint32(0xf597a6cf)
	for _, b := range data {
		crc ^= uint32(b)
		for range 8 {
			crc = crc>>1 ^ 0xedb88320*(crc&1)
		}
	}
	return crc
}

// A copy of the metadata that is damaged changes nothing but is named (case B68 in kind: what a
// parser meets on real disks).
func TestInspectNamesDamagedCopies(t *testing.T) {
	for number := 1; number <= 3; number++ {
		image := ondisktest.Build(ondisktest.Default())
		image.Parts[number].Data[99] ^= 1
		got := inspect(image)
		if problems(got) != "metadata-copy-damaged=warning" || !strings.Contains(got.Problems[0].Text, "copy "+string(rune('0'+number))) {
			t.Errorf("copy %d: %+v", number, got.Problems)
		}
		if state(got.Encryption) != "FullyEncrypted XtsAes128 software On protected Tpm+RecoveryPassword" {
			t.Errorf("copy %d changed the answer: %s", number, state(got.Encryption))
		}
	}
}
