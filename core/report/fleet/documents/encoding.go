package documents

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// toUTF8 takes a byte order mark off and turns UTF-16, as the redirection of Windows PowerShell 5.1
// writes it (learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_character_encoding),
// into UTF-8.
func toUTF8(file io.Reader) io.Reader {
	in := bufio.NewReaderSize(file, 64<<10)
	start, _ := in.Peek(3)
	begins := func(mark ...byte) bool { return len(start) >= len(mark) && string(start[:len(mark)]) == string(mark) }
	switch {
	case begins(0xef, 0xbb, 0xbf):
		_, _ = in.Discard(3)
	case begins(0xff, 0xfe):
		_, _ = in.Discard(2)
		return &fromUTF16{in: in, order: binary.LittleEndian}
	case begins(0xfe, 0xff):
		_, _ = in.Discard(2)
		return &fromUTF16{in: in, order: binary.BigEndian}
	case begins('{', 0): // UTF-16 that lost its mark
		return &fromUTF16{in: in, order: binary.LittleEndian}
	case begins(0, '{'):
		return &fromUTF16{in: in, order: binary.BigEndian}
	}
	return in
}

// fromUTF16 reads UTF-16 as UTF-8. Half a surrogate pair becomes the replacement character, as
// everywhere in Go.
type fromUTF16 struct {
	in    *bufio.Reader
	order binary.ByteOrder
	// high is the first half of a pair whose second half has not been read; 0 for none.
	high rune
	// buffer holds decoded text, rest the part of it that the caller has not had.
	buffer, rest []byte
	err          error
}

func (u *fromUTF16) Read(p []byte) (int, error) {
	if len(u.rest) == 0 && u.err == nil {
		u.fill(max(len(p), utf8.UTFMax))
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	if n == 0 && len(p) > 0 {
		return 0, u.err
	}
	return n, nil
}

// fill reads about as many bytes of UTF-8 as are wanted.
func (u *fromUTF16) fill(wanted int) {
	text := u.buffer[:0]
	defer func() { u.buffer, u.rest = text, text }()
	for len(text) < wanted && u.err == nil {
		var unit [2]byte
		_, err := io.ReadFull(u.in, unit[:])
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = refusef(CodeCutOff, "It is UTF-16, but ends within a character: it was cut off. Copy it again, whole.")
		}
		if err != nil {
			u.err = err
			if u.high != 0 {
				text = utf8.AppendRune(text, utf8.RuneError)
			}
			return
		}
		r := rune(u.order.Uint16(unit[:]))
		if u.high != 0 {
			both := utf16.DecodeRune(u.high, r)
			text = utf8.AppendRune(text, both)
			u.high = 0
			if both != utf8.RuneError {
				continue
			}
		}
		if utf16.IsSurrogate(r) && r < 0xdc00 {
			u.high = r
			continue
		}
		text = utf8.AppendRune(text, r)
	}
}
