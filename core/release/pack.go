package main

import (
	"fmt"
	"os"
	"path/filepath"
)

const (
	moduleName   = "BitLockerDiskAudit"
	manifestName = moduleName + ".psd1"
)

// pack makes all files of a release in the folder r.Output, and the module in r.Stage. Modules are
// those that the executables are linked with.
func pack(r request, modules []linkedModule) error {
	notices, err := notices(modules)
	if err != nil {
		return err
	}
	module, err := stageModule(r, notices)
	if err != nil {
		return fmt.Errorf("staging the module: %w", err)
	}
	if err := writeTree(r.Stage, module); err != nil {
		return fmt.Errorf("staging the module: %w", err)
	}
	release, err := releaseFiles(r, module, notices)
	if err != nil {
		return err
	}
	if r.ReleaseURL != "" {
		manifests, err := packageManagers(r, release)
		if err != nil {
			return err
		}
		release = append(release, manifests...)
	}
	release = append(release, file{name: "SHA256SUMS", data: sums(release)})
	return writeTree(r.Output, release)
}

// releaseFiles makes the packages, the bills of materials and the notes.
func releaseFiles(r request, module []file, notices []byte) ([]file, error) {
	package_, err := nupkg(r, module)
	if err != nil {
		return nil, fmt.Errorf("making the NuGet package: %w", err)
	}
	// Unpacked into a folder of modules, it is installed: PowerShell looks for <name>/<version>.
	// learn.microsoft.com/powershell/scripting/developer/module/installing-a-powershell-module
	archive, err := zipped(under(moduleName+"/"+r.numbers(), module))
	if err != nil {
		return nil, fmt.Errorf("making the module's zip: %w", err)
	}
	release := []file{
		{name: moduleName + "." + r.Version + ".nupkg", data: package_},
		{name: moduleName + "-" + r.Version + ".zip", data: archive},
	}
	license, err := os.ReadFile(filepath.Join(r.Root, "LICENSE"))
	if err != nil {
		return nil, fmt.Errorf("reading the license: %w", err)
	}
	for _, built := range r.Executables {
		platform, _ := findPlatform(built.Platform)
		program, err := program(built)
		if err != nil {
			return nil, err
		}
		program.name = platform.file
		archive, err := zipped([]file{program, {name: "LICENSE", data: license}, {name: "NOTICES.txt", data: notices}})
		if err != nil {
			return nil, fmt.Errorf("making the zip of %s: %w", built.Platform, err)
		}
		bom, err := billOfMaterials(built.BOM)
		if err != nil {
			return nil, err
		}
		release = append(release,
			file{name: platform.archive(r.Version), data: archive},
			// The ending is that of cyclonedx.org/specification/overview, "Recognized file patterns".
			file{name: "diskaudit-" + r.Version + "-" + built.Platform + ".cdx.json", data: bom})
	}
	notes, err := os.ReadFile(filepath.Join(r.Root, "CHANGELOG.md"))
	if err != nil {
		return nil, fmt.Errorf("reading the changelog: %w", err)
	}
	text, err := releaseNotes(string(notes), r.Version)
	if err != nil {
		return nil, fmt.Errorf("CHANGELOG.md: %w", err)
	}
	return append(release, file{name: "RELEASE_NOTES.md", data: []byte(text)}), nil
}
