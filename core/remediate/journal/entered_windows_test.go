package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/windows"

	"diskaudit/core/contract"
	"diskaudit/tests/require"
)

// self-relative bytes of a descriptor that Windows made of its text.
func fromText(t *testing.T, text string) []byte {
	t.Helper()
	descriptor, err := windows.SecurityDescriptorFromString(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(descriptor)), descriptor.Length())...)
}

// What the system makes of the text form is judged as the text says.
func TestDescriptorsOfWindows(t *testing.T) {
	for text, want := range map[string]string{
		protected:                   "",
		"O:SYD:PAI(A;OICI;FA;;;SY)": "",
		"O:BAD:(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)": "",
		"O:BAD:(D;;FA;;;WD)(A;;FA;;;BA)":               "",
		"O:BAD:(A;OICIIO;GA;;;CO)(A;OICI;FA;;;SY)":     "",
		"O:BUD:(A;OICI;FA;;;SY)":                       "it belongs to S-1-5-32-545",
		"O:S-1-5-21-1-2-3-1001D:(A;OICI;FA;;;SY)":      "it belongs to S-1-5-21-1-2-3-1001",
		"O:BAD:(A;OICI;FA;;;SY)(A;CI;0x4;;;BU)":        "S-1-5-32-545 may change it",
		"O:BAD:(A;OICI;FA;;;SY)(A;OICI;GA;;;WD)":       "S-1-1-0 may change it",
		"O:BAD:(A;OICI;FA;;;SY)(A;OICI;0x1301bf;;;AU)": "S-1-5-11 may change it",
		"O:BAD:NO_ACCESS_CONTROL":                      "everybody may change it",
		"O:BA":                                         "everybody may change it",
	} {
		if strings.Contains(text, "NO_ACCESS_CONTROL") && os.Getenv(wineVariable) != "" {
			// Wine does not know the word.
			continue
		}
		if reason := unsafety(fromText(t, text), []string{administrators, localSystem}); (reason == "") != (want == "") || !strings.Contains(reason, want) {
			t.Errorf("%s: it says %q, not %q", text, reason, want)
		}
	}
}

// securityText is who owns a file and may do what with it, as text.
func securityText(t *testing.T, path string) string {
	t.Helper()
	descriptor, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		t.Fatal(err)
	}
	return descriptor.String()
}

// What is made is for administrators and the system alone. Wine gives it to the user that it runs as, and to nobody
// else.
func TestOnlyAdministrators(t *testing.T) {
	folder := opened(t)
	taken(t, folder, Owner{})
	writer := begun(t, folder, contract.ActionDecrypt)
	for _, path := range []string{folder.path, writer.Path(), filepath.Join(folder.path, "lock")} {
		text := securityText(t, path)
		if os.Getenv(wineVariable) == "" && (!strings.HasPrefix(text, "O:BA") || !strings.Contains(text, "D:P")) {
			t.Errorf("%s: %s", path, text)
		}
		for _, others := range []string{";;;WD)", ";;;BU)", ";;;AU)", ";;;IU)"} {
			if strings.Contains(text, others) {
				t.Errorf("%s lets others in: %s", path, text)
			}
		}
	}
}

// This computer's own folder: both it and the one above are made, and are there for the next run.
func TestDefaultFolder(t *testing.T) {
	if os.Getenv(wineVariable) == "" {
		t.Skip("only under Wine: it makes the folder of this computer's journals")
	}
	path, err := DefaultFolder()
	if err != nil || !strings.HasSuffix(path, `:\ProgramData\BitLockerDiskAudit\journal`) {
		t.Fatalf("it is %s, %v", path, err)
	}
	if history, problems := Read(path); len(history.Runs) > 0 || len(problems) > 0 {
		t.Errorf("before it is there: %+v, %+v", history, problems)
	}
	for range 2 {
		folder, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := begun(t, folder, contract.ActionPrevent).Close(); err != nil {
			t.Fatal(err)
		}
	}
	if history, problems := Read(strings.ToUpper(path)); len(history.Runs) != 2 || len(problems) > 0 {
		t.Errorf("%+v, %+v", history, problems)
	}
	if text := securityText(t, filepath.Dir(path)); strings.Contains(text, ";;;WD)") {
		t.Errorf("the folder above lets others in: %s", text)
	}
	// Let everybody write above it: then it could be moved away and another put in its place.
	open(t, filepath.Dir(path))
	refusedOn(t, path, filepath.Dir(path), "may change it")
}

// open lets everybody write to a folder.
func open(t *testing.T, path string) {
	t.Helper()
	descriptor, err := windows.SecurityDescriptorFromString("D:(A;OICI;FA;;;WD)")
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := descriptor.DACL()
	if err != nil {
		t.Fatal(err)
	}
	if err := windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION, nil, nil, list, nil); err != nil {
		t.Fatal(err)
	}
}

// refusedOn tells that a folder is refused, both for writing and for reading, because of a path.
func refusedOn(t *testing.T, folder, path, reason string) {
	t.Helper()
	_, err := Open(folder)
	var refusal *Refusal
	if !errors.As(err, &refusal) || refusal.Path != path || !strings.Contains(refusal.Reason, reason) {
		t.Errorf("opening %s: %v", folder, err)
	}
	history, problems := Read(folder)
	if len(history.Runs) > 0 || codes(problems) != "journal-not-trusted" || problems[0].Target != path {
		t.Errorf("reading %s: %+v, %+v", folder, history, problems)
	}
}

func TestPlantedOnWindows(t *testing.T) {
	for name, plant := range map[string]struct {
		make   func(path string) error
		reason string
	}{
		"a folder for all": {func(path string) error {
			err := os.Mkdir(path, 0o700)
			open(t, path)
			return err
		}, "may change it"},
		"a file": {func(path string) error { return os.WriteFile(path, nil, 0o600) }, "it is not a folder"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(fresh(t), "journal")
			if err := plant.make(path); err != nil {
				t.Fatal(err)
			}
			refusedOn(t, path, path, plant.reason)
		})
	}
}

// Wine 8 has no reparse points: it says that it made a link, and nothing is there.
func TestLinkOnWindows(t *testing.T) {
	path := filepath.Join(fresh(t), "journal")
	if os.Getenv(wineVariable) != "" {
		t.Skip("not under Wine")
	}
	if err := os.Symlink(fresh(t), path); err != nil {
		require.Missing(t, "windows-links", err.Error())
	}
	refusedOn(t, path, path, "reparse point")
}

// As long as the folder is in use, it cannot be put away and another put in its place.
func TestFolderStays(t *testing.T) {
	folder := opened(t)
	inside, err := enter(folder.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(folder.path, folder.path+"-"); !errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
		t.Errorf("renaming it: %v", err)
	}
	inside.Close()
	if err := os.Rename(folder.path, folder.path+"-"); err != nil {
		t.Errorf("renaming it afterwards: %v", err)
	}
}
