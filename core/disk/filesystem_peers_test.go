package disk_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"diskaudit/core/disk"
	"diskaudit/core/disk/disktest"
	"diskaudit/tests/require"
)

// describe writes content as text: kind, name, cluster, label.
func describe(c disk.Content) string {
	cluster, label := "-", "-"
	if c.ClusterBytes != nil {
		cluster = fmt.Sprint(*c.ClusterBytes)
	}
	if c.Label != nil {
		label = fmt.Sprintf("%q", *c.Label)
	}
	return fmt.Sprintf("%s %s %s %s", c.Kind, c.Name, cluster, label)
}

func TestRecognizesWhatOthersFormat(t *testing.T) {
	for _, c := range []struct {
		name string
		size int64
		tool string
		args []string
		want string
	}{
		{"ntfs", 64 << 20, "mkntfs", []string{"-F", "-Q", "-q", "-L", "Daten \u00fc"}, `file-system NTFS 4096 "Daten ü"`},
		{"ntfs without a label", 64 << 20, "mkntfs", []string{"-F", "-Q", "-q"}, `file-system NTFS 4096 ""`},
		{"ntfs with clusters of 512", 64 << 20, "mkntfs", []string{"-F", "-Q", "-q", "-c", "512", "-L", "a"}, `file-system NTFS 512 "a"`},
		{"ntfs with clusters of 64 KiB", 256 << 20, "mkntfs", []string{"-F", "-Q", "-q", "-c", "65536", "-L", "b"}, `file-system NTFS 65536 "b"`},
		{"ntfs with clusters of 2 MiB", 1 << 30, "mkntfs", []string{"-F", "-Q", "-q", "-c", "2097152", "-L", "c"}, `file-system NTFS 2097152 "c"`},
		{"ntfs with large sectors", 256 << 20, "mkntfs", []string{"-F", "-Q", "-q", "-s", "4096", "-L", "d"}, `file-system NTFS 4096 "d"`},
		{"fat12", 1440 << 10, "mkfs.vfat", []string{"-F", "12", "-n", "FLOPPY"}, `file-system FAT12 512 "FLOPPY"`},
		{"fat16", 64 << 20, "mkfs.vfat", []string{"-F", "16", "-n", "SIXTEEN"}, `file-system FAT16 2048 "SIXTEEN"`},
		{"fat32", 64 << 20, "mkfs.vfat", []string{"-F", "32", "-n", "THIRTYTWO"}, `file-system FAT32 512 "THIRTYTWO"`},
		{"fat32 without a label", 64 << 20, "mkfs.vfat", []string{"-F", "32"}, `file-system FAT32 512 ""`},
		{"fat32 with large sectors", 512 << 20, "mkfs.vfat", []string{"-F", "32", "-S", "4096", "-n", "LARGE"}, `file-system FAT32 4096 "LARGE"`},
		{"exfat", 64 << 20, "mkfs.exfat", []string{"-n", "Stick \u00e9"}, `file-system exFAT 4096 "Stick é"`},
		{"exfat with clusters of 128 KiB", 512 << 20, "mkfs.exfat", []string{"-c", "128K"}, `file-system exFAT 131072 ""`},
		{"ext2", 16 << 20, "mke2fs", []string{"-q", "-F", "-t", "ext2", "-L", "two"}, `file-system ext2 1024 "two"`},
		{"ext3", 64 << 20, "mke2fs", []string{"-q", "-F", "-t", "ext3", "-b", "4096"}, `file-system ext3 4096 ""`},
		{"ext4", 64 << 20, "mkfs.ext4", []string{"-q", "-F", "-b", "4096", "-O", "metadata_csum,64bit", "-L", "four"}, `file-system ext4 4096 "four"`},
		{"ext4 without checksums", 64 << 20, "mkfs.ext4", []string{"-q", "-F", "-b", "1024", "-O", "^metadata_csum,^64bit"}, `file-system ext4 1024 ""`},
		{"xfs", 512 << 20, "mkfs.xfs", []string{"-q", "-L", "ix"}, `file-system XFS 4096 "ix"`},
		{"xfs of version 4", 512 << 20, "mkfs.xfs", []string{"-q", "-m", "crc=0", "-b", "size=1024"}, `file-system XFS 1024 ""`},
		{"xfs with large sectors", 512 << 20, "mkfs.xfs", []string{"-q", "-s", "size=4096"}, `file-system XFS 4096 ""`},
		{"btrfs", 256 << 20, "mkfs.btrfs", []string{"-q", "-L", "butter"}, `file-system Btrfs 4096 "butter"`},
		{"btrfs with other checksums", 256 << 20, "mkfs.btrfs", []string{"-q", "--csum", "xxhash"}, `file-system Btrfs 4096 ""`},
		{"swap", 16 << 20, "mkswap", []string{"-L", "swp"}, `swap swap - "swp"`},
		{"swap of large pages", 16 << 20, "mkswap", []string{"--pagesize", "65536"}, `swap swap - ""`},
		{"luks1", 64 << 20, "cryptsetup", []string{"luksFormat", "-q", "--type", "luks1", "--pbkdf-force-iterations", "1000", "--key-file", "KEY"}, `encrypted LUKS1 - -`},
		{"luks2", 64 << 20, "cryptsetup", []string{"luksFormat", "-q", "--type", "luks2", "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", "--label", "secret", "--key-file", "KEY"}, `encrypted LUKS2 - "secret"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := writeFile(t, disktest.New(c.size), "volume.img")
			args := c.args
			for i, arg := range args {
				if arg == "KEY" {
					key := filepath.Join(filepath.Dir(path), "key")
					if err := os.WriteFile(key, []byte("a key for this test only"), 0o600); err != nil {
						t.Fatal(err)
					}
					args[i] = key
				}
			}
			run(t, tool(t, c.tool), append(args, path)...)
			counter := &countingReader{r: openFile(t, path)}
			content, err := disk.Recognize(counter, c.size)
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(content); got != c.want || content.Doubt != "" {
				t.Errorf("got %s (%s), want %s", got, content.Doubt, c.want)
			}
			if counter.bytes > 32<<10 {
				t.Errorf("%d bytes read", counter.bytes)
			}
			// A volume that fills a disk is no partition table, even where it ends in 55 AA.
			table, err := disk.ReadTable(openFile(t, path), c.size, 0)
			if err != nil || table.Scheme != disk.SchemeNone {
				t.Errorf("read as a table: %v, %v", table, err)
			}
			// The beginning alone is not the volume.
			half := openFile(t, path)
			if content, err := disk.Recognize(half, c.size/2); err == nil && content.Kind == disk.KindFileSystem {
				t.Errorf("half of the volume passes for %s", describe(content))
			}
		})
	}
}

// Real BitLocker volumes of all kinds are told from the file systems that their boot sectors
// resemble.
func TestRealBitLockerVolumes(t *testing.T) {
	archive := require.Shared(t, "bitlocker-images", "data/bitlocker-images.tar.xz")
	dir := t.TempDir()
	run(t, tool(t, "tar"), "--extract", "--sparse", "--xz", "--file", archive, "--directory", dir)
	images, err := filepath.Glob(filepath.Join(dir, "*.img"))
	if err != nil || len(images) == 0 {
		t.Fatalf("no images: %v", err)
	}
	for _, path := range images {
		image := openFile(t, path)
		content, err := disk.Recognize(image, image.Size())
		if err != nil || content.Kind != disk.KindBitLocker {
			t.Errorf("%s: %s, %v", filepath.Base(path), describe(content), err)
		}
		table, err := image.Table()
		if err != nil || table.Scheme != disk.SchemeNone || len(table.Issues) != 0 {
			t.Errorf("%s: %v, %v", filepath.Base(path), table, err)
		}
	}
}
