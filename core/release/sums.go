package main

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// sums lists the SHA-256 of each file as "sha256sum -c" reads it.
func sums(files []file) []byte {
	sorted := slices.SortedFunc(slices.Values(files), func(a, b file) int { return strings.Compare(a.name, b.name) })
	var text strings.Builder
	for _, one := range sorted {
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(one.data), one.name)
	}
	return []byte(text.String())
}
