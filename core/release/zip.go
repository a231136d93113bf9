package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

// packedAt is the time of every file in every archive: the first that a zip can tell. The time of
// the build would make two builds differ.
var packedAt = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// zipped makes a zip with the files in the order of their names, so that the same files give the
// same bytes. What Linux may execute is marked as such, in the way of Info-ZIP.
func zipped(files []file) ([]byte, error) {
	sorted := slices.SortedFunc(slices.Values(files), func(a, b file) int { return strings.Compare(a.name, b.name) })
	var buffer bytes.Buffer
	writer := zip.NewWriter(&buffer)
	seen := map[string]bool{}
	for _, one := range sorted {
		// Windows does not tell upper from lower case.
		if seen[strings.ToLower(one.name)] {
			return nil, fmt.Errorf("%s is there twice", one.name)
		}
		seen[strings.ToLower(one.name)] = true
		header := &zip.FileHeader{Name: one.name, Method: zip.Deflate, Modified: packedAt}
		header.SetMode(one.mode())
		entry, err := writer.CreateHeader(header)
		if err != nil {
			return nil, fmt.Errorf("packing %s: %w", one.name, err)
		}
		if _, err := entry.Write(one.data); err != nil {
			return nil, fmt.Errorf("packing %s: %w", one.name, err)
		}
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}
