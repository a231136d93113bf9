package engine

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"diskaudit/tests/require"
)

// TestUnderWine runs this package's tests as a Windows program: that synchronous handles and
// completion ports read and write the right data, and that nothing is allocated on the way. It
// says nothing about time.
func TestUnderWine(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: it takes a minute")
	}
	wine := require.Tool(t, "wine")
	compiler := require.Tool(t, "x86_64-w64-mingw32-gcc")
	needUnbuffered(t)
	dir := t.TempDir()
	prefix := filepath.Join(dir, "prefix")
	environment := append(os.Environ(), "WINEPREFIX="+prefix, "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree,mshtml=")
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

	program := filepath.Join(dir, "engine.test.exe")
	build := exec.Command("go", "test", "-c", "-o", program, ".")
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building for Windows: %v\n%s", err, out)
	}
	out, err := command(wine, program, "-test.short", "-test.v").CombinedOutput()
	if err != nil {
		t.Fatalf("under Wine: %v\n%s", err, out)
	}
	for _, name := range []string{"TestCreateFileIsCalledAsAnnounced", "TestReadsGiveTheBlocks", "TestWritesLand", "TestNoAllocation", "TestErrorInTheMiddle", "TestTurnsKeepTheThreadBound", "TestTurnAllocatesNothing"} {
		if !strings.Contains(string(out), "--- PASS: "+name+" ") {
			t.Errorf("under Wine %s did not pass:\n%s", name, out)
		}
	}
}
