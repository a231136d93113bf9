package remediate_test

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"diskaudit/core/contract"
	"diskaudit/core/remediate"
	"diskaudit/core/remediate/journal"
	"diskaudit/tests/rig/simulator"
)

// attempt is a scenario under way on a computer of its own.
type attempt struct {
	*computer
	scenario
	t *testing.T
	// doing is what was done so far, for people.
	doing string
	// killed counts the kills.
	killed int
	// original are the values at the beginning: the registry's, and each volume's key protectors.
	original   string
	protectors map[string][]simulator.Protector
}

// begin makes the computer and runs what comes before the command.
func (s scenario) begin(t *testing.T) *attempt {
	t.Helper()
	a := &attempt{computer: s.computer(), scenario: s, t: t, doing: s.name, protectors: map[string][]simulator.Protector{}}
	if s.first != nil {
		a.must(s.first, 0)
		clear(a.made)
	}
	a.original = a.prevents()
	for _, volume := range a.machine.Volumes {
		a.protectors[volume.DeviceID] = slices.Clone(volume.Protectors)
	}
	return a
}

func (a *attempt) prevents() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if number, there := a.number(remediate.PreventionTarget); there {
		return fmt.Sprint(number)
	}
	return absent
}

// must runs a command that has to end with the exit code.
func (a *attempt) must(command []string, code int) ended {
	a.t.Helper()
	e, err := a.complete(command...)
	switch {
	case err != nil:
		a.t.Errorf("%s, then %q: %v", a.doing, command, err)
	case e.code != code:
		a.t.Errorf("%s, then %q: want exit code %d, got %s", a.doing, command, code, e.account())
	}
	a.secretless(e)
	return e
}

// kill runs the command until it is killed. One that ends before that has ended well.
func (a *attempt) kill(strike strike) {
	a.t.Helper()
	e, err := a.start(strike, a.command...)
	if !e.killed {
		if err != nil || e.code != 0 {
			a.t.Errorf("%s, then run: %v %s", a.doing, err, e.account())
		}
		return
	}
	a.killed++
	kills.Add(1)
	what := "before anything"
	if strike.at <= len(e.events) {
		what = e.events[strike.at-1].what
	}
	a.doing += fmt.Sprintf(", %s (%s)", strike, what)
	a.secretless(e)
	a.sound()
	a.settings()
}

// finish runs the command to its end.
func (a *attempt) finish() ended {
	a.t.Helper()
	e := a.must(a.command, 0)
	a.sound()
	return e
}

// settings are at their old or their planned value, wherever a run was killed.
func (a *attempt) settings() {
	a.t.Helper()
	if now := a.prevents(); now != a.original && now != a.prevention {
		a.t.Errorf("%s: PreventDeviceEncryption is %s, neither %s nor %s", a.doing, now, a.original, a.prevention)
	}
}

// check holds the computer against what the scenario leads to, and takes back what can be.
func (a *attempt) check() {
	a.t.Helper()
	a.settled(a.prevention)
	if a.undone != "" {
		a.must(undo, 0)
		a.sound()
		a.settled(a.undone)
	}
}

func (a *attempt) settled(prevention string) {
	a.t.Helper()
	if now := a.prevents(); now != prevention {
		a.t.Errorf("%s: PreventDeviceEncryption is %s in the end, not %s", a.doing, now, prevention)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for disk, on := range a.flushing {
		if !on {
			a.t.Errorf("%s: the write cache of %s is not flushed in the end", a.doing, disk)
		}
	}
	for i, want := range []contract.Conversion{a.system, a.data} {
		if now := contract.Conversion(a.machine.Volumes[i].Conversion); now != want {
			a.t.Errorf("%s: %s is %s in the end, not %s", a.doing, a.machine.Volumes[i].DriveLetter, now, want)
		}
	}
	// One change of a kind brings each volume where it is to be.
	for what, times := range a.made {
		kind, _, _ := strings.Cut(what, " ")
		if times > 1 && kind != string(contract.ChangeFlushing) && kind != string(contract.ChangePrevent) {
			a.t.Errorf("%s: %s was done %d times", a.doing, what, times)
		}
	}
}

// sound is what holds at any time.
func (a *attempt) sound() {
	a.t.Helper()
	a.mu.Lock()
	for _, wrong := range a.wrong {
		a.t.Errorf("%s: %s", a.doing, wrong)
	}
	for _, call := range a.machine.Forbidden() {
		if _, ours := changing[call.Name]; !ours {
			a.t.Errorf("%s: it called %s", a.doing, call.Name)
		}
	}
	for _, volume := range a.machine.Volumes {
		if volume.Conversion != simulator.Decrypted && !reflect.DeepEqual(volume.Protectors, a.protectors[volume.DeviceID]) && a.protectors[volume.DeviceID] != nil {
			a.t.Errorf("%s: %s is not decrypted, and its key protectors are %v, not %v", a.doing, volume.DriveLetter, volume.Protectors, a.protectors[volume.DeviceID])
		}
	}
	for name, content := range a.disk.files(false) {
		if bytes.Contains(content, []byte(recoveryPassword)) {
			a.t.Errorf("%s: %s holds a recovery password", a.doing, name)
		}
	}
	files := a.disk.files(false)
	a.mu.Unlock()
	_, problems := journal.Read(a.copied(files))
	for _, problem := range problems {
		if problem.Level.OrError() == contract.LevelError {
			a.t.Errorf("%s: the journals cannot be read: %s: %s", a.doing, problem.Code, problem.Text)
		}
	}
}

// copied are the files of the journals in a folder of the test: this process serves the disk, and
// would wait for itself if it also used it.
func (a *attempt) copied(files map[string][]byte) string {
	a.t.Helper()
	folder := a.t.TempDir()
	for name, content := range files {
		if path.Dir(name) != journalFolder {
			continue
		}
		if err := os.WriteFile(filepath.Join(folder, path.Base(name)), content, 0o600); err != nil {
			a.t.Error(err)
		}
	}
	return folder
}

func (a *attempt) secretless(e ended) {
	a.t.Helper()
	for _, output := range [][]byte{e.stdout, e.stderr} {
		if bytes.Contains(output, []byte(recoveryPassword)) {
			a.t.Errorf("%s: the output holds a recovery password", a.doing)
		}
	}
}
