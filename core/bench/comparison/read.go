package comparison

import (
	"errors"
	"fmt"
	"strings"

	"diskaudit/core/contract"
)

// MaxBytes is the size above which a baseline is refused unread: a hundred times what any of the
// programs writes for an ordinary run. Reading takes memory in proportion to it.
const MaxBytes = 8 << 20

// The codes of errors.
const (
	CodeEmpty         = "baseline-empty"
	CodeTooLarge      = "baseline-too-large"
	CodeNotText       = "baseline-not-text"
	CodeNotRecognized = "baseline-not-recognized"
	CodeWrongKind     = "baseline-wrong-kind"
	CodeVersion       = "baseline-version-unsupported"
	CodeDamaged       = "baseline-damaged"
	CodeSeveral       = "baseline-several-results"
	CodeNoResult      = "baseline-without-result"
)

// Error says why a baseline could not be read at all.
type Error struct {
	// Code is a stable kebab-case id, one of the Code constants.
	Code string
	// Path is the file.
	Path string
	// Place is where in the file, such as "line 14"; empty for the whole of it.
	Place string
	// Text is the reason and the way out, for people.
	Text string
}

// Error names the file, the place, the reason and the way out.
func (e *Error) Error() string {
	if e.Place == "" {
		return fmt.Sprintf("baseline %s: %s", e.Path, e.Text)
	}
	return fmt.Sprintf("baseline %s, %s: %s", e.Path, e.Place, e.Text)
}

// Unreadable is the comparison with a baseline that could not be read.
func Unreadable(path string, err error, thresholdPercent float64) contract.Comparison {
	refusal := contract.Refusal{Code: "baseline-unreadable", Text: err.Error()}
	var known *Error
	if errors.As(err, &known) {
		refusal.Code = known.Code
	}
	return contract.Comparison{
		Baseline:         contract.Baseline{Path: path},
		Refusals:         contract.List[contract.Refusal]{refusal},
		ThresholdPercent: threshold(thresholdPercent),
	}
}

// source is a baseline, or the rest of one, on its way through a reader.
type source struct {
	path string
	text string
	// before is how many lines of the file come before the text.
	before int
}

// from is the rest of a source from an offset on.
func (s source) from(offset int) source {
	return source{path: s.path, text: s.text[offset:], before: s.before + strings.Count(s.text[:offset], "\n")}
}

func (s source) errorf(code, place, format string, args ...any) *Error {
	return &Error{Code: code, Path: s.path, Place: place, Text: fmt.Sprintf(format, args...)}
}

// line names the line of an offset into the text.
func (s source) line(offset int64) string {
	offset = min(max(offset, 0), int64(len(s.text)))
	return fmt.Sprintf("line %d", s.before+1+strings.Count(s.text[:offset], "\n"))
}

// format is one kind of baseline: how to know it, and how to read it.
type format struct {
	known func(text string) bool
	read  func(source) (*Result, error)
}

// formats in the order in which they are tried; each is known by what only its program writes.
var formats = []format{
	{isOwn, readOwn},
	{isCrystal, readCrystal},
	{isDiskspd, readDiskspd},
	{isFio, readFio},
}

// Read recognises a baseline by its content and reads it. path serves for messages only; nothing
// is opened. The error, an *Error, is for a file that cannot be read at all; single tests that
// cannot be compared are refusals of the result.
func Read(path string, data []byte) (*Result, error) {
	s := source{path: path}
	if len(data) > MaxBytes {
		return nil, s.errorf(CodeTooLarge, "", "the file has %d bytes, more than the %d that a result of one run takes. Give the result of one run, without logs or series.", len(data), MaxBytes)
	}
	text, ok := decodeText(data)
	if !ok {
		return nil, s.errorf(CodeNotText, "", "the file is not text, or text in an encoding other than UTF-8 and UTF-16 with its mark. Export it again as text, XML or JSON.")
	}
	s.text = text
	if strings.TrimSpace(text) == "" {
		return nil, s.errorf(CodeEmpty, "", "the file is empty. The program that should have written it failed, as diskspd does with very many threads; run it again and look at its messages and exit code.")
	}
	for _, format := range formats {
		if format.known(text) {
			return format.read(s)
		}
	}
	return nil, s.unrecognized()
}

// unrecognized tells the way out for files that are nearly what is wanted.
func (s source) unrecognized() *Error {
	start := strings.TrimSpace(s.text)
	switch {
	case strings.Contains(s.text, "Command Line:") && strings.Contains(s.text, "diskspd"),
		strings.Contains(s.text, "Input parameters:") && strings.Contains(s.text, "timespan:"):
		return s.errorf(CodeNotRecognized, "", "this is diskspd's text output, which does not carry its options completely. Run diskspd with -Rxml -L and give that file.")
	case strings.Contains(s.text, "IO depths") && strings.Contains(s.text, "clat"):
		return s.errorf(CodeNotRecognized, "", "this is fio's output for people. Run fio with --output-format=json and give that file.")
	case strings.HasPrefix(start, "<"):
		return s.errorf(CodeNotRecognized, s.line(int64(strings.Index(s.text, "<"))), "this XML has no <Results> element, so it is no result of diskspd, or it was cut off before it. Run diskspd with -Rxml -L and give what it writes.")
	case strings.HasPrefix(start, "{"), strings.HasPrefix(start, "["):
		return s.errorf(CodeNotRecognized, "", "this JSON is neither a document of diskaudit nor fio's output: it has neither \"schemaVersion\" nor \"fio version\". Give one of those.")
	}
	return s.errorf(CodeNotRecognized, "", "the file is none of what can be compared with: a document of diskaudit bench, CrystalDiskMark's or KDiskMark's text, diskspd's XML (-Rxml), fio's JSON (--output-format=json).")
}
