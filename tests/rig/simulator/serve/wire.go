package serve

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf16"

	"diskaudit/tests/rig/simulator"
)

// The wire between the COM bridge and this server: frames both ways, each a length and as many
// bytes; all numbers little-endian.
//
//	frame    length u32, body
//	request  operation u8, then
//	         hello    process u32                              first on each connection
//	         create   class text                               a CLSID in braces
//	         name     object u32, member text
//	         invoke   object u32, member i32, flags u16, n u16, n values in the order of a script's arguments
//	         next     object u32                               IEnumVARIANT::Next for one
//	         reset    object u32
//	         release  object u32
//	reply    hresult u32, then where it is S_OK
//	         create   object u32
//	         name     member i32
//	         invoke   result value, n u16, n values            the arguments as the call left them
//	         next     value
//	         and to an invoke with DISP_E_EXCEPTION: scode u32, source text, description text
//	text     n u32, n UTF-16 units
//	value    type u16 (a VARTYPE), then
//	         empty, null          nothing
//	         BSTR                 text
//	         DISPATCH, UNKNOWN    object u32, 0 for none
//	         ARRAY of VARIANT     n u32, n values
//	         anything else        8 bytes, the value in the first of them
//
// What an argument points to (VT_BYREF) travels as what is there.
const (
	opHello   = 1
	opCreate  = 2
	opName    = 3
	opInvoke  = 4
	opNext    = 5
	opReset   = 6
	opRelease = 7

	// most is the longest frame that either side takes.
	most = 1 << 20
	// deepest is how far arrays may lie in arrays.
	deepest = 4
)

// The types of values (learn.microsoft.com/windows/win32/api/wtypes/ne-wtypes-varenum).
const (
	vtEmpty    = 0
	vtNull     = 1
	vtI2       = 2
	vtI4       = 3
	vtR4       = 4
	vtR8       = 5
	vtBSTR     = 8
	vtDispatch = 9
	vtError    = 10
	vtBool     = 11
	vtUnknown  = 13
	vtI1       = 16
	vtUI1      = 17
	vtUI2      = 18
	vtUI4      = 19
	vtI8       = 20
	vtUI8      = 21
	vtInt      = 22
	vtUint     = 23
	vtArray    = 0x2000 | 12
)

var errShort = errors.New("a frame ends too early")

func readFrame(r io.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > most {
		return nil, fmt.Errorf("a frame of %d bytes is too long", n)
	}
	body := make([]byte, n)
	_, err := io.ReadFull(r, body)
	return body, err
}

func writeFrame(w io.Writer, body []byte) error {
	frame := binary.LittleEndian.AppendUint32(nil, uint32(len(body)))
	_, err := w.Write(append(frame, body...))
	return err
}

// reader takes a frame apart. After the first error everything reads as zero.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) bytes(n int) []byte {
	if r.err == nil && n > len(r.rest) {
		r.err = errShort
	}
	if r.err != nil {
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) u8() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u16() uint16 {
	if b := r.bytes(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (r *reader) u32() uint32 {
	if b := r.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) text() string {
	n := r.u32()
	if r.err == nil && uint64(n)*2 > uint64(len(r.rest)) {
		r.err = errShort
	}
	b := r.bytes(int(n) * 2)
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// value reads a value. Objects are not passed in.
func (r *reader) value(depth int) simulator.Value {
	switch vt := r.u16(); vt {
	case vtEmpty:
		return simulator.Empty{}
	case vtNull:
		return nil
	case vtBSTR:
		return r.text()
	case vtArray:
		n := int(r.u32())
		if depth >= deepest || n > len(r.rest) {
			r.err = errShort
			return nil
		}
		var elements []simulator.Value
		for range n {
			elements = append(elements, r.value(depth+1))
		}
		return elements
	case vtDispatch, vtUnknown:
		r.u32()
		return nil
	default:
		return scalar(vt, r.u64())
	}
}

func scalar(vt uint16, bits uint64) simulator.Value {
	switch vt {
	case vtI1:
		return int8(bits)
	case vtI2:
		return int16(bits)
	case vtI4, vtInt:
		return int32(bits)
	case vtI8:
		return int64(bits)
	case vtUI1:
		return uint8(bits)
	case vtUI2:
		return uint16(bits)
	case vtUI4, vtUint:
		return uint32(bits)
	case vtUI8:
		return bits
	case vtR4:
		return math.Float32frombits(uint32(bits))
	case vtR8:
		return math.Float64frombits(bits)
	case vtBool:
		return uint16(bits) != 0
	}
	// An argument that was left out arrives as VT_ERROR.
	return simulator.Empty{}
}

func appendText(b []byte, text string) []byte {
	units := utf16.Encode([]rune(text))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(units)))
	for _, unit := range units {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return b
}

// appendValue writes a value; objects get a number from number.
func appendValue(b []byte, value simulator.Value, number func(any) uint32) []byte {
	simple := func(vt uint16, bits uint64) []byte {
		return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint16(b, vt), bits)
	}
	kind := func(vt uint16) []byte { return binary.LittleEndian.AppendUint16(b, vt) }
	switch v := value.(type) {
	case nil:
		return kind(vtNull)
	case simulator.Empty:
		return kind(vtEmpty)
	case string:
		return appendText(kind(vtBSTR), v)
	case bool:
		if v {
			return simple(vtBool, 0xFFFF)
		}
		return simple(vtBool, 0)
	case int8:
		return simple(vtI1, uint64(v))
	case int16:
		return simple(vtI2, uint64(v))
	case int32:
		return simple(vtI4, uint64(v))
	case int64:
		return simple(vtI8, uint64(v))
	case uint8:
		return simple(vtUI1, uint64(v))
	case uint16:
		return simple(vtUI2, uint64(v))
	case uint32:
		return simple(vtUI4, uint64(v))
	case uint64:
		return simple(vtUI8, v)
	case float32:
		return simple(vtR4, uint64(math.Float32bits(v)))
	case float64:
		return simple(vtR8, math.Float64bits(v))
	case []string:
		return appendArray(kind(vtArray), v, number)
	case []byte:
		return appendArray(kind(vtArray), v, number)
	case []simulator.Value:
		return appendArray(kind(vtArray), v, number)
	case enumerator:
		return binary.LittleEndian.AppendUint32(kind(vtUnknown), number(v))
	case object:
		return binary.LittleEndian.AppendUint32(kind(vtDispatch), number(v))
	}
	return kind(vtEmpty)
}

func appendArray[T any](b []byte, elements []T, number func(any) uint32) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(elements)))
	for _, element := range elements {
		b = appendValue(b, element, number)
	}
	return b
}
