package penalty_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"diskaudit/core/bench/penalty"
	"diskaudit/tests/require"
)

// bitLocker lays a BitLocker volume that Windows made on a RAM disk, fills it with plain text, and
// returns its decrypted view, the RAM disk and its size.
func bitLocker(t *testing.T) (upper, lower string, size int64) {
	t.Helper()
	root(t)
	for _, tool := range []string{"dislocker-fuse", "fusermount", "tar", "xz"} {
		require.Tool(t, tool)
	}
	archive := require.Shared(t, "bitlocker-images", "data/bitlocker-images.tar.xz")
	if _, err := os.Stat("/dev/fuse"); err != nil {
		require.Missing(t, "fuse", err.Error())
	}
	const name = "bitlk-aes-xts-128.img"
	dir := t.TempDir()
	output(t, "tar", "-xJSf", archive, "-C", dir, "--wildcards", "*"+name)
	image, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer image.Close()
	info, err := image.Stat()
	if err != nil {
		t.Fatal(err)
	}
	size = info.Size()
	lower = ramDisk(t, size)
	device, err := os.OpenFile(lower, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(device, image); err != nil {
		t.Fatal(err)
	}
	if err := device.Close(); err != nil {
		t.Fatal(err)
	}
	view := filepath.Join(dir, "view")
	if err := os.Mkdir(view, 0o700); err != nil {
		t.Fatal(err)
	}
	upper = filepath.Join(view, "dislocker-file")
	unlocked := func(options ...string) {
		arguments := append([]string{"-V", lower, "-uanaconda"}, options...)
		output(t, "dislocker-fuse", append(arguments, "--", view)...)
	}
	lock := func() error {
		var out []byte
		for range 50 {
			if out, err = exec.Command("fusermount", "-u", view).CombinedOutput(); err == nil {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		if err != nil {
			return fmt.Errorf("unmounting %s: %w: %s", view, err, out)
		}
		// The process that served the view still holds the device for a moment.
		time.Sleep(300 * time.Millisecond)
		return nil
	}
	unlocked()
	writePlainText(t, upper, size)
	if err := lock(); err != nil {
		t.Fatal(err)
	}
	unlocked("-r")
	t.Cleanup(func() {
		if err := lock(); err != nil {
			t.Error(err)
		}
	})
	return upper, lower, size
}

// writePlainText fills a BitLocker volume through its decrypted view, but for the first MiB and
// BitLocker's own areas, which the view refuses to write.
func writePlainText(t *testing.T, path string, size int64) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var text bytes.Buffer
	const chunk = 64 << 10
	refused := 0
	for at := int64(1 << 20); at+chunk <= size; at += chunk {
		text.Reset()
		for line := 0; text.Len() < chunk; line++ {
			fmt.Fprintf(&text, "byte %d, line %d of plain text, as plain as it can be\n", at, line)
		}
		if _, err := file.WriteAt(text.Bytes()[:chunk], at); err != nil {
			refused++
		}
	}
	if refused > 8 {
		t.Fatalf("%d parts of 64 KiB could not be written", refused)
	}
	if err := file.Sync(); err != nil {
		t.Fatal(err)
	}
}

// dislocker is a real BitLocker layer in software. It reads the RAM disk through the page cache,
// where fio and this package read it directly; the penalty is that of the way through FUSE, of
// dislocker and its cipher, less that of the RAM disk's own driver.
func TestBitLockerLayer(t *testing.T) {
	require.Tool(t, "fio")
	upper, lower, size := bitLocker(t)
	medians, _, results := peers(t, upper, lower, size, []penalty.Range{{Offset: 1 << 20, Length: size - 1<<20}}, 2)
	for _, p := range results {
		if p.Proof == nil || p.Proof.Result != "encrypted" || p.Proof.LowerRandom < p.Proof.Blocks*9/10 || p.Proof.UpperRandom > p.Proof.Blocks/10 {
			t.Errorf("proof %+v", p.Proof)
		}
		if !p.Valid {
			t.Errorf("not valid: %+v", p.Reason)
			continue
		}
		costs(t, p, medians)
	}
}
