package recording

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"diskaudit/core/machine/pattern"
)

// sought is what to look for in prose, by first byte, the longest first.
type sought struct {
	byFirst map[byte][]find
	known   map[string]bool
	sorted  bool
}

type find struct {
	text    string
	standIn string
	// An ordinary word identifies nobody and occurs in sentences: it is replaced only where
	// quotation marks show that a name is meant.
	quotedOnly bool
}

func newSought() sought {
	return sought{byFirst: map[byte][]find{}, known: map[string]bool{}}
}

// word looks for a name, which can look like any word.
func (s *sought) word(text, standIn string) {
	s.add(find{text, standIn, isOrdinary(text)})
}

// phrase looks for something that cannot be mistaken for a word, such as a path.
func (s *sought) phrase(text, standIn string) {
	s.add(find{text, standIn, isOrdinary(text)})
	// Texts in quotation marks often have their backslashes doubled.
	if strings.Contains(text, `\`) {
		s.add(find{strings.ReplaceAll(text, `\`, `\\`), strings.ReplaceAll(standIn, `\`, `\\`), false})
	}
}

// add takes the first meaning of a text.
func (s *sought) add(f find) {
	if f.text == "" || s.known[f.text] {
		return
	}
	s.known[f.text] = true
	first := f.text[0]
	s.byFirst[first] = append(s.byFirst[first], f)
	s.sorted = false
}

func (s *sought) sort() {
	for _, finds := range s.byFirst {
		slices.SortStableFunc(finds, func(a, b find) int { return len(b.text) - len(a.text) })
	}
	s.sorted = true
}

// at returns the longest sought text that stands at a position as a whole token.
func (s *sought) at(text string, position int) (find, bool) {
	if !s.sorted {
		s.sort()
	}
	for _, f := range s.byFirst[text[position]] {
		end := position + len(f.text)
		if !strings.HasPrefix(text[position:], f.text) || !isToken(text, position, end) {
			continue
		}
		if f.quotedOnly && !isQuoted(text, position, end) {
			continue
		}
		return f, true
	}
	return find{}, false
}

// isToken reports whether a part of a text neither begins nor ends within a word.
func isToken(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	first, _ := utf8.DecodeRuneInString(text[start:])
	last, _ := utf8.DecodeLastRuneInString(text[:end])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return (start == 0 || !isWordRune(before) || !isWordRune(first)) &&
		(end == len(text) || !isWordRune(last) || !isWordRune(after))
}

func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

var quotationMarks = map[rune]rune{'"': '"', '\'': '\'', '`': '`', '“': '”', '‘': '’', '„': '“', '«': '»'}

func isQuoted(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	closing, ok := quotationMarks[before]
	return ok && end < len(text) && after == closing
}

// shapes are identifying texts that show by their form, whether or not the document has them
// as facts. Each is anchored at the position that is looked at.
var shapes = []struct {
	form    *pattern.Pattern
	replace func(*standIns, string) string
}{
	{pattern.New(`^` + guid.String()), (*standIns).guids},
	{pattern.New(`^S-1-5-21(?:-\d+)+`), func(b *standIns, s string) string { return b.give("sid", s, "S-1-5-21-0-0-0-%d") }},
	{pattern.New(`^(?:\d{6}-){7}\d{6}`), func(*standIns, string) string { return strings.Repeat("000000-", 7) + "000000" }},
	{pattern.New(`^[\pL\pN_][\pL\pN_.+%-]*@(?:[\pL\pN-]+\.)+\pL{2,}`), func(b *standIns, s string) string { return b.give("mail", s, "user-%d@example.invalid") }},
}

// longest bounds the length of what is looked for by its form.
const longest = 4096

func window(text string, position int) string {
	return text[position:min(len(text), position+longest)]
}

// prose replaces everything that identifies in a text for people. It goes through the text once,
// so a stand-in is never taken for an original. A stand-in stays a token of its own: where the
// original ended in a mark, a blank parts it from the word beside it.
func (b *standIns) prose(text string) string {
	var out []byte
	var apart bool // what was written last is a stand-in
	for position := 0; position < len(text); {
		length, standIn := b.identifying(text, position)
		replaced := length > 0
		if !replaced {
			_, length = utf8.DecodeRuneInString(text[position:])
			standIn = text[position : position+length]
		}
		if (apart || replaced) && joins(out, standIn) {
			out = append(out, ' ')
		}
		out = append(out, standIn...)
		apart = replaced
		position += length
	}
	return string(out)
}

// joins reports whether a text would go on with the word that another one ends with.
func joins(before []byte, after string) bool {
	last, size := utf8.DecodeLastRune(before)
	first, _ := utf8.DecodeRuneInString(after)
	return size > 0 && isWordRune(last) && isWordRune(first)
}

// identifying returns the longest identifying text at a position and its stand-in; a length of 0
// when there is none.
func (b *standIns) identifying(text string, position int) (int, string) {
	length, standIn := 0, ""
	if f, ok := b.sought.at(text, position); ok {
		length, standIn = len(f.text), f.standIn
	}
	for _, shape := range shapes {
		found := shape.form.Regexp().FindString(window(text, position))
		if len(found) > length && isToken(text, position, position+len(found)) {
			length, standIn = len(found), shape.replace(b, found)
		}
	}
	if found := pathAt(text, position); len(found) > length {
		if end, replaced := b.path(found); end > length {
			length, standIn = end, replaced
		}
	}
	return length, standIn
}
