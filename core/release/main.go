// Command release packs what build.ps1 has built: the module as a NuGet package and as a zip, the
// executables as zips, checksums, the bill of materials of each executable, release notes, and
// manifests for winget and Scoop. It runs at build time only, by
//
//	go run ./core/release REQUEST.json
//
// The same request over the same sources and executables gives the same bytes, wherever it runs.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: go run ./core/release REQUEST.json")
	}
	if err := run(os.Args[1]); err != nil {
		log.Fatalf("packing the release: %v", err)
	}
}

func run(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	var asked request
	if err := json.Unmarshal(data, &asked); err != nil {
		return fmt.Errorf("reading the request %s: %w", path, err)
	}
	if err := asked.check(); err != nil {
		return fmt.Errorf("the request %s: %w", path, err)
	}
	modules, err := linkedModules(asked.Root, asked.Executables)
	if err != nil {
		return err
	}
	return pack(asked, modules)
}
