// Gen writes the rules for Intune's custom compliance.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"diskaudit/core/compliance"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen REPOSITORY-ROOT")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func write(root string) error {
	file, err := compliance.File()
	if err != nil {
		return err
	}
	path := filepath.Join(root, filepath.FromSlash(compliance.Path))
	if err := os.WriteFile(path, file, 0o644); err != nil {
		return fmt.Errorf("writing the rules: %w", err)
	}
	return nil
}
