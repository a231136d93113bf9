package scripts_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"diskaudit/core/bitlocker"
	"diskaudit/core/machine/windows/provider"
	"diskaudit/tests/module/pester"
	"diskaudit/tests/require"
	"diskaudit/tests/rig"
	"diskaudit/tests/rig/simulator"
)

// compared is a computer, what is true of its volumes, and what the older script says that is not.
type compared struct {
	machine *simulator.Machine
	// truth are lines that the script prints, in order.
	truth []string
	// wrong is a line of the older script, by regular expression, that is false of this computer, or
	// hides what one has to know; untold a line that it should have printed and did not. Both are
	// empty where it is right.
	wrong, untold string
}

const speedLetterless = `\\?\Volume{5e1f0c1d-0000-4000-8000-000000000001}\`

// speedSecret is a recovery password that no output may hold.
const speedSecret = "111111-222222-333333-444444-555555-666666-777777-888888"

// speedVolume is the computer's C:, in a state of conversion and with a method's number; protectors
// are a TPM and a recovery password.
func speedVolume(conversion int32, percent float64, method int32) *simulator.Volume {
	return &simulator.Volume{
		DeviceID: simulator.WineVolume('C'), DriveLetter: "C:", Type: simulator.OperatingSystem, Version: 2,
		PersistentVolumeID: "{9F0C1D2E-0000-4000-8000-000000000001}", Conversion: conversion, Percent: percent, Method: method,
		Protectors: []simulator.Protector{
			{ID: "{9F0C1D2E-0000-4000-8000-00000000000A}", Type: simulator.TPM},
			{ID: "{9F0C1D2E-0000-4000-8000-00000000000B}", Type: simulator.RecoveryPassword, Password: speedSecret},
		},
	}
}

func speedPlainVolume(letter byte) *simulator.Volume {
	volume := &simulator.Volume{DeviceID: simulator.WineVolume(letter), DriveLetter: string(letter) + ":", Type: simulator.Fixed, Version: 2}
	if letter == 'C' {
		volume.Type = simulator.OperatingSystem
	}
	return volume
}

func speedComputer(volumes ...*simulator.Volume) *simulator.Machine {
	return &simulator.Machine{Volumes: volumes}
}

// speedVolumeWith is a volume with a change.
func speedVolumeWith(volume *simulator.Volume, change func(*simulator.Volume)) *simulator.Volume {
	change(volume)
	return volume
}

// comparedComputers are the computers by name. The numbers of methods and states are those of
// learn.microsoft.com/windows/win32/secprov/getencryptionmethod-win32-encryptablevolume and
// learn.microsoft.com/windows/win32/secprov/getconversionstatus-win32-encryptablevolume.
func comparedComputers() map[string]compared {
	const volume = `^  Volume: \[C:\]$`
	on, off := `^    - Protection Status:  Protection ON \(encrypted, and the key is guarded\)$`, `^    - Protection Status:  Protection OFF `
	encrypted, engine := `^    - Conversion State:   Fully Encrypted$`, `^    - Encryption Engine:  `
	alert := `^    \[!\] ALERT: .*software`
	busy := uint32(bitlocker.FVE_E_TRANSIENT_STATE)
	unread := speedComputer(speedVolume(simulator.Encrypted, 100, -1))
	unread.Faults = []*simulator.Fault{{Point: simulator.AtMethod, Name: "GetConversionStatus", Instead: int32(busy)}}
	return map[string]compared{
		"XTS-AES 128": {
			machine: speedComputer(speedVolume(simulator.Encrypted, 100, 6)),
			truth:   []string{volume, on, encrypted, engine + `XTS-AES 128 \(Software\)$`, alert},
			wrong:   `Encryption Engine:  Custom / Other \(6\)$`,
		},
		"AES-CBC 128, taken for XTS-AES": {
			machine: speedComputer(speedVolume(simulator.Encrypted, 100, 3)),
			truth:   []string{volume, on, encrypted, engine + `AES-CBC 128 \(Software\)$`, alert},
			wrong:   `Encryption Engine:  XTS-AES 128`,
		},
		"the drive encrypts": {
			machine: speedComputer(speedVolumeWith(speedVolume(simulator.Encrypted, 100, 5), func(v *simulator.Volume) {
				v.Hardware, v.DriveMethod = 3, "2.16.840.1.101.3.4.1.42"
			})),
			truth: []string{volume, on, encrypted, engine + `Hardware Encryption`},
		},
		"suspended": {
			machine: speedComputer(speedVolumeWith(speedVolume(simulator.Encrypted, 100, 7), func(v *simulator.Volume) { v.KeyInClear, v.Suspensions = true, 2 })),
			truth:   []string{volume, off + `\(suspended: encrypted, `, encrypted, engine + `XTS-AES 256 \(Software\)$`, alert},
			wrong:   `Protection OFF \(Decrypted / Unprotected\)$`, untold: `ALERT`,
		},
		"waiting for activation, as Windows 11 24H2 sets it up": {
			machine: speedComputer(speedVolumeWith(speedVolume(simulator.Encrypted, 100, 6), func(v *simulator.Volume) {
				v.KeyInClear, v.Flags, v.Protectors = true, 1, nil
			})),
			truth: []string{volume, off + `\(waiting for activation: encrypted, `, encrypted, engine + `XTS-AES 128 \(Software\)$`, alert},
			wrong: `Protection OFF \(Decrypted / Unprotected\)$`, untold: `ALERT`,
		},
		"encryption paused": {
			machine: speedComputer(speedVolume(simulator.EncryptingPaused, 41, 6)),
			truth:   []string{volume, off, `State:   Encryption Paused \(41 % encrypted\)$`, engine + `XTS-AES 128 \(Software\)$`, alert},
			wrong:   `Conversion State:   Unknown$`, untold: `ALERT`,
		},
		"decryption paused": {
			machine: speedComputer(speedVolume(simulator.DecryptingPaused, 12, 4)),
			truth:   []string{volume, off, `State:   Decryption Paused \(12 % encrypted\)$`, engine + `AES-CBC 256 \(Software\)$`, alert},
			wrong:   `Conversion State:   Unknown$`, untold: `ALERT`,
		},
		comparedUnderWine: {
			// Z: is what Wine shows of this computer.
			machine: speedComputer(speedPlainVolume('C'), speedVolumeWith(speedVolume(simulator.Encrypted, 100, 6), func(v *simulator.Volume) {
				v.DeviceID, v.DriveLetter, v.Type = speedLetterless, "", simulator.Fixed
			}), speedPlainVolume('Z')),
			truth: []string{
				volume, off + `\(not encrypted\)$`, `Fully Decrypted$`, engine + `None$`, `^  Volume: \[Z:\]$`,
				`^  Without a drive letter: \[\\\\\?\\Volume\{5e1f0c1d-`, `^    Protection ON \(encrypted, .*\); conversion: Fully Encrypted; engine: XTS-AES 128 \(Software\)$`,
			},
			untold: `5e1f0c1d`,
		},
		"what cannot be read": {
			machine: unread,
			truth:   []string{volume, `State:   Unknown$`, engine + `Unknown`},
			wrong:   `Conversion State:   Fully Encrypted$`,
		},
		"not encrypted": {
			machine: speedComputer(speedPlainVolume('C')),
			truth:   []string{volume, off + `\(not encrypted\)$`, `Fully Decrypted$`, engine + `None$`},
		},
	}
}

// olderScript takes Test-BitLockerDiskSpeed.ps1 as it was out of the article that came with it, which
// is not part of this repository.
func olderScript(t *testing.T) string {
	t.Helper()
	article, err := os.ReadFile(require.Shared(t, "shared", "seeds/000_64c19f26a3926062.txt"))
	if err != nil {
		t.Fatal(err)
	}
	_, script, begun := strings.Cut(string(article), "elevated PowerShell terminal:\n")
	script, _, ended := strings.Cut(script, "\nConclusion")
	if !begun || !ended || !strings.Contains(script, "Win32_EncryptableVolume") {
		t.Fatal("the older script was not found in its article")
	}
	return script
}

// speedInstances are what WMI gives of a computer's volumes. The class's page
// (learn.microsoft.com/windows/win32/secprov/win32-encryptablevolume) has only the first four of
// these properties; Windows gives the others too, and the older script reads them.
func speedInstances(t *testing.T, machine *simulator.Machine) []map[string]any {
	t.Helper()
	found, failure := machine.Query(context.Background(), provider.Namespace, "SELECT * FROM "+simulator.ClassVolume)
	if failure != nil {
		t.Fatalf("%+v", failure)
	}
	var all []map[string]any
	for _, instance := range found {
		one := map[string]any{}
		for _, name := range []string{"DeviceID", "PersistentVolumeID", "DriveLetter", "ProtectionStatus", "ConversionStatus", "EncryptionMethod"} {
			one[name] = instance.Properties[name]
			if number, isNumber := one[name].(int32); isNumber {
				one[name] = uint32(number)
			}
		}
		all = append(all, one)
	}
	return all
}

// lineLabel is a line's beginning up to its value.
var lineLabel = regexp.MustCompile(`^ +(?:- |\[.\] )?[A-Z0-9][^:.]*: *`)

// lineLabels are the beginnings of lines, in order, which a program finds olderValues by, with one mark for
// all in brackets.
func lineLabels(lines []string) []string {
	var found []string
	for _, line := range strings.Split(strings.Join(lines, "\n"), "\n") {
		begins := lineLabel.FindString(line)
		if begins == "" {
			continue
		}
		found = append(found, regexp.MustCompile(`\[[!+?]\]`).ReplaceAllString(begins, "[+]"))
	}
	return found
}

// olderValues are what a program that was written for the older script's lines looks for.
var olderValues = []*regexp.Regexp{
	regexp.MustCompile(`^\s+- Average 4K Write Latency:\s+(\d+(\.\d+)?) microseconds$`),
	regexp.MustCompile(`^\s+- Single-Queue 4K IOPS:\s+(\d+) IOPS$`),
	regexp.MustCompile(`VERDICT: (.+)$`),
}

// comparedUnderWine is the computer on which the script runs in PowerShell for Windows, with the
// executable and the COM bridge: on a busy computer that takes ten times as long as on documents.
const comparedUnderWine = "a volume without a letter"

// TestSpeedScriptBesideTheOlderOne runs Test-BitLockerDiskSpeed.ps1 and the older script of that name
// on the same simulated computers: the lines begin alike and come in the same order, and what they say
// is true now. The older one runs in PowerShell for Windows. C24, C30, B47.
func TestSpeedScriptBesideTheOlderOne(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: it takes half a minute")
	}
	computers := comparedComputers()
	olderRuns, throughout := runOlderScript(t, computers)
	script := filepath.Join(require.Root(t), "module", "scripts", "Test-BitLockerDiskSpeed.ps1")
	core := standIn(t)
	var cases []speedCase
	for name, each := range computers {
		documents := answers{documents: map[string]any{"status": speedStatus(t, each.machine), "bench-legacy": legacyDocument(t), "bench-quick": readDocument(t, "bench-material")}}
		cases = append(cases, speedCase{Name: name, Script: script, Environment: map[string]string{"DISKAUDIT_PATH": core, "STANDIN_DOCUMENTS": documents.write(t)}})
	}
	runs := runSpeedCases(t, pester.PowerShell(t), os.Environ(), func(path string) string { return path }, cases)

	wrong, alerts := 0, 0
	for name, each := range computers {
		t.Run(name, func(t *testing.T) {
			before := olderRuns[name]
			compareSpeed(t, before, runs[name], each)
			if name == comparedUnderWine {
				compareSpeed(t, before, throughout, each)
			}
			if len(each.machine.Forbidden()) > 0 {
				t.Errorf("a secret was asked for, or something changed: %+v", each.machine.Forbidden())
			}
			if each.wrong != "" || each.untold != "" {
				wrong++
			}
			if containsLine(before.Lines, "ALERT: ") {
				alerts++
			}
		})
	}
	if wrong < 5 {
		t.Errorf("the older script is shown to be wrong on %d computers only", wrong)
	}
	if alerts == 0 {
		t.Error("the older script gave no alert, so nothing compares the label of alerts")
	}
}

// runOlderScript runs the older script on all computers, and the script on one, in one PowerShell for
// Windows.
func runOlderScript(t *testing.T, computers map[string]compared) (older map[string]speedResult, throughout speedResult) {
	t.Helper()
	text := olderScript(t)
	wine := pester.WindowsPowerShell(t)
	windows := rig.New(t)
	here, folder := windows.Folder()
	if err := os.WriteFile(filepath.Join(here, "older.ps1"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	// Where a flush costs nothing, if there is such a place: the older script makes 1,050 a run.
	quick := filepath.Join("/dev/shm", fmt.Sprintf("diskaudit-%d", os.Getpid()))
	if err := os.Mkdir(quick, 0o700); err != nil {
		quick = t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(quick) })
	var cases []speedCase
	for name, each := range computers {
		cases = append(cases, speedCase{
			Name: name, Script: folder + `\older.ps1`, Environment: map[string]string{"TEMP": windows.WindowsPath(quick)}, Instances: speedInstances(t, each.machine),
		})
	}
	const ours = "the script"
	documents := answers{documents: map[string]any{"bench-legacy": legacyDocument(t), "bench-quick": readDocument(t, "bench-material")}}.write(t)
	cases = append(cases, speedCase{
		Name: ours, Script: windows.WindowsPath(filepath.Join(require.Root(t), "module", "scripts", "Test-BitLockerDiskSpeed.ps1")),
		Environment: map[string]string{
			"TEMP":              windows.WindowsPath(quick),
			"DISKAUDIT_RIG":     windows.Simulate(computers[comparedUnderWine].machine).Address(),
			"DISKAUDIT_PATH":    windows.WindowsPath(windows.Build("./tests/scripts/dropin/standincore", "standincore.exe")),
			"STANDIN_CORE":      windows.WindowsPath(windows.Executable()),
			"STANDIN_DOCUMENTS": windows.WindowsPath(documents),
		},
	})
	pester.WaitForRegistry(t, windows.Prefix())
	results := runSpeedCases(t, wine, windows.Environment(), windows.WindowsPath, cases)
	return results, results[ours]
}

func compareSpeed(t *testing.T, before, now speedResult, each compared) {
	t.Helper()
	compareLabels(t, before.Lines, now.Lines)
	checkTruth(t, before.Lines, now.Lines, each)
	if now.Exit == nil || *now.Exit != 0 || len(now.Errors) > 0 || len(now.Objects) > 0 {
		t.Errorf("exit code %s, errors %q, %d objects", exitOf(now), now.Errors, len(now.Objects))
	}
	if strings.Contains(strings.Join(now.Lines, "\n"), speedSecret) {
		t.Error("the output holds a recovery password")
	}
}

// compareLabels wants each beginning of a line of the older script in the same order and the same
// form, and nothing that a program could take for another of them.
func compareLabels(t *testing.T, before, now []string) {
	t.Helper()
	wanted := lineLabels(before)
	for _, must := range []string{"Volume: ", "VERDICT: "} {
		if !slices.ContainsFunc(wanted, func(label string) bool { return strings.HasSuffix(label, must) }) {
			t.Fatalf("the older script did not run to its end:\n%s", strings.Join(before, "\n"))
		}
	}
	// An alert stood where there was none to give, and the recommendation only below one verdict.
	sometimes := func(label string) bool {
		return strings.HasSuffix(label, "ALERT: ") || strings.HasSuffix(label, "Recommended: ")
	}
	all := slices.Clone(wanted)
	wanted = slices.DeleteFunc(wanted, sometimes)
	got := slices.DeleteFunc(lineLabels(now), func(label string) bool { return !slices.Contains(all, label) || sometimes(label) })
	if !slices.Equal(got, wanted) {
		t.Errorf("the lines begin with\n%q\nwhere the older script's do with\n%q\n%s", got, wanted, strings.Join(now, "\n"))
	}
	for _, value := range olderValues {
		for script, lines := range map[string][]string{"the older script": before, "the script": now} {
			n := 0
			for _, line := range lines {
				if value.MatchString(line) {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%s has %d lines that match %s", script, n, value)
			}
		}
	}
}

// checkTruth wants the truth from the script, and from the older one what is known to be wrong in it.
func checkTruth(t *testing.T, before, now []string, each compared) {
	t.Helper()
	rest := now
	for _, line := range each.truth {
		i := slices.IndexFunc(rest, regexp.MustCompile(line).MatchString)
		if i < 0 {
			t.Fatalf("no line %q after the others in:\n%s", line, strings.Join(now, "\n"))
		}
		rest = rest[i+1:]
	}
	if each.wrong != "" && !containsLine(before, each.wrong) {
		t.Errorf("the older script does not say %q:\n%s", each.wrong, strings.Join(before, "\n"))
	}
	if each.wrong != "" && containsLine(now, each.wrong) {
		t.Errorf("the script says %q, too", each.wrong)
	}
	if each.untold != "" && (containsLine(before, each.untold) || !containsLine(now, each.untold)) {
		t.Errorf("%q is told by the older script, or not by this one:\n%s\n%s", each.untold, strings.Join(before, "\n"), strings.Join(now, "\n"))
	}
	if containsLine(now, `20 ?% to 45|manage-bde -off`) {
		t.Error("a cost is claimed that nobody measured, or decryption advised for it")
	}
}

func containsLine(lines []string, line string) bool {
	return slices.ContainsFunc(lines, regexp.MustCompile(line).MatchString)
}
