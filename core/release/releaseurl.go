package main

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// checkReleaseURL refuses what is not the page of a project's releases. GitHub, Gitea and Forgejo
// have these pages, and the files of a release below them:
// docs.github.com/repositories/releasing-projects-on-github/linking-to-releases
func checkReleaseURL(page string) error {
	if page == "" {
		return nil
	}
	parsed, err := url.Parse(page)
	if err != nil {
		return fmt.Errorf("the page of the releases: %w", err)
	}
	if parsed.Scheme != "https" || parsed.Host == "" || parsed.RawQuery != "" || parsed.Fragment != "" || parsed.User != nil {
		return fmt.Errorf("the page of the releases, %s, is not an https address without query", page)
	}
	if project, found := strings.CutSuffix(parsed.Path, "/releases"); !found || strings.Trim(project, "/") == "" || strings.ContainsAny(page, "$'\"\\ ") {
		return fmt.Errorf("the page of the releases, %s, does not end like https://HOST/OWNER/PROJECT/releases", page)
	}
	return nil
}

// projectURL is the project's page.
func projectURL(releases string) string { return strings.TrimSuffix(releases, "/releases") }

// downloadURL is where a file of a release is; the release has the tag v<version>.
func downloadURL(releases, version, name string) string {
	return releases + "/download/v" + version + "/" + name
}

// packageManagers makes the manifests for winget and Scoop from the files of the release.
func packageManagers(r request, release []file) ([]file, error) {
	var downloads []download
	for _, one := range platforms {
		if one.goos != "windows" {
			continue
		}
		for _, packed := range release {
			if packed.name == one.archive(r.Version) {
				downloads = append(downloads, download{one, packed})
			}
		}
	}
	if len(downloads) == 0 {
		return nil, errors.New("manifests for winget and Scoop need an executable for Windows: build win-x64 or win-arm64, or leave the page of the releases out")
	}
	manifests, err := winget(r, downloads)
	if err != nil {
		return nil, err
	}
	one, err := scoop(r, downloads)
	if err != nil {
		return nil, fmt.Errorf("making the manifest for Scoop: %w", err)
	}
	return append(manifests, one), nil
}

// download is the zip of an executable for Windows.
type download struct {
	platform platform
	archive  file
}
