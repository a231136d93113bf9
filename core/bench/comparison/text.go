package comparison

import (
	"bytes"
	"strings"

	"diskaudit/core/contract"
)

// decodeText turns UTF-8, with or without a mark, and UTF-16 with one into text with plain line
// ends. Bytes that are not UTF-8, such as a path in a code page, become U+FFFD: no figure has any.
func decodeText(data []byte) (string, bool) {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		return decodeUTF16(data[2:], func(b []byte) uint16 { return uint16(b[0]) | uint16(b[1])<<8 })
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return decodeUTF16(data[2:], func(b []byte) uint16 { return uint16(b[1]) | uint16(b[0])<<8 })
	}
	data = bytes.TrimPrefix(data, []byte{0xef, 0xbb, 0xbf})
	if bytes.IndexByte(data, 0) >= 0 {
		return "", false
	}
	return plainLines(strings.ToValidUTF8(string(data), "\ufffd")), true
}

func decodeUTF16(data []byte, unit func([]byte) uint16) (string, bool) {
	var text strings.Builder
	for ; len(data) >= 2; data = data[2:] {
		r := rune(unit(data))
		if r == 0 {
			return "", false
		}
		// Halves of pairs occur in names only, never in figures: each becomes U+FFFD.
		text.WriteRune(r)
	}
	return plainLines(text.String()), true
}

func plainLines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// shorten keeps a message readable whatever a file puts into it.
func shorten(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}

func note(code, text string) contract.InvalidReason {
	return contract.InvalidReason{Code: code, Text: text}
}
