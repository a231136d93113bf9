package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

func TestValues(t *testing.T) {
	for name, c := range map[string]struct {
		value Value
		want  string // number, text, texts; ! where it is none
	}{
		"number":               {Value{TypeDWord, []byte{1, 2, 0, 0x80}}, "2147484161 ! !"},
		"long number":          {Value{TypeQWord, []byte{255, 255, 255, 255, 255, 255, 255, 255}}, "18446744073709551615 ! !"},
		"number of two bytes":  {Value{TypeDWord, []byte{1, 2}}, "! ! !"},
		"number of no bytes":   {Value{TypeDWord, nil}, "! ! !"},
		"long one of four":     {Value{TypeQWord, []byte{1, 0, 0, 0}}, "! ! !"},
		"number, big-endian":   {Value{5, []byte{0, 0, 0, 1}}, "! ! !"},
		"bytes":                {Value{TypeBinary, []byte{1, 0, 0, 0}}, "! ! !"},
		"text":                 {Value{TypeString, text("Gr\u00fc\u00dfe\x00")}, "! \"Gr\u00fc\u00dfe\" !"},
		"text without an end":  {Value{TypeString, text("abc")}, `! "abc" !`},
		"text with much after": {Value{TypeString, text("abc\x00def\x00")}, `! "abc" !`},
		"half a character":     {Value{TypeString, append(text("ab"), 0x41)}, `! "ab" !`},
		"half a pair":          {Value{TypeString, []byte{0x3D, 0xD8}}, "! \"\ufffd\" !"},
		"no text":              {Value{TypeString, nil}, `! "" !`},
		"text with variables":  {Value{TypeExpandString, text(`%TEMP%\x` + "\x00")}, `! "%TEMP%\\x" !`},
		"texts":                {Value{TypeMultiString, text("a\x00b\x00\x00")}, `! ! ["a" "b"]`},
		"texts without an end": {Value{TypeMultiString, text("a\x00b")}, `! ! ["a" "b"]`},
		"no texts":             {Value{TypeMultiString, text("\x00")}, `! ! []`},
		"texts after the end":  {Value{TypeMultiString, text("a\x00\x00b\x00")}, `! ! ["a"]`},
	} {
		got := shown("%v", c.value.Number) + " " + shown("%q", c.value.Text) + " " + shown("%q", c.value.Texts)
		if got != c.want {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
	}
}

func shown[T any](format string, decode func() (T, error)) string {
	value, err := decode()
	if errors.Is(err, ErrType) {
		return "!"
	}
	return fmt.Sprintf(format, value)
}

// A value that is not there is none; every other reason is an error that names the value.
func TestNumberAndText(t *testing.T) {
	memory := Memory{
		`HKLM\A`: {"One": 1, "Word": "x", "Denied": fs.ErrPermission},
		`HKLM\B`: {"*": fs.ErrPermission},
	}
	for name, c := range map[string]struct {
		key, value string
		reason     error
		found      bool
	}{
		"there":         {`HKLM\A`, "One", nil, true},
		"another case":  {`hklm\a`, "ONE", nil, true},
		"no value":      {`HKLM\A`, "Two", nil, false},
		"no key":        {`HKLM\C`, "One", nil, false},
		"a text":        {`HKLM\A`, "Word", ErrType, false},
		"denied":        {`HKLM\A`, "Denied", fs.ErrPermission, false},
		"key is denied": {`HKLM\B`, "One", fs.ErrPermission, false},
	} {
		number, err := Number(memory, c.key, c.value)
		if (number != nil) != c.found || !errors.Is(err, c.reason) {
			t.Errorf("%s: %v %v", name, number, err)
		}
		if err != nil && !strings.Contains(err.Error(), c.key+`\`+c.value) {
			t.Errorf("%s: the error names no value: %v", name, err)
		}
	}
	if word, err := Text(memory, `HKLM\A`, "Word"); err != nil || *word != "x" {
		t.Errorf("%v %v", word, err)
	}
}

func TestMemory(t *testing.T) {
	memory := Memory{
		`HKLM\A\B\C`: {"x": []string{"1", "2"}, "": "default"},
		`HKLM\A\D`:   {"y": uint64(1), "z": []byte{7}},
		`HKLM\AB`:    {"broken": struct{}{}},
	}
	if keys, err := memory.Subkeys(`hklm\a`); err != nil || !slices.Equal(keys, []string{"B", "D"}) {
		t.Errorf("%q %v", keys, err)
	}
	if keys, err := memory.Subkeys(`HKLM\A\D`); err != nil || len(keys) != 0 {
		t.Errorf("%q %v", keys, err)
	}
	if names, err := memory.Names(`HKLM\A\D`); err != nil || !slices.Equal(names, []string{"y", "z"}) {
		t.Errorf("%q %v", names, err)
	}
	if names, err := memory.Names(`HKLM\A\B`); err != nil || len(names) != 0 {
		t.Errorf("a key between others: %q %v", names, err)
	}
	for _, missing := range []string{`HKLM\X`, `HKLM\A\B\C\D`, `HKLM\A\`} {
		if _, err := memory.Subkeys(missing); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", missing, err)
		}
	}
	if value, err := memory.Value(`HKLM\A\B\C`, ""); err != nil || shown("%q", value.Text) != `"default"` {
		t.Errorf("the default value: %v %v", value, err)
	}
	if _, err := memory.Value(`HKLM\AB`, "broken"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a value of no type of the registry: %v", err)
	}
}

func FuzzValue(f *testing.F) {
	f.Add(uint32(TypeDWord), []byte{1, 0, 0, 0})
	f.Add(uint32(TypeString), text("abc\x00"))
	f.Add(uint32(TypeMultiString), text("a\x00b\x00\x00"))
	f.Add(uint32(TypeMultiString), []byte{0, 0xD8, 0})
	f.Fuzz(func(t *testing.T, kind uint32, data []byte) {
		value := Value{kind, data}
		if _, err := value.Number(); err == nil && len(data) != 4 && len(data) != 8 {
			t.Errorf("a number of %d bytes", len(data))
		}
		if decoded, err := value.Text(); err == nil && (strings.ContainsRune(decoded, 0) || len(decoded) > 2*len(data)) {
			t.Errorf("%q of %d bytes", decoded, len(data))
		}
		decoded, err := value.Texts()
		if err == nil && len(decoded) > len(data)/2 || slices.Contains(decoded, "") {
			t.Errorf("%q of %d bytes", decoded, len(data))
		}
	})
}
