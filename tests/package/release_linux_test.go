// Package package_test makes a release by build.ps1, looks into it, and installs from it.
package package_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"diskaudit/tests/module/pester"
	"diskaudit/tests/require"
	"diskaudit/tests/rig"
)

// The release that the tests look at.
const (
	version     = "9.8.7-rc1"
	numbers     = "9.8.7"
	releasePage = "https://example.org/somebody/diskaudit/releases"
)

var platforms = []string{"linux-arm64", "linux-x64", "win-arm64", "win-x64"}

// made is the release, made once for all tests.
var made struct {
	once   sync.Once
	folder string
	output string
	err    error
}

func TestMain(m *testing.M) {
	code := rig.Main(m)
	if made.folder != "" {
		os.RemoveAll(made.folder)
	}
	os.Exit(code)
}

// release returns the folder with the files of a release, made from a copy of the sources.
func release(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("not with -short: it builds four executables")
	}
	pwsh := pester.PowerShell(t)
	made.once.Do(func() {
		// For all tests, so not that of the first that asks.
		made.folder, made.err = os.MkdirTemp("", "release") //nolint:usetesting // see above
		if made.err != nil {
			return
		}
		sources := filepath.Join(made.folder, "one")
		pester.CopySources(t, require.Root(t), sources)
		made.output, made.err = build(pwsh, sources, "-Package", "-Version", version, "-ReleaseUrl", releasePage)
	})
	if made.err != nil {
		t.Fatalf("build.ps1 -Package: %v\n%s", made.err, made.output)
	}
	return filepath.Join(made.folder, "one", "dist")
}

// build runs a copy of build.ps1 and returns what it writes.
func build(pwsh, sources string, arguments ...string) (string, error) {
	cmd := exec.Command(pwsh, append([]string{"-NoProfile", "-NonInteractive", "-File", filepath.Join(sources, "build.ps1")}, arguments...)...)
	cmd.Env = pester.Environment(os.Environ())
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// tree reads all files below a folder, by their names with forward slashes.
func tree(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// packed is a file in a zip.
type packed struct {
	data []byte
	mode fs.FileMode
}

// unzipped reads a zip.
func unzipped(t *testing.T, path string) map[string]packed {
	t.Helper()
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	files := map[string]packed{}
	for _, entry := range archive.File {
		if strings.Contains(entry.Name, `\`) || !filepath.IsLocal(entry.Name) {
			t.Errorf("%s: %q is no name for every system", path, entry.Name)
		}
		reader, err := entry.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(reader)
		reader.Close()
		if err != nil {
			t.Fatalf("%s: %s: %v", path, entry.Name, err)
		}
		files[entry.Name] = packed{data, entry.Mode()}
	}
	return files
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// TestReleaseIsWhole: every file that the help of build.ps1 promises is there, and nothing else, and
// SHA256SUMS tells the hash of each.
func TestReleaseIsWhole(t *testing.T) {
	t.Parallel()
	folder := release(t)
	files := tree(t, folder)
	want := []string{
		"BitLockerDiskAudit-" + version + ".zip", "BitLockerDiskAudit." + version + ".nupkg", "RELEASE_NOTES.md", "SHA256SUMS", "scoop/diskaudit.json",
		"winget/BitLockerDiskAudit.DiskAudit.installer.yaml", "winget/BitLockerDiskAudit.DiskAudit.locale.en-US.yaml", "winget/BitLockerDiskAudit.DiskAudit.yaml",
	}
	for _, name := range platforms {
		want = append(want, "diskaudit-"+version+"-"+name+".zip", "diskaudit-"+version+"-"+name+".cdx.json")
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("the release holds\n%q, want\n%q", got, want)
	}
	cmd := exec.Command(require.Tool(t, "sha256sum"), "--check", "--strict", "--quiet", "SHA256SUMS")
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("sha256sum: %v\n%s", err, out)
	}
	if got := bytes.Count(files["SHA256SUMS"], []byte("\n")); got != len(files)-1 {
		t.Errorf("SHA256SUMS lists %d files of %d", got, len(files)-1)
	}
	if notes := string(files["RELEASE_NOTES.md"]); !strings.HasPrefix(notes, "# BitLockerDiskAudit "+version+"\n") || !strings.Contains(notes, "`diskaudit status`") || strings.Contains(notes, "Keep a Changelog") {
		t.Errorf("the notes are not the changes of this version:\n%s", notes)
	}
}

// TestNoTraceOfThisComputer: what is shipped tells nothing of where it was built.
func TestNoTraceOfThisComputer(t *testing.T) {
	t.Parallel()
	folder := release(t)
	traces := []string{made.folder, require.Root(t)}
	if home, err := os.UserHomeDir(); err == nil && len(home) > len("/root") {
		traces = append(traces, home)
	}
	for name, data := range tree(t, folder) {
		files := map[string]packed{name: {data: data}}
		if strings.HasSuffix(name, ".zip") {
			files = unzipped(t, filepath.Join(folder, name))
		}
		for inner, one := range files {
			for _, trace := range traces {
				if bytes.Contains(one.data, []byte(trace)) {
					t.Errorf("%s: %s holds %q", name, inner, trace)
				}
			}
		}
	}
}

// TestModulePackages: the zip and the NuGet package hold the same module, and it is all that its
// manifest lists and nothing else.
func TestModulePackages(t *testing.T) {
	t.Parallel()
	folder := release(t)
	inZip := unzipped(t, filepath.Join(folder, "BitLockerDiskAudit-"+version+".zip"))
	inPackage := unzipped(t, filepath.Join(folder, "BitLockerDiskAudit."+version+".nupkg"))
	module := map[string]packed{}
	for name, one := range inZip {
		inner, found := strings.CutPrefix(name, "BitLockerDiskAudit/"+numbers+"/")
		if !found {
			t.Errorf("the zip holds %s outside of the folder that PowerShell looks for", name)
		}
		module[inner] = one
		if other, found := inPackage[inner]; !found || !bytes.Equal(other.data, one.data) {
			t.Errorf("%s is not the same in the NuGet package", inner)
		}
	}
	for _, name := range []string{
		"BitLockerDiskAudit.psd1", "LICENSE", "NOTICES.txt", "SECURITY.md", "CHANGELOG.md", "schemas/status.schema.json", "docs/install.md",
		"scripts/Test-BitLockerDiskSpeed.ps1", "en-US/about_BitLockerDiskAudit.help.txt", "bin/win-x64/diskaudit.exe", "bin/linux-arm64/diskaudit",
	} {
		if len(module[name].data) == 0 {
			t.Errorf("the module has no %s", name)
		}
	}
	for name := range module {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "tests/") || strings.Contains(name, ".go") {
			t.Errorf("the module holds %s", name)
		}
	}
	for name, one := range module {
		want := fs.FileMode(0o644)
		if strings.HasPrefix(name, "bin/linux-") {
			want = 0o755
		}
		if one.mode != want {
			t.Errorf("%s has the mode %v, want %v", name, one.mode, want)
		}
	}
	manifest := string(module["BitLockerDiskAudit.psd1"].data)
	for name := range module {
		if strings.Count(manifest, "        '"+name+"'\n") != 1 {
			t.Errorf("FileList does not list %s once", name)
		}
	}
	for _, line := range []string{"ModuleVersion = '9.8.7'", "Prerelease = 'rc1'", "ProjectUri = 'https://example.org/somebody/diskaudit'"} {
		if !strings.Contains(strings.Join(strings.Fields(manifest), " "), line) {
			t.Errorf("the manifest has no line %s", line)
		}
	}
	var facts []string
	for name := range inPackage {
		if _, found := module[name]; !found {
			facts = append(facts, name)
		}
	}
	// learn.microsoft.com/nuget/reference/nuspec; the others are those of the Open Packaging Conventions.
	if len(facts) != 4 || inPackage["BitLockerDiskAudit.nuspec"].data == nil || inPackage["[Content_Types].xml"].data == nil || inPackage["_rels/.rels"].data == nil {
		t.Errorf("beside the module, the NuGet package holds %q", facts)
	}
	for _, want := range []string{
		"<id>BitLockerDiskAudit</id>", "<version>" + version + "</version>", " PSModule ", "PSFunction_Get-BitLockerDiskAudit", "PSFunction_Test-NvmeLatency",
		"PSFunction_Disable-SoftwareBitLocker", "PSEdition_Desktop", "PSEdition_Core", "PSIncludes_Function",
	} {
		if !bytes.Contains(inPackage["BitLockerDiskAudit.nuspec"].data, []byte(want)) {
			t.Errorf("the .nuspec has no %q:\n%s", want, inPackage["BitLockerDiskAudit.nuspec"].data)
		}
	}
}

// TestTwoFoldersGiveTheSameBytes builds the release again, in another folder, below one with a workspace of Go's
// that is none of the build's.
func TestTwoFoldersGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	first := release(t)
	second := filepath.Join(t.TempDir(), "another folder")
	sources := filepath.Join(made.folder, "one")
	pester.CopySources(t, sources, second)
	if err := os.WriteFile(filepath.Join(filepath.Dir(second), "go.work"), []byte("go 1.26.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := build(pester.PowerShell(t), second, "-Package", "-Version", version, "-ReleaseUrl", releasePage, "-OutputPath", filepath.Join(second, "out put")); err != nil {
		t.Fatalf("build.ps1: %v\n%s", err, out)
	}
	for what, folders := range map[string][2]string{
		"the release":     {first, filepath.Join(second, "out put")},
		"the executables": {filepath.Join(sources, "module", "bin"), filepath.Join(second, "module", "bin")},
	} {
		one, other := tree(t, folders[0]), tree(t, folders[1])
		if !slices.Equal(slices.Sorted(maps.Keys(one)), slices.Sorted(maps.Keys(other))) {
			t.Errorf("%s: one folder holds %q, the other %q", what, slices.Sorted(maps.Keys(one)), slices.Sorted(maps.Keys(other)))
		}
		for name, data := range one {
			if !bytes.Equal(data, other[name]) {
				t.Errorf("%s: %s differs: %s and %s", what, name, hash(data), hash(other[name]))
			}
		}
	}
	// What build.ps1 stamps and generates it puts back.
	for _, name := range []string{"core/rsrc_windows_amd64.syso", "core/rsrc_windows_arm64.syso", "module/BitLockerDiskAudit.psd1"} {
		if read(t, filepath.Join(second, name)) != read(t, filepath.Join(require.Root(t), name)) {
			t.Errorf("build.ps1 has changed %s", name)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// programFor unpacks the executable of a platform from its own zip, as somebody without the module does.
func programFor(t *testing.T, folder, platform string) string {
	t.Helper()
	name := "diskaudit"
	if strings.HasPrefix(platform, "win-") {
		name += ".exe"
	}
	files := unzipped(t, filepath.Join(folder, fmt.Sprintf("diskaudit-%s-%s.zip", version, platform)))
	if len(files["LICENSE"].data) == 0 || len(files["NOTICES.txt"].data) == 0 || len(files) != 3 {
		t.Errorf("the zip for %s does not hold the executable and the licenses: %q", platform, slices.Sorted(maps.Keys(files)))
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, files[name].data, files[name].mode); err != nil {
		t.Fatal(err)
	}
	return path
}
