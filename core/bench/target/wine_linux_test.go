package target

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"diskaudit/tests/require"
)

// TestUnderWine runs this package's tests as a Windows program, but those that need a real disk
// or user accounts. Wine has no FSCTL_QUERY_ALLOCATED_RANGES and tells no sectors.
func TestUnderWine(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: it takes half a minute")
	}
	wine := require.Tool(t, "wine")
	compiler := require.Tool(t, "x86_64-w64-mingw32-gcc")
	dir := testFolder(t)
	prefix := filepath.Join(dir, "prefix")
	environment := append(os.Environ(), "WINEPREFIX="+prefix, "WINEDEBUG=-all")
	t.Cleanup(func() {
		// The first ends what is left, and fails when nothing is; the second waits for the end.
		for _, flag := range []string{"-k", "-w"} {
			server := exec.Command("wineserver", flag)
			server.Env = environment
			_ = server.Run()
		}
	})
	boot := exec.Command(wine, "wineboot", "-i")
	boot.Env = environment
	if out, err := boot.CombinedOutput(); err != nil {
		t.Fatalf("making a Wine prefix: %v\n%s", err, out)
	}
	root := require.Root(t)
	dll := filepath.Join(prefix, "drive_c", "windows", "system32", "bcryptprimitives.dll")
	command(t, compiler, "-shared", "-o", dll, filepath.Join(root, "tests", "rig", "shim", "bcryptprimitives.c"), "-ladvapi32")

	disk := filepath.Join(dir, "disk")
	writeAndSync(t, disk, NewPool(1, 8<<20))
	if err := os.Symlink(disk, filepath.Join(prefix, "dosdevices", "physicaldrive3")); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "target.exe")
	build := exec.Command("go", "test", "-c", "-o", program, ".")
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the tests for Windows: %v\n%s", err, out)
	}
	folders := filepath.Join(dir, "folders")
	if err := os.Mkdir(folders, 0o755); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(wine, program, "-test.v", "-test.short")
	run.Dir = folders
	run.Env = append(environment, testFolders+"="+`Z:`+strings.ReplaceAll(folders, "/", `\`), rawDevice+`=\\.\PhysicalDrive3`)
	// What Wine itself says goes to stderr.
	out, err := run.Output()
	if err != nil || !strings.Contains(string(out), "\nPASS") {
		t.Fatalf("under Wine: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "SKIP") {
			t.Log(strings.TrimSpace(line))
		}
	}
}
