package documents

import (
	"bufio"
	"errors"
	"io"
)

// Bounds of one document. Those of a server with hundreds of volumes, or of a run of every profile,
// have about one mebibyte and some tens of thousands of values.
const (
	// MostBytes is how long a document may be. More is never held in memory.
	MostBytes = 64 << 20
	// mostString is how long one text in a document may be.
	mostString = 1 << 20
	// mostValues is how many values a document may have: each takes many times its length in memory.
	mostValues = 500_000
	// mostDepth is how deep a document may be nested; this program's own have a tenth of that.
	mostDepth = 100
	// keptBuffer is how large a buffer is kept from document to document.
	keptBuffer = 1 << 20
)

// splitter takes a text apart into JSON objects that follow each other, one a line or not. It holds
// one of them at a time. It checks the structure and leaves the rest to the decoder, but it sees at
// once where a document was cut off and the next begins, so that the next is not lost with it.
type splitter struct {
	in *bufio.Reader
	// text is the document without the white space between its parts, size its length with it.
	text []byte
	size int
	// line is that of the next byte, from 1; lineStart tells that it is the first of its line.
	line      int
	lineStart bool
	// began is the line on which the document begins that was returned last.
	began int
	ended bool

	// open holds the brackets that are open.
	open   []byte
	want   expectation
	values int
}

// expectation is what may come next in a document.
type expectation int

const (
	wantValue expectation = iota
	wantValueOrEnd
	wantName
	wantNameOrEnd
	wantColon
	wantCommaOrEnd
)

func newSplitter(text io.Reader) *splitter {
	return &splitter{in: bufio.NewReaderSize(text, 64<<10), line: 1, lineStart: true}
}

// next returns the next object's text, which is good until the next call. Its error is io.EOF at
// the end, a refusal for what is no document, after which reading goes on behind it, or that of
// reading.
func (s *splitter) next() ([]byte, error) {
	if s.ended {
		return nil, io.EOF
	}
	first, err := s.skipSpace()
	s.began = s.line
	if err != nil {
		return nil, s.end(err)
	}
	if cap(s.text) > keptBuffer {
		s.text = nil
	}
	s.text, s.size, s.open, s.values = s.text[:0], 0, s.open[:0], 0
	err = s.object(first)
	var refused refusal
	if errors.As(err, &refused) {
		if readErr := s.skipToNext(); readErr != nil {
			s.ended = true
		}
		return nil, err
	}
	if err != nil {
		return nil, s.end(err)
	}
	return s.text, nil
}

// end notes that nothing more can be read.
func (s *splitter) end(err error) error {
	s.ended = true
	return err
}

func (s *splitter) read() (byte, error) {
	c, err := s.in.ReadByte()
	if err != nil {
		return 0, err
	}
	s.lineStart = c == '\n'
	if s.lineStart {
		s.line++
	}
	return c, nil
}

// skipSpace returns the first byte that is no white space.
func (s *splitter) skipSpace() (byte, error) {
	for {
		c, err := s.read()
		if err != nil || !isSpace(c) {
			return c, err
		}
	}
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t'
}

// skipToNext goes on to where the next document can begin: a line that starts with a brace. Within
// a document on several lines only the first does.
func (s *splitter) skipToNext() error {
	for {
		if s.lineStart {
			next, err := s.in.Peek(1)
			if err != nil || next[0] == '{' {
				return err
			}
		}
		switch _, err := s.in.ReadSlice('\n'); {
		case err == nil:
			s.line, s.lineStart = s.line+1, true
		case errors.Is(err, bufio.ErrBufferFull):
			s.lineStart = false
		default:
			return err
		}
	}
}

var errCutOff = refusal{CodeCutOff, "It ends in the middle of the document: it was cut off. Copy it again, whole."}

// gzipFirst is the first byte of a gzip file (RFC 1952, section 2.3.1), and of no JSON.
const gzipFirst = 0x1f

// object reads the object that begins with first.
func (s *splitter) object(first byte) error {
	switch first {
	case '{':
	case '[':
		return refusef(CodeNoDocument, "It is a list, not a document. Give the documents one after the other, without brackets and commas around them.")
	case gzipFirst:
		return refusef(CodeNotJSON, "It is compressed, as gzip does it, or no text at all. Unpack it first and give what was in it.")
	default:
		return refusef(CodeNotJSON, "It begins with %q, and a document of diskaudit begins with a brace. Give a file as diskaudit wrote it.", first)
	}
	s.text, s.size = append(s.text, first), 1
	s.open = append(s.open, first)
	s.want = wantNameOrEnd
	for literal := false; len(s.open) > 0; {
		atStart := s.lineStart
		c, err := s.read()
		if err != nil {
			return orCutOff(err)
		}
		if c == '{' && atStart {
			// Inner objects are indented or stand behind their name.
			return s.unread()
		}
		if s.size++; s.size > MostBytes {
			return refusef(CodeTooLarge, "It has more than %d MiB, and no document of diskaudit is that large. Give the file as diskaudit wrote it.", MostBytes>>20)
		}
		if isSpace(c) {
			literal = false
			continue
		}
		s.text = append(s.text, c)
		if c == '"' {
			literal = false
			err = s.quoted()
		} else if isLiteral(c) {
			if !literal {
				err = s.value(wantCommaOrEnd)
			}
			literal = true
		} else {
			literal = false
			err = s.mark(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unread gives the brace back with which the next document begins.
func (s *splitter) unread() error {
	if err := s.in.UnreadByte(); err != nil {
		return err
	}
	s.lineStart = true
	return errCutOff
}

func orCutOff(err error) error {
	if errors.Is(err, io.EOF) {
		return errCutOff
	}
	return err
}

// isLiteral tells whether a byte belongs to a number, true, false or null.
func isLiteral(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '+' || c == '.'
}

// value notes that a value came, after which something is wanted.
func (s *splitter) value(next expectation) error {
	if s.want != wantValue && s.want != wantValueOrEnd {
		return s.unexpected()
	}
	s.want = next
	if s.values++; s.values > mostValues {
		return refusef(CodeTooLarge, "It has more than %d values, and no document of diskaudit has so many. Give the file as diskaudit wrote it.", mostValues)
	}
	return nil
}

// quoted reads a text or a name, whose first quote was read.
func (s *splitter) quoted() error {
	switch s.want {
	case wantName, wantNameOrEnd:
		s.want = wantColon
	default:
		if err := s.value(wantCommaOrEnd); err != nil {
			return err
		}
	}
	start := len(s.text)
	for escaped := false; ; {
		c, err := s.read()
		if err != nil {
			return orCutOff(err)
		}
		s.size++
		if c < ' ' {
			if c == '\n' {
				return errCutOff
			}
			return refusef(CodeNotJSON, "It is not JSON: there is a control character in a text at byte %d of the document. Give the file as diskaudit wrote it.", s.size)
		}
		if len(s.text)-start > mostString {
			return refusef(CodeTooLarge, "It has a text of more than %d MiB, and no document of diskaudit has one. Give the file as diskaudit wrote it.", mostString>>20)
		}
		s.text = append(s.text, c)
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case c == '"':
			return nil
		}
	}
}

// mark reads a bracket, comma or colon.
func (s *splitter) mark(c byte) error {
	inObject := s.open[len(s.open)-1] == '{'
	switch {
	case c == '{' || c == '[':
		next := wantNameOrEnd
		if c == '[' {
			next = wantValueOrEnd
		}
		if len(s.open) == mostDepth {
			return refusef(CodeTooLarge, "It is nested more than %d deep, and no document of diskaudit is. Give the file as diskaudit wrote it.", mostDepth)
		}
		if err := s.value(next); err != nil {
			return err
		}
		s.open = append(s.open, c)
	case c == '}' && inObject && (s.want == wantNameOrEnd || s.want == wantCommaOrEnd),
		c == ']' && !inObject && (s.want == wantValueOrEnd || s.want == wantCommaOrEnd):
		s.open = s.open[:len(s.open)-1]
		s.want = wantCommaOrEnd
	case c == ',' && s.want == wantCommaOrEnd && inObject:
		s.want = wantName
	case c == ',' && s.want == wantCommaOrEnd:
		s.want = wantValue
	case c == ':' && s.want == wantColon:
		s.want = wantValue
	default:
		return s.unexpected()
	}
	return nil
}

func (s *splitter) unexpected() error {
	last := s.text[len(s.text)-1]
	return refusef(CodeNotJSON, "It is not JSON: %q is out of place at byte %d of the document, on line %d. Give the file as diskaudit wrote it.", last, s.size, s.line)
}
