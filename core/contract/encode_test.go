package contract

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// Cases C1, C2 and C3: no byte outside ASCII, so no code page can damage a label.
func TestASCIIKeepsEveryCharacter(t *testing.T) {
	for _, label := range []string{
		"Grüße 🚸", "数据盘", "\u2028\u2029", "tab\tquote\"back\\slash", "\x00\x1f\x7f", "</script>&", "😀\u200d", "\uffff", "\u0080", "",
	} {
		data, err := Encode(Volume{Label: &label})
		if err != nil {
			t.Fatal(err)
		}
		line := ASCII(data)
		for _, b := range line {
			if b < 0x20 || b > 0x7e {
				t.Fatalf("byte %#x in %s", b, line)
			}
		}
		var back Volume
		if err := json.Unmarshal(line, &back); err != nil || *back.Label != label {
			t.Errorf("%q came back as %q, %v", label, *back.Label, err)
		}
	}
}

func FuzzASCII(f *testing.F) {
	f.Add("Grüße 🚸")
	f.Add("\xff\xfe")
	f.Fuzz(func(t *testing.T, text string) {
		data, err := Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		line := ASCII(data)
		if strings.ContainsFunc(string(line), func(r rune) bool { return r >= utf8.RuneSelf || r < 0x20 }) {
			t.Fatalf("not ASCII, or more than a line: %q", line)
		}
		var want, got string
		if json.Unmarshal(data, &want) != nil || json.Unmarshal(line, &got) != nil || got != want {
			t.Fatalf("%q became %q", want, got)
		}
	})
}

func TestListsAreNeverNull(t *testing.T) {
	data, err := Encode(Volume{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"mountPoints":[]`, `"extents":[]`, `"problems":[]`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %s in %s", want, data)
		}
	}
	// Unknown protectors are null, known ones without an entry are a list (case B4).
	if !strings.Contains(string(data), `"protectors":null`) {
		t.Errorf("unknown protectors are not null: %s", data)
	}
	data, err = Encode(Encryption{Protectors: []Protector{}})
	if err != nil || !strings.Contains(string(data), `"protectors":[]`) {
		t.Errorf("no protectors is not an empty list: %s %v", data, err)
	}
}
