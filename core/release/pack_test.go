package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// asked is a request over a small tree of sources, which it makes.
func asked(t *testing.T) request {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"module/BitLockerDiskAudit.psd1":    "@{\n    ModuleVersion     = '0.1.0'\n    FileList          = @(\n        'BitLockerDiskAudit.psd1'\n        'docs/a page.md'\n    )\n    PrivateData       = @{\n        PSData = @{\n            Tags = @('A')\n        }\n    }\n}\n",
		"module/docs/a page.md":             "page\n",
		"module/not listed.ps1":             "secret\n",
		"schemas/status.schema.json":        "{}\n",
		"CHANGELOG.md":                      "# Changelog\n\n## [Unreleased]\n\n- new\n",
		"LICENSE":                           "MIT\n",
		"SECURITY.md":                       "security\n",
		"built/diskaudit":                   "linux program\n",
		"built/diskaudit.exe":               "windows program\n",
		"built/bom.json":                    `{"bomFormat": "CycloneDX", "metadata": {"tools": [{"name": "x", "hashes": [{"alg": "MD5"}]}]}, "components": [{"name": "y", "hashes": [1]}], "version": 1}`,
		"modules/one/LICENSE":               "one's license\n",
		"modules/two/COPYING.txt":           "two's license\r\nsecond line\n",
		"modules/two/notice":                "two's notice\n",
		"modules/three/license_of_logo.png": "no license\n",
	} {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := request{
		Root: root, Output: filepath.Join(root, "out"), Stage: filepath.Join(root, "stage"), Version: "1.2.3-rc1", ReleaseURL: "https://example.org/o/p/releases",
		Executables: []executable{
			{Platform: "linux-x64", Path: filepath.Join(root, "built", "diskaudit"), BOM: filepath.Join(root, "built", "bom.json")},
			{Platform: "win-x64", Path: filepath.Join(root, "built", "diskaudit.exe"), BOM: filepath.Join(root, "built", "bom.json")},
		},
	}
	r.Manifest.Author, r.Manifest.Copyright, r.Manifest.Description = "Authors & others", "Copyright <c>", "What it does"
	r.Manifest.FileList = []string{"BitLockerDiskAudit.psd1", "docs/a page.md"}
	r.Manifest.FunctionsToExport, r.Manifest.CompatiblePSEditions = []string{"Get-It"}, []string{"Desktop", "Core"}
	r.Manifest.PrivateData.PSData.Tags = []string{"A", "PSEdition_Core"}
	return r
}

func linked(r request) []linkedModule {
	return []linkedModule{{"example.org/one", "v1.0.0", filepath.Join(r.Root, "modules", "one")}, {"example.org/two", "v2.0.0", filepath.Join(r.Root, "modules", "two")}}
}

func packInto(t *testing.T, r request) map[string][]byte {
	t.Helper()
	if err := r.check(); err != nil {
		t.Fatal(err)
	}
	if err := pack(r, linked(r)); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	err := filepath.WalkDir(r.Output, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(r.Output, name)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(relative)], err = os.ReadFile(name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestSameRequestSameBytes packs from two folders, the second with other times and another order.
func TestSameRequestSameBytes(t *testing.T) {
	one, two := asked(t), asked(t)
	slices.Reverse(two.Executables)
	slices.Reverse(two.Manifest.FileList)
	first, second := packInto(t, one), packInto(t, two)
	for name, data := range first {
		if !bytes.Equal(data, second[name]) {
			t.Errorf("%s differs", name)
		}
	}
	if len(first) == 0 || len(first) != len(second) {
		t.Errorf("%d and %d files", len(first), len(second))
	}
}

func entries(t *testing.T, data []byte) map[string]string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, entry := range archive.File {
		if !entry.Modified.UTC().Equal(packedAt) {
			t.Errorf("%s has the time %v", entry.Name, entry.Modified)
		}
		if want := entry.Name == "diskaudit" || strings.HasPrefix(path.Base(path.Dir(entry.Name)), "linux-"); (entry.Mode()&0o111 != 0) != want {
			t.Errorf("%s has the mode %v", entry.Name, entry.Mode())
		}
		reader, err := entry.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		found[entry.Name] = string(text)
	}
	return found
}

// TestModuleHoldsWhatIsListed: nothing that the manifest does not list is packed, and what is packed is listed.
func TestModuleHoldsWhatIsListed(t *testing.T) {
	files := packInto(t, asked(t))
	got := entries(t, files["BitLockerDiskAudit-1.2.3-rc1.zip"])
	var names []string
	for _, name := range slices.Sorted(maps.Keys(got)) {
		names = append(names, strings.TrimPrefix(name, "BitLockerDiskAudit/1.2.3/"))
	}
	want := []string{
		"BitLockerDiskAudit.psd1", "CHANGELOG.md", "LICENSE", "NOTICES.txt", "SECURITY.md", "bin/linux-x64/diskaudit", "bin/win-x64/diskaudit.exe", "docs/a page.md", "schemas/status.schema.json",
	}
	if !slices.Equal(names, want) {
		t.Errorf("packed are %q, want %q", names, want)
	}
	manifest := got["BitLockerDiskAudit/1.2.3/BitLockerDiskAudit.psd1"]
	for _, line := range append(want, "") {
		if line != "" && !strings.Contains(manifest, "        '"+line+"'\n") {
			t.Errorf("the manifest does not list %s", line)
		}
	}
	for _, line := range []string{"    ModuleVersion     = '1.2.3'\n", "Prerelease   = 'rc1'\n", "ProjectUri   = 'https://example.org/o/p'\n", "            Tags = @('A')\n"} {
		if !strings.Contains(manifest, line) {
			t.Errorf("the manifest has no %q:\n%s", line, manifest)
		}
	}
	if !strings.Contains(got["BitLockerDiskAudit/1.2.3/NOTICES.txt"], "example.org/two v2.0.0") {
		t.Errorf("the notices name no module:\n%s", got["BitLockerDiskAudit/1.2.3/NOTICES.txt"])
	}
}

// TestPackageFacts reads back what NuGet and the Open Packaging Conventions want.
func TestPackageFacts(t *testing.T) {
	files := packInto(t, asked(t))
	got := entries(t, files["BitLockerDiskAudit.1.2.3-rc1.nupkg"])
	var spec struct {
		Metadata struct {
			ID      string `xml:"id"`
			Version string `xml:"version"`
			Authors string `xml:"authors"`
			Tags    string `xml:"tags"`
		} `xml:"metadata"`
	}
	if err := xml.Unmarshal([]byte(got["BitLockerDiskAudit.nuspec"]), &spec); err != nil {
		t.Fatal(err)
	}
	if m := spec.Metadata; m.ID != "BitLockerDiskAudit" || m.Version != "1.2.3-rc1" || m.Authors != "Authors & others" || m.Tags != "A PSEdition_Core PSModule PSIncludes_Function PSEdition_Desktop PSFunction_Get-It PSCommand_Get-It" {
		t.Errorf("the .nuspec tells %+v", m)
	}
	var types contentTypes
	if err := xml.Unmarshal([]byte(got["[Content_Types].xml"]), &types); err != nil {
		t.Fatal(err)
	}
	for name := range got {
		typed := slices.ContainsFunc(types.Defaults, func(d typeDefault) bool { return "."+d.Extension == path.Ext(name) }) ||
			slices.ContainsFunc(types.Overrides, func(o typeOverride) bool { return o.PartName == "/"+name })
		if !typed && name != "[Content_Types].xml" {
			t.Errorf("%s has no content type", name)
		}
	}
	var links struct {
		Relationship []struct {
			Target string `xml:"Target,attr"`
		}
	}
	if err := xml.Unmarshal([]byte(got["_rels/.rels"]), &links); err != nil {
		t.Fatal(err)
	}
	for _, link := range links.Relationship {
		if _, found := got[strings.TrimPrefix(link.Target, "/")]; !found {
			t.Errorf("there is no %s", link.Target)
		}
	}
	if len(links.Relationship) != 2 {
		t.Errorf("%d relationships", len(links.Relationship))
	}
}

// TestBillOfMaterials keeps all but what differs between the computers that build.
func TestBillOfMaterials(t *testing.T) {
	r := asked(t)
	files := packInto(t, r)
	var bill map[string]any
	if err := json.Unmarshal(files["diskaudit-1.2.3-rc1-win-x64.cdx.json"], &bill); err != nil {
		t.Fatal(err)
	}
	text := string(files["diskaudit-1.2.3-rc1-win-x64.cdx.json"])
	if strings.Contains(text, "MD5") || !strings.Contains(text, `"name": "x"`) || len(bill["components"].([]any)[0].(map[string]any)) != 2 {
		t.Errorf("the bill of materials became\n%s", text)
	}
	for _, bad := range []string{"", "[]", `{"bomFormat": "SPDX"}`, `{"bomFormat": "CycloneDX", "metadata": {"tools": [{}]}}`, `{"bomFormat": "CycloneDX", "metadata": 3, "components": "x"}`} {
		if err := os.WriteFile(r.Executables[0].BOM, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := billOfMaterials(r.Executables[0].BOM); err == nil || !strings.Contains(err.Error(), "bom.json") {
			t.Errorf("%q is taken for a bill of materials: %v", bad, err)
		}
	}
}

// TestNotices: every license is passed on, and a module without one stops the release.
func TestNotices(t *testing.T) {
	r := asked(t)
	text, err := notices(linked(r))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"one's license\n", "two's license\nsecond line\n", "two's notice\n", "\nexample.org/one v1.0.0\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	_, err = notices([]linkedModule{{"example.org/three", "v3.0.0", filepath.Join(r.Root, "modules", "three")}})
	if err == nil || !strings.Contains(err.Error(), "example.org/three v3.0.0") {
		t.Errorf("a module without a license: %v", err)
	}
}
