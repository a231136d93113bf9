package rig

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"diskaudit/core/machine/windows/registry"
)

// bridgeLibrary is the bridge's file in system32.
const bridgeLibrary = "rigbridge.dll"

// heading begins a registration file, whose text is UTF-16.
const heading = "Windows Registry Editor Version 5.00\r\n"

// register makes the bridge the server of the classes that it takes the place of, for all
// apartments, and has Wine call itself Windows 10
// (learn.microsoft.com/windows/win32/com/inprocserver32).
func (p *prefix) register() error {
	set := registry.Memory{`HKCU\Software\Wine`: {"Version": "win10"}}
	for _, class := range []string{"{76A64158-CB41-11D1-8B02-00600806D9B6}", "{13709620-C279-11CE-A49E-444553540000}"} {
		set[`HKLM\Software\Classes\CLSID\`+class+`\InprocServer32`] = map[string]any{
			"": `C:\windows\system32\` + bridgeLibrary, "ThreadingModel": "Both",
		}
	}
	text, err := registration(set)
	if err != nil {
		return err
	}
	return p.importRegistry(text)
}

// Registry sets values in the prefix's registry, given as for a registry in memory. What was there
// before comes back when the test ends.
func (r *Rig) Registry(values registry.Memory) {
	r.t.Helper()
	set, err := registration(values)
	if err != nil {
		r.t.Fatal(err)
	}
	before, err := r.prefix.undo(values)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		if err := r.prefix.importRegistry(before); err != nil {
			r.t.Errorf("restoring the registry: %v", err)
		}
	})
	if err := r.prefix.importRegistry(set); err != nil {
		r.t.Fatal(err)
	}
}

// registration is the text of a file that regedit imports.
func registration(values registry.Memory) (string, error) {
	var text strings.Builder
	text.WriteString(heading)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&text, "\r\n[%s]\r\n", spelled(key))
		for _, name := range slices.Sorted(maps.Keys(values[key])) {
			value, err := values.Value(key, name)
			if err != nil {
				return "", fmt.Errorf(`the value of %s\%s: %w`, key, name, err)
			}
			fmt.Fprintf(&text, "%s=%s\r\n", quoted(name), data(value))
		}
	}
	return text.String(), nil
}

// data writes a value's data as bytes, so that every type passes unharmed.
func data(value registry.Value) string {
	pairs := make([]string, len(value.Data))
	for i, b := range value.Data {
		pairs[i] = hex.EncodeToString([]byte{b})
	}
	return fmt.Sprintf("hex(%x):%s", value.Type, strings.Join(pairs, ","))
}

func quoted(name string) string {
	if name == "" {
		return "@"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}

// spelled is a key with its root's long name.
func spelled(key string) string {
	root, below, _ := strings.Cut(key, `\`)
	long := map[string]string{
		"HKLM": "HKEY_LOCAL_MACHINE", "HKCU": "HKEY_CURRENT_USER", "HKU": "HKEY_USERS", "HKCR": "HKEY_CLASSES_ROOT",
	}
	return long[root] + `\` + below
}

// undo is the registration that takes back that of these values: it deletes the topmost key that
// is not there yet, and otherwise exports what each value is now, or deletes it.
func (p *prefix) undo(values registry.Memory) (string, error) {
	text := heading
	for key, names := range values {
		if above, missing := p.missing(key); missing {
			text += fmt.Sprintf("\r\n[-%s]\r\n", spelled(above))
			continue
		}
		exported, err := p.export(key)
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf("\r\n[%s]\r\n", spelled(key))
		for name := range names {
			before, found := exported[strings.ToLower(quoted(name))]
			if !found {
				before = "-"
			}
			text += quoted(name) + "=" + before + "\r\n"
		}
	}
	return text, nil
}

// missing finds the topmost key on the way to this one that is not there.
func (p *prefix) missing(key string) (string, bool) {
	parts := strings.Split(key, `\`)
	for n := 2; n <= len(parts); n++ {
		above := strings.Join(parts[:n], `\`)
		if _, err := p.run("reg", "query", above); err != nil {
			return above, true
		}
	}
	return "", false
}

// export reads the values of a key as regedit writes them, by their quoted names in lower case.
func (p *prefix) export(key string) (map[string]string, error) {
	file := filepath.Join(p.folder, "drive_c", "export.reg")
	defer func() { _ = os.Remove(file) }()
	if _, err := p.run("regedit", "/E", `C:\export.reg`, spelled(key)); err != nil {
		return nil, err
	}
	stored, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("exporting %s from the registry: %w", key, err)
	}
	text := fromUTF16(stored)
	values := map[string]string{}
	inside := false
	joined := strings.ReplaceAll(strings.ReplaceAll(text, "\r", ""), "\\\n", "")
	for line := range strings.Lines(joined) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "["):
			inside = strings.EqualFold(line, "["+spelled(key)+"]")
		case inside:
			if name, value, found := cutValue(line); found {
				values[strings.ToLower(name)] = value
			}
		}
	}
	return values, nil
}

// cutValue splits a line of a registration at the equals sign after its quoted name.
func cutValue(line string) (name, value string, found bool) {
	if strings.HasPrefix(line, "@=") {
		return "@", line[2:], true
	}
	i := strings.Index(line, `"=`)
	if !strings.HasPrefix(line, `"`) || i < 1 {
		return "", "", false
	}
	name, value = line[:i+1], line[i+2:]
	if strings.HasPrefix(value, "hex") {
		value = strings.ReplaceAll(value, " ", "")
	}
	return name, value, true
}

func (p *prefix) importRegistry(text string) error {
	file := filepath.Join(p.folder, "drive_c", "import.reg")
	defer func() { _ = os.Remove(file) }()
	if err := os.WriteFile(file, toUTF16(text), 0o600); err != nil {
		return err
	}
	_, err := p.run("regedit", "/S", `C:\import.reg`)
	return err
}

// byteOrderMark begins a registration file.
const byteOrderMark = 0xFEFF

func toUTF16(text string) []byte {
	file := binary.LittleEndian.AppendUint16(nil, byteOrderMark)
	for _, unit := range utf16.Encode([]rune(text)) {
		file = binary.LittleEndian.AppendUint16(file, unit)
	}
	return file
}

func fromUTF16(file []byte) string {
	units := make([]uint16, len(file)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(file[2*i:])
	}
	return strings.TrimPrefix(string(utf16.Decode(units)), string(rune(byteOrderMark)))
}
