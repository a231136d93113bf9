package scripts_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"diskaudit/core/machine/windows/registry"
	"diskaudit/tests/require"
	"diskaudit/tests/rig"
)

// installedVersion is that of the module where it is installed as it should be. Beside it lies an
// older one that does not work, whose number is the greater text.
const (
	installedVersion = "0.10.0"
	olderVersion     = "0.9.0"
)

// fleet is a Windows computer with the module installed in each way below a folder of its own.
type fleet struct {
	*rig.Rig
	// programs are the folders that stand for C:\Program Files, as Windows names them, here as this
	// computer does.
	programs, here map[installation]string
	// scripts is a copy of module/scripts that is away from the module, as after an upload.
	scripts string
	// scriptsHere is the same folder as this computer names it.
	scriptsHere string
	// elsewhere is an empty folder.
	elsewhere string
}

// newFleet makes one, with the drives C:, D: and Z:. It is managed by Intune, as far as the registry
// says.
func newFleet(t *testing.T) *fleet {
	t.Helper()
	windows := rig.New(t)
	windows.Drive('D', t.TempDir())
	// What starts now sees the new drive.
	windows.Program(t.Context(), "cmd", "/c", "exit")
	windows.Registry(registry.Memory{`HKLM\SOFTWARE\Microsoft\Enrollments\9F00AA11-4444-4AAA-8BBB-0123456789AB`: {
		"ProviderID": "MS DM Server", "EnrollmentState": 1, "DiscoveryServiceFullURL": "https://enrollment.example/",
	}})
	f := &fleet{Rig: windows, programs: map[installation]string{}, here: map[installation]string{}}
	root := require.Root(t)
	executables := map[installation]string{
		sound: windows.Executable(), quarantined: "", faulty: windows.Build("./tests/module/fakecore", "fakecore.exe"),
	}
	for kind, executable := range executables {
		f.here[kind], f.programs[kind] = windows.Folder()
		if kind == sound {
			// Where Wine says that programs are to a process that starts, whatever it is told.
			f.here[kind], f.programs[kind] = filepath.Join(windows.Prefix(), "drive_c", "Program Files"), `C:\Program Files`
		}
		modules := filepath.Join(f.here[kind], "WindowsPowerShell", "Modules", "BitLockerDiskAudit")
		install(t, filepath.Join(root, "module"), filepath.Join(modules, installedVersion), executable)
		older := filepath.Join(modules, olderVersion)
		for name, text := range map[string]string{"BitLockerDiskAudit.psd1": "throw 'too old'\n", "note.txt": "x\n"} {
			write(t, filepath.Join(older, name), text)
		}
		write(t, filepath.Join(modules, "note.txt"), "no version\n")
	}
	f.here[missing], f.programs[missing] = windows.Folder()
	for name, text := range map[string]string{"talk.txt": "Reading C:\n{\"state\": \"ok\"}\n", "later.txt": "{\"schemaVersion\":\"9.0\",\"kind\":\"status\"}\n"} {
		write(t, filepath.Join(f.here[faulty], name), text)
	}
	f.scriptsHere, f.scripts = windows.Folder()
	if err := os.CopyFS(f.scriptsHere, os.DirFS(filepath.Join(root, "module", "scripts"))); err != nil {
		t.Fatal(err)
	}
	_, f.elsewhere = windows.Folder()
	return f
}

var moduleVersion = regexp.MustCompile(`(ModuleVersion\s*=\s*)'[^']*'`)

// install puts the module into a folder, with the executable of this path or without one.
func install(t *testing.T, module, folder, executable string) {
	t.Helper()
	err := filepath.WalkDir(module, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(module, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if relative == "bin" {
				return filepath.SkipDir
			}
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if relative == "BitLockerDiskAudit.psd1" {
			text = moduleVersion.ReplaceAll(text, []byte("${1}'"+installedVersion+"'"))
		}
		write(t, filepath.Join(folder, relative), string(text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if executable == "" {
		return
	}
	// A copy: Wine does not delete a file that runs under another of its names.
	text, err := os.ReadFile(executable)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "bin", "win-x64", "diskaudit.exe"), string(text))
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// environment is what a management tool's 64-bit host finds on the computer, at the address of its
// simulated provider. PSModulePath begins with a relative entry, as SYSTEM's does.
func (f *fleet) environment(c computer, address string) map[string]string {
	kind := c.module
	if kind == "" {
		kind = sound
	}
	environment := map[string]string{
		"DISKAUDIT_RIG": address, "ProgramW6432": f.programs[kind], "ProgramFiles": f.programs[kind],
		"PSModulePath": `WindowsPowerShell\Modules;{PSHOME}\Modules`, "TEMP": f.elsewhere, "TMP": f.elsewhere,
		"FAKECORE_STDOUT": "", "FAKECORE_STDERR": "", "FAKECORE_CRASH": "",
	}
	for name, value := range c.environment {
		if strings.HasSuffix(value, ".txt") {
			value = f.programs[faulty] + `\` + value
		}
		environment[name] = value
	}
	return environment
}

// script is the path of a script of the copy, by its name below module/scripts.
func (f *fleet) script(name string) string {
	return f.scripts + `\` + strings.ReplaceAll(name, "/", `\`)
}
