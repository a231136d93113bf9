package package_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWinget checks the manifests against what the documentation demands of them:
// github.com/microsoft/winget-pkgs/tree/master/doc/manifest/schema/1.10.0, version, installer and defaultLocale.
func TestWinget(t *testing.T) {
	t.Parallel()
	folder := release(t)
	const id = "BitLockerDiskAudit.DiskAudit"
	line := regexp.MustCompile(`^(- |  )?([A-Za-z0-9]+): "?(.*?)"?$`)
	for name, required := range map[string][]string{
		id + ".yaml":              {"PackageIdentifier", "PackageVersion", "DefaultLocale", "ManifestType=version", "ManifestVersion"},
		id + ".installer.yaml":    {"PackageIdentifier", "PackageVersion", "ManifestType=installer", "ManifestVersion", "InstallerType=zip", "NestedInstallerType=portable", "RelativeFilePath=diskaudit.exe", "PortableCommandAlias=diskaudit"},
		id + ".locale.en-US.yaml": {"PackageIdentifier", "PackageVersion", "PackageLocale=en-US", "Publisher", "PackageName", "License=MIT", "ShortDescription", "ManifestType=defaultLocale", "ManifestVersion"},
	} {
		values := map[string]string{}
		var downloads []map[string]string
		text := read(t, filepath.Join(folder, "winget", name))
		for row := range strings.Lines(text) {
			row = strings.TrimRight(row, "\n")
			match := line.FindStringSubmatch(row)
			switch {
			case strings.HasPrefix(row, "# yaml-language-server: $schema=https://aka.ms/winget-manifest."), strings.HasSuffix(row, ":"), strings.HasPrefix(row, "- ") && match == nil:
			case match == nil:
				t.Errorf("%s: the line %q is neither a key with a value nor an item", name, row)
			case match[1] == "- " && match[2] == "Architecture":
				downloads = append(downloads, map[string]string{match[2]: match[3]})
			case match[1] == "  " && len(downloads) > 0:
				downloads[len(downloads)-1][match[2]] = match[3]
			default:
				values[match[2]] = match[3]
			}
		}
		for _, key := range required {
			key, want, given := strings.Cut(key, "=")
			if values[key] == "" || given && values[key] != want {
				t.Errorf("%s: %s is %q:\n%s", name, key, values[key], text)
			}
		}
		if values["PackageIdentifier"] != id || values["PackageVersion"] != version || values["ManifestVersion"] != "1.10.0" || len(values["ShortDescription"]) > 256 {
			t.Errorf("%s tells of another package:\n%s", name, text)
		}
		if values["ManifestType"] != "installer" {
			continue
		}
		if len(downloads) != 2 {
			t.Fatalf("%s has %d installers, want one for x64 and one for arm64", name, len(downloads))
		}
		for i, platform := range []string{"win-x64", "win-arm64"} {
			checkDownload(t, folder, platform, downloads[i]["InstallerUrl"], strings.ToLower(downloads[i]["InstallerSha256"]))
			if got := "win-" + downloads[i]["Architecture"]; got != platform {
				t.Errorf("%s calls %s %s", name, platform, got)
			}
		}
	}
}

// TestScoop does the same for github.com/ScoopInstaller/Scoop/wiki/App-Manifests and
// App-Manifest-Autoupdate.
func TestScoop(t *testing.T) {
	t.Parallel()
	folder := release(t)
	type source struct{ URL, Hash string }
	var manifest struct {
		Version, Description, Homepage, License, Bin string
		Architecture                                 map[string]source
		CheckVer                                     struct{ URL, Regex string }
		AutoUpdate                                   struct {
			Architecture map[string]source
			Hash         struct{ URL string }
		}
	}
	text := read(t, filepath.Join(folder, "scoop", "diskaudit.json"))
	if err := json.Unmarshal([]byte(text), &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Version != version || manifest.Description == "" || manifest.Homepage != "https://example.org/somebody/diskaudit" || manifest.License != "MIT" || manifest.Bin != "diskaudit.exe" {
		t.Errorf("the manifest is not complete:\n%s", text)
	}
	if len(manifest.Architecture) != 2 || len(manifest.AutoUpdate.Architecture) != 2 {
		t.Errorf("the manifest is for other processors than x64 and ARM64:\n%s", text)
	}
	for name, platform := range map[string]string{"64bit": "win-x64", "arm64": "win-arm64"} {
		one := manifest.Architecture[name]
		checkDownload(t, folder, platform, one.URL, one.Hash)
		// What Scoop makes of it for this version is where this version is.
		if got := strings.ReplaceAll(manifest.AutoUpdate.Architecture[name].URL, "$version", version); got != one.URL {
			t.Errorf("a later version would be looked for at %s", got)
		}
	}
	if manifest.AutoUpdate.Hash.URL != "$baseurl/SHA256SUMS" {
		t.Errorf("a later version's hash would be looked for at %s", manifest.AutoUpdate.Hash.URL)
	}
	find, err := regexp.Compile(manifest.CheckVer.Regex)
	if err != nil {
		t.Fatal(err)
	}
	if match := find.FindStringSubmatch(`<a href="/somebody/diskaudit/releases/tag/v1.20.3">`); manifest.CheckVer.URL != releasePage || match == nil || match[1] != "1.20.3" {
		t.Errorf("the newest version is not found on the page of the releases: %+v", manifest.CheckVer)
	}
}

func checkDownload(t *testing.T, folder, platform, address, sum string) {
	t.Helper()
	name := "diskaudit-" + version + "-" + platform + ".zip"
	if want := releasePage + "/download/v" + version + "/" + name; address != want {
		t.Errorf("%s is looked for at %s, want %s", platform, address, want)
	}
	if want := hash([]byte(read(t, filepath.Join(folder, name)))); sum != want {
		t.Errorf("%s has the SHA-256 %s, not %s", name, want, sum)
	}
}
