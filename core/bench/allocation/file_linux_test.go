package allocation

import (
	"os"
	"path/filepath"
	"testing"

	"diskaudit/tests/require"
)

// The data of a sparse file are the parts that were written, in the file system's own blocks.
func TestFileRanges(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if ranges, err := FileRanges(file); err != nil || len(ranges) != 0 {
		t.Errorf("an empty file: %v, %v", ranges, err)
	}
	const size = 64 << 20
	if err := file.Truncate(size); err != nil {
		t.Fatal(err)
	}
	written := []Range{{0, 1 << 20}, {10 << 20, 3 << 20}, {size - 4096, 4096}}
	for _, r := range written {
		data := make([]byte, r.Length)
		for i := range data {
			data[i] = 1
		}
		if _, err := file.WriteAt(data, r.Offset); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Sync(); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Seek(77, 0); err != nil {
		t.Fatal(err)
	}
	ranges, err := FileRanges(file)
	if err != nil {
		t.Fatal(err)
	}
	orderly(t, ranges, size)
	if missing := Intersect(written, ranges, 0); sum(missing) != sum(written) {
		t.Errorf("ranges %v do not hold all of %v", ranges, written)
	}
	if sum(ranges) == size {
		require.Missing(t, "sparse-files", "the file system of the temporary folder keeps no holes")
	}
	if sum(ranges) > sum(written)+8<<20 {
		t.Errorf("ranges %v hold much more than %v", ranges, written)
	}
	if at, err := file.Seek(0, 1); err != nil || at != 77 {
		t.Errorf("the file's position is %d now, it was 77", at)
	}
}

func TestFileRangesOfWhatIsNoFile(t *testing.T) {
	dir, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if ranges, err := FileRanges(dir); err == nil {
		t.Errorf("a folder has ranges: %v", ranges)
	}
}
