package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// Encode writes a document as UTF-8 JSON on one line without a line end: the form for files.
// Markup characters stay as they are.
func Encode(document any) ([]byte, error) {
	data, err := marshal(document)
	if err != nil {
		return nil, fmt.Errorf("encoding the document: %w", err)
	}
	return data, nil
}

// ASCII rewrites JSON so that every byte is ASCII: any other character becomes a \u escape,
// a surrogate pair above the basic plane. No code page and no byte order mark can damage the
// result. JSON has such characters only inside strings, so escaping them changes no meaning.
func ASCII(data []byte) []byte {
	out := make([]byte, 0, len(data)+len(data)/8)
	for len(data) > 0 {
		if data[0] < utf8.RuneSelf {
			if data[0] == 0x7f {
				out = append(out, `\u007f`...)
			} else {
				out = append(out, data[0])
			}
			data = data[1:]
			continue
		}
		r, size := utf8.DecodeRune(data)
		data = data[size:]
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
			continue
		}
		out = fmt.Appendf(out, `\u%04x`, r)
	}
	return out
}

func marshal(v any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), nil
}
