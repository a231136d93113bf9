package nvme

import (
	"fmt"
	"strings"
)

// Where the fields of the Identify Controller data structure are. Source: NVM Express Base
// Specification, Identify command, CNS 01h. Texts are ASCII, padded with blanks.
const (
	// IdentifyBytes is the length of the structure.
	IdentifyBytes = 4096

	identifySerial   = 4
	identifyModel    = 24
	identifyFirmware = 64
	identifyTextEnd  = 72
	identifyOACS     = 256
)

// securityBit of the Optional Admin Command Support says that the controller has the commands
// Security Send and Security Receive.
const securityBit = 1 << 0

// Controller is what a controller says of itself.
type Controller struct {
	// Serial, Model and Firmware are empty where it says nothing.
	Serial, Model, Firmware string
	// Security tells whether it has the commands Security Send and Security Receive, without which
	// it cannot have any TCG feature.
	Security bool
}

// DecodeIdentify reads an Identify Controller data structure. One of zeros tells nothing and is
// ErrNotSupported.
func DecodeIdentify(data []byte) (Controller, error) {
	if len(data) < IdentifyBytes {
		return Controller{}, fmt.Errorf("the Identify data has %d bytes instead of %d", len(data), IdentifyBytes)
	}
	if blank(data[:IdentifyBytes]) {
		return Controller{}, fmt.Errorf("the Identify data is empty: %w", ErrNotSupported)
	}
	return Controller{
		Serial:   text(data[identifySerial:identifyModel]),
		Model:    text(data[identifyModel:identifyFirmware]),
		Firmware: text(data[identifyFirmware:identifyTextEnd]),
		Security: data[identifyOACS]&securityBit != 0,
	}, nil
}

// text keeps the printable ASCII characters, without the padding.
func text(field []byte) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, string(field)))
}
