package allocation

import (
	"errors"
	"fmt"
	"slices"
)

// Types of attributes.
const (
	ntfsAttributeList = 0x20
	ntfsData          = 0x80
	ntfsEnd           = 0xffffffff
)

// ntfsBitmap finds the content of $Bitmap.
func ntfsBitmap(v *volume, g ntfsGeometry) (ntfsStream, error) {
	at := g.table + ntfsBitmapRecord*g.record
	read, err := v.at(at, int(g.record))
	if err != nil {
		return ntfsStream{}, err
	}
	record := slices.Clone(read)
	if string(record[:4]) != "FILE" || le.Uint16(record[22:])&1 == 0 {
		return ntfsStream{}, fmt.Errorf("there is no file record at byte %d; check the volume (chkdsk)", at)
	}
	if !ntfsFixUp(record) {
		return ntfsStream{}, fmt.Errorf("the file record at byte %d was written only in part; check the volume (chkdsk)", at)
	}
	attribute, err := ntfsDataAttribute(record)
	if err != nil {
		return ntfsStream{}, err
	}
	stream, err := ntfsContent(attribute, g)
	if err != nil {
		return ntfsStream{}, err
	}
	if needed := (g.clusters + 7) / 8; stream.length < needed {
		return ntfsStream{}, fmt.Errorf("it has %d bytes, but %d clusters need %d; check the volume (chkdsk)", stream.length, g.clusters, needed)
	}
	return stream, nil
}

// ntfsFixUp puts back the last two bytes of each 512, which on disk hold the record's update
// sequence number. It returns false when one holds another.
func ntfsFixUp(record []byte) bool {
	array, count := int(le.Uint16(record[4:])), int(le.Uint16(record[6:]))
	if count != len(record)/ntfsStride+1 || array+2*count > ntfsStride-2 {
		return false
	}
	for i := 1; i < count; i++ {
		end := record[i*ntfsStride-2:]
		if end[0] != record[array] || end[1] != record[array+1] {
			return false
		}
		copy(end[:2], record[array+2*i:])
	}
	return true
}

var errNTFSRecord = errors.New("the attributes of its file record make no sense; check the volume (chkdsk)")

// ntfsDataAttribute finds the unnamed data attribute.
func ntfsDataAttribute(record []byte) ([]byte, error) {
	for at := int(le.Uint16(record[20:])); at+16 <= len(record); {
		kind, length := le.Uint32(record[at:]), int64(le.Uint32(record[at+4:]))
		if kind == ntfsEnd {
			return nil, errors.New("its file record has no data; check the volume (chkdsk)")
		}
		if length < 24 || length > int64(len(record)-at) {
			return nil, errNTFSRecord
		}
		attribute := record[at : at+int(length)]
		switch {
		case kind == ntfsAttributeList:
			return nil, errors.New("it is so fragmented that its description has overflowed into other file records, which are not read here")
		case kind == ntfsData && attribute[9] == 0:
			return attribute, nil
		}
		at += int(length)
	}
	return nil, errNTFSRecord
}

// ntfsContent decodes a data attribute.
func ntfsContent(a []byte, g ntfsGeometry) (ntfsStream, error) {
	if le.Uint16(a[12:]) != 0 {
		return ntfsStream{}, errors.New("it is compressed, encrypted or sparse, which Windows never makes it")
	}
	if a[8] == 0 {
		length, value := int64(le.Uint32(a[16:])), int64(le.Uint16(a[20:]))
		if value+length > int64(len(a)) {
			return ntfsStream{}, errNTFSRecord
		}
		return ntfsStream{resident: a[value : value+length], length: length}, nil
	}
	if len(a) < 64 || le.Uint64(a[16:]) != 0 || int(le.Uint16(a[32:])) > len(a) {
		return ntfsStream{}, errNTFSRecord
	}
	length, initialized := le.Uint64(a[48:]), le.Uint64(a[56:])
	runs, total, err := ntfsRuns(a[le.Uint16(a[32:]):], g.clusters)
	if err != nil {
		return ntfsStream{}, err
	}
	if length > uint64(total*g.cluster) || initialized > length {
		return ntfsStream{}, errNTFSRecord
	}
	return ntfsStream{runs: runs, length: int64(length), initialized: int64(initialized)}, nil
}

// ntfsRuns decodes data runs: a byte with the sizes of the two numbers that follow, the length
// and the distance from the run before; 0 ends them. It returns the number of clusters too.
func ntfsRuns(data []byte, clusters int64) (runs []ntfsRun, total int64, err error) {
	first := int64(0)
	for len(data) > 0 && data[0] != 0 {
		lengthBytes, distanceBytes := int(data[0]&0xf), int(data[0]>>4)
		if lengthBytes == 0 || lengthBytes > 8 || distanceBytes > 8 || len(data) < 1+lengthBytes+distanceBytes {
			return nil, 0, errNTFSRecord
		}
		if distanceBytes == 0 {
			return nil, 0, errors.New("it has a hole, which Windows never makes in it; check the volume (chkdsk)")
		}
		count := signed(data[1 : 1+lengthBytes])
		first += signed(data[1+lengthBytes : 1+lengthBytes+distanceBytes])
		if count <= 0 || first < 0 || first >= clusters || count > clusters-first || total > clusters-count {
			return nil, 0, fmt.Errorf("it is said to have %d clusters from cluster %d, but the volume has %d; check the volume (chkdsk)", count, first, clusters)
		}
		runs, total = append(runs, ntfsRun{first, count}), total+count
		data = data[1+lengthBytes+distanceBytes:]
	}
	return runs, total, nil
}

// signed decodes a little-endian two's complement number of 1 to 8 bytes.
func signed(data []byte) int64 {
	value := uint64(0)
	for i, b := range data {
		value |= uint64(b) << (8 * i)
	}
	unused := 64 - 8*len(data)
	return int64(value<<unused) >> unused
}
