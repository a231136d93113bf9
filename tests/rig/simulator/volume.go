package simulator

import (
	"fmt"
	"time"
)

// The states of a conversion (learn.microsoft.com/windows/win32/secprov/getconversionstatus-win32-encryptablevolume).
const (
	Decrypted        = 0
	Encrypted        = 1
	Encrypting       = 2
	Decrypting       = 3
	EncryptingPaused = 4
	DecryptingPaused = 5
)

// The states of a wipe of free space, on the same page.
const (
	NotWiped   = 0
	Wiped      = 1
	Wiping     = 2
	WipePaused = 3
)

// The kinds of volumes (learn.microsoft.com/windows/win32/secprov/win32-encryptablevolume).
const (
	OperatingSystem = 0
	Fixed           = 1
	Removable       = 2
)

// Volume is one instance of Win32_EncryptableVolume.
type Volume struct {
	// DeviceID is its GUID path with a backslash at the end.
	DeviceID string
	// DriveLetter is its letter with the colon; empty means NULL, a volume without one.
	DriveLetter string
	// PersistentVolumeID is the GUID that BitLocker gave it; empty for one never encrypted.
	PersistentVolumeID string
	// Type is 0 for the operating system's volume, 1 for a fixed and 2 for a removable one.
	Type int32

	// Conversion is a state of conversion, Percent how much is encrypted, 0 to 100.
	Conversion int32
	Percent    float64
	// Takes is how long a conversion from 0 to 100 percent takes, and a wipe; 0 means that it stands still.
	Takes time.Duration
	// Flags of the encryption: 1 only the space in use, 2 wipe on demand, 0x10000 synchronous.
	Flags int32
	// Wiping is a state of wiping, WipePercent how much is wiped.
	Wiping      int32
	WipePercent float64

	// Method is the cipher's number, of which -1 is unknown; DriveMethod what an encrypting drive
	// says of its own cipher, empty for NULL.
	Method      int32
	DriveMethod string
	// Hardware is what GetHardwareEncryptionStatus says: 0 to 3.
	Hardware int32

	// Protectors are the key protectors, in the provider's order.
	Protectors []Protector
	// KeyInClear says that the protectors are disabled: a key lies in the clear beside the data.
	KeyInClear bool
	// Suspensions is the number of restarts until suspended protection resumes; 0 until somebody does it.
	Suspensions int32
	// Locked says that the content cannot be reached.
	Locked bool
	// InUse keeps the volume from being locked by anything but force.
	InUse bool
	// AutoUnlock is the id of the protector by which a data volume unlocks by itself; empty for none.
	AutoUnlock string
	// KeysStored says that the operating system's volume holds keys by which data volumes unlock.
	KeysStored bool
	// Version of the metadata: 0 unknown, 1 Windows Vista, 2 Windows 7 and later.
	Version int32
	// HardwareTest is 0 for none, 1 failed, 2 pending; HardwareTestError is why it failed.
	HardwareTest      int32
	HardwareTestError int32
	// Identification is the identification field; BackupRefused says that policy keeps recovery
	// information out of Active Directory.
	Identification string
	BackupRefused  bool

	// Properties replaces properties of the instance, such as a ProtectionStatus that is no longer
	// true. NULL is nil.
	Properties map[string]Value
}

// Protector is a key protector.
type Protector struct {
	// ID is its GUID in braces.
	ID string
	// Type is its number, of which 1 is the TPM and 3 a recovery password.
	Type int32
	// Name is the name that its owner gave it.
	Name string
	// Password, Key and Package are secrets: the recovery password, the external key and the key
	// package.
	Password string
	Key      []byte
	Package  []byte
	// SID is the account of a protector of type 10; Thumbprint the certificate of one of type 7;
	// File the file's name of an external key.
	SID        string
	Thumbprint string
	File       string
}

// WineVolume is the GUID path that Wine gives to the volume with this letter.
func WineVolume(letter byte) string {
	return fmt.Sprintf(`\\?\Volume{00000000-0000-0000-0000-0000000000%02x}\`, letter)
}

// protection is what GetProtectionStatus says by its definition: on when the volume is fully
// encrypted and its key is not in the clear
// (learn.microsoft.com/windows/win32/secprov/getprotectionstatus-win32-encryptablevolume).
func (v *Volume) protection() int32 {
	switch {
	case v.Locked:
		return 2
	case v.Conversion == Encrypted && !v.KeyInClear:
		return 1
	}
	return 0
}

// activated tells whether BitLocker is on for the volume in the sense of FVE_E_NOT_ACTIVATED.
func (v *Volume) activated() bool {
	return v.Conversion != Decrypted || len(v.Protectors) > 0
}

func (v *Volume) protector(id string) *Protector {
	for i := range v.Protectors {
		if v.Protectors[i].ID == id {
			return &v.Protectors[i]
		}
	}
	return nil
}

// pass lets time pass over a conversion and a wipe.
func (v *Volume) pass(d time.Duration) {
	if v.Takes <= 0 || d <= 0 {
		return
	}
	step := 100 * float64(d) / float64(v.Takes)
	switch v.Conversion {
	case Encrypting:
		if v.Percent = min(100, v.Percent+step); v.Percent >= 100 {
			v.Conversion = Encrypted
		}
	case Decrypting:
		if v.Percent = max(0, v.Percent-step); v.Percent <= 0 {
			v.decrypted()
		}
	}
	if v.Wiping == Wiping {
		if v.WipePercent = min(100, v.WipePercent+step); v.WipePercent >= 100 {
			v.Wiping = Wiped
		}
	}
}

// decrypted is what remains when decryption has ended: no protectors, no identifier
// (learn.microsoft.com/windows/win32/secprov/decrypt-win32-encryptablevolume).
func (v *Volume) decrypted() {
	v.Conversion, v.Percent, v.Method, v.DriveMethod, v.Flags = Decrypted, 0, 0, "", 0
	v.Wiping, v.WipePercent = NotWiped, 0
	v.Protectors, v.KeyInClear, v.Suspensions, v.AutoUnlock = nil, false, 0, ""
	v.PersistentVolumeID = ""
}
