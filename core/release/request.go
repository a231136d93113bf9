package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// request is what build.ps1 asks for.
type request struct {
	// Root is the source tree; Output and Stage are folders of this run, which get the files of
	// the release and the module as it is packed.
	Root, Output, Stage string
	// Version is that of the executables and of the module: 1.2.3 or 1.2.3-rc1.
	Version string
	// ReleaseURL is the page of the project's releases, or empty: then there are no manifests for
	// winget and Scoop.
	ReleaseURL  string
	Executables []executable
	// Manifest is what PowerShell reads from the module's manifest.
	Manifest moduleManifest
}

// executable is one that was built, and signed if it is to be.
type executable struct {
	Platform, Path string
	// BOM is the file with its bill of materials, as cyclonedx-gomod wrote it.
	BOM string
}

// moduleManifest holds the keys of the module's manifest that a package tells.
type moduleManifest struct {
	Author, Copyright, Description string
	CompatiblePSEditions           []string
	FunctionsToExport              []string
	FileList                       []string
	PrivateData                    struct {
		PSData struct {
			Tags         []string
			ReleaseNotes string
		}
	}
}

// A prerelease of a module has letters, digits and hyphens, no dot:
// learn.microsoft.com/powershell/gallery/concepts/module-prerelease-support
var versionPattern = regexp.MustCompile(`^((?:0|[1-9]\d{0,4})(?:\.(?:0|[1-9]\d{0,4})){2})(?:-([0-9A-Za-z][0-9A-Za-z-]*))?$`)

func (r request) check() error {
	if !versionPattern.MatchString(r.Version) {
		return fmt.Errorf("the version %q is not like 1.2.3 or 1.2.3-rc1: a module's prerelease has letters, digits and hyphens only", r.Version)
	}
	for name, value := range map[string]string{"Root": r.Root, "Output": r.Output, "Stage": r.Stage, "Manifest.Author": r.Manifest.Author, "Manifest.Description": r.Manifest.Description} {
		if value == "" {
			return fmt.Errorf("%s is empty", name)
		}
	}
	if len(r.Executables) == 0 {
		return errors.New("there are no executables")
	}
	seen := map[string]bool{}
	for _, built := range r.Executables {
		if _, ok := findPlatform(built.Platform); !ok || seen[built.Platform] {
			return fmt.Errorf("the platform %q is not known, or is there twice", built.Platform)
		}
		seen[built.Platform] = true
	}
	for _, name := range r.Manifest.FileList {
		if !filepath.IsLocal(filepath.FromSlash(name)) || strings.Contains(name, `\`) {
			return fmt.Errorf("FileList of the module's manifest names %q, which is not a path below the module with forward slashes", name)
		}
	}
	if !slices.Contains(r.Manifest.FileList, manifestName) {
		return fmt.Errorf("FileList of the module's manifest does not name %s", manifestName)
	}
	return checkReleaseURL(r.ReleaseURL)
}

// numbers are those of the version, which PowerShell calls ModuleVersion.
func (r request) numbers() string { return versionPattern.FindStringSubmatch(r.Version)[1] }

// prerelease is the rest of the version, or empty.
func (r request) prerelease() string { return versionPattern.FindStringSubmatch(r.Version)[2] }
