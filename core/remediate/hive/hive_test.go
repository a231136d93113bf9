package hive

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"diskaudit/core/remediate/hive/hivetest"

	"github.com/google/go-cmp/cmp"
)

// prevent is the value as Windows writes it.
func prevent(number uint32) hivetest.Value {
	return hivetest.Number("PreventDeviceEncryption", number)
}

func TestRead(t *testing.T) {
	first := func(prevention string) []ControlSet {
		return []ControlSet{{Name: "ControlSet001", Selected: []string{"Current", "Default"}, Prevention: prevention}}
	}
	deep := hivetest.System(1, 1, hivetest.ControlSet("ControlSet001", prevent(1)))
	spread := func(kind string) hivetest.Key {
		root := hivetest.System(1, 1, hivetest.ControlSet("ControlSet001", prevent(1)))
		root.List = kind
		for n := range root.Keys {
			root.Keys[n].List = kind
			for m := range root.Keys[n].Keys {
				root.Keys[n].Keys[m].List = kind
			}
		}
		return root
	}
	wide := hivetest.System(1, 1, hivetest.Key{Name: "controlset001", Wide: true, Keys: []hivetest.Key{
		{Name: "CONTROL", Wide: true, Keys: []hivetest.Key{
			// Names of the same length that are others, the last two only for those who fold more than ASCII.
			{Name: "BitLockes"}, {Name: "BitŁocker", Wide: true}, {Name: "BitLoc\u212aer", Wide: true},
			{Name: "bitlocker", Wide: true, Values: []hivetest.Value{
				{Name: "PREVENTDEVICEENCRYPTION", Wide: true, Type: hivetest.DWORD, Data: []byte{1, 0, 0, 0}, Apart: true},
			}},
		}},
	}})
	for _, c := range []struct {
		name string
		root hivetest.Key
		want []ControlSet
	}{
		// B38: an installation image has one control set, and nothing of BitLocker in it.
		{"B38 image without the value", hivetest.System(1, 1, hivetest.ControlSet("ControlSet001")), first("absent")},
		// B36: a Windows To Go stick is prepared in its own hive.
		{"B36 set", deep, first("1")},
		{"key without the value", hivetest.System(1, 1, hivetest.ControlSet("ControlSet001", hivetest.Number("Other", 1))), first("absent")},
		{"zero", hivetest.System(1, 1, hivetest.ControlSet("ControlSet001", prevent(0))), first("0")},
		{"the highest number", hivetest.System(1, 1, hivetest.ControlSet("ControlSet001", prevent(0xffffffff))), first("4294967295")},
		{"the value in another control set does not count",
			hivetest.System(1, 1, hivetest.ControlSet("ControlSet001"), hivetest.ControlSet("ControlSet002", prevent(1))), first("absent")},
		{"two control sets", hivetest.System(2, 1, hivetest.ControlSet("ControlSet001", prevent(1)), hivetest.ControlSet("ControlSet002")), []ControlSet{
			{Name: "ControlSet002", Selected: []string{"Current"}, Prevention: "absent"},
			{Name: "ControlSet001", Selected: []string{"Default"}, Prevention: "1"},
		}},
		{"three digits", hivetest.System(123, 123, hivetest.ControlSet("ControlSet123", prevent(1))),
			[]ControlSet{{Name: "ControlSet123", Selected: []string{"Current", "Default"}, Prevention: "1"}}},
		{"among other values", hivetest.System(1, 1, hivetest.ControlSet("ControlSet001",
			hivetest.Value{Name: "", Type: hivetest.SZ, Data: []byte("default, and long")}, hivetest.Number("PreventDeviceEncryptioN2", 7), prevent(1))), first("1")},
		{"li", spread("li"), first("1")},
		{"lf", spread("lf"), first("1")},
		{"lh", spread("lh"), first("1")},
		{"ri", spread("ri"), first("1")},
		{"wide names, other case", wide, first("1")},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := hivetest.Hive(c.root)
			path := filepath.Join(t.TempDir(), "SYSTEM")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			state, err := Read(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, state.Sets); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, data) {
				t.Errorf("the file was changed, or: %v", err)
			}
		})
	}
}

func TestPrevented(t *testing.T) {
	set := func(values ...string) (s State) {
		for _, value := range values {
			s.Sets = append(s.Sets, ControlSet{Name: "ControlSet001", Prevention: value})
		}
		return s
	}
	for _, c := range []struct {
		state State
		want  bool
	}{
		{set(), false}, {set("absent"), false}, {set("0"), false}, {set("2"), false}, {set("1", "absent"), false},
		{set("absent", "1"), false}, {set("1"), true}, {set("1", "1"), true},
	} {
		if got := c.state.Prevented(); got != c.want {
			t.Errorf("%v: %v", c.state, got)
		}
	}
}

// refused are the code and the parts of the text that tell a person what to do.
func refused(t *testing.T, err error, path, code string, parts ...string) {
	t.Helper()
	var refusal *Error
	if !errors.As(err, &refusal) {
		t.Fatalf("got %v, want %s", err, code)
	}
	if refusal.Code != code {
		t.Errorf("code %s, want %s: %s", refusal.Code, code, refusal.Text)
	}
	for _, part := range append(parts, path) {
		if !bytes.Contains([]byte(refusal.Text), []byte(part)) {
			t.Errorf("the text does not say %q: %s", part, refusal.Text)
		}
	}
	problem := refusal.Problem()
	if problem.Code != code || problem.Target != path || problem.Text != refusal.Text || problem.Retryable != (code == CodeInUse) {
		t.Errorf("problem %+v", problem)
	}
}
