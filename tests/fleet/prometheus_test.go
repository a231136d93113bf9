package fleet_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"diskaudit/core/command"
	"diskaudit/core/contract"
	"diskaudit/core/report/metrics"
	"diskaudit/tests/require"
)

// run runs the program and returns its streams and exit code.
func run(t *testing.T, arguments ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, complaints bytes.Buffer
	code = command.Run(context.Background(), append([]string{"diskaudit"}, arguments...), &out, &complaints)
	return out.String(), complaints.String(), code
}

// recordings are the recorded computers by name.
func recordings(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(require.Root(t), "tests", "testdata", "recordings", "*.json"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	found := map[string]string{}
	for _, file := range files {
		found[strings.TrimSuffix(filepath.Base(file), ".json")] = file
	}
	return found
}

// full is a status document in which every fact that metrics tell of is known.
func full() contract.Status {
	m := theFleet()[0]
	s := m.status(collected)
	yes := contract.Ptr(true)
	s.Machine = contract.Machine{Source: contract.SourceWindows, OS: contract.Ptr(`Windows "11"`), Build: contract.Ptr("26100"), Elevated: yes}
	s.BitLocker.Available = yes
	s.Policy = contract.Policy{PreventDeviceEncryption: yes, RequireDeviceEncryption: yes}
	one := contract.Ptr(uint64(1))
	s.Summary = &contract.Summary{State: contract.ComputerSoftwareEncrypted, Volumes: one, SoftwareEncrypted: one, HardwareEncrypted: one, NotEncrypted: one, Unprotected: one, UnknownVolumes: one, Converting: one}
	half := contract.Ptr(50.0)
	v := &s.Volumes[0]
	v.FileSystem, v.SizeBytes, v.FreeBytes = contract.Ptr("NTFS"), one, one
	v.Encryption.Percent, v.Encryption.Lock, v.Encryption.ClearKey, v.Encryption.ProtectionReason = half, contract.Ptr(contract.Unlocked), yes, contract.Ptr(contract.ReasonProtected)
	d := &s.Disks[0]
	d.Firmware, d.Bus, d.Media, d.SizeBytes = contract.Ptr("F1"), contract.Ptr(contract.BusNVMe), contract.Ptr(contract.MediaSSD), one
	d.Driver = contract.Driver{Name: contract.Ptr("stornvme"), Version: contract.Ptr("10.0")}
	d.WriteCache = contract.WriteCache{Enabled: yes, PowerProtected: yes}
	d.Health = contract.Health{OK: yes, TemperatureCelsius: half, PercentUsed: half, AvailableSparePercent: half, MediaErrors: one, PowerOnHours: one, UnsafeShutdowns: one, WrittenBytes: one, ReadBytes: one}
	s.Findings = append(s.Findings, contract.Finding{ID: "disk-health", Severity: contract.SeverityCritical, Target: d.ID})
	return s
}

// hostile is a status document that tries to break out of its lines.
func hostile() contract.Status {
	var s contract.Status
	for _, text := range []string{"C:", "C:", "a\rb", "ab", `q"uo\te`, "\xff\xfe", "\x00", "", `x"} 1 1395066363000` + "\n# TYPE x counter\nx 5\n", strings.Repeat("\u4e2d", 500), strings.Repeat("\u4e2d", 501)} {
		s.Volumes = append(s.Volumes, contract.Volume{ID: text, MountPoints: []string{text}, SizeBytes: contract.Ptr(uint64(1)), FileSystem: &text})
		s.Disks = append(s.Disks, contract.Disk{ID: text, Model: &text, SizeBytes: contract.Ptr(uint64(1)), Health: contract.Health{MediaErrors: contract.Ptr(uint64(1)<<63 + 1)}})
		s.Findings = append(s.Findings, contract.Finding{ID: text, Target: text}, contract.Finding{ID: text, Target: text})
		s.Machine.OS = &text
	}
	return s
}

// metricsOf are the metrics of a document.
func metricsOf(t *testing.T, s contract.Status) string {
	t.Helper()
	var text bytes.Buffer
	if err := metrics.Write(&text, s); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// Prometheus' own tool reads every file and has nothing to say against names, units, types and help.
func TestPromtoolAcceptsTheMetrics(t *testing.T) {
	t.Parallel()
	promtool := require.Tool(t, "promtool")
	files := map[string]string{"nothing": metricsOf(t, contract.Status{}), "full": metricsOf(t, full()), "hostile": metricsOf(t, hostile())}
	for name, file := range recordings(t) {
		text, stderr, code := run(t, "status", "--recording", file, "--format", "prometheus")
		if code != 0 || stderr != "" {
			t.Errorf("%s: exit code %d, %s", name, code, stderr)
		}
		files[name] = text
	}
	for name, text := range files {
		check := exec.CommandContext(t.Context(), promtool, "check", "metrics")
		check.Stdin = strings.NewReader(text)
		if said, err := check.CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("%s: %v\n%s", name, err, said)
		}
	}
}

var (
	familyLine = regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)$`)
	sampleLine = regexp.MustCompile(`(?m)^([a-z_]+)(?:\{(.*)\})? \S+$`)
	labelName  = regexp.MustCompile(`(?:^|,)([a-z_]+)="(?:[^"\\]|\\.)*"`)
	tableLine  = regexp.MustCompile("(?m)^\\| `(diskaudit_[a-z_]+)` \\| (gauge|counter) \\|([^|]*)\\|")
	quotedName = regexp.MustCompile("`([a-z_]+)`")
)

// The page's table has every family with its type and labels, and none that there is not.
func TestPrometheusPageListsTheMetrics(t *testing.T) {
	t.Parallel()
	text := metricsOf(t, full())
	labels := map[string][]string{}
	for _, sample := range sampleLine.FindAllStringSubmatch(text, -1) {
		for _, label := range labelName.FindAllStringSubmatch(sample[2], -1) {
			if !slices.Contains(labels[sample[1]], label[1]) {
				labels[sample[1]] = append(labels[sample[1]], label[1])
			}
		}
	}
	var written, listed []string
	for _, family := range familyLine.FindAllStringSubmatch(text, -1) {
		slices.Sort(labels[family[1]])
		written = append(written, fmt.Sprint(family[1], " ", family[2], " ", labels[family[1]]))
	}
	for _, line := range tableLine.FindAllStringSubmatch(page(t, "prometheus.md"), -1) {
		var names []string
		for _, name := range quotedName.FindAllStringSubmatch(line[3], -1) {
			names = append(names, name[1])
		}
		slices.Sort(names)
		listed = append(listed, fmt.Sprint(line[1], " ", line[2], " ", names))
	}
	for _, family := range written {
		if !slices.Contains(listed, family) {
			t.Errorf("the page does not list %s", family)
		}
	}
	for _, family := range listed {
		if !slices.Contains(written, family) {
			t.Errorf("the page lists %s, which there is not", family)
		}
	}
	if len(written) < 40 {
		t.Errorf("only %d families", len(written))
	}
}

// series are a document's samples as input for promtool, constant over a day.
func series(t *testing.T, instance string, s contract.Status) []map[string]string {
	t.Helper()
	var all []map[string]string
	for _, sample := range sampleLine.FindAllStringSubmatch(metricsOf(t, s), -1) {
		labels := `instance="` + instance + `"`
		if sample[2] != "" {
			labels += "," + sample[2]
		}
		all = append(all, map[string]string{"series": sample[1] + "{" + labels + "}", "values": strings.TrimSpace(sample[0][strings.LastIndexByte(sample[0], ' '):]) + "x1500"})
	}
	return all
}

// The page's alerts are valid rules, and each goes off for the computer that it is meant for and for no
// other.
func TestPrometheusAlertsGoOff(t *testing.T) {
	t.Parallel()
	promtool := require.Tool(t, "promtool")
	rules := blocks(page(t, "prometheus.md"), "yaml")
	if len(rules) != 1 {
		t.Fatalf("%d blocks of rules", len(rules))
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "rules.yml"), []byte(rules[0].text), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.CommandContext(t.Context(), promtool, "check", "rules", filepath.Join(folder, "rules.yml")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}

	// promtool's clock begins at 0, and the alerts are looked at after 25 hours.
	fresh := time.Unix(24*3600, 0)
	computer := func(change func(*contract.Status)) contract.Status {
		s := full()
		s.CollectedAt, s.Findings = fresh, nil
		s.Disks[0].WriteCache.PowerProtected = contract.Ptr(false)
		change(&s)
		return s
	}
	computers := map[string]contract.Status{
		"sound":     computer(func(*contract.Status) {}),
		"stale":     computer(func(s *contract.Status) { s.CollectedAt = time.Unix(0, 0) }),
		"unknown":   computer(func(s *contract.Status) { s.Summary.State = contract.ComputerUnknown }),
		"dead":      {Header: contract.Header{CollectedAt: fresh}},
		"suspended": computer(func(s *contract.Status) { s.Volumes[0].Encryption.Protection = contract.Ptr(contract.ProtectionOff) }),
		"plain": computer(func(s *contract.Status) {
			s.Volumes[0].Encryption.Protection, s.Volumes[0].Encryption.Conversion = contract.Ptr(contract.ProtectionOff), contract.Ptr(contract.FullyDecrypted)
		}),
		"paused":    computer(func(s *contract.Status) { s.Volumes[0].Encryption.Conversion = contract.Ptr(contract.DecryptionPaused) }),
		"unflushed": computer(func(s *contract.Status) { s.Disks[0].WriteCache.PowerProtected = contract.Ptr(true) }),
		"ill":       computer(func(s *contract.Status) { s.Findings = full().Findings }),
	}
	want := map[string][]map[string]string{
		"DiskauditStale":           {{"instance": "stale"}},
		"DiskauditUnknown":         {{"instance": "unknown", "state": "unknown"}, {"instance": "dead"}, {"instance": "dead", "state": "unknown"}},
		"EncryptedButUnprotected":  {{"instance": "suspended", "volume": "C:", "state": "Off"}},
		"ConversionPaused":         {{"instance": "paused", "volume": "C:", "state": "DecryptionPaused"}},
		"DiskFlushingDisabled":     {{"instance": "unflushed", "disk": "PhysicalDrive0"}},
		"DiskauditCriticalFinding": {{"instance": "ill", "disk": "PhysicalDrive0", "id": "disk-health"}},
	}
	var input []map[string]string
	for name, s := range computers {
		input = append(input, series(t, name, s)...)
	}
	type expected struct {
		Labels map[string]string `json:"exp_labels"`
	}
	var tests []map[string]any
	for _, alert := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(rules[0].text, -1) {
		labels, known := want[alert[1]]
		if !known {
			t.Errorf("nobody knows when %s should go off", alert[1])
		}
		var expectations []expected
		for _, one := range labels {
			one["severity"] = "warning"
			if alert[1] == "DiskauditCriticalFinding" {
				one["severity"] = "critical"
			}
			expectations = append(expectations, expected{one})
		}
		tests = append(tests, map[string]any{"eval_time": "25h", "alertname": alert[1], "exp_alerts": expectations})
		delete(want, alert[1])
	}
	if len(want) > 0 {
		t.Errorf("the page lacks alerts: %v", want)
	}
	// JSON is YAML. The texts of the alerts are left out of the comparison.
	bare := regexp.MustCompile(`(?m)^ +(annotations:|summary: ).*\n`).ReplaceAllString(rules[0].text, "")
	suite, err := json.Marshal(map[string]any{"rule_files": []string{"bare.yml"}, "evaluation_interval": "5m", "tests": []any{map[string]any{"interval": "1m", "input_series": input, "alert_rule_test": tests}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"bare.yml": []byte(bare), "test.yml": suite} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if said, err := exec.CommandContext(t.Context(), promtool, "test", "rules", filepath.Join(folder, "test.yml")).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

// The file is written whole; what goes wrong has its usual exit code and is told.
func TestPrometheusFormatOfStatus(t *testing.T) {
	t.Parallel()
	recording := recordings(t)["laptop-24h2-waiting"]
	folder := t.TempDir()
	file := filepath.Join(folder, "diskaudit.prom")

	stdout, stderr, code := run(t, "status", "--recording", recording, "--format", "prometheus", "--output", file)
	if stdout != "" || stderr != "" || code != 0 {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "\ndiskaudit_up 1\n") {
		t.Errorf("%v: %s", err, text)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("%v: %v is left", err, entries)
	}

	// The finding of this computer is a warning: 8, and the file is there all the same.
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, _, code := run(t, "status", "--recording", recording, "--format", "prometheus", "--output", file, "--fail-on", "warning"); code != 8 {
		t.Errorf("exit code %d with --fail-on", code)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}

	// Nothing could be found out: the file says so.
	if _, stderr, code := run(t, "status", "--recording", filepath.Join(folder, "missing.json"), "--format", "prometheus", "--output", file); code != 1 || stderr != "" {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "\ndiskaudit_up 0\n") {
		t.Errorf("%v: %s", err, text)
	}

	// The file cannot be written: stdout says why, as a document.
	stdout, stderr, code = run(t, "status", "--recording", recording, "--format", "prometheus", "--output", filepath.Join(folder, "missing", "x.prom"))
	var document contract.Status
	if err := json.Unmarshal([]byte(stdout), &document); err != nil || code != 1 || stderr != "" || document.Complete {
		t.Errorf("exit code %d, %v, stderr %q", code, err, stderr)
	}
	if n := len(document.Problems); n == 0 || document.Problems[n-1].Code != "output-failed" {
		t.Errorf("problems %v", document.Problems)
	}

	for _, verb := range []string{"bench", "remediate"} {
		if stdout, stderr, code := run(t, verb, "--format", "prometheus"); code != 2 || stdout != "" || !strings.Contains(stderr, "status") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", verb, code, stdout, stderr)
		}
	}
}
