package hive

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"diskaudit/core/remediate/hive/hivetest"
	"diskaudit/tests/require"
)

// hivexregedit runs hivex's tool of that name (https://libguestfs.org/hivexregedit.1.html): a reader
// and writer of hives that shares nothing with the one here. It is in Debian's libwin-hivex-perl.
func hivexregedit(t *testing.T, input string, arguments ...string) string {
	t.Helper()
	command := exec.Command(require.Tool(t, "hivexregedit"), arguments...)
	command.Stdin = strings.NewReader(input)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("hivexregedit %q: %v\n%s", arguments, err, out)
	}
	return string(out)
}

// The hives that the tests make are such as another program reads, or they would prove nothing.
func TestPeerReadsWhatIsTested(t *testing.T) {
	for _, kind := range []string{"li", "lf", "lh", "ri"} {
		path := filepath.Join(t.TempDir(), "SYSTEM")
		root := hivetest.System(1, 2, hivetest.ControlSet("ControlSet001", prevent(1)), hivetest.ControlSet("ControlSet002", prevent(0)))
		root.List = kind
		if err := os.WriteFile(path, hivetest.Hive(root), 0o600); err != nil {
			t.Fatal(err)
		}
		out := hivexregedit(t, "", "--export", path, `\`)
		for _, want := range []string{
			"[\\Select]\n\"Current\"=dword:00000001\n\"Default\"=dword:00000002\n",
			"[\\ControlSet001\\Control\\BitLocker]\n\"PreventDeviceEncryption\"=dword:00000001\n",
			"[\\ControlSet002\\Control\\BitLocker]\n\"PreventDeviceEncryption\"=dword:00000000\n",
			"[\\ControlSet001\\Control\\Session Manager]\n", "[\\MountedDevices]\n", "[\\Setup]\n",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: hivexregedit does not read %q:\n%s", kind, want, out)
			}
		}
	}
}

// What another program writes into a hive, as people do on Linux today, is read as it was meant.
func TestReadsWhatPeerWrote(t *testing.T) {
	const set = "[\\ControlSet001\\Control\\BitLocker]\n\"PreventDeviceEncryption\"="
	for _, c := range []struct {
		name, merge, want, code string
	}{
		{"set", set + "dword:00000001\n", "1", ""},
		{"number", set + "dword:deadbeef\n", "3735928559", ""},
		{"other values beside it", "[\\ControlSet001\\Control\\BitLocker]\n\"A\"=\"text\"\n\"PreventDeviceEncryption\"=dword:00000000\n\"Z\"=hex:01,02,03,04,05\n", "0", ""},
		{"key only", "[\\ControlSet001\\Control\\BitLocker]\n", "absent", ""},
		{"another control set", "[\\ControlSet002\\Control\\BitLocker]\n\"PreventDeviceEncryption\"=dword:00000001\n", "absent", ""},
		{"text", set + "\"1\"\n", "", CodeNotANumber},
		{"selected anew", "[\\Select]\n\"Current\"=dword:00000003\n\"Default\"=dword:00000003\n", "", CodeNotSystem},
		{"many keys", manyKeys() + set + "dword:00000001\n", "1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "SYSTEM")
			if err := os.WriteFile(path, hivetest.Hive(hivetest.System(1, 1, hivetest.ControlSet("ControlSet001"), hivetest.ControlSet("ControlSet002"))), 0o600); err != nil {
				t.Fatal(err)
			}
			hivexregedit(t, "Windows Registry Editor Version 5.00\n\n"+c.merge, "--merge", path)
			state, err := Read(path)
			if c.code != "" {
				refused(t, err, path, c.code)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(state.Sets) != 1 || state.Sets[0].Prevention != c.want {
				t.Errorf("%v, want %s", state.Sets, c.want)
			}
		})
	}
}

// manyKeys are as many below Control as a Windows has, and some that sort around BitLocker.
func manyKeys() string {
	var merge strings.Builder
	for _, first := range "ABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		for _, second := range "aBit_Locker9" {
			merge.WriteString("[\\ControlSet001\\Control\\" + string(first) + string(second) + "]\n\"PreventDeviceEncryption\"=dword:00000005\n\n")
		}
	}
	return merge.String()
}
