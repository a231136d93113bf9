//go:build linux

package layers_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"diskaudit/tests/layers"
	"diskaudit/tests/require"
)

// bitLockerImage unpacks one of the volumes that Windows made, and returns its path. Its password
// is "anaconda".
func bitLockerImage(t *testing.T, name string) string {
	t.Helper()
	archive := require.Shared(t, "bitlocker-images", "data/bitlocker-images.tar.xz")
	require.Tool(t, "xz")
	folder := t.TempDir()
	out, err := exec.Command("tar", "-xJf", archive, "-C", folder, "--wildcards", "*"+name).CombinedOutput()
	if err != nil {
		t.Fatalf("unpacking %s: %v: %s", name, err, out)
	}
	found := ""
	if err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.Name() == name {
			found = path
		}
		return err
	}); err != nil || found == "" {
		t.Fatalf("%s is not in the archive: %v", name, err)
	}
	return found
}

// A real BitLocker volume through dislocker: an NTFS volume, of which the image shows nothing.
func TestDislocker(t *testing.T) {
	require.Tool(t, "dislocker-fuse")
	image := bitLockerImage(t, "bitlk-aes-xts-128.img")
	var plain string
	t.Run("opened", func(t *testing.T) {
		plain = layers.Dislocker(t, image, "anaconda")
		first := make([]byte, 512)
		file, err := os.Open(plain)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if _, err := file.ReadAt(first, 0); err != nil {
			t.Fatal(err)
		}
		// The boot sector of NTFS has its name at byte 3, and BitLocker's has "-FVE-FS-" there.
		if got := string(first[3:11]); got != "NTFS    " && got != "MSDOS5.0" && got != "EXFAT   " {
			t.Errorf("the decrypted volume begins with %q", got)
		}
		below, err := os.ReadFile(image)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(below[3:11], []byte("-FVE-FS-")) {
			t.Errorf("the image begins with %q", below[3:11])
		}
	})
	if plain != "" {
		gone(t, filepath.Dir(plain))
	}
}
