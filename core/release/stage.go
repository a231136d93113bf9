package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// fromTop are files of the source tree's top folder that the module carries.
var fromTop = []string{"CHANGELOG.md", "LICENSE", "SECURITY.md"}

// stageModule gathers the module's files: those of the manifest's FileList, the executables, the
// schemas and the texts of the top folder. The manifest is stamped with the version and lists them all.
func stageModule(r request, notices []byte) ([]file, error) {
	var staged []file
	add := func(name, path string) error {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		staged = append(staged, file{name: name, data: data})
		return nil
	}
	for _, name := range r.Manifest.FileList {
		if err := add(name, filepath.Join(r.Root, "module", filepath.FromSlash(name))); err != nil {
			return nil, fmt.Errorf("FileList of %s: %w", manifestName, err)
		}
	}
	for _, name := range fromTop {
		if err := add(name, filepath.Join(r.Root, name)); err != nil {
			return nil, err
		}
	}
	schemas, err := filepath.Glob(filepath.Join(r.Root, "schemas", "*.schema.json"))
	if err != nil {
		return nil, err
	}
	if len(schemas) == 0 {
		return nil, fmt.Errorf("there are no schemas in %s", filepath.Join(r.Root, "schemas"))
	}
	for _, path := range schemas {
		if err := add("schemas/"+filepath.Base(path), path); err != nil {
			return nil, err
		}
	}
	for _, built := range r.Executables {
		platform, _ := findPlatform(built.Platform)
		program, err := program(built)
		if err != nil {
			return nil, err
		}
		program.name = "bin/" + built.Platform + "/" + platform.file
		staged = append(staged, program)
	}
	staged = append(staged, file{name: "NOTICES.txt", data: notices})
	slices.SortFunc(staged, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return staged, stampManifest(r, staged)
}

// stampManifest stamps the manifest among the staged files.
func stampManifest(r request, staged []file) error {
	names := make([]string, len(staged))
	for i, one := range staged {
		names[i] = one.name
	}
	at := slices.Index(names, manifestName)
	text, err := stamp(string(staged[at].data), r, names)
	if err != nil {
		return fmt.Errorf("%s: %w", manifestName, err)
	}
	staged[at].data = []byte(text)
	return nil
}
