package main

import (
	"crypto/sha256"
	"fmt"
)

// scoopManifest is what Scoop installs from: github.com/ScoopInstaller/Scoop/wiki/App-Manifests
type scoopManifest struct {
	Version      string                 `json:"version"`
	Description  string                 `json:"description"`
	Homepage     string                 `json:"homepage"`
	License      string                 `json:"license"`
	Architecture map[string]scoopSource `json:"architecture"`
	Bin          string                 `json:"bin"`
	CheckVer     scoopCheckVer          `json:"checkver"`
	AutoUpdate   scoopAutoUpdate        `json:"autoupdate"`
}

type scoopSource struct {
	URL  string `json:"url"`
	Hash string `json:"hash,omitempty"`
}

// scoopCheckVer finds the newest version on a page.
type scoopCheckVer struct {
	URL   string `json:"url"`
	Regex string `json:"regex"`
}

// scoopAutoUpdate tells how the manifest of a later version is made. $version and $baseurl are
// Scoop's: github.com/ScoopInstaller/Scoop/wiki/App-Manifest-Autoupdate
type scoopAutoUpdate struct {
	Architecture map[string]scoopSource `json:"architecture"`
	Hash         scoopSource            `json:"hash"`
}

// scoop makes the manifest for Scoop.
func scoop(r request, downloads []download) (file, error) {
	manifest := scoopManifest{
		Version: r.Version, Description: shortDescription, Homepage: projectURL(r.ReleaseURL), License: "MIT",
		Architecture: map[string]scoopSource{}, Bin: "diskaudit.exe",
		CheckVer: scoopCheckVer{URL: r.ReleaseURL, Regex: `/releases/tag/v(\d+\.\d+\.\d+)"`},
		AutoUpdate: scoopAutoUpdate{
			Architecture: map[string]scoopSource{},
			// Scoop looks for the zip's name in it.
			Hash: scoopSource{URL: "$baseurl/SHA256SUMS"},
		},
	}
	for _, one := range downloads {
		manifest.Architecture[one.platform.scoop] = scoopSource{
			URL:  downloadURL(r.ReleaseURL, r.Version, one.archive.name),
			Hash: fmt.Sprintf("%x", sha256.Sum256(one.archive.data)),
		}
		manifest.AutoUpdate.Architecture[one.platform.scoop] = scoopSource{
			URL: downloadURL(r.ReleaseURL, "$version", one.platform.archive("$version")),
		}
	}
	data, err := indented(manifest)
	return file{name: "scoop/diskaudit.json", data: data}, err
}
