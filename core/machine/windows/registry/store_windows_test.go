package registry

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"golang.org/x/sys/windows/registry"
)

// TestLiveStore changes keys of its own, and only in a registry that is thrown away afterwards.
func TestLiveStore(t *testing.T) {
	if os.Getenv("DISKAUDIT_REGISTRY_CHANGEABLE") == "" {
		t.Skip("the registry is somebody's")
	}
	store := LiveStore()
	const key = `SOFTWARE\DiskAuditStoreTest`
	changes(t, store, `HKLM\`+key+`\New`)

	// A value of another type is replaced.
	made, _, err := registry.CreateKey(registry.LOCAL_MACHINE, key, registry.SET_VALUE|registry.WOW64_64KEY)
	if err != nil {
		t.Fatal(err)
	}
	defer made.Close()
	if err := made.SetStringValue("Text", "x"); err != nil {
		t.Fatal(err)
	}
	if err := store.SetNumber(`HKLM\`+key, "Text", 3); err != nil {
		t.Fatal(err)
	}
	if number, err := Number(store, `HKLM\`+key, "Text"); err != nil || number == nil || *number != 3 {
		t.Errorf("%v %v", number, err)
	}

	for _, wrong := range []string{"", "HKXX", `C:\Windows`} {
		if err := store.SetNumber(wrong, "x", 1); err == nil || errors.Is(err, fs.ErrPermission) {
			t.Errorf("%q is no root: %v", wrong, err)
		}
	}
}
