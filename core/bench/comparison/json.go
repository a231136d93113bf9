package comparison

import (
	"encoding/json"
	"errors"
	"io"
)

// maxValues is how many values a JSON baseline may have: a hundred tests with histograms have
// a tenth of it. It bounds the memory that decoding takes.
const maxValues = 500_000

// countValues counts the values of a JSON text before anything is built from them.
func (s source) countValues() error {
	values, quoted := 0, false
	for i := 0; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ',' || c == '[' || c == '{'):
			values++
		}
	}
	if values > maxValues {
		return s.errorf(CodeTooLarge, "", "the file has more than %d values, more than the result of one run. Give the result of one run, without logs or series.", maxValues)
	}
	return nil
}

// badJSON names the place of what is wrong with a JSON text, and what to do.
func (s source) badJSON(err error, advice string) *Error {
	var syntax *json.SyntaxError
	var unfit *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF),
		errors.As(err, &syntax) && syntax.Offset >= int64(len(s.text)):
		return s.errorf(CodeDamaged, s.line(int64(len(s.text))), "the JSON ends before its last brace: the file was cut off. %s", advice)
	case errors.As(err, &syntax):
		return s.errorf(CodeDamaged, s.line(syntax.Offset), "not readable as JSON: %v. %s", err, advice)
	case errors.As(err, &unfit):
		return s.errorf(CodeDamaged, s.line(unfit.Offset), "%q is a %s, which does not belong there. %s", shorten(unfit.Field), unfit.Value, advice)
	}
	return s.errorf(CodeDamaged, "", "%v. %s", err, advice)
}
