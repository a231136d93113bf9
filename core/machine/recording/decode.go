package recording

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"diskaudit/core/contract"
)

// Bounds of a recording's content: a file of a few bytes per element could otherwise take many
// times its size in memory.
const (
	mostElements = 20_000
	mostTokens   = 1_000_000
)

// decode reads a status document and checks that it is one from end to end.
func decode(data []byte) (contract.Status, error) {
	var status contract.Status
	data, err := toUTF8(data)
	if err != nil {
		return status, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return status, errors.New("it is empty")
	}
	if err := measure(data); err != nil {
		return status, err
	}
	newer, err := checkHeader(data)
	if err != nil {
		return status, err
	}
	err = checkPresence(data)
	if err == nil {
		err = describe(json.Unmarshal(data, &status))
	}
	status.Findings = nil // they follow from the facts
	status.Summary = nil
	if err == nil {
		err = checkContent(status)
	}
	if err != nil && newer {
		return status, fmt.Errorf("%w; it has schema version %s, which is newer than %s: use a newer diskaudit", err, status.SchemaVersion, contract.SchemaVersion)
	}
	return status, err
}

// toUTF8 takes the byte order mark off and turns UTF-16 into UTF-8.
func toUTF8(data []byte) ([]byte, error) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte{0xef, 0xbb, 0xbf}):
		data = data[3:]
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		data, order = data[2:], binary.LittleEndian
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		data, order = data[2:], binary.BigEndian
	case bytes.HasPrefix(data, []byte{'{', 0}): // UTF-16 that lost its mark
		order = binary.LittleEndian
	}
	if order == nil {
		if !utf8.Valid(data) {
			return nil, errors.New("it is neither UTF-8 nor UTF-16; save it as UTF-8")
		}
		return data, nil
	}
	if len(data)%2 != 0 {
		return nil, errors.New("it is UTF-16, but ends within a character: it was cut off")
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units))), nil
}

// measure goes through the JSON without building anything of it.
func measure(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	// For each open bracket, whether it is a list's.
	var lists []bool
	elements, tokens := 0, 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			if len(lists) > 0 {
				return errors.New("it ends in the middle of the document: it was cut off")
			}
			return nil
		}
		if err != nil {
			return describe(err)
		}
		tokens++
		closing := token == json.Delim('}') || token == json.Delim(']')
		if len(lists) > 0 && lists[len(lists)-1] && !closing {
			elements++
		}
		if elements > mostElements || tokens > mostTokens {
			return fmt.Errorf("it lists more than %d things or has more than %d values, which no computer has", mostElements, mostTokens)
		}
		switch {
		case closing:
			lists = lists[:len(lists)-1]
		case token == json.Delim('{'), token == json.Delim('['):
			lists = append(lists, token == json.Delim('['))
		}
	}
}

// checkHeader refuses other documents before looking at their content, and reports whether the
// document may have values that this build does not know.
func checkHeader(data []byte) (newer bool, err error) {
	var header struct {
		SchemaVersion *string        `json:"schemaVersion"`
		Kind          *contract.Kind `json:"kind"`
		Tool          contract.Tool  `json:"tool"`
	}
	if err := json.Unmarshal(data, &header); err != nil {
		return false, describe(err)
	}
	if header.Kind == nil || header.SchemaVersion == nil {
		return false, errors.New(`it is JSON, but no document of diskaudit: it has no "kind" and "schemaVersion"; make one with: diskaudit status --record FILE`)
	}
	if *header.Kind != contract.KindStatus {
		return false, fmt.Errorf("it is a %q document; a recording is a %q document, as diskaudit status --record FILE writes it", *header.Kind, contract.KindStatus)
	}
	major, minor, err := parseVersion(*header.SchemaVersion)
	if err != nil {
		return false, err
	}
	ownMajor, ownMinor, err := parseVersion(contract.SchemaVersion)
	if err != nil {
		return false, err
	}
	if major != ownMajor {
		return false, fmt.Errorf("it has schema version %s, written by diskaudit %q; this one reads versions %d.x: use a diskaudit that writes the same", *header.SchemaVersion, header.Tool.Version, ownMajor)
	}
	return minor > ownMinor, nil
}

func parseVersion(version string) (major, minor uint64, err error) {
	first, second, _ := strings.Cut(version, ".")
	major, majorErr := strconv.ParseUint(first, 10, 31)
	minor, minorErr := strconv.ParseUint(second, 10, 31)
	if majorErr != nil || minorErr != nil {
		return 0, 0, fmt.Errorf("its schema version %q is not of the form major.minor", version)
	}
	return major, minor, nil
}

// checkContent holds what was read to the published schema, which knows the values of the
// enumerations, and to what a schema cannot say.
func checkContent(status contract.Status) error {
	normal, err := contract.Encode(status)
	if err != nil {
		return err
	}
	if err := contract.Validate(contract.KindStatus, normal); err != nil {
		return errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
	ids := map[string]bool{}
	for i, disk := range status.Disks {
		if disk.ID == "" || ids[disk.ID] {
			return fmt.Errorf("disks[%d] has the id %q, which is empty or another disk's", i, disk.ID)
		}
		ids[disk.ID] = true
	}
	ids = map[string]bool{}
	for i, volume := range status.Volumes {
		if volume.ID == "" || ids[volume.ID] {
			return fmt.Errorf("volumes[%d] has the id %q, which is empty or another volume's", i, volume.ID)
		}
		ids[volume.ID] = true
	}
	return nil
}

// describe says where JSON is wrong; nil stays nil.
func describe(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends in the middle of the document: it was cut off")
	case errors.As(err, &syntax):
		return fmt.Errorf("it is not JSON: %s at byte %d", syntax.Error(), syntax.Offset)
	case errors.As(err, &kind) && kind.Field == "":
		return errors.New("it is JSON, but no document of diskaudit; make one with: diskaudit status --record FILE")
	case errors.As(err, &kind):
		return fmt.Errorf("%s is a %s where %s is expected, at byte %d", kind.Field, kind.Value, kind.Type, kind.Offset)
	}
	return err
}
