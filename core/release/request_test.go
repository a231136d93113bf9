package main

import (
	"strings"
	"testing"
)

// TestRefusedRequests: what cannot become a right package is refused, and by name.
func TestRefusedRequests(t *testing.T) {
	for _, test := range []struct {
		want   string
		change func(*request)
	}{
		{"1.2.3-rc.1", func(r *request) { r.Version = "1.2.3-rc.1" }},
		{"1.2", func(r *request) { r.Version = "1.2" }},
		{"01.2.3", func(r *request) { r.Version = "01.2.3" }},
		{"v1.2.3", func(r *request) { r.Version = "v1.2.3" }},
		{"1.2.3-", func(r *request) { r.Version = "1.2.3-" }},
		{"Output", func(r *request) { r.Output = "" }},
		{"Stage", func(r *request) { r.Stage = "" }},
		{"Author", func(r *request) { r.Manifest.Author = "" }},
		{"no executables", func(r *request) { r.Executables = nil }},
		{"twice", func(r *request) { r.Executables = append(r.Executables, r.Executables[0]) }},
		{"win-x86", func(r *request) { r.Executables[0].Platform = "win-x86" }},
		{"../secret", func(r *request) { r.Manifest.FileList = append(r.Manifest.FileList, "../secret") }},
		{"/etc/passwd", func(r *request) { r.Manifest.FileList = append(r.Manifest.FileList, "/etc/passwd") }},
		{`docs\\page`, func(r *request) { r.Manifest.FileList = append(r.Manifest.FileList, `docs\page`) }},
		{"BitLockerDiskAudit.psd1", func(r *request) { r.Manifest.FileList = r.Manifest.FileList[1:] }},
		{"http://example.org/o/p/releases", func(r *request) { r.ReleaseURL = "http://example.org/o/p/releases" }},
		{"https://example.org/o/p", func(r *request) { r.ReleaseURL = "https://example.org/o/p" }},
		{"https://example.org/releases", func(r *request) { r.ReleaseURL = "https://example.org/releases" }},
		{"query", func(r *request) { r.ReleaseURL = "https://example.org/o/p/releases?x=1" }},
		{"https://user@example.org/o/p/releases", func(r *request) { r.ReleaseURL = "https://user@example.org/o/p/releases" }},
		{"https:///o/p/releases", func(r *request) { r.ReleaseURL = "https:///o/p/releases" }},
	} {
		r := asked(t)
		test.change(&r)
		if err := r.check(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.want, err)
		}
	}
	r := asked(t)
	r.Version, r.ReleaseURL = "65535.0.0", ""
	if err := r.check(); err != nil || r.numbers() != "65535.0.0" || r.prerelease() != "" {
		t.Errorf("a plain version is refused: %v", err)
	}
}

// TestMissingSources: a file that is listed and not there stops the release, and so does a manifest
// that is written in another way than stamp knows.
func TestMissingSources(t *testing.T) {
	r := asked(t)
	r.Manifest.FileList = append(r.Manifest.FileList, "gone.ps1")
	if err := pack(r, linked(r)); err == nil || !strings.Contains(err.Error(), "gone.ps1") {
		t.Errorf("a missing file: %v", err)
	}
	for what, manifest := range map[string]string{
		"ModuleVersion": "@{\n    FileList = @(\n        'a'\n    )\n        PSData = @{\n}\n",
		"FileList":      "    ModuleVersion = '1'\n    FileList = 'a'\n        PSData = @{\n",
		"PSData":        "    ModuleVersion = '1'\n    FileList = @(\n        'a'\n    )\n    PSData = @{}\n",
	} {
		if _, err := stamp(manifest, asked(t), []string{"a"}); err == nil || !strings.HasPrefix(err.Error(), what+" must be there once") {
			t.Errorf("%s: %v", what, err)
		}
	}
	r = asked(t)
	r.Executables = r.Executables[:1]
	if err := pack(r, linked(r)); err == nil || !strings.Contains(err.Error(), "win-arm64") {
		t.Errorf("manifests for package managers without an executable for Windows: %v", err)
	}
}

// TestNoAddressNoManifests: no address is made up.
func TestNoAddressNoManifests(t *testing.T) {
	r := asked(t)
	r.ReleaseURL = ""
	for name, data := range packInto(t, r) {
		if strings.HasPrefix(name, "winget/") || strings.HasPrefix(name, "scoop/") {
			t.Errorf("there is a %s", name)
		}
		if strings.HasSuffix(name, ".nupkg") && strings.Contains(entries(t, data)["BitLockerDiskAudit.nuspec"], "projectUrl") {
			t.Error("the package names a page")
		}
	}
}

func TestQuotesInManifest(t *testing.T) {
	text, err := stamp("    ModuleVersion = '1'\n    FileList = @(\n        'a'\n    )\n        PSData = @{\n", asked(t), []string{"it's $1.md"})
	if err != nil || !strings.Contains(text, "        'it''s $1.md'\n") {
		t.Errorf("%v\n%s", err, text)
	}
}
