package registry

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"testing"
)

// What holds on every Windows, and under Wine.
func TestLive(t *testing.T) {
	const version = `HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion`
	live := Live()
	if name, err := Text(live, version, "ProductName"); err != nil || name == nil || *name == "" {
		t.Errorf("ProductName is %v %v", name, err)
	}
	for _, missing := range [][2]string{{version, "No such value"}, {version + `\No such key`, "x"}, {`HKLM\No such hive`, "x"}} {
		if _, err := live.Value(missing[0], missing[1]); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", missing, err)
		}
	}
	if keys, err := live.Subkeys(`HKLM\SOFTWARE`); err != nil || !slices.Contains(keys, "Microsoft") {
		t.Errorf("%q %v", keys, err)
	}
	if names, err := live.Names(version); err != nil || !slices.Contains(names, "ProductName") {
		t.Errorf("%q %v", names, err)
	}
	for _, wrong := range []string{"", "HKXX", `C:\Windows`, `HKLM2\SOFTWARE`} {
		if _, err := live.Value(wrong, "x"); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q is no root: %v", wrong, err)
		}
	}
}

// Values that the command "reg add" wrote.
func TestLiveReadsWhatWasWritten(t *testing.T) {
	if os.Getenv("DISKAUDIT_POLICIES_WRITTEN") == "" {
		t.Skip("nobody wrote values")
	}
	const key = `HKLM\SOFTWARE\DiskAuditTest`
	live := Live()
	for name, want := range map[string]string{
		"Text": "! \"Gr\u00fc\u00dfe\" !", "Expand": `! "%T%\\x" !`, "Number": "4294967295 ! !", "Long": "4294967296 ! !", "Texts": `! ! ["one" "two"]`,
	} {
		value, err := live.Value(key, name)
		if got := shown("%v", value.Number) + " " + shown("%q", value.Text) + " " + shown("%q", value.Texts); got != want || err != nil {
			t.Errorf("%s: %s %v, not %s", name, got, err, want)
		}
	}
	// Longer than what is asked for at first.
	value, err := live.Value(key, "Bytes")
	if want := bytes.Repeat([]byte{0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF}, 250); err != nil || value.Type != TypeBinary || !bytes.Equal(value.Data, want) {
		t.Errorf("%d bytes of type %d: %v", len(value.Data), value.Type, err)
	}
	if keys, err := live.Subkeys(key); err != nil || fmt.Sprint(keys) != "[Below]" {
		t.Errorf("%q %v", keys, err)
	}
	if names, err := live.Names(key + `\Below`); err != nil || fmt.Sprint(names) != "[Empty]" {
		t.Errorf("%q %v", names, err)
	}
	if empty, err := Text(live, key+`\Below`, "Empty"); err != nil || empty == nil || *empty != "" {
		t.Errorf("an empty text is %v %v", empty, err)
	}
}
