package storage

import (
	"encoding/binary"
	"errors"

	"diskaudit/core/contract"
)

var be = binary.BigEndian

// Security protocols and what is asked of them. Sources: SCSI Primary Commands 4, 7.6.2 (protocol
// 00h lists the protocols); TCG Storage Architecture Core Specification, 3.3.6 (level 0 discovery is
// protocol 01h, ComID 0001h). Numbers are big-endian in both.
const (
	protocolList   = 0x00
	protocolTCG    = 0x01
	comIDDiscovery = 0x0001

	listLengthAt = 6
	listAt       = 8

	discoveryHeaderBytes = 48
	featureHeaderBytes   = 4
)

// Features of level 0 discovery that tell what a disk can do.
const featureLocking = 0x0002

// The bits of the locking feature's first byte.
const (
	lockingSupported = 1 << 0
	lockingEnabled   = 1 << 1
)

// standards are the security subsystem classes by their feature code, those first that say more
// (TCG Storage Feature Sets and Security Subsystem Classes: Opal, Enterprise, Ruby, Opalite, Pyrite).
var standards = []struct {
	feature uint16
	name    string
}{
	{0x0203, "Opal 2"},
	{0x0200, "Opal 1"},
	{0x0100, "Enterprise"},
	{0x0304, "Ruby"},
	{0x0301, "Opalite"},
	{0x0303, "Pyrite 2"},
	{0x0302, "Pyrite 1"},
}

// discoverSelfEncryption asks a disk whether it has TCG features. It reads and changes nothing.
func discoverSelfEncryption(device Device, unit lengthIn) (contract.SelfEncrypting, error) {
	list, err := receiveSecurity(device, unit, protocolList, 0)
	if err != nil {
		return contract.SelfEncrypting{}, err
	}
	listed, err := listsTCG(list)
	if err != nil {
		return contract.SelfEncrypting{}, err
	}
	if !listed {
		return contract.SelfEncrypting{Supported: contract.Ptr(false)}, nil
	}
	discovery, err := receiveSecurity(device, unit, protocolTCG, comIDDiscovery)
	if err != nil {
		return contract.SelfEncrypting{}, err
	}
	return decodeDiscovery(discovery)
}

// listsTCG tells whether a list of security protocols holds that of TCG.
func listsTCG(data []byte) (bool, error) {
	if err := need("the list of security protocols", data, listAt); err != nil {
		return false, err
	}
	length := int(be.Uint16(data[listLengthAt:]))
	end := min(listAt+length, len(data))
	for _, protocol := range data[listAt:end] {
		if protocol == protocolTCG {
			return true, nil
		}
	}
	if length == 0 || end < listAt+length {
		// Protocol 00h itself is always in a list, so an empty one is no answer.
		return false, errors.New("the list of security protocols is empty or cut short")
	}
	return false, nil
}

// decodeDiscovery reads the answer to level 0 discovery: a header that begins with the number of
// bytes after that number, then features: code in two bytes, version, length of what follows. A
// disk can encrypt by itself when it has the locking feature and that is supported; that it has
// not is known only from a complete list.
func decodeDiscovery(data []byte) (contract.SelfEncrypting, error) {
	if err := need("the level 0 discovery", data, discoveryHeaderBytes); err != nil {
		return contract.SelfEncrypting{}, err
	}
	claimed := uint64(be.Uint32(data)) + 4
	if claimed < discoveryHeaderBytes {
		return contract.SelfEncrypting{}, errors.New("the level 0 discovery is empty")
	}
	end := int(min(claimed, uint64(len(data))))
	complete := claimed <= uint64(len(data))

	var answer contract.SelfEncrypting
	found := map[uint16]bool{}
	for at := discoveryHeaderBytes; at < end; {
		if end-at < featureHeaderBytes || end-at < featureHeaderBytes+int(data[at+3]) {
			complete = false
			break
		}
		code, length := be.Uint16(data[at:]), int(data[at+3])
		at += featureHeaderBytes
		found[code] = true
		if code == featureLocking && length > 0 {
			answer.Supported = contract.Ptr(data[at]&lockingSupported != 0)
			answer.LockingEnabled = contract.Ptr(data[at]&lockingEnabled != 0)
		}
		at += length
	}
	for _, standard := range standards {
		if found[standard.feature] {
			answer.Standard = contract.Ptr(standard.name)
			break
		}
	}
	switch {
	case answer.Supported != nil:
		return answer, nil
	case !complete || found[featureLocking]:
		return answer, errors.New("the level 0 discovery is cut short before it tells of locking")
	}
	answer.Supported = contract.Ptr(false)
	return answer, nil
}
