package linux

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// What the header of a LUKS volume says openly. Sources: LUKS1 On-Disk Format Specification
// 1.2.3, partition header; LUKS2 On-Disk Format Specification, binary header and segments object.
const (
	luksMagic          = "LUKS\xba\xbe"
	luks1PayloadOffset = 104
	luksUUIDOffset     = 168
	luksUUIDBytes      = 40
	luks2SizeOffset    = 8
	luks2JSONStart     = 4096
	luks2HeaderLimit   = 4 << 20
)

var errNotLUKS = errors.New("there is no LUKS header")

// luksHeader is what is wanted of a LUKS header.
type luksHeader struct {
	// uuid of the volume, in lower case without dashes.
	uuid string
	// payload is where the encrypted data begins, in bytes; nil when it is not one run.
	payload *uint64
}

// readLUKS reads the first header of a LUKS volume of either version.
func readLUKS(r io.ReaderAt) (luksHeader, error) {
	head := make([]byte, luksUUIDOffset+luksUUIDBytes)
	if _, err := r.ReadAt(head, 0); err != nil {
		return luksHeader{}, fmt.Errorf("reading the LUKS header: %w", err)
	}
	if !bytes.HasPrefix(head, []byte(luksMagic)) {
		return luksHeader{}, errNotLUKS
	}
	uuid, _, _ := bytes.Cut(head[luksUUIDOffset:], []byte{0})
	header := luksHeader{uuid: strings.ToLower(strings.ReplaceAll(string(uuid), "-", ""))}
	switch version := binary.BigEndian.Uint16(head[len(luksMagic):]); version {
	case 1:
		payload := uint64(binary.BigEndian.Uint32(head[luks1PayloadOffset:])) * sectorBytes
		if payload > 0 {
			// Zero means that the header lies elsewhere.
			header.payload = &payload
		}
	case 2:
		size := binary.BigEndian.Uint64(head[luks2SizeOffset:])
		if size <= luks2JSONStart || size > luks2HeaderLimit {
			return luksHeader{}, fmt.Errorf("the LUKS2 header claims %d bytes", size)
		}
		area := make([]byte, size-luks2JSONStart)
		if _, err := r.ReadAt(area, luks2JSONStart); err != nil {
			return luksHeader{}, fmt.Errorf("reading the LUKS2 metadata: %w", err)
		}
		payload, err := luks2Payload(area)
		if err != nil {
			return luksHeader{}, err
		}
		header.payload = payload
	default:
		return luksHeader{}, fmt.Errorf("the LUKS header has the unknown version %d", version)
	}
	return header, nil
}

// luks2Payload finds the only segment in the JSON area; there are several while the volume is
// being encrypted anew.
func luks2Payload(area []byte) (*uint64, error) {
	text, _, _ := bytes.Cut(area, []byte{0})
	var metadata struct {
		Segments map[string]struct {
			Type   string `json:"type"`
			Offset string `json:"offset"`
		} `json:"segments"`
	}
	if err := json.Unmarshal(text, &metadata); err != nil {
		return nil, fmt.Errorf("reading the LUKS2 metadata: %w", err)
	}
	if len(metadata.Segments) != 1 {
		return nil, nil
	}
	for _, segment := range metadata.Segments {
		offset, err := strconv.ParseUint(segment.Offset, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("reading the offset of the LUKS2 segment: %w", err)
		}
		if segment.Type == "crypt" {
			return &offset, nil
		}
	}
	return nil, nil
}

// belongsTo reports whether the header is that of a mapping, whose uuid is
// "CRYPT-LUKS2-<uuid without dashes>-<name>".
func (h luksHeader) belongsTo(mappingID string) bool {
	parts := strings.SplitN(mappingID, "-", 4)
	return len(parts) >= 3 && strings.HasPrefix(parts[1], "LUKS") && h.uuid != "" && parts[2] == h.uuid
}
