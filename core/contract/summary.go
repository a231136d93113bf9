package contract

// Summary is the whole computer in one state and a few flat facts: what management tools compare and
// show. It judges volumes on fixed disks alone; removable ones, and those that BitLocker has nothing
// to do with, are left out. No field changes from run to run while the computer stays as it is, so
// that a tool which reports changes reports real ones.
type Summary struct {
	// The computer's state, by the volume that needs most attention.
	State ComputerState `json:"state"`
	// The document's own: false when a fact that was asked for could not be read.
	Complete bool `json:"complete"`
	// Volumes that were judged. Null, as all counts of volumes, when the list of volumes may lack some.
	Volumes *uint64 `json:"volumes"`
	// Volumes that hold data encrypted by software, those that are being converted included. Null, as is hardwareEncrypted, when what encrypts one of them is not known.
	SoftwareEncrypted *uint64 `json:"softwareEncrypted"`
	// Volumes that hold data encrypted by the drive or by a processor's engine.
	HardwareEncrypted *uint64 `json:"hardwareEncrypted"`
	// Volumes that are known not to be encrypted by BitLocker.
	NotEncrypted *uint64 `json:"notEncrypted"`
	// Volumes that hold encrypted data and are known not to be protected. Null when that is not known of one of them.
	Unprotected *uint64 `json:"unprotected"`
	// Volumes whose state is not known, locked ones included.
	UnknownVolumes *uint64 `json:"unknownVolumes"`
	// Volumes that are being encrypted or decrypted, paused or not.
	Converting *uint64 `json:"converting"`
	// Where the operating system volume is mounted, such as "C:"; null when no such volume is known.
	OSVolume *string `json:"osVolume"`
	// How far the operating system volume is encrypted.
	OSConversion *string `json:"osConversion"`
	// Its cipher.
	OSMethod *string `json:"osMethod"`
	// What encrypts it.
	OSEngine *string `json:"osEngine"`
	// Whether its key is kept from a thief.
	OSProtection *string `json:"osProtection"`
	// Why its protection is what it is.
	OSProtectionReason *string `json:"osProtectionReason"`
	// Findings of severity critical, without those about removable volumes.
	Critical uint64 `json:"critical"`
	// Findings of severity warning, without those about removable volumes.
	Warnings uint64 `json:"warnings"`
	// Id of the worst of all findings but those about removable volumes; null when there is none.
	WorstFinding *string `json:"worstFinding"`
	// Each volume as "C:=software/XtsAes128/FullyEncrypted/On" (engine, method, conversion, protection), separated by spaces, at most 2,000 characters; "+3 more" at the end says that three more were left out. Letters and GUIDs only, never a label or a folder.
	Detail string `json:"detail"`
	// Version of the program that judged.
	ToolVersion string `json:"toolVersion"`
}

// ComputerState is what a computer is to BitLocker, as a whole.
type ComputerState string

// The states of a computer, by priority: the first that fits is the computer's.
const (
	// ComputerUnknown: the state of a volume is not known, or it is locked, or the list of volumes may lack some.
	ComputerUnknown ComputerState = "unknown"
	// ComputerDecrypting: a volume is being decrypted.
	ComputerDecrypting ComputerState = "decrypting"
	// ComputerEncrypting: a volume is being encrypted.
	ComputerEncrypting ComputerState = "encrypting"
	// ComputerPaused: a conversion is paused.
	ComputerPaused ComputerState = "paused"
	// ComputerSoftwareEncrypted: a volume is encrypted by software.
	ComputerSoftwareEncrypted ComputerState = "software-encrypted"
	// ComputerHardwareEncrypted: volumes are encrypted, all of them by the drive or a processor's engine.
	ComputerHardwareEncrypted ComputerState = "hardware-encrypted"
	// ComputerNotEncrypted: every volume is known not to be encrypted by BitLocker.
	ComputerNotEncrypted ComputerState = "not-encrypted"
)

// ComputerStates lists the states by priority.
func ComputerStates() []ComputerState {
	return []ComputerState{
		ComputerUnknown, ComputerDecrypting, ComputerEncrypting, ComputerPaused,
		ComputerSoftwareEncrypted, ComputerHardwareEncrypted, ComputerNotEncrypted,
	}
}

// MarshalText writes the state; the zero value is unknown.
func (s ComputerState) MarshalText() ([]byte, error) {
	if s == "" {
		return []byte(ComputerUnknown), nil
	}
	return []byte(s), nil
}
