package plain

import (
	"strings"
	"testing"
)

func TestTextKeepsWhatIsSeen(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"C: \u00e9\u4e2d\U0001F4BE":  "C: \u00e9\u4e2d\U0001F4BE",
		"a\tb\r\nc\x00d\x7fe\u0085f": "a b  c d e f",
		"a\u00a0b\u3000c\u2028d":     "a b c d",
		"\u202egnp.exe":              "\ufffdgnp.exe",
		"\xff":                       "\ufffd",
		"e\u0301":                    "e\u0301",
		"\ufeffx":                    "\ufffdx",
	} {
		if got := Text(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestWithinCutsWholeCharactersWithAMark(t *testing.T) {
	t.Parallel()
	bytes := func(r rune) int { return len(string(r)) }
	for _, test := range []struct {
		text  string
		limit int
		want  string
	}{
		{"1234567890", 10, "1234567890"},
		{"12345678901", 10, "1234" + Cut},
		{strings.Repeat("\u4e2d", 4), 10, "\u4e2d" + Cut},
		{"\n" + strings.Repeat("x", 20), 10, " xxx" + Cut},
		{"", 10, ""},
	} {
		if got := Within(test.text, test.limit, bytes); got != test.want {
			t.Errorf("%q within %d became %q, want %q", test.text, test.limit, got, test.want)
		}
	}
}
