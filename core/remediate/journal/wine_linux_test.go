package journal

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"diskaudit/tests/require"
)

// withSystem are the tests that call the system; the others come out the same everywhere.
const withSystem = "^Test(Lock|Flushed|Nothing|Create|What|NoRecovery|LineTooLong|Names|TornFiles|Newer|OneBad|Read|Foreign|TooLarge|Room|Folder|Descriptors|Only|Default|Planted|Link)"

// TestUnderWine runs this package's tests as a Windows program.
func TestUnderWine(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: it takes half a minute")
	}
	wine := require.Tool(t, "wine")
	compiler := require.Tool(t, "x86_64-w64-mingw32-gcc")
	dir := t.TempDir()
	prefix := filepath.Join(dir, "prefix")
	folders := filepath.Join(dir, "folders")
	if err := os.Mkdir(folders, 0o700); err != nil {
		t.Fatal(err)
	}
	environment := append(os.Environ(), freshFolders+`=Z:`+strings.ReplaceAll(folders, "/", `\`), "WINEPREFIX="+prefix, "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree,mshtml=", wineVariable+"=1")
	command := func(name string, arguments ...string) *exec.Cmd {
		cmd := exec.Command(name, arguments...)
		cmd.Env = environment
		return cmd
	}
	t.Cleanup(func() {
		// The first ends what is left, and fails when nothing is; the second waits for the end.
		_ = command("wineserver", "-k").Run()
		_ = command("wineserver", "-w").Run()
	})

	// Its exit code also tells about what is missing and not needed, such as a screen.
	_ = command(wine+"boot", "-i").Run()
	system := filepath.Join(prefix, "drive_c", "windows", "system32")
	if _, err := os.Stat(system); err != nil {
		t.Fatalf("wineboot made no Windows folder: %v", err)
	}
	source := filepath.Join(require.Root(t), "tests", "rig", "shim", "bcryptprimitives.c")
	library := filepath.Join(system, "bcryptprimitives.dll")
	if out, err := exec.Command(compiler, "-shared", "-o", library, source, "-ladvapi32").CombinedOutput(); err != nil {
		t.Fatalf("building bcryptprimitives.dll: %v\n%s", err, out)
	}
	program := filepath.Join(dir, "journal.test.exe")
	build := exec.Command("go", "test", "-c", "-o", program, ".")
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building for Windows: %v\n%s", err, out)
	}
	// What Wine itself says goes to stderr.
	out, err := command(wine, program, "-test.short", "-test.v", "-test.run", withSystem).Output()
	if err != nil || !strings.Contains(string(out), "\nPASS") {
		t.Fatalf("under Wine: %v\n%s", err, out)
	}
	for _, name := range []string{"TestLockBetweenProcesses", "TestDefaultFolder", "TestOnlyAdministrators", "TestPlantedOnWindows", "TestFlushedBeforeItReturns", "TestTornFiles"} {
		if !strings.Contains(string(out), "--- PASS: "+name+" ") {
			t.Errorf("under Wine %s did not pass:\n%s", name, out)
		}
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "SKIP") {
			t.Log(strings.TrimSpace(line))
		}
	}
}
