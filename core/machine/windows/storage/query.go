package storage

import (
	"encoding/binary"
	"fmt"
)

var le = binary.LittleEndian

// Bounds of what a device may say of itself, whatever length it claims.
const (
	firstAnswerBytes = 1024
	maxAnswerBytes   = 64 << 10
)

// shortError is the error of an answer that ends before it is complete.
type shortError struct {
	what      string
	got, want int
}

func (e shortError) Error() string {
	return fmt.Sprintf("%s has %d bytes instead of at least %d", e.what, e.got, e.want)
}

// need tells whether data has at least want bytes.
func need(what string, data []byte, want int) error {
	if len(data) < want {
		return shortError{what, len(data), want}
	}
	return nil
}

// queryProperty asks a device for one of its properties. The query is STORAGE_PROPERTY_QUERY:
// property at 0, type of the query at 4 (0 is PropertyStandardQuery), further parameters from 8
// (learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-storage_property_query). Every answer
// begins with STORAGE_DESCRIPTOR_HEADER, whose field at 4 is the length of the whole: an answer
// that did not fit is asked for again
// (learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-storage_descriptor_header).
func queryProperty(device Device, property uint32) ([]byte, error) {
	query := make([]byte, 12)
	le.PutUint32(query, property)
	data, err := device.Control(ioctlQueryProperty, query, firstAnswerBytes)
	if err != nil {
		return nil, err
	}
	if err := need("a property of the device", data, 8); err != nil {
		return nil, err
	}
	if size := le.Uint32(data[4:]); size > firstAnswerBytes && size <= maxAnswerBytes {
		return device.Control(ioctlQueryProperty, query, int(size))
	}
	return data, nil
}
