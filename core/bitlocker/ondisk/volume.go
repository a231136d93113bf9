// Package ondisk reads BitLocker's metadata (FVE) from a volume: what it says without a key.
//
// Layout and numbers: libyal/libbde, "BitLocker Drive Encryption (BDE) format"; cryptsetup,
// lib/bitlk; dislocker, include/dislocker/metadata. Microsoft publishes none of it. All numbers
// are little-endian, all offsets are bytes from the start of the volume.
package ondisk

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// Volume is what a BitLocker volume's header and metadata say.
type Volume struct {
	Header
	Metadata
	// Copies tells of each of the three copies of the metadata, in the order of the header.
	Copies []Copy
}

// Errors that Read wraps. With ErrDamaged and ErrVista the returned Volume has its Header, and
// with ErrDamaged its Copies, so that the damage can be named.
var (
	// ErrNotBitLocker means that the volume does not begin like a BitLocker volume.
	ErrNotBitLocker = errors.New("not a BitLocker volume")
	// ErrVista means a volume in the format of Windows Vista, whose metadata is not read.
	ErrVista = errors.New("a BitLocker volume in the format of Windows Vista")
	// ErrDamaged means that none of the copies of the metadata can be trusted.
	ErrDamaged = errors.New("no intact copy of the BitLocker metadata")
)

// Read reads header and metadata of a volume of size bytes. It reads the first sector and the
// three copies, at most 1 MiB in all. Of the copies that are intact the newest is used.
// A copy that r cannot read is a damaged one while another is intact; when none is, the error of
// r is returned, wrapped.
func Read(r io.ReaderAt, size int64) (*Volume, error) {
	sector := make([]byte, headerBytes)
	if n, err := r.ReadAt(sector, 0); n < len(sector) {
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("the volume has fewer than %d bytes: %w", headerBytes, ErrNotBitLocker)
		}
		return nil, fmt.Errorf("reading the volume's first sector: %w", err)
	}
	header, like := parseHeader(sector)
	if like == unlike || like == likeFAT && !hasSignature(r, size, header.Offsets) {
		return nil, ErrNotBitLocker
	}
	volume := &Volume{Header: header}
	if header.Format == Vista {
		return volume, ErrVista
	}
	metadata, copies, err := readCopies(r, size, header.Offsets)
	volume.Copies = copies
	if err != nil {
		return volume, err
	}
	volume.Metadata = *metadata
	return volume, nil
}

// Metadata is what one copy of the metadata says.
type Metadata struct {
	// State and NextState are the volume's state and the state it is on its way to.
	State, NextState State
	// EncryptedBytes is how many bytes from the volume's start are encrypted: the volume's size
	// once everything is. BitLocker decrypts from the back to the front.
	EncryptedBytes uint64
	// MovedSectors is how many sectors from the volume's start were moved, to make room for the
	// header, and MovedTo the byte where the first of them lies now.
	MovedSectors uint32
	MovedTo      uint64
	// GUID is the volume identifier, in lower case without braces.
	GUID string
	// Method is the cipher.
	Method Method
	// Created is when encryption began; the zero time when the metadata holds none.
	Created time.Time
	// Description is the text that Windows stored; nil when there is none.
	Description *string
	// Protectors are the key protectors in their order on disk.
	Protectors []Protector

	offsets [copyCount]uint64
	nonce   uint32
}

// State is a volume's state (dislocker: enum state_types).
type State uint16

// The states that occur in a pair of known meaning.
const (
	StateDecrypted       State = 1
	StateEncrypted       State = 4
	StateSwitchingPaused State = 5
)

// Method is a cipher's number on disk.
type Method uint16

// The ciphers.
const (
	Aes128Diffuser Method = 0x8000
	Aes256Diffuser Method = 0x8001
	Aes128         Method = 0x8002
	Aes256         Method = 0x8003
	XtsAes128      Method = 0x8004
	XtsAes256      Method = 0x8005
)

// Protection is how a key protector protects the volume master key.
type Protection uint16

// The protections whose numbers are known.
const (
	ClearKey         Protection = 0x0000
	Tpm              Protection = 0x0100
	StartupKey       Protection = 0x0200
	TpmPin           Protection = 0x0500
	RecoveryPassword Protection = 0x0800
	SmartCard        Protection = 0x1000
	Password         Protection = 0x2000
)

// Protector is one key protector.
type Protector struct {
	// ID is its GUID, in lower case without braces.
	ID string
	// Protection is how it protects the key.
	Protection Protection
}
