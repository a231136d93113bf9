package rig_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/remediate/journal"
	"diskaudit/tests/rig"
	"diskaudit/tests/rig/simulator"
)

// unknownHere are the guards about facts that Wine does not tell. A person who knows better overrides
// just these.
var unknownHere = []string{"disk-health", "file-system"}

// remedied is a Windows computer on which only this test changes anything.
type remedied struct {
	*rig.Rig
	t *testing.T
}

// remediedComputer has the drives C: and D:, and no journal.
func remediedComputer(t *testing.T) *remedied {
	t.Helper()
	r := &remedied{windowsComputer(t), t}
	r.forget()
	t.Cleanup(r.forget)
	return r
}

// journals is the folder of the journals on this computer, below the folder that the project has in
// ProgramData.
func (r *remedied) journals() string {
	return filepath.Join(r.Prefix(), "drive_c", "ProgramData", "BitLockerDiskAudit", "journal")
}

// forget removes all journals.
func (r *remedied) forget() { os.RemoveAll(filepath.Dir(r.journals())) }

const preventionKey = `HKLM\SYSTEM\CurrentControlSet\Control\BitLocker`

// prevented tells whether PreventDeviceEncryption is there, and takes it away.
func (r *remedied) prevented() bool {
	r.t.Helper()
	there := query(r.t, r.Rig, preventionKey, "PreventDeviceEncryption") != ""
	if there {
		r.Program(r.t.Context(), "reg", "delete", preventionKey, "/v", "PreventDeviceEncryption", "/f")
	}
	return there
}

// command is a remediation with the guards overridden about which Wine knows nothing.
func command(arguments ...string) []string {
	whole := append([]string{"remediate", "--format", "json"}, arguments...)
	for _, guard := range unknownHere {
		whole = append(whole, "--override", guard)
	}
	return whole
}

// run runs a remediation that has to end with the exit code.
func (r *remedied) run(code int, arguments ...string) contract.Remediation {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 2*time.Minute)
	defer cancel()
	return r.checked(r.Run(ctx, arguments...), code)
}

func (r *remedied) checked(result rig.Result, code int) contract.Remediation {
	r.t.Helper()
	if result.Code != code {
		r.t.Errorf("exit code %d, want %d", result.Code, code)
	}
	if len(result.Stderr) > 0 {
		r.t.Errorf("stderr is not empty:\n%s", result.Stderr)
	}
	if bytes.Count(result.Stdout, []byte("\n")) != 1 {
		r.t.Fatalf("stdout is not one line:\n%s", result.Stdout)
	}
	if err := contract.Validate(contract.KindRemediate, result.Stdout); err != nil {
		r.t.Fatalf("%v\n%s", err, result.Stdout)
	}
	var document contract.Remediation
	if err := json.Unmarshal(result.Stdout, &document); err != nil {
		r.t.Fatal(err)
	}
	if result.Code != code {
		for _, problem := range document.Problems {
			r.t.Logf("%s: %s", problem.Code, problem.Text)
		}
	}
	return document
}

// encrypted is a computer whose volume C: is encrypted, with a clock that runs so fast that every
// conversion has ended by the next look.
func encrypted() (m *simulator.Machine, c *simulator.Volume) {
	m, c, _ = ordinary()
	m.Speed, c.Takes = 1e6, 10*time.Second
	return m, c
}

// TestRemediate goes the whole way with the real program: what refuses, the plan, its execution, and
// taking it back.
func TestRemediate(t *testing.T) {
	r := remediedComputer(t)
	m, c := encrypted()
	r.Simulate(m)

	refused := r.run(5, "remediate", "--format", "json", "--apply")
	var refusing []string
	for _, guard := range refused.Plan.Guards {
		if guard.Result.Refuses() {
			refusing = append(refusing, guard.ID)
		}
	}
	slices.Sort(refusing)
	if !slices.Equal(slices.Compact(refusing), unknownHere) || refused.Applied {
		t.Errorf("%q refuse, want %q; applied is %v", refusing, unknownHere, refused.Applied)
	}
	planned := r.run(0, command()...)
	if calls := m.Forbidden(); len(calls) > 0 || planned.Applied || r.prevented() {
		t.Fatalf("without consent it called %v, applied is %v", calls, planned.Applied)
	}

	done := r.run(0, command("--apply", "--expect-plan", planned.Plan.ID)...)
	if done.Journal == nil {
		t.Fatal("there is no journal")
	}
	for i, step := range done.Steps {
		want := contract.StepDone
		if done.Plan.Steps[i].Change == contract.ChangeWait {
			// At the first look the conversion has ended.
			want = contract.StepAlready
		}
		if step.Result != want {
			t.Errorf("step %s: %s", step.ID, step.Result)
		}
	}
	if state(m, c) != simulator.Decrypted {
		t.Errorf("C: is in the state %d", state(m, c))
	}
	if got := query(t, r.Rig, preventionKey, "PreventDeviceEncryption"); got != "REG_DWORD 0x1" {
		t.Errorf("PreventDeviceEncryption is %q", got)
	}
	lines := r.lines()
	if len(lines) == 0 || lines[0].Event != journal.EventBegin || lines[len(lines)-1].Event != journal.EventEnd {
		t.Errorf("the journal is %+v", lines)
	}

	// There is nothing more to do, and what was done is taken back as far as it can be.
	if again := r.run(0, command("--apply")...); len(again.Plan.Steps) != 0 || again.Journal != nil {
		t.Errorf("a second run had the steps %+v", again.Plan.Steps)
	}
	r.run(0, "remediate", "--format", "json", "--action", "undo", "--apply")
	if r.prevented() {
		t.Error("PreventDeviceEncryption is still there after --action undo")
	}
	if calls := m.Forbidden(); len(calls) != 1 || !isDecrypt(calls[0].Name) {
		t.Errorf("it called %v, want just Decrypt", calls)
	}
}

// state is a volume's state of conversion now.
func state(m *simulator.Machine, volume *simulator.Volume) (state int32) {
	m.Update(func(*simulator.Machine) { state = volume.Conversion })
	return state
}

// lines are those of the newest journal.
func (r *remedied) lines() []journal.Line {
	r.t.Helper()
	history, problems := journal.Read(r.journals())
	for _, problem := range problems {
		r.t.Errorf("reading the journals: %s: %s", problem.Code, problem.Text)
	}
	if len(history.Runs) == 0 {
		return nil
	}
	return history.Runs[0].Lines
}

// TestRemediateInterrupted sends Ctrl-C during the wait: the decryption goes on, and the document
// says so and how to watch it. Cases B37 and B55.
func TestRemediateInterrupted(t *testing.T) {
	r := remediedComputer(t)
	m, c := encrypted()
	m.Speed = 0
	r.Simulate(m)
	run := r.start(command("--apply", "--progress")...)
	r.until("the decryption runs", func() bool { return state(m, c) == simulator.Decrypting })
	r.until("it is waited for", func() bool { return strings.Contains(run.stderr.String(), `"decrypt"`) })
	if err := run.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	result := run.wait()
	result.Stderr = nil
	document := r.checked(result, 7)
	if len(document.Running) != 1 || !strings.Contains(document.Running[0].Watch, "diskaudit status") {
		t.Errorf("running is %+v", document.Running)
	}
	if state(m, c) != simulator.Decrypting {
		t.Errorf("C: is in the state %d", state(m, c))
	}
	m.Advance(time.Minute)
	r.run(0, command("--apply")...)
	if n := m.Called("Decrypt"); n != 1 {
		t.Errorf("Decrypt was called %d times", n)
	}
	r.prevented()
}

// TestRemediateTwoAtOnce starts a second run while the first one waits: it says who is acting, and
// changes nothing.
func TestRemediateTwoAtOnce(t *testing.T) {
	r := remediedComputer(t)
	m, c := encrypted()
	m.Speed = 0
	r.Simulate(m)
	first := r.start(command("--apply")...)
	r.until("the decryption runs", func() bool { return state(m, c) == simulator.Decrypting })
	second := r.run(7, command("--apply")...)
	if len(second.Problems) == 0 || second.Problems[0].Code != "another-run" || second.Applied {
		t.Fatalf("problems are %+v", second.Problems)
	}
	begin := r.lines()[0]
	for _, word := range []string{jsonNumber(begin.Process), "decrypt"} {
		if !strings.Contains(second.Problems[0].Text, word) {
			t.Errorf("it does not name %q: %s", word, second.Problems[0].Text)
		}
	}
	m.Advance(time.Minute)
	r.checked(first.wait(), 0)
	if n := m.Called("Decrypt"); n != 1 {
		t.Errorf("Decrypt was called %d times", n)
	}
	r.prevented()
}

func jsonNumber(n int) string {
	text, _ := json.Marshal(n)
	return string(text)
}

// TestRemediateSecrets searches all that is written for what the provider could hand out: case B72.
func TestRemediateSecrets(t *testing.T) {
	r := remediedComputer(t)
	m, c := encrypted()
	c.Protectors = append(c.Protectors, external())
	secrets := m.Secrets()
	if len(secrets) < 3 {
		t.Fatalf("only %d secrets are planted", len(secrets))
	}
	// The first attempt fails with all that can be told.
	m.Faults = []*simulator.Fault{{Point: simulator.AtMethod, Name: "Decrypt", Instead: int32(-2144272357), Times: 1}}
	r.Simulate(m)
	here, there := r.Folder()
	var written [][]byte
	for _, arguments := range [][]string{
		{"status", "--format", "json", "--record", there + `\recording.json`},
		command("--identify"),
		command("--apply", "--progress", "--log-level", "debug"),
		command("--apply", "--progress", "--log-level", "debug"),
		{"remediate", "--action", "undo", "--apply", "--format", "table"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		result := r.Run(ctx, arguments...)
		cancel()
		written = append(written, result.Stdout, result.Stderr)
	}
	files, err := filepath.Glob(filepath.Join(r.journals(), "*"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%d journals: %v", len(files), err)
	}
	for _, file := range append(files, filepath.Join(here, "recording.json")) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		written = append(written, content)
	}
	for _, text := range written {
		for _, secret := range secrets {
			if bytes.Contains(text, []byte(secret)) {
				t.Errorf("a secret was written:\n%s", text)
			}
		}
	}
	if state(m, c) != simulator.Decrypted {
		t.Error("the second attempt did not decrypt C:")
	}
	r.prevented()
}
