package target

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// namesAtOnce bounds how many names of a folder are held in memory.
const namesAtOnce = 1024

// Sweep removes the files that dead runs left in a folder, and returns their paths. It takes only
// a regular file that has one of our names, that begins or ends with our signature or is still
// empty, that this user may write and that no living run holds; everything else stays as it is.
func Sweep(dir string) (removed []string, err error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, explain("looking for leftovers in", dir, err)
	}
	defer folder.Close()
	for {
		names, err := folder.Readdirnames(namesAtOnce)
		for _, name := range names {
			if path := filepath.Join(dir, name); ourName.Regexp().MatchString(name) && sweepOne(path, true) {
				removed = append(removed, path)
			}
		}
		if errors.Is(err, io.EOF) || err == nil && len(names) == 0 {
			slices.Sort(removed)
			return removed, nil
		}
		if err != nil {
			return removed, explain("looking for leftovers in", dir, err)
		}
	}
}

// isLeftover tells by its content whether a file is one of ours. With one of our names it may
// also be empty, as after a kill between making and writing it; under another name the signature
// has to speak of this very file, not of one that it was copied from.
func isLeftover(file io.ReaderAt, size int64, identity uint64, ours bool) bool {
	if size == 0 {
		return ours
	}
	data := make([]byte, signed)
	for _, at := range []int64{0, size - block} {
		if at < 0 {
			continue
		}
		if _, err := file.ReadAt(data, at); err != nil {
			continue
		}
		if of, ok := signature(data); ok && (ours || of == identity) {
			return true
		}
	}
	return false
}
