package host

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"diskaudit/core/machine/windows/registry"
	"diskaudit/tests/require"
)

// added are values as the command "reg add" takes them: key, name, type, data.
var added = [][4]string{
	{controlKey, "PreventDeviceEncryption", "REG_DWORD", "1"},
	{managerKey, "RequireDeviceEncryption", "REG_DWORD", "1"},
	{managerKey, "RequireDeviceEncryption_WinningProvider", "REG_SZ", guid},
	{fipsKey, "Enabled", "REG_SZ", "1"},
}

// imported are values that the command "reg import" reads from a file.
var imported = registry.Memory{
	denyKey:       {"FDVDenyWriteAccess": 1, "RDVDenyWriteAccess": 0},
	policyKey:     {"EncryptionMethodWithXtsOs": 7, "OSHardwareEncryption": 0},
	managementKey: {"ShouldEncryptOSDrive": 1},
	managerKey: {
		"EncryptionMethodByDriveType":                 `<enabled/><data id="EncryptionMethodWithXtsOsDropDown_Name" value="6"/><data id="EncryptionMethodWithXtsFdvDropDown_Name" value="6"/><data id="EncryptionMethodWithXtsRdvDropDown_Name" value="3"/>`,
		"EncryptionMethodByDriveType_WinningProvider": guid,
	},
	enrolmentsKey + `\` + guid: {"ProviderID": intune},
	`HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing\RebootPending`: {"x": 1},
	`HKLM\SOFTWARE\DiskAuditTest`: {
		"Text": "Gr\u00fc\u00dfe", "Number": 0xFFFFFFFF, "Long": uint64(1 << 32), "Texts": []string{"one", "two"},
		"Expand": registry.Value{Type: registry.TypeExpandString, Data: []byte("%\x00T\x00%\x00\\\x00x\x00\x00\x00")},
		"Bytes":  bytes.Repeat([]byte{0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF}, 250),
	},
	`HKLM\SOFTWARE\DiskAuditTest\Below`: {"Empty": ""},
}

// registryFile is a registry as a file for "reg import", every value by its type and bytes. The file
// is UTF-16: in others, the bytes of texts are taken for those of another encoding.
func registryFile(t *testing.T, memory registry.Memory) []byte {
	t.Helper()
	var file strings.Builder
	file.WriteString("\ufeffWindows Registry Editor Version 5.00\r\n")
	for key, values := range memory {
		fmt.Fprintf(&file, "\r\n[HKEY_LOCAL_MACHINE%s]\r\n", strings.TrimPrefix(key, "HKLM"))
		for name := range values {
			value, err := memory.Value(key, name)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&file, "\"%s\"=hex(%x):%s\r\n", name, value.Type, strings.ReplaceAll(fmt.Sprintf("% x", value.Data), " ", ","))
		}
	}
	var data []byte
	for _, unit := range utf16.Encode([]rune(file.String())) {
		data = binary.LittleEndian.AppendUint16(data, unit)
	}
	return data
}

// TestUnderWine runs the tests of this package and of the registry's as Windows programs, after
// values were written by Windows' own command.
func TestUnderWine(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: it takes half a minute")
	}
	wine := require.Tool(t, "wine")
	compiler := require.Tool(t, "x86_64-w64-mingw32-gcc")
	dir := t.TempDir()
	prefix := filepath.Join(dir, "prefix")
	environment := append(os.Environ(), "WINEPREFIX="+prefix, "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree,mshtml=")
	command := func(name string, arguments ...string) *exec.Cmd {
		cmd := exec.Command(name, arguments...)
		cmd.Env = environment
		return cmd
	}
	t.Cleanup(func() {
		// The first ends what is left, and fails when nothing is; the second waits for the end.
		_ = command("wineserver", "-k").Run()
		_ = command("wineserver", "-w").Run()
	})

	// Its exit code also tells about what is missing and not needed, such as a screen.
	_ = command(wine+"boot", "-i").Run()
	system := filepath.Join(prefix, "drive_c", "windows", "system32")
	if _, err := os.Stat(system); err != nil {
		t.Fatalf("wineboot made no Windows folder: %v", err)
	}
	source := filepath.Join(require.Root(t), "tests", "rig", "shim", "bcryptprimitives.c")
	if out, err := exec.Command(compiler, "-shared", "-o", filepath.Join(system, "bcryptprimitives.dll"), source, "-ladvapi32").CombinedOutput(); err != nil {
		t.Fatalf("building bcryptprimitives.dll: %v\n%s", err, out)
	}

	for _, value := range added {
		if out, err := command(wine, "reg", "add", value[0], "/v", value[1], "/t", value[2], "/d", value[3], "/f").CombinedOutput(); err != nil {
			t.Fatalf("writing %s\\%s: %v\n%s", value[0], value[1], err, out)
		}
	}
	file := filepath.Join(dir, "values.reg")
	if err := os.WriteFile(file, registryFile(t, imported), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := command(wine, "reg", "import", `Z:`+strings.ReplaceAll(file, "/", `\`)).CombinedOutput(); err != nil {
		t.Fatalf("importing values: %v\n%s", err, out)
	}
	environment = append(environment, "DISKAUDIT_POLICIES_WRITTEN=1")
	for folder, tests := range map[string][]string{
		".":           {"TestLive", "TestLivePolicies", "TestHealthyDesktop", "TestEachDecision"},
		"../registry": {"TestLive", "TestLiveReadsWhatWasWritten", "TestValues"},
	} {
		program := filepath.Join(dir, filepath.Base(folder)+"x.test.exe")
		build := exec.Command("go", "test", "-c", "-o", program, folder)
		build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("building %s for Windows: %v\n%s", folder, err, out)
		}
		out, err := command(wine, program, "-test.v").CombinedOutput()
		if err != nil {
			t.Errorf("%s under Wine: %v\n%s", folder, err, out)
		}
		for _, name := range tests {
			if !strings.Contains(string(out), "--- PASS: "+name+" ") {
				t.Errorf("under Wine %s of %s did not pass:\n%s", name, folder, out)
			}
		}
	}
}
