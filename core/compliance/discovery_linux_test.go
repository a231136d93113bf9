package compliance_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"diskaudit/core/compliance"
	"diskaudit/core/contract"
	"diskaudit/tests/module/pester"
	"diskaudit/tests/require"
)

// discovered is what the discovery script wrote for one computer.
type discovered struct {
	computer string
	line     string
	names    []string
	values   map[string]any
}

// protectionUnknown is a computer of which all is known but whether the volume of Windows is protected.
const protectionUnknown = "sound, without its protection"

// isSound reports whether the computer's state can be found out.
func (d discovered) isSound() bool { return strings.HasPrefix(d.computer, "sound") }

// Cases C28, C29 and B70: whatever is found out, the discovery script writes one line of JSON with every
// setting, in exactly the rules' letters and types; what is not known breaks the rules.
func TestDiscoveryAgreesWithTheRules(t *testing.T) {
	t.Parallel()
	settings, err := compliance.Settings()
	if err != nil {
		t.Fatal(err)
	}
	read, _ := committed(t)
	for _, computer := range discover(t) {
		var want []string
		for _, setting := range settings {
			want = append(want, setting.Name)
			if !hasType(computer.values[setting.Name], string(setting.Type)) {
				t.Errorf("%s: %s is %v, which is no %s", computer.computer, setting.Name, computer.values[setting.Name], setting.Type)
			}
			if !computer.isSound() && setting.Name != compliance.ModuleInstalled && fmt.Sprint(computer.values[setting.Name]) != fmt.Sprint(setting.Unknown) {
				t.Errorf("%s: %s is %v, not %v for unknown", computer.computer, setting.Name, computer.values[setting.Name], setting.Unknown)
			}
		}
		if got := computer.values; computer.computer == "sound" && (got["State"] != "software-encrypted" || got["Complete"] != true || got["Volumes"] != 2.0 ||
			got["Warnings"] != 1.0 || got["OsEngine"] != "software" || got["WorstFinding"] != "software-encryption" || got["ToolVersion"] != "1.10.0") {
			t.Errorf("%s: %v", computer.computer, got)
		}
		// learn.microsoft.com/intune/device-security/compliance/create-policy: 2,048 are taken.
		if len(computer.line) >= 2000 {
			t.Errorf("%s: the line has %d characters", computer.computer, len(computer.line))
		}
		if detail := fmt.Sprint(computer.values["Detail"]); computer.computer == "sound, 26 volumes" {
			kept, cut := strings.CutSuffix(detail, " ...")
			if volumes := strings.Split(manyVolumes(), " "); !cut || len(computer.line) < 1800 || !slices.Equal(strings.Split(kept, " "), volumes[:strings.Count(kept, " ")+1]) {
				t.Errorf("the line has %d characters, with %s", len(computer.line), detail)
			}
		}
		if !slices.Equal(computer.names, want) {
			t.Errorf("%s: settings %v, not %v", computer.computer, computer.names, want)
		}
		if computer.computer == "sound, in a folder" && computer.values["OsVolume"] != "Unknown" {
			t.Errorf("OsVolume is %v, the name of a folder", computer.values["OsVolume"])
		}
		if installed := computer.values[compliance.ModuleInstalled]; installed != (computer.computer != "without the module") {
			t.Errorf("%s: ModuleInstalled is %v", computer.computer, installed)
		}
		broken := 0
		for _, rule := range read.Rules {
			value, found := computer.values[rule.SettingName]
			if !found || !hasType(value, rule.DataType) {
				t.Errorf("%s: Intune would not find %s as %s: %v", computer.computer, rule.SettingName, rule.DataType, value)
				continue
			}
			fulfilled := fulfils(t, value, rule.Operator, rule.Operand)
			if !fulfilled {
				broken++
			}
			known := computer.isSound() && (rule.SettingName != "OsProtection" || computer.computer != protectionUnknown) || rule.SettingName == compliance.ModuleInstalled && computer.computer != "without the module"
			if fulfilled != known {
				t.Errorf("%s: the rule for %s says %v of %v", computer.computer, rule.SettingName, fulfilled, value)
			}
		}
		if computer.computer == protectionUnknown && broken == 0 {
			t.Errorf("%s: no rule is broken", computer.computer)
		}
	}
}

// fulfils compares as Intune does.
func fulfils(t *testing.T, value any, operator string, operand any) bool {
	t.Helper()
	switch operator {
	case "IsEquals":
		return value == operand
	case "NotEquals":
		return value != operand
	case "GreaterEquals":
		return slices.Compare(numbers(value), numbers(operand)) >= 0
	}
	t.Fatalf("the test does not know the operator %s", operator)
	return false
}

// numbers are those of a version.
func numbers(version any) []int {
	var all []int
	for _, part := range strings.Split(fmt.Sprint(version), ".") {
		number, _ := strconv.Atoi(part)
		all = append(all, number)
	}
	return all
}

// discover runs the discovery script in one PowerShell on a sound computer and on those of which nothing
// can be found out.
func discover(t *testing.T) []discovered {
	t.Helper()
	pwsh, root, folder := pester.PowerShell(t), require.Root(t), t.TempDir()
	core := filepath.Join(folder, "fakecore")
	build := exec.Command("go", "build", "-o", core, "./tests/module/fakecore")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the stand-in: %v\n%s", err, out)
	}
	programs := filepath.Join(folder, "programs")
	modules := filepath.Join(programs, "WindowsPowerShell", "Modules", "BitLockerDiskAudit")
	if err := os.MkdirAll(modules, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "module"), filepath.Join(modules, "0.1.0")); err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	many, mounted, open := sound(), sound(), sound()
	open.Summary.OSProtection, open.Summary.OSProtectionReason = nil, nil
	many.Summary.Detail = manyVolumes()
	mounted.Summary.OSVolume = contract.Ptr(`D:\Kunden\Mueller`)
	computers := []struct{ name, programs, core, stdout string }{
		{"sound", programs, core, write("sound.json", document(t, sound()))},
		{"sound, 26 volumes", programs, core, write("many.json", document(t, many))},
		{"sound, in a folder", programs, core, write("folder.json", document(t, mounted))},
		{protectionUnknown, programs, core, write("open.json", document(t, open))},
		{"without the module", filepath.Join(folder, "elsewhere"), core, write("never.json", document(t, sound()))},
		{"without the executable", programs, core + "-not-there", ""},
		{"with an executable that writes no JSON", programs, core, write("garbage.txt", []byte("Segmentation fault\n"))},
		{"with a summary of another type", programs, core, write("other.json", bytes.Replace(document(t, sound()), []byte(`"volumes":2`), []byte(`"volumes":"two"`), 1))},
	}
	discovery := filepath.Join(root, "module", "scripts", "intune", "Discover-BitLockerCompliance.ps1")
	// Read here too, so that a cached result is not that of another script.
	if _, err := os.ReadFile(discovery); err != nil {
		t.Fatal(err)
	}
	script := "$ErrorActionPreference = 'Stop'\n"
	for _, computer := range computers {
		script += fmt.Sprintf("$env:ProgramW6432 = '%s'; $env:DISKAUDIT_PATH = '%s'; $env:FAKECORE_STDOUT = '%s'; & '%s'\n",
			computer.programs, computer.core, computer.stdout, discovery)
	}
	cmd := exec.Command(pwsh, "-NoProfile", "-NonInteractive", "-File", write("discover.ps1", []byte(script)))
	cmd.Env = pester.Environment(os.Environ())
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Fatalf("PowerShell: %v\n%s%s", err, &stdout, &stderr)
	}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(stdout.String(), "\r", ""), "\n"), "\n")
	if len(lines) != len(computers) {
		t.Fatalf("%d lines for %d computers:\n%s", len(lines), len(computers), &stdout)
	}
	var all []discovered
	for i, line := range lines {
		all = append(all, parse(t, computers[i].name, line))
	}
	return all
}

// manyVolumes are 26 volumes without letters, as a summary tells them: it ends at 2,000 characters.
func manyVolumes() string {
	var volumes []string
	for number := range 25 {
		volumes = append(volumes, fmt.Sprintf("Volume{a0b1c2d3-1111-2222-3333-4444555566%02d}=software/XtsAes128/FullyEncrypted/On", number))
	}
	return strings.Join(append(volumes, "+1", "more"), " ")
}

// sound is a computer on which there is nothing to find fault with.
func sound() contract.Status {
	count := func(number uint64) *uint64 { return &number }
	status := contract.Status{Summary: &contract.Summary{
		State: contract.ComputerSoftwareEncrypted, Complete: true,
		Volumes: count(2), SoftwareEncrypted: count(1), HardwareEncrypted: count(0), NotEncrypted: count(1), Unprotected: count(0),
		UnknownVolumes: count(0), Converting: count(0), OSVolume: contract.Ptr("C:"), OSConversion: contract.Ptr("FullyEncrypted"),
		OSMethod: contract.Ptr("XtsAes128"), OSEngine: contract.Ptr("software"), OSProtection: contract.Ptr("On"),
		OSProtectionReason: contract.Ptr("protected"), Warnings: 1, WorstFinding: contract.Ptr("software-encryption"),
		Detail: "C:=software/XtsAes128/FullyEncrypted/On D:=none/None/FullyDecrypted/Off", ToolVersion: "1.10.0-rc.1",
	}}
	status.Complete = true
	return status
}

func document(t *testing.T, status contract.Status) []byte {
	t.Helper()
	status.Kind, status.SchemaVersion = contract.KindStatus, contract.SchemaVersion
	status.CollectedAt = time.Date(2026, 3, 29, 1, 30, 0, 0, time.UTC)
	data, err := contract.Encode(status)
	if err != nil {
		t.Fatal(err)
	}
	return append(contract.ASCII(data), '\n')
}

// parse reads one line of JSON: the names in their order, each once, and the values.
func parse(t *testing.T, computer, line string) discovered {
	t.Helper()
	found := discovered{computer: computer, line: line, values: map[string]any{}}
	if err := json.Unmarshal([]byte(line), &found.values); err != nil {
		t.Fatalf("%s: %v\n%s", computer, err, line)
	}
	decoder := json.NewDecoder(strings.NewReader(line))
	_, _ = decoder.Token()
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decoder.Token(); err != nil {
			t.Fatal(err)
		}
		found.names = append(found.names, fmt.Sprint(name))
	}
	return found
}
