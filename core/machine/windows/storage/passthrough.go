package storage

import "fmt"

// Where the fields of SCSI_PASS_THROUGH are in a 64-bit program
// (learn.microsoft.com/windows-hardware/drivers/ddi/ntddscsi/ns-ntddscsi-_scsi_pass_through). Sense
// and data follow it in the same buffer.
const (
	passStatus       = 2
	passCDBLength    = 6
	passSenseLength  = 7
	passDataIn       = 8
	passDataLength   = 12
	passTimeout      = 16
	passDataOffset   = 24
	passSenseOffset  = 32
	passCDB          = 36
	passThroughBytes = 56

	senseAt    = 64
	senseBytes = 32
	dataAt     = 128

	// directionIn is SCSI_IOCTL_DATA_IN.
	directionIn = 1
	// passSeconds is how long the port driver waits for the disk.
	passSeconds = 5
)

// SECURITY PROTOCOL IN asks a disk for something of a security protocol; it changes nothing. Source:
// SCSI Primary Commands 4, 6.40: protocol at 1, protocol-specific number at 2, length at 6, counted
// in blocks of 512 bytes when the bit INC_512 at 4 is set.
const (
	securityProtocolIn      = 0xa2
	securityProtocolInBytes = 12
	countBlocks             = 1 << 7
	blockBytes              = 512
)

// securityBytes is how much is asked for.
const securityBytes = 4 * blockBytes

// lengthIn is the unit in which SECURITY PROTOCOL IN counts.
type lengthIn int

// The drivers of Windows differ: that of NVMe hands the length on to Security Receive, which counts
// bytes (learn.microsoft.com/windows-hardware/drivers/storage/stornvme-scsi-translation-support); that
// of SATA makes TRUSTED RECEIVE of it, which counts blocks, and refuses a length in bytes (function
// AtaSecurityProtocolRequest of the sample StorAHCI,
// learn.microsoft.com/windows-hardware/drivers/samples/storage-driver-samples).
const (
	inBytes lengthIn = iota
	inBlocks
)

// receiveSecurity asks a disk for what a security protocol has under a protocol-specific number.
func receiveSecurity(device Device, unit lengthIn, protocol byte, specific uint16) ([]byte, error) {
	request := make([]byte, dataAt+securityBytes)
	le.PutUint16(request, passThroughBytes)
	request[passCDBLength] = securityProtocolInBytes
	request[passSenseLength] = senseBytes
	request[passDataIn] = directionIn
	le.PutUint32(request[passDataLength:], securityBytes)
	le.PutUint32(request[passTimeout:], passSeconds)
	le.PutUint64(request[passDataOffset:], dataAt)
	le.PutUint32(request[passSenseOffset:], senseAt)
	cdb := request[passCDB:]
	cdb[0], cdb[1] = securityProtocolIn, protocol
	be.PutUint16(cdb[2:], specific)
	be.PutUint32(cdb[6:], securityBytes)
	if unit == inBlocks {
		cdb[4] = countBlocks
		be.PutUint32(cdb[6:], securityBytes/blockBytes)
	}
	reply, err := device.Control(ioctlSCSIPassThrough, request, len(request))
	if err != nil {
		return nil, err
	}
	return decodePassThrough(reply)
}

// senseError is a disk's refusal of a command: sense key, additional sense code and qualifier.
type senseError struct{ status, key, code, qualifier byte }

func (e senseError) Error() string {
	return fmt.Sprintf("the disk refused the command with SCSI status %02Xh, sense %X/%02Xh/%02Xh", e.status, e.key, e.code, e.qualifier)
}

// decodePassThrough returns the data of an answered command, or why the disk refused it. Sense in
// fixed format has the key in byte 2, code and qualifier in 12 and 13 (SCSI Primary Commands 4,
// 4.5.3).
func decodePassThrough(reply []byte) ([]byte, error) {
	if err := need("the answer to a SCSI command", reply, passThroughBytes); err != nil {
		return nil, err
	}
	if status := reply[passStatus]; status != 0 {
		refusal := senseError{status: status}
		if len(reply) >= senseAt+senseBytes {
			sense := reply[senseAt:]
			refusal.key, refusal.code, refusal.qualifier = sense[2]&0x0f, sense[12], sense[13]
		}
		return nil, refusal
	}
	if err := need("the answer to a SCSI command", reply, dataAt); err != nil {
		return nil, err
	}
	length := min(uint64(le.Uint32(reply[passDataLength:])), uint64(len(reply)-dataAt))
	return reply[dataAt : dataAt+length], nil
}
