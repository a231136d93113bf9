package command

import (
	"errors"
	"strings"
	"testing"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

func TestStatusCode(t *testing.T) {
	failure := func(code string) contract.List[contract.Problem] {
		return contract.List[contract.Problem]{{Code: code, Level: contract.LevelError}}
	}
	one := contract.List[contract.Volume]{{ID: "C:"}}
	warning := contract.List[contract.Finding]{{Severity: contract.SeverityWarning}}
	unavailable := contract.Provider{Available: contract.Ptr(false)}
	found := func(ids ...string) contract.List[contract.Finding] {
		var findings contract.List[contract.Finding]
		for _, id := range ids {
			findings = append(findings, contract.Finding{ID: id, Severity: contract.SeverityWarning})
		}
		return findings
	}
	for name, test := range map[string]struct {
		document  contract.Status
		threshold contract.Severity
		ended     error
		want      ExitCode
	}{
		"complete": {contract.Status{Volumes: one}, "", nil, ExitDone},
		"a note is no failure": {
			contract.Status{Volumes: one, Header: contract.Header{Problems: contract.List[contract.Problem]{{Level: contract.LevelInfo}, {Level: contract.LevelWarning}}}},
			"", nil, ExitDone,
		},
		"partial":                   {contract.Status{Volumes: one, Header: contract.Header{Problems: failure("read-failed")}}, "", nil, ExitPartial},
		"a forgotten level":         {contract.Status{Volumes: one, Header: contract.Header{Problems: contract.List[contract.Problem]{{}}}}, "", nil, ExitPartial},
		"nothing at all":            {contract.Status{Header: contract.Header{Problems: failure("image-not-found")}}, "", nil, ExitFailed},
		"an empty machine":          {contract.Status{}, "", nil, ExitDone},
		"the provider is missing":   {contract.Status{Volumes: one, BitLocker: unavailable}, "", nil, ExitNoProvider},
		"no rights, nothing read":   {contract.Status{Volumes: one, BitLocker: unavailable, Header: contract.Header{Problems: failure("needs-elevation")}}, "", nil, ExitElevation},
		"no rights, something read": {contract.Status{Volumes: one, Header: contract.Header{Problems: failure("needs-elevation")}}, "", nil, ExitPartial},
		"severe enough":             {contract.Status{Volumes: one, Findings: warning}, contract.SeverityWarning, nil, ExitFailOn},
		"more severe than asked":    {contract.Status{Volumes: one, Findings: warning}, contract.SeverityInfo, nil, ExitFailOn},
		"not severe enough":         {contract.Status{Volumes: one, Findings: warning}, contract.SeverityCritical, nil, ExitDone},
		"not asked":                 {contract.Status{Volumes: one, Findings: warning}, "", nil, ExitDone},
		"severe and partial":        {contract.Status{Volumes: one, Findings: warning, Header: contract.Header{Problems: failure("x")}}, contract.SeverityWarning, nil, ExitFailOn},
		// That something is not known is no match, for it has exit codes of its own.
		"only unknown, no rights":           {contract.Status{Volumes: one, BitLocker: unavailable, Findings: found("provider-unavailable", "needs-elevation"), Header: contract.Header{Problems: failure("needs-elevation")}}, contract.SeverityInfo, nil, ExitElevation},
		"only unknown, no provider":         {contract.Status{Volumes: one, BitLocker: unavailable, Findings: found("provider-unavailable")}, contract.SeverityWarning, nil, ExitNoProvider},
		"only unknown, partial":             {contract.Status{Volumes: one, Findings: found("needs-elevation"), Header: contract.Header{Problems: failure("needs-elevation")}}, contract.SeverityNotice, nil, ExitPartial},
		"unknown beside a match":            {contract.Status{Volumes: one, BitLocker: unavailable, Findings: found("disk-health", "provider-unavailable", "needs-elevation"), Header: contract.Header{Problems: failure("needs-elevation")}}, contract.SeverityWarning, nil, ExitFailOn},
		"unknown beside a lesser one":       {contract.Status{Volumes: one, BitLocker: unavailable, Findings: append(found("provider-unavailable"), contract.Finding{ID: "power-saver", Severity: contract.SeverityNotice})}, contract.SeverityWarning, nil, ExitNoProvider},
		"interrupted":                       {contract.Status{Volumes: one, Header: contract.Header{Problems: failure("interrupted")}}, contract.SeverityInfo, machine.ErrInterrupted, ExitInterrupted},
		"a recording of an interrupted run": {contract.Status{Volumes: one, Header: contract.Header{Problems: failure("interrupted")}}, "", nil, ExitPartial},
		"a signal after the last answer":    {contract.Status{Volumes: one}, "", machine.ErrInterrupted, ExitDone},
		"out of time":                       {contract.Status{Volumes: one, Header: contract.Header{Problems: failure("timeout")}}, "", nil, ExitPartial},
	} {
		if got := statusCode(test.document, test.threshold, test.ended); got != test.want {
			t.Errorf("%s: exit code %d, want %d", name, got, test.want)
		}
	}
}

// Cases C47: a fault of the program still gives a valid document.
func TestPanicGivesADocument(t *testing.T) {
	var stdout, stderr writer
	session := &session{out: newOutput(&stdout), stderr: &stderr}
	err := session.guard(func(*contract.Kind) error { panic("index out of range") })
	if err != nil || session.code != ExitFailed {
		t.Errorf("error %v, code %d", err, session.code)
	}
	if err := contract.Validate(contract.KindStatus, stdout.data); err != nil {
		t.Errorf("%v\n%s", err, stdout.data)
	}
}

type writer struct {
	data []byte
	err  error
}

func (w *writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	w.data = append(w.data, p...)
	return len(p), nil
}

func TestOutputReportsFailures(t *testing.T) {
	full := errors.New("no space left")
	if err := newOutput(&writer{err: full}).raw([]byte("x")); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

func TestIsVolume(t *testing.T) {
	volume := contract.Volume{
		ID:          `\\?\Volume{11111111-2222-3333-4444-555555555555}\`,
		MountPoints: contract.List[string]{`C:`, `D:\Mount\Data\`},
	}
	linux := contract.Volume{
		ID: "/dev/nvme0n1p3", MountPoints: contract.List[string]{"/", "/mnt/Data"},
		Layers: contract.List[contract.Layer]{{Device: "/dev/nvme0n1p3"}, {Device: "/dev/nvme0n1"}},
	}
	for _, test := range []struct {
		volume contract.Volume
		name   string
		want   bool
	}{
		{volume, "C", true}, {volume, "c:", true}, {volume, `C:\`, true}, {volume, "C:/", true},
		{volume, `\\?\volume{11111111-2222-3333-4444-555555555555}`, true},
		{volume, `\\.\VOLUME{11111111-2222-3333-4444-555555555555}\`, true}, {volume, `\??\Volume{11111111-2222-3333-4444-555555555555}`, true},
		{volume, `//?/Volume{11111111-2222-3333-4444-555555555555}/`, true}, {volume, `\\?\Volume{11111111-2222-3333-4444-555555555556}\`, false},
		{volume, `\\.\C:`, true}, {volume, `\\?\c:\`, true}, {volume, `//./C:`, true}, {volume, `\\.\D:`, false}, {volume, `\\.\PhysicalDrive0`, false},
		{volume, `\\?\D:\Mount\Data`, true}, {volume, `D:/mount/data/`, true}, {linux, `\\.\/`, false}, {linux, "//mnt/Data", false},
		{volume, `d:\mount\data`, true}, {volume, "D", false}, {volume, "D:", false}, {volume, `C:\Windows`, false},
		{linux, "/", true}, {linux, "/mnt/Data/", true}, {linux, "/mnt/data", false},
		{linux, "/dev/nvme0n1p3", true}, {linux, "/dev/nvme0n1", false}, {linux, "n", false},
	} {
		if got := isVolume(test.volume, test.name); got != test.want {
			t.Errorf("%q means %s: %v", test.name, test.volume.ID, got)
		}
	}
}

// A volume that was not asked for decides nothing: neither its problems nor what follows from them.
func TestChosenVolumesAlone(t *testing.T) {
	lost := contract.Problem{Code: "needs-elevation", Level: contract.LevelError, Target: "D:"}
	document := contract.Status{
		Header: contract.Header{Problems: contract.List[contract.Problem]{lost, {Code: "note", Level: contract.LevelInfo}}},
		Disks:  contract.List[contract.Disk]{{ID: "disk0"}, {ID: "disk1"}},
		Volumes: contract.List[contract.Volume]{
			{ID: "C:", Extents: contract.List[contract.Extent]{{DiskID: "disk0"}}},
			{ID: "D:", Extents: contract.List[contract.Extent]{{DiskID: "disk1"}}, Problems: contract.List[contract.Problem]{lost}},
		},
		Findings: contract.List[contract.Finding]{{ID: "a", Target: "C:"}, {ID: "b", Target: "D:"}, {ID: "c", Target: "disk1"}, {ID: "d", Target: "machine"}},
	}
	unwanted := chooseVolumes(&document, []string{"c"})
	if len(document.Volumes) != 2 || len(document.Volumes[1].Problems) != 0 || len(document.Problems) != 1 || !document.Complete {
		t.Errorf("before judging: %+v", document)
	}
	drop(&document, unwanted)
	if len(document.Volumes) != 1 || len(document.Disks) != 1 || len(document.Findings) != 2 || document.Findings[1].ID != "d" {
		t.Errorf("after: %+v", document)
	}
	// The name of a disk, or of a partition's disk, is no volume: that must be said, although what
	// is about the disk is left out.
	document = contract.Status{Disks: contract.List[contract.Disk]{{ID: "disk0"}}, Volumes: contract.List[contract.Volume]{{ID: "C:", Extents: contract.List[contract.Extent]{{DiskID: "disk0"}}}}}
	if drop(&document, chooseVolumes(&document, []string{"disk0"})); document.Complete || len(document.Problems) != 1 || document.Problems[0].Code != "volume-not-found" {
		t.Errorf("a disk's id: %+v", document)
	}
	document = contract.Status{Volumes: contract.List[contract.Volume]{{ID: "C:"}}}
	if drop(&document, chooseVolumes(&document, []string{"X:"})); document.Complete || len(document.Problems) != 1 || len(document.Volumes) != 0 {
		t.Errorf("a volume that is not there: %+v", document)
	}
}

// A volume that is not in a list that has gaps may be there all the same.
func TestVolumeThatWasNotReached(t *testing.T) {
	at := func(code, stage, target string, level contract.Level) contract.Problem {
		return contract.Problem{Code: code, Level: level, Stage: stage, Target: target, Retryable: code != "internal-error"}
	}
	one := contract.List[contract.Volume]{{ID: "C:"}}
	for what, test := range map[string]struct {
		volumes contract.List[contract.Volume]
		problem contract.Problem
		want    string
		again   bool
	}{
		"out of time":                  {one, at("timeout", "volumes", "", contract.LevelError), "volume-not-reached", true},
		"out of time before":           {nil, at("timeout", "disks", "", contract.LevelError), "volume-not-reached", true},
		"interrupted":                  {one, at("interrupted", "volumes", "", contract.LevelError), "volume-not-reached", true},
		"a fault of the program":       {one, at("internal-error", "volumes", "", contract.LevelError), "volume-not-reached", false},
		"Windows' list broke off":      {one, at("volumes-not-listed", "volumes", "", contract.LevelError), "volume-not-reached", true},
		"BitLocker's list broke off":   {one, at("enumeration-incomplete", "volumes", `root\CIMV2`, contract.LevelError), "volume-not-reached", true},
		"letters are unknown":          {one, at("letters-not-listed", "volumes", "", contract.LevelWarning), "volume-not-reached", true},
		"a volume's place is unknown":  {one, at("mounts-unknown", "volumes", "C:", contract.LevelError), "volume-not-reached", true},
		"nothing could be read":        {nil, at("recording-unusable", "host", "x.json", contract.LevelError), "volume-not-reached", true},
		"one volume took too long":     {one, at("timeout", "volumes", "C:", contract.LevelError), "volume-not-found", false},
		"the disks are not all listed": {one, at("devices-not-listed", "disks", "", contract.LevelError), "volume-not-found", false},
		"another problem":              {one, at("needs-elevation", "volumes", "BitLocker", contract.LevelError), "volume-not-found", false},
		"an empty computer":            {nil, at("host-facts-unknown", "host", "", contract.LevelInfo), "volume-not-found", false},
	} {
		document := contract.Status{Header: contract.Header{Problems: contract.List[contract.Problem]{test.problem}}, Volumes: test.volumes}
		chooseVolumes(&document, []string{"D:"})
		last := document.Problems[len(document.Problems)-1]
		if last.Code != test.want || last.Target != "D:" || last.Retryable != test.again || document.Complete {
			t.Errorf("%s: %+v", what, last)
		}
		if said := strings.Contains(last.Text, "There is no volume"); said != (test.want == "volume-not-found") || !said && !strings.Contains(last.Text, test.problem.Code) {
			t.Errorf("%s: %s", what, last.Text)
		}
	}
}

// On Windows a name such as nul.json is a device's in every folder; elsewhere it is a file's.
func TestDevicesAreNoFiles(t *testing.T) {
	for _, path := range []string{"nul.json", "aux.txt", "COM1", "CON", `C:\folder\NUL`} {
		var usage usageError
		if err := refuseDevice("windows", "record", path); !errors.As(err, &usage) || !strings.Contains(usage.text, "--record "+path) {
			t.Errorf("%s: %v", path, err)
		}
		if err := refuseDevice("linux", "record", path); err != nil {
			t.Errorf("%s on Linux: %v", path, err)
		}
	}
	for _, path := range []string{"", "facts.json", `nul\facts.json`} {
		if err := refuseDevice("windows", "output", path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}
