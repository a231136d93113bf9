package storage

import (
	"bytes"
	"strings"
)

// Where the fields of STORAGE_DEVICE_DESCRIPTOR are
// (learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-storage_device_descriptor). Version
// and Size, four bytes each, come first; the four offsets count from the beginning, and 0 means that
// there is no such text.
const (
	descriptorRemovable = 10
	descriptorVendor    = 12
	descriptorProduct   = 16
	descriptorRevision  = 20
	descriptorSerial    = 24
	descriptorBus       = 28
	descriptorBytes     = 36
)

// maxTextBytes bounds a text that a device says of itself.
const maxTextBytes = 256

// descriptor is what a device says of itself.
type descriptor struct {
	vendor, product, revision, serial string
	removable                         bool
	bus                               uint32
}

func decodeDescriptor(data []byte) (descriptor, error) {
	if err := need("the device descriptor", data, descriptorBytes); err != nil {
		return descriptor{}, err
	}
	return descriptor{
		vendor:    textAt(data, descriptorVendor),
		product:   textAt(data, descriptorProduct),
		revision:  textAt(data, descriptorRevision),
		serial:    textAt(data, descriptorSerial),
		removable: data[descriptorRemovable] != 0,
		bus:       le.Uint32(data[descriptorBus:]),
	}, nil
}

// textAt reads the text whose offset stands at field. One that begins in the fixed part or beyond
// the end is none: some drivers write -1 for a text that they do not have.
func textAt(data []byte, field int) string {
	offset := le.Uint32(data[field:])
	if offset < descriptorBytes || uint64(offset) >= uint64(len(data)) {
		return ""
	}
	text, _, _ := bytes.Cut(data[offset:], []byte{0})
	return printable(text)
}

// printable keeps the printable ASCII characters of what a device says, without the blanks that
// it is padded with.
func printable(text []byte) string {
	text = text[:min(len(text), maxTextBytes)]
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, string(text)))
}

// vendorsOfStandards are what translations to SCSI put in place of a vendor: the name of the
// protocol that the disk speaks.
var vendorsOfStandards = map[string]bool{"": true, "ATA": true, "NVMe": true}

// model is the name of the device as people know it.
func (d descriptor) model() string {
	if vendorsOfStandards[d.vendor] || strings.HasPrefix(d.product, d.vendor) {
		return d.product
	}
	return strings.TrimSpace(d.vendor + " " + d.product)
}
