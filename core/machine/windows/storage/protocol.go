package storage

import (
	"fmt"

	"diskaudit/core/machine/nvme"
)

// What an NVMe disk is asked, by learn.microsoft.com/windows/win32/fileio/working-with-nvme-devices.
// The query is STORAGE_PROPERTY_QUERY whose parameters, from 8 on, are STORAGE_PROTOCOL_SPECIFIC_DATA
// (learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-storage_protocol_specific_data): protocol
// at 0, type of data at 4, value at 8, further value at 12, offset of the data, counted from the
// beginning of this structure, at 16 and their length at 20. The answer is
// STORAGE_PROTOCOL_DATA_DESCRIPTOR, which has the same structure at 8
// (learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-storage_protocol_data_descriptor).
const (
	protocolAt    = 8
	protocolBytes = 40

	protocolNVMe     = 3 // learn.microsoft.com/windows/win32/api/winioctl/ne-winioctl-storage_protocol_type
	dataNVMeIdentify = 1 // learn.microsoft.com/windows/win32/api/winioctl/ne-winioctl-storage_protocol_nvme_data_type
	dataNVMeLogPage  = 2

	identifyController = 1 // NVM Express Base Specification, Identify, CNS 01h
	logPageHealth      = 2 // NVM Express Base Specification, Get Log Page, log page identifier 02h
)

// queryIdentify asks for the Identify Controller data structure.
func queryIdentify(device Device) ([]byte, error) {
	return queryProtocol(device, propertyAdapterProtocol, dataNVMeIdentify, identifyController, nvme.IdentifyBytes)
}

// queryHealth asks for the SMART / Health Information log page.
func queryHealth(device Device) ([]byte, error) {
	return queryProtocol(device, propertyDeviceProtocol, dataNVMeLogPage, logPageHealth, nvme.SMARTLogBytes)
}

// queryProtocol sends a query whose buffer has room for the answer, as the page recommends: some
// drivers look at the length of the query.
func queryProtocol(device Device, property, data, value uint32, bytes int) ([]byte, error) {
	query := make([]byte, protocolAt+protocolBytes+bytes)
	le.PutUint32(query, property)
	le.PutUint32(query[protocolAt:], protocolNVMe)
	le.PutUint32(query[protocolAt+4:], data)
	le.PutUint32(query[protocolAt+8:], value)
	le.PutUint32(query[protocolAt+16:], protocolBytes)
	le.PutUint32(query[protocolAt+20:], uint32(bytes))
	reply, err := device.Control(ioctlQueryProperty, query, len(query))
	if err != nil {
		return nil, err
	}
	return decodeProtocol(reply, bytes)
}

// decodeProtocol returns the data of an answer, which must have want bytes.
func decodeProtocol(reply []byte, want int) ([]byte, error) {
	if err := need("the protocol data", reply, protocolAt+protocolBytes); err != nil {
		return nil, err
	}
	offset, length := uint64(le.Uint32(reply[protocolAt+16:])), uint64(le.Uint32(reply[protocolAt+20:]))
	if offset < protocolBytes || length < uint64(want) {
		return nil, fmt.Errorf("the protocol data is at %d and has %d bytes instead of %d", offset, length, want)
	}
	start := protocolAt + offset
	if start+uint64(want) > uint64(len(reply)) {
		return nil, shortError{"the protocol data", len(reply), int(start) + want}
	}
	return reply[start : start+uint64(want)], nil
}
