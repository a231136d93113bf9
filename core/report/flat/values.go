package flat

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"diskaudit/core/report/flat/plain"
)

// Longest texts, in bytes of the JSON that they become. They keep every line below 10,000 bytes, after
// which Splunk cuts a line off (TRUNCATE in props.conf, help.splunk.com), and so far below the 64 KB of
// a field in Log Analytics (learn.microsoft.com/azure/azure-monitor/fundamentals/service-limits).
const (
	nameBytes  = 200
	listBytes  = 400
	proseBytes = 1600
)

// Decimal is a number that is always written with a decimal point or an exponent, so that readers which
// guess a column's type from its first values do not take it for an integer.
type Decimal float64

// MarshalJSON writes the number.
func (d Decimal) MarshalJSON() ([]byte, error) {
	value := float64(d)
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return nil, fmt.Errorf("%v is no number that JSON has", value)
	}
	return []byte(d.String()), nil
}

// String is the shortest text that reads back as the same number.
func (d Decimal) String() string {
	text := strconv.FormatFloat(float64(d), 'g', -1, 64)
	if magnitude := math.Abs(float64(d)); magnitude >= 1e-6 && magnitude < 1e15 {
		text = strconv.FormatFloat(float64(d), 'f', -1, 64)
	}
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// decimal is a number that is not known when it is null, infinite or none.
func decimal(value *float64) *Decimal {
	if value == nil || math.IsNaN(*value) || math.IsInf(*value, 0) {
		return nil
	}
	d := Decimal(*value)
	return &d
}

// whole is a count or a size. Integers of Log Analytics and of most databases end at 2^63; nothing real
// is larger, so that what is larger is not known.
func whole(value *uint64) *int64 {
	if value == nil || *value > math.MaxInt64 {
		return nil
	}
	n := int64(*value)
	return &n
}

// moment is a time in UTC; years that RFC 3339 cannot write are not known.
func moment(value *time.Time) *time.Time {
	if value == nil || value.IsZero() || value.UTC().Year() < 1 || value.UTC().Year() > 9999 {
		return nil
	}
	utc := value.UTC().Truncate(time.Second)
	return &utc
}

// escapedBytes is what a character takes in JSON of ASCII alone.
func escapedBytes(r rune) int {
	switch {
	case r == '"' || r == '\\':
		return 2
	case r < 0x20 || r > 0x7e && r <= 0xFFFF:
		return 6
	case r > 0xFFFF:
		return 12
	}
	return 1
}

func within(s string, limit int) string {
	return plain.Within(s, limit, escapedBytes)
}

// name is a short text: an id, a model, a code.
func name(s *string) *string {
	if s == nil {
		return nil
	}
	text := within(*s, nameBytes)
	return &text
}

// named is a short text that is not known when it is empty.
func named(s string) *string {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	return name(&s)
}

// coded is the name of a coded value.
func coded[T fmt.Stringer](value *T) *string {
	if value == nil {
		return nil
	}
	return named((*value).String())
}

// word is a value of an enumeration of ours.
func word[T ~string](value *T) *string {
	if value == nil {
		return nil
	}
	return named(string(*value))
}

// list joins texts, each once.
func list(items []string, separator string) string {
	var once []string
	for _, item := range items {
		if item = within(item, nameBytes); strings.TrimSpace(item) != "" && !slices.Contains(once, item) {
			once = append(once, item)
		}
		// More would be cut off, and looking for each of a million among the others takes long.
		if len(once) >= listBytes {
			break
		}
	}
	return within(strings.Join(once, separator), listBytes)
}
