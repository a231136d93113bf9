package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"text/template"
)

// wingetID is the package's identifier: publisher and package.
const wingetID = moduleName + ".DiskAudit"

// The manifests of a package with several files: one of its version, one of its installers, one of
// its texts. learn.microsoft.com/windows/package-manager/package/manifest and, for every key,
// github.com/microsoft/winget-pkgs/tree/master/doc/manifest/schema/1.10.0
//
// A zip with a portable program inside is unpacked for the user, and gets an alias on the PATH.
// Windows 10 1809 is 10.0.17763. Quoted strings of JSON are quoted strings of YAML, too.
var wingetTemplates = map[string]string{
	wingetID + ".yaml": `# yaml-language-server: $schema=https://aka.ms/winget-manifest.version.1.10.0.schema.json
PackageIdentifier: {{quote .ID}}
PackageVersion: {{quote .Version}}
DefaultLocale: en-US
ManifestType: version
ManifestVersion: 1.10.0
`,
	wingetID + ".installer.yaml": `# yaml-language-server: $schema=https://aka.ms/winget-manifest.installer.1.10.0.schema.json
PackageIdentifier: {{quote .ID}}
PackageVersion: {{quote .Version}}
Platform:
- Windows.Desktop
MinimumOSVersion: 10.0.17763.0
InstallerType: zip
NestedInstallerType: portable
NestedInstallerFiles:
- RelativeFilePath: diskaudit.exe
  PortableCommandAlias: diskaudit
Commands:
- diskaudit
Installers:
{{range .Installers -}}
- Architecture: {{.Architecture}}
  InstallerUrl: {{quote .URL}}
  InstallerSha256: {{.Sha256}}
{{end -}}
ManifestType: installer
ManifestVersion: 1.10.0
`,
	wingetID + ".locale.en-US.yaml": `# yaml-language-server: $schema=https://aka.ms/winget-manifest.defaultLocale.1.10.0.schema.json
PackageIdentifier: {{quote .ID}}
PackageVersion: {{quote .Version}}
PackageLocale: en-US
Publisher: {{quote .Publisher}}
PackageName: diskaudit
PackageUrl: {{quote .Project}}
License: MIT
Copyright: {{quote .Copyright}}
ShortDescription: {{quote .Description}}
Moniker: diskaudit
Tags:
- bitlocker
- disk
- encryption
- nvme
ReleaseNotesUrl: {{quote .Notes}}
ManifestType: defaultLocale
ManifestVersion: 1.10.0
`,
}

// shortDescription fits the 256 characters that winget allows, and is Scoop's, too.
const shortDescription = "Tells whether BitLocker encrypts disks by software, what that costs on this computer, and undoes it on consent"

// winget makes the manifests for the Windows Package Manager.
func winget(r request, downloads []download) ([]file, error) {
	type installer struct{ Architecture, URL, Sha256 string }
	values := struct {
		ID, Version, Publisher, Project, Copyright, Description, Notes string
		Installers                                                     []installer
	}{
		ID: wingetID, Version: r.Version, Publisher: r.Manifest.Author, Project: projectURL(r.ReleaseURL),
		Copyright: r.Manifest.Copyright, Description: shortDescription, Notes: r.ReleaseURL + "/tag/v" + r.Version,
	}
	for _, one := range downloads {
		values.Installers = append(values.Installers, installer{
			one.platform.winget, downloadURL(r.ReleaseURL, r.Version, one.archive.name), fmt.Sprintf("%X", sha256.Sum256(one.archive.data)),
		})
	}
	quote := func(text string) (string, error) {
		data, err := json.Marshal(text)
		return string(data), err
	}
	var manifests []file
	for _, name := range slices.Sorted(maps.Keys(wingetTemplates)) {
		parsed, err := template.New(name).Funcs(template.FuncMap{"quote": quote}).Parse(wingetTemplates[name])
		if err != nil {
			return nil, fmt.Errorf("the template of %s: %w", name, err)
		}
		var buffer bytes.Buffer
		if err := parsed.Execute(&buffer, values); err != nil {
			return nil, fmt.Errorf("making %s: %w", name, err)
		}
		manifests = append(manifests, file{name: "winget/" + name, data: buffer.Bytes()})
	}
	return manifests, nil
}
