package scripts_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"diskaudit/tests/module/pester"
	"diskaudit/tests/require"
)

// document is a JSON document that a test changes.
type document map[string]any

// at is the object at a path of names and places.
func (d document) at(t *testing.T, path ...any) map[string]any {
	t.Helper()
	var found any = map[string]any(d)
	for _, step := range path {
		switch step := step.(type) {
		case string:
			found = found.(map[string]any)[step]
		case int:
			found = found.([]any)[step]
		}
	}
	return found.(map[string]any)
}

// answers are what stands in for the executable says: a document or any text by question, and exit
// codes.
type answers struct {
	documents map[string]any
	exits     map[string]string
}

func (a answers) write(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for question, answer := range a.documents {
		text, isText := answer.(string)
		if !isText {
			data, err := json.Marshal(answer)
			if err != nil {
				t.Fatal(err)
			}
			text = inASCII(string(data))
		}
		if err := os.WriteFile(filepath.Join(folder, question+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for question, code := range a.exits {
		if err := os.WriteFile(filepath.Join(folder, question+".exit"), []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// inASCII writes a document as the executable does.
func inASCII(text string) string {
	var ascii strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		if unit > 0x7e {
			fmt.Fprintf(&ascii, "\\u%04x", unit)
			continue
		}
		ascii.WriteByte(byte(unit))
	}
	return ascii.String()
}

func readDocument(t *testing.T, name string) document {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(require.Root(t), "tests", "module", "documents", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var read document
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

// legacyDocument is a measurement of what the older script timed, with a mean of 1,423.456 us.
func legacyDocument(t *testing.T) document {
	t.Helper()
	legacy := readDocument(t, "bench-material")
	legacy.at(t, "profile")["name"] = "legacy"
	test := legacy.at(t, "tests", 1)
	test["id"], test["pattern"], test["durability"] = "SEQ4K-Q1T1-write-flush", "sequential", "flush"
	legacy.at(t, "tests", 1, "latencyNs")["mean"] = 1423456.0
	legacy["tests"] = []any{test}
	return legacy
}

// noEvidence takes the evidence out of a measurement.
func noEvidence(t *testing.T, code, text string) document {
	t.Helper()
	bench := readDocument(t, "bench-material")
	bench["penalty"] = readDocument(t, "bench-invalid")["penalty"]
	reason := bench.at(t, "penalty", "reason")
	reason["code"], reason["text"] = code, text
	bench["verdict"] = map[string]any{"result": "undecided", "text": "What encryption costs here is not known. " + text, "thresholdPercent": 10}
	bench["headroom"] = []any{}
	return bench
}

// standIn builds what stands in for the executable on this computer.
func standIn(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "standin")
	build := exec.Command("go", "build", "-o", path, "./tests/scripts/dropin/standincore")
	build.Dir = require.Root(t)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// wantedSpeed is a case and what it must show: lines by regular expression, in order.
type wantedSpeed struct {
	answers     answers
	arguments   map[string]any
	environment map[string]string
	// script is a copy of it elsewhere; empty for the one of the module.
	script      string
	constrained bool
	// lines come in this order, and none of the others.
	lines, none []string
	exit        int
	// errors is a regular expression that the error stream matches; without one it is empty.
	errors string
	// verdict and next are the object's, next by regular expression; without one there is none.
	verdict, next string
	// volumes is how many volumes the object has.
	volumes int
}

const (
	softwareVolume = `^  Volume: \[C:\]$`
	materialLine   = `^  \[!\] VERDICT: MATERIAL: Encryption adds 11\.2 us .* 28\.1 % .* material`
	importing      = `^Import-Module -Name '/.*/module/BitLockerDiskAudit\.psd1'; `
)

// speedCases are what the script is told, and what it must make of it. C4, C52.
func speedCases(t *testing.T) map[string]wantedSpeed {
	t.Helper()
	status, legacy, material := readDocument(t, "windows"), legacyDocument(t), readDocument(t, "bench-material")
	whole := func(status, legacy, bench any) answers {
		return answers{documents: map[string]any{"status": status, "bench-legacy": legacy, "bench-quick": bench}}
	}

	negligible := readDocument(t, "bench-material")
	negligible.at(t, "penalty")["addedPercent"] = map[string]any{"low": 1.9, "estimate": 2.1, "high": 2.4}
	negligible["verdict"] = map[string]any{"result": "negligible", "text": "Encryption adds 0.8 us. That is negligible.", "thresholdPercent": 10}
	calm := readDocument(t, "windows")
	calm["findings"] = []any{}
	calm["volumes"] = calm["volumes"].([]any)[:2]

	between := readDocument(t, "bench-material")
	between["verdict"] = map[string]any{"result": "undecided", "text": "The threshold of 10 % lies within the interval, so it is undecided: measure longer (--penalty-time), on an idle computer.", "thresholdPercent": 10}

	plain := readDocument(t, "windows")
	plain["findings"] = []any{}
	plain["volumes"] = plain["volumes"].([]any)[1:2]
	plain.at(t, "volumes", 0)["mountPoints"] = []any{"C:"}
	onPlain := noEvidence(t, "not-encrypted", "The volume is not encrypted by software, so there is no layer whose cost could be measured.")
	onPlain.at(t, "target")["volumeId"] = `\\?\Volume{9f0c1d2e-0000-4000-8000-000000000002}\`

	limited := readDocument(t, "windows")
	limited.at(t, "machine")["elevated"] = false
	unknown := limited.at(t, "volumes", 0, "encryption")
	for _, fact := range []string{"conversion", "percent", "method", "engine", "protectionReason", "protection"} {
		unknown[fact] = nil
	}

	twin := readDocument(t, "windows")
	twin.at(t, "volumes", 1)["mountPoints"] = []any{"E:"}

	slowClock := readDocument(t, "bench-invalid")
	failing := readDocument(t, "windows")
	problem := func(n string) any {
		return map[string]any{"code": "access-denied", "level": "error", "stage": "volumes", "target": "", "text": "A fact could not be read " + n + ".", "hresult": nil, "hresultName": nil, "retryable": false}
	}
	failing["problems"] = []any{problem("here"), problem("here"), problem("there")}
	failing["complete"] = false

	odd := readDocument(t, "windows")
	odd.at(t, "volumes", 1)["mountPoints"] = []any{"C:\\a\r\n  Volume: [Z:]\u001b[2J\u0085b"}

	return map[string]wantedSpeed{
		"material": {
			answers: whole(status, legacy, material),
			lines: []string{
				softwareVolume, `^    - Protection Status:  Protection ON `, `^    - Conversion State:   Fully Encrypted$`, `^    - Encryption Engine:  XTS-AES 128 \(Software\)$`,
				`^    \[!\] ALERT: .*software`, `^  Volume: \[D:\]$`, `Protection Unknown \(locked\)$`, `State:   Unknown$`, `Engine:  Unknown$`,
				`^  Without a drive letter: \[\\\\\?\\Volume\{9f0c1d2e-0000-4000-8000-000000000002\}\\\]$`, `^    Protection OFF \(not encrypted\); conversion: Fully Decrypted; engine: None$`,
				`^      - Average 4K Write Latency: 1423\.46 microseconds$`, `^      - Single-Queue 4K IOPS:     703 IOPS$`, `flush.*next to nothing about encryption`,
				`read: +p50 51\.0 us, p99 88\.0 us$`, `write: +p50 23\.9 us, p99 41\.0 us$`, `adds: +11\.2 us \(10\.9 to 11\.5 us\), 28\.1 % \(27\.4 to 28\.9 %\)`,
				`paired: .*\\\\\.\\C: .*\\\\\.\\PhysicalDrive0 in turns, 24000 pairs$`, materialLine, `WARNING: C: is encrypted by software \(software-encryption\)`,
				`CRITICAL: .*device-encryption-not-prevented`, `^      Recommended: Import-Module .*; Disable-SoftwareBitLocker -MountPoint C: -WhatIf$`, `changes nothing`,
			},
			none:    []string{`20 ?(%|to)`, `used-space-only`},
			verdict: "material", next: importing + `Disable-SoftwareBitLocker -MountPoint C: -WhatIf$`, volumes: 3,
		},
		"in Constrained Language Mode": {
			answers: whole(status, legacy, material), constrained: true,
			lines: []string{softwareVolume, `1423\.46 microseconds$`, materialLine}, verdict: "material", next: `Disable-SoftwareBitLocker`, volumes: 3,
		},
		"negligible, and nothing else to say": {
			answers: whole(calm, legacy, negligible),
			lines:   []string{softwareVolume, `^  \[\+\] VERDICT: NEGLIGIBLE: Encryption adds 0\.8 us`, `^      Recommended: nothing to do\.$`},
			verdict: "negligible", volumes: 2,
		},
		"undecided within its interval": {
			answers: whole(calm, legacy, between),
			lines:   []string{`^  \[\?\] VERDICT: UNDECIDED: .*\(-PenaltyDuration\)`, `Recommended:`},
			none:    []string{`--`}, verdict: "undecided", next: `Test-NvmeLatency -MountPoint C: -PenaltyDuration 60$`, volumes: 2,
		},
		"not encrypted": {
			answers: whole(plain, legacy, onPlain),
			lines:   []string{`^  Volume: \[C:\]$`, `Protection OFF \(not encrypted\)$`, `adds: +Unknown$`, `^  \[\+\] VERDICT: NOTHING TO PAY: .*not encrypted`, `nothing to do`},
			none:    []string{`ALERT`}, verdict: "undecided", volumes: 1,
		},
		"not elevated": {
			answers: answers{
				documents: map[string]any{"status": limited, "bench-legacy": legacy, "bench-quick": noEvidence(t, "needs-elevation", "Run again elevated.")},
				exits:     map[string]string{"status": "4"},
			},
			lines:   []string{`Not run as administrator.*Unknown, not decrypted`, softwareVolume, `Status:  Protection Unknown$`, `State:   Unknown$`, `Engine:  Unknown$`, `^  \[\?\] VERDICT: UNDECIDED: .*not known`},
			none:    []string{`ALERT`},
			verdict: "undecided", next: `^Start-Process (powershell|pwsh) -Verb RunAs -ArgumentList '-NoExit -File ".*Test-BitLockerDiskSpeed\.ps1"'$`, volumes: 3,
		},
		"no evidence, but a plain volume beside it": {
			answers: whole(twin, legacy, noEvidence(t, "several-extents", "It lies in 2 pieces. Other evidence: --twin FOLDER.")),
			lines:   []string{`adds: +Unknown$`, `that: +none$`, `UNDECIDED: .* -Twin FOLDER\.$`}, none: []string{`--`},
			verdict: "undecided", next: `Test-NvmeLatency -MountPoint C: -Twin E:$`, volumes: 3,
		},
		"no evidence at all": {
			answers: whole(calm, legacy, noEvidence(t, "extents-unknown", "Where it lies is not known.")),
			lines:   []string{`UNDECIDED`}, verdict: "undecided", next: `Test-NvmeLatency -MountPoint C: -AsJson \| Set-Content -Path before\.json -Encoding ascii$`, volumes: 2,
		},
		"figures that cannot be true": {
			answers: whole(calm, slowClock, slowClock),
			lines: []string{
				`Latency: Unknown$`, `IOPS:     Unknown$`, `allocated: holes`, `read: +Unknown$`, `Not valid: .*holes`, `write: +Unknown$`, `^  \[\?\] VERDICT: UNDECIDED`,
			},
			none: []string{`microseconds`, `\b0(\.0+)? us`}, verdict: "undecided", next: `.`, volumes: 2,
		},
		"no space to measure": {
			answers: answers{
				documents: map[string]any{"status": calm, "bench-legacy": readDocument(t, "bench-no-space"), "bench-quick": readDocument(t, "bench-no-space")},
				exits:     map[string]string{"bench-legacy": "1", "bench-quick": "1"},
			},
			lines: []string{softwareVolume, `Latency: Unknown$`, `IOPS:     Unknown$`, `only 12\.0 MiB .* free`, `adds: +Unknown$`, `^  \[\?\] VERDICT: NOT MEASURED`, `Recommended: & '.*Test-BitLockerDiskSpeed\.ps1'$`},
			none:  []string{`microseconds`}, exit: 1, errors: `only 12\.0 MiB`, next: `^& '/.*'$`, volumes: 2,
		},
		"interrupted": {
			answers: answers{
				documents: map[string]any{"status": calm, "bench-legacy": legacy, "bench-quick": readDocument(t, "bench-interrupted")},
				exits:     map[string]string{"bench-quick": "130"},
			},
			lines: []string{`1423\.46 microseconds`, `read: +Unknown$`, `write: +p50 23\.9 us`, `Interrupted`, `UNDECIDED: The run was interrupted`}, verdict: "undecided", next: `.`, volumes: 2,
		},
		"facts that could not be read": {
			answers: answers{documents: map[string]any{"status": failing, "bench-legacy": legacy, "bench-quick": material}, exits: map[string]string{"status": "3"}},
			lines:   []string{softwareVolume, `^  \[\?\] A fact could not be read here\.$`, `^  \[\?\] A fact could not be read there\.$`, materialLine}, verdict: "material", next: `WhatIf$`, volumes: 3,
		},
		"an audit that is no document": {
			answers: whole("not a document", legacy, material),
			lines:   []string{`state of the volumes is unknown`, `1423\.46 microseconds`, materialLine}, none: []string{`Volume: \[`},
			exit: 1, errors: `(?i)JSON|document`, verdict: "material", next: `^& '/.*'$`,
		},
		"names that would write lines": {
			answers: whole(odd, legacy, material),
			lines:   []string{`^  Without a drive letter: \[C:\\a\?\?  Volume: \[Z:\]\?\[2J\?b\]$`, materialLine}, none: []string{`^  Volume: \[Z`, `[\x00-\x1f\x7f-\x9f]`},
			verdict: "material", next: `WhatIf$`, volumes: 3,
		},
	}
}

// TestSpeedScriptOnDocuments runs Test-BitLockerDiskSpeed.ps1 on answers of the executable: verdicts,
// what is unknown, failures, and what comes next.
func TestSpeedScriptOnDocuments(t *testing.T) {
	t.Parallel()
	pwsh := pester.PowerShell(t)
	core, script := standIn(t), filepath.Join(require.Root(t), "module", "scripts", "Test-BitLockerDiskSpeed.ps1")
	wanted := speedCases(t)
	maps.Copy(wanted, speedPlaces(t, script))
	var cases []speedCase
	calls := map[string]string{}
	for name, want := range wanted {
		each := speedCase{Name: name, Script: cmp.Or(want.script, script), Arguments: map[string]any{"PassThru": true}, Constrained: want.constrained}
		maps.Copy(each.Arguments, want.arguments)
		calls[name] = filepath.Join(t.TempDir(), "calls")
		each.Environment = map[string]string{
			"DISKAUDIT_PATH": core, "STANDIN_DOCUMENTS": want.answers.write(t), "STANDIN_CALLS": calls[name],
			"TEMP": "/data/temp", "ProgramW6432": "", "PSModulePath": t.TempDir(), "PSExecutionPolicyPreference": "",
		}
		maps.Copy(each.Environment, want.environment)
		cases = append(cases, each)
	}
	results := runSpeedCases(t, pwsh, os.Environ(), func(path string) string { return path }, cases)
	checkNextCommands(t, pwsh, results)
	for name, want := range wanted {
		t.Run(name, func(t *testing.T) {
			checkSpeed(t, results[name], want)
			checkSpeedCalls(t, calls[name], want)
		})
	}
}

// speedPlaces are the places where the script finds the module, and what it measures.
func speedPlaces(t *testing.T, script string) map[string]wantedSpeed {
	t.Helper()
	all := answers{documents: map[string]any{"status": readDocument(t, "windows"), "bench-legacy": legacyDocument(t), "bench-quick": readDocument(t, "bench-material")}}
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	alone := filepath.Join(t.TempDir(), "Downloads", "Test-BitLockerDiskSpeed.ps1")
	// PowerShell ends a quoted text at a typographic apostrophe, too.
	quoted := filepath.Join(t.TempDir(), "Anna\u2019s 'new' folder", "Test-BitLockerDiskSpeed.ps1")
	limited := readDocument(t, "windows")
	limited.at(t, "machine")["elevated"] = false
	notElevated := answers{documents: map[string]any{"status": limited, "bench-legacy": legacyDocument(t), "bench-quick": readDocument(t, "bench-material")}}
	programs := t.TempDir()
	versions := filepath.Join(programs, "WindowsPowerShell", "Modules", "BitLockerDiskAudit")
	for _, folder := range []string{filepath.Dir(alone), filepath.Dir(quoted), filepath.Join(versions, "9.0.0"), filepath.Join(versions, "10.0.0"), filepath.Join(versions, "notes")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	newest := fmt.Sprintf("@{ ModuleVersion = '10.0.0'; RootModule = '%s'; FunctionsToExport = '*' }\n", filepath.Join(require.Root(t), "module", "BitLockerDiskAudit.psm1"))
	// The newest by its number, which is not the last by its letters.
	for _, err := range []error{
		os.WriteFile(alone, text, 0o600),
		os.WriteFile(quoted, text, 0o600),
		os.WriteFile(filepath.Join(versions, "10.0.0", "BitLockerDiskAudit.psd1"), []byte(newest), 0o600),
		os.WriteFile(filepath.Join(versions, "9.0.0", "BitLockerDiskAudit.psd1"), []byte("@{ not a manifest"), 0o600),
		os.WriteFile(filepath.Join(versions, "notes", "BitLockerDiskAudit.psd1"), []byte("@{ not a manifest"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return map[string]wantedSpeed{
		"another folder": {
			answers: all, arguments: map[string]any{"MountPoint": "/data/other"},
			lines: []string{`Measuring in /data/other `, `1423\.46 microseconds`, `Measuring in /data/other `, materialLine}, verdict: "material", next: `WhatIf$`, volumes: 3,
		},
		"alone, with the module installed": {
			answers: all, script: alone, environment: map[string]string{"ProgramW6432": programs},
			lines: []string{softwareVolume, materialLine}, verdict: "material", next: `^Import-Module -Name '.*/10\.0\.0/BitLockerDiskAudit\.psd1'; `, volumes: 3,
		},
		"not elevated, with a policy of the process, a place and apostrophes": {
			answers: notElevated, script: quoted, arguments: map[string]any{"MountPoint": "/data/other"},
			environment: map[string]string{"ProgramW6432": programs, "PSExecutionPolicyPreference": "Bypass"},
			lines:       []string{`Not run as administrator`, materialLine}, verdict: "material", volumes: 3,
			next: `^Start-Process (powershell|pwsh) -Verb RunAs -ArgumentList '-NoExit -ExecutionPolicy Bypass -File ".*/Anna\x{2019}\x{2019}s ''new'' folder/Test-BitLockerDiskSpeed\.ps1" -MountPoint "/data/other"'$`,
		},
		"again, in the same place, with apostrophes": {
			answers: answers{documents: map[string]any{"status": "not a document", "bench-legacy": legacyDocument(t), "bench-quick": readDocument(t, "bench-material")}},
			script:  quoted, arguments: map[string]any{"MountPoint": "/data/other"}, environment: map[string]string{"ProgramW6432": programs},
			lines: []string{materialLine}, exit: 1, errors: `(?i)JSON|document`, verdict: "material",
			next: `^& '.*/Anna\x{2019}\x{2019}s ''new'' folder/Test-BitLockerDiskSpeed\.ps1' -MountPoint '/data/other'$`,
		},
		"alone, without the module": {
			answers: all, script: alone,
			lines: []string{`state of the volumes is unknown`, `Latency: Unknown$`, `IOPS:     Unknown$`, `^  \[\?\] VERDICT: NOT MEASURED`, `Recommended: & '.*Downloads`},
			none:  []string{`Volume: \[`}, exit: 1, errors: `^The module BitLockerDiskAudit was not found, .* Install it, or `, next: `^& '.*Downloads/Test-BitLockerDiskSpeed\.ps1'$`,
		},
	}
}

// checkSpeedCalls compares what the executable was asked: both measurements in the same folder.
func checkSpeedCalls(t *testing.T, file string, want wantedSpeed) {
	t.Helper()
	if strings.Contains(want.errors, "not found") {
		return
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	target := "--target=/data/temp"
	if folder, named := want.arguments["MountPoint"]; named {
		target = fmt.Sprint("--target=", folder)
	}
	for i, asked := range [][]string{{"status"}, {"bench", "--profile=legacy", "--no-penalty", target}, {"bench", "--profile=quick", target}} {
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		for _, argument := range asked {
			if len(lines) != 3 || !strings.Contains(lines[i], `"`+argument+`"`) {
				t.Errorf("call %d of %d does not say %s: %s", i+1, len(lines), argument, text)
			}
		}
	}
}

// checkSpeed compares what came out with what must.
func checkSpeed(t *testing.T, got speedResult, want wantedSpeed) {
	t.Helper()
	rest := got.Lines
	for _, line := range want.lines {
		i := slices.IndexFunc(rest, regexp.MustCompile(line).MatchString)
		if i < 0 {
			t.Fatalf("no line %q after the others in:\n%s", line, strings.Join(got.Lines, "\n"))
		}
		rest = rest[i+1:]
	}
	for _, line := range append(want.none, `(\d{6}-){7}\d{6}`) {
		if i := slices.IndexFunc(got.Lines, regexp.MustCompile(line).MatchString); i >= 0 {
			t.Errorf("the line %q must not be there", got.Lines[i])
		}
	}
	if got.Exit == nil || *got.Exit != want.exit {
		t.Errorf("exit code %s, want %d", exitOf(got), want.exit)
	}
	errors := strings.Join(got.Errors, "\n")
	if want.errors == "" && errors != "" || !regexp.MustCompile(want.errors).MatchString(errors) {
		t.Errorf("errors: %q, want %q", errors, want.errors)
	}
	if len(got.Others) > 0 {
		t.Errorf("other streams: %q", got.Others)
	}
	if len(got.Objects) != 1 {
		t.Fatalf("%d objects", len(got.Objects))
	}
	object := got.Objects[0]
	if fields := []string{"Volumes", "Legacy", "Bench", "Verdict", "NextCommand"}; object.Type != "BitLockerDiskAudit.DiskSpeed" || !slices.Equal(object.Properties, fields) {
		t.Errorf("the object is a %s with %v", object.Type, object.Properties)
	}
	if len(object.Volumes) != want.volumes {
		t.Errorf("the object has the volumes %v, want %d", object.Volumes, want.volumes)
	}
	if verdict := textOf(object.Verdict); verdict != want.verdict {
		t.Errorf("the object's verdict is %q, want %q", verdict, want.verdict)
	}
	if next := textOf(object.NextCommand); want.next == "" && object.NextCommand != nil || !regexp.MustCompile(want.next).MatchString(next) {
		t.Errorf("the next command is %q, want %q", next, want.next)
	}
}

func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
