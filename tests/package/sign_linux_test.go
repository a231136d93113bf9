package package_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"diskaudit/tests/module/pester"
	"diskaudit/tests/require"
)

// TestSignedRelease signs with a self-made certificate: what is packed and hashed is signed (C51), and
// the password was on no command line.
func TestSignedRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: it builds an executable")
	}
	t.Parallel()
	osslsigncode := require.Tool(t, "osslsigncode")
	pwsh := pester.PowerShell(t)
	keys := certificates(t)
	sources := filepath.Join(t.TempDir(), "sources")
	pester.CopySources(t, require.Root(t), sources)
	// Writes down with what it was called, and calls the real one.
	told, stand := filepath.Join(t.TempDir(), "told"), t.TempDir()
	program(t, filepath.Join(stand, "osslsigncode"), fmt.Sprintf("printf '%%s\\n' \"$@\" >>%q\nexec %q \"$@\"\n", told, osslsigncode))
	cmd := exec.Command(pwsh, "-NoProfile", "-NonInteractive", "-File", filepath.Join(sources, "build.ps1"),
		"-Package", "-Architecture", "win-x64", "-Version", version, "-SignWith", filepath.Join(keys, "good.pfx"))
	cmd.Env = append(pester.Environment(os.Environ()), "DISKAUDIT_SIGN_PASSWORD="+password, "PATH="+stand+string(os.PathListSeparator)+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "-ReleaseUrl") {
		t.Fatalf("a release without -ReleaseUrl warns that it has no manifests for package managers: %v\n%s", err, out)
	}
	if arguments := read(t, told); !strings.Contains(arguments, "-readpass\n-\n") || strings.Contains(arguments, password) {
		t.Errorf("osslsigncode was called with\n%s", arguments)
	}

	folder := filepath.Join(sources, "dist")
	for what, path := range map[string]string{
		"the zip of the executable": programFor(t, folder, "win-x64"),
		"the module's zip":          extracted(t, filepath.Join(folder, "BitLockerDiskAudit-"+version+".zip"), "BitLockerDiskAudit/"+numbers+"/bin/win-x64/diskaudit.exe"),
		"the NuGet package":         extracted(t, filepath.Join(folder, "BitLockerDiskAudit."+version+".nupkg"), "bin/win-x64/diskaudit.exe"),
	} {
		verify := exec.Command(osslsigncode, "verify", "-in", path, "-CAfile", filepath.Join(keys, "good.pem"))
		if out, err := verify.CombinedOutput(); err != nil {
			t.Errorf("%s holds an executable that is not signed: %v\n%s", what, err, out)
		}
	}
	// The signature is noticed to be broken, so the check above means something.
	damaged := programFor(t, folder, "win-x64")
	data := []byte(read(t, damaged))
	data[len(data)/2] ^= 1
	write(t, damaged, data)
	if err := exec.Command(osslsigncode, "verify", "-in", damaged, "-CAfile", filepath.Join(keys, "good.pem")).Run(); err == nil {
		t.Error("osslsigncode takes a damaged executable for sound")
	}
	files := tree(t, folder)
	if files["scoop/diskaudit.json"] != nil || files["winget/BitLockerDiskAudit.DiskAudit.yaml"] != nil {
		t.Error("there are manifests for package managers, with an address that nobody gave")
	}
	for line := range strings.Lines(string(files["SHA256SUMS"])) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if hash(files[name]) != sum {
			t.Errorf("SHA256SUMS has not the hash of the signed %s", name)
		}
	}
}

func extracted(t *testing.T, archive, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "diskaudit.exe")
	write(t, path, unzipped(t, archive)[name].data)
	return path
}

// program writes a shell script.
func program(t *testing.T, path, script string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
}

// TestRefusals: whatever stands in the way is told by name and with the way out, and leaves the
// earlier build as it was.
func TestRefusals(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: it builds executables")
	}
	t.Parallel()
	require.Tool(t, "osslsigncode")
	goTool := require.Tool(t, "go")
	pwsh := pester.PowerShell(t)
	sources := filepath.Join(t.TempDir(), "sources")
	pester.CopySources(t, require.Root(t), sources)
	only, fake, told := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "told")
	if err := os.Symlink(goTool, filepath.Join(only, "go")); err != nil {
		t.Fatal(err)
	}
	// Builds nothing, but leaves a file where one is to be.
	program(t, filepath.Join(fake, "go"), fmt.Sprintf(`case "$1" in
env) printf 'linux\namd64\n' ;;
build)
  printf '%%s\n' "$@" >%q
  while [ "$1" != -o ]; do shift; done
  mkdir -p "$(dirname "$2")" && echo built >"$2"
esac
`, told))
	result := filepath.Join(t.TempDir(), "result.json")
	cmd := exec.Command(pwsh, "-NoProfile", "-NonInteractive", "-File", filepath.Join(require.Root(t), "tests", "package", "Refusals.ps1"),
		"-Sources", sources, "-Certificates", certificates(t), "-FakeGo", fake, "-OnlyGo", only, "-ResultFile", result)
	cmd.Env = append(pester.Environment(os.Environ()), "DISKAUDIT_SIGN_PASSWORD="+password)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got map[string]struct {
		Message           string
		Release, Leftover []string
		Mended            bool
	}
	if err := json.Unmarshal([]byte(read(t, result)), &got); err != nil {
		t.Fatal(err)
	}
	for name, words := range map[string][]string{
		"expired":      {"expired.pfx", "is valid from"},
		"server":       {"server.pfx", "not for code signing"},
		"text":         {"text.pfx", "DISKAUDIT_SIGN_PASSWORD"},
		"none":         {"none.pfx", "not there"},
		"password":     {"good.pfx", "DISKAUDIT_SIGN_PASSWORD"},
		"osslsigncode": {"osslsigncode", "Install"},
		"dot":          {"1.2.3-rc1"},
		"large":        {"65535"},
		"tag":          {"'v1.2.3' is no version", "such as 1.2.3"},
		"digits":       {"is no version"},
		"line":         {"is no version"},
		"huge":         {"65535"},
		"page":         {"is not where releases are"},
		"file":         {"earlier.zip (-OutputPath) is a file"},
		"two":          {"Another build", ".building", "another clone"},
		"zeros":        {"'01.2.3' is no version", "leading zeros"},
		"address":      {"'http://example.org/o/p/releases'", "such as https://"},
		"foreign":      {"somebody", "-OutputPath"},
		"timestamp":    {"osslsigncode", "diskaudit.exe"},
		"schema":       {"schemas/version.schema.json", "commit"},
		"list":         {"failed with exit code"},
		"debug":        {""},
	} {
		one := got[name]
		for _, word := range words {
			if !strings.Contains(one.Message, word) || one.Message == "" && word != "" {
				t.Errorf("%s: the message has no %q: %s", name, word, one.Message)
			}
		}
		if strings.Contains(one.Message, password) {
			t.Errorf("%s: the message tells the password: %s", name, one.Message)
		}
		want := []string{"SHA256SUMS", "earlier.zip"}
		if name == "foreign" {
			want = []string{"thesis.txt"}
		}
		slices.Sort(one.Release)
		if !slices.Equal(one.Release, want) || len(one.Leftover) > 0 {
			t.Errorf("%s: the folder holds %q, want %q; left behind are %q", name, one.Release, want, one.Leftover)
		}
	}
	if !got["schema"].Mended {
		t.Error("a schema that differed was not generated again")
	}
	if got["debug"].Message != "" {
		t.Errorf("Debug failed: %s", got["debug"].Message)
	}
	arguments := read(t, told)
	if !strings.Contains(arguments, "-gcflags=all=-N -l\n") || strings.Contains(arguments, "-trimpath") || !strings.Contains(arguments, "command.version=1.2.3-dev") {
		t.Errorf("for debugging, go is called with\n%s", arguments)
	}
}
