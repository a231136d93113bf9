package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// file is one that is packed: its name has forward slashes.
type file struct {
	name string
	data []byte
	// program is set for a file that Linux has to be allowed to execute.
	program bool
}

func (f file) mode() fs.FileMode {
	if f.program {
		return 0o755
	}
	return 0o644
}

// program reads an executable.
func program(built executable) (file, error) {
	data, err := os.ReadFile(built.Path)
	if err != nil {
		return file{}, fmt.Errorf("reading the executable for %s: %w", built.Platform, err)
	}
	return file{data: data, program: strings.HasPrefix(built.Platform, "linux-")}, nil
}

// under puts files into a folder.
func under(folder string, files []file) []file {
	moved := make([]file, len(files))
	for i, one := range files {
		one.name = folder + "/" + one.name
		moved[i] = one
	}
	return moved
}

// writeTree writes files below a folder.
func writeTree(folder string, files []file) error {
	for _, one := range files {
		path := filepath.Join(folder, filepath.FromSlash(one.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, one.data, one.mode()); err != nil {
			return err
		}
	}
	return nil
}
