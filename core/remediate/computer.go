package remediate

import (
	"context"

	"diskaudit/core/contract"
)

// Computer is what a plan is carried out on. Its methods read and change the present, never what
// was read before. An error is a *Failure.
type Computer interface {
	// Volume reads all of a volume's encryption.
	Volume(ctx context.Context, id string) (contract.Encryption, error)
	// Conversion reads how far a volume's conversion is, and its lock: the rest is nil.
	Conversion(ctx context.Context, id string) (contract.Encryption, error)
	// Change asks BitLocker once for a change of a volume: ChangeDecrypt, ChangePause, ChangeResume,
	// ChangeClearAutoUnlock. It returns when that is accepted, not when it has ended.
	Change(ctx context.Context, id string, change contract.Change) error
	// Prevention reads PreventDeviceEncryption: Absent, or its number in decimal.
	Prevention(ctx context.Context) (string, error)
	// SetPrevention writes it, in the same words. What is written is on the disk when it returns.
	SetPrevention(ctx context.Context, value string) error
	// Flushing reads whether a disk's write cache is flushed: On, or Off.
	Flushing(ctx context.Context, disk string) (string, error)
	// SetFlushing turns that on or off.
	SetFlushing(ctx context.Context, disk, value string) error
	// Reconnect gives up the connection to BitLocker and makes a new one, so that nothing that was
	// read before can be read again, and a question that hangs blocks no more.
	Reconnect(ctx context.Context) error
	// Close ends the connection.
	Close()
}

// PreventionTarget is the path of the registry value that keeps Windows from encrypting by itself
// (learn.microsoft.com/windows/security/operating-system-security/data-protection/bitlocker).
const PreventionTarget = `HKLM\SYSTEM\CurrentControlSet\Control\BitLocker\PreventDeviceEncryption`

// The words for states that are no conversion's.
const (
	// Absent is a registry value that is not there.
	Absent = "absent"
	// On and Off are the flushing of a write cache.
	On  = "on"
	Off = "off"
	// Stored and NotStored are keys for automatic unlocking on the operating system's volume.
	Stored    = "stored"
	NotStored = "not-stored"
)

// Failure is why a computer did not answer or change.
type Failure struct {
	// Problem describes it. Retryable in it says that the same may succeed later.
	Problem contract.Problem
	// Fatal says that the disk itself failed: nothing more must be done to it.
	Fatal bool
	// Unsure says that a change may have been made all the same: no answer came. Read the state.
	Unsure bool
}

func (f *Failure) Error() string { return f.Problem.Text }
