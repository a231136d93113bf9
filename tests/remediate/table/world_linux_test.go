package table_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"diskaudit/core/command"
	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/windows"
	"diskaudit/core/machine/windows/host"
	"diskaudit/core/machine/windows/provider"
	"diskaudit/core/machine/windows/registry"
	"diskaudit/core/machine/windows/shell"
	"diskaudit/core/machine/windows/storage"
	"diskaudit/core/remediate"
	"diskaudit/core/remediate/journal"
	changes "diskaudit/core/remediate/windows"
	"diskaudit/tests/rig/simulator"
)

// world is a computer of the table that exists, with what its registry was made to hold and the folder
// of its journals.
type world struct {
	computer
	machine *simulator.Machine
	store   *store
	folder  string
	// intercept, when set, is called before each change, and its error is returned in place of it.
	intercept func(what contract.Change, target string) error
	// changes, when set, is the way to BitLocker's provider of what changes it.
	changes func(*simulator.Machine) provider.Caller
	// disturbed tells that somebody else changes the computer too.
	disturbed bool
	// written are the lines of a journal that is no file.
	written func() []journal.Line
	// wrong is what may never be and was.
	wrong []string
	// before are the volumes as they were.
	before map[string]simulator.Volume
}

// store is a registry whose writing is watched.
type store struct {
	*registry.MemoryStore
	written []string
	// refuses is the error with which writing fails; fails one that it ends with although it was done.
	refuses, fails error
	// forgets: what is written does not stay.
	forgets bool
}

func (s *store) SetNumber(key, name string, value uint32) error {
	return s.write(fmt.Sprintf(`%s\%s=%d`, key, name, value), func() error { return s.MemoryStore.SetNumber(key, name, value) })
}

func (s *store) Delete(key, name string) error {
	return s.write(fmt.Sprintf(`%s\%s=absent`, key, name), func() error { return s.MemoryStore.Delete(key, name) })
}

func (s *store) write(what string, do func() error) error {
	if s.refuses != nil {
		return s.refuses
	}
	s.written = append(s.written, what)
	if s.forgets {
		return nil
	}
	if err := do(); err != nil {
		return err
	}
	return s.fails
}

// prevention is the value of PreventDeviceEncryption.
func (s *store) prevention() string {
	value, err := s.Value(switchKey, switchName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return absent
	case err != nil:
		return unreadable
	}
	number, err := value.Number()
	if err != nil {
		return unreadable
	}
	return fmt.Sprint(number)
}

// exist makes the computer, which keeps its journals in the folder.
func (c computer) exist(folder string) *world {
	w := &world{
		computer: c, machine: c.simulated(), folder: folder,
		changes: simulator.NewCaller,
		store:   &store{MemoryStore: registry.NewStore(c.registry())}, before: map[string]simulator.Volume{},
	}
	for _, v := range w.machine.Volumes {
		w.before[v.DeviceID] = copied(v)
	}
	return w
}

func copied(v *simulator.Volume) simulator.Volume {
	volume := *v
	volume.Protectors = slices.Clone(v.Protectors)
	return volume
}

// ran is what became of a run.
type ran struct {
	code     int
	document contract.Remediation
	stdout   []byte
	// calls are the calls of the run that hand out a secret or change something.
	calls []simulator.Call
	// written are the registry values that the run wrote.
	written []string
}

// run runs the program on the computer.
func (w *world) run(ctx context.Context, arguments ...string) ran {
	asked, written := len(w.machine.Calls()), len(w.store.written)
	var stdout, stderr bytes.Buffer
	arguments = append([]string{"diskaudit", "remediate", "--format", "json", "--journal", w.folder, "--timeout", "30m"}, arguments...)
	r := ran{code: command.RunWith(ctx, arguments, &stdout, &stderr, command.Sources{
		Computer: func(identify bool) machine.Machine {
			return windows.New(windows.Options{
				Identify: identify, Host: facts{w}, Storage: facts{w}, Provider: simulator.NewCaller(w.machine),
				Shell: func() shell.Property { return nil },
			})
		},
		Changes: func() remediate.Computer {
			return &watched{Computer: changes.New(changes.Sources{
				Provider: func() provider.Caller { return w.changes(w.machine) }, Registry: w.store, Cache: cache{},
			}), world: w}
		},
	})}
	r.stdout = stdout.Bytes()
	if err := json.Unmarshal(r.stdout, &r.document); err != nil {
		w.wrongf("stdout holds no document: %v: %s %s", err, r.stdout, stderr.Bytes())
	}
	for _, call := range w.machine.Calls()[asked:] {
		if !slices.Contains(telling, call.Name) {
			r.calls = append(r.calls, call)
		}
	}
	r.written = w.store.written[written:]
	if bytes.Contains(slices.Concat(r.stdout, stderr.Bytes()), []byte(recoveryPassword)) {
		w.wrongf("the output holds a recovery password")
	}
	return r
}

// telling are the calls that change nothing.
var telling = append(simulator.StateMethods(), "ConnectServer", "ExecQuery", "NameSpace", "ExtendedProperty")

func (w *world) wrongf(format string, arguments ...any) {
	w.wrong = append(w.wrong, fmt.Sprintf(format, arguments...))
}

// permitted are the only calls that may change anything, by what they are in a journal.
var permitted = map[string]contract.Change{
	"Decrypt": contract.ChangeDecrypt, "PauseConversion": contract.ChangePause, "ResumeConversion": contract.ChangeResume,
	"ClearAllAutoUnlockKeys": contract.ChangeClearAutoUnlock,
}

// invariants are what holds after any run: no call but the permitted ones, keys cleared only when that was
// asked for, nothing changed without consent or against a guard, no protector lost but by a decryption that
// has ended, and no secret in a journal. untouched are volumes that may not be changed.
func (w *world) invariants(r ran, apply, clearKeys bool, untouched []string) {
	for _, call := range r.calls {
		change, known := permitted[call.Name]
		switch {
		case !known:
			w.wrongf("it called %s", call.Name)
		case change == contract.ChangeClearAutoUnlock && !clearKeys:
			w.wrongf("it cleared keys that it was not to clear")
		case slices.Contains(untouched, call.DeviceID):
			w.wrongf("it called %s of %s, which is not to be touched", call.Name, call.DeviceID)
		}
	}
	refused := slices.ContainsFunc(r.document.Plan.Guards, func(guard contract.Guard) bool { return guard.Result.Refuses() })
	if refused && (r.document.Applied || r.code == 0) {
		w.wrongf("a guard refuses, and it exits %d, applied %v", r.code, r.document.Applied)
	}
	if !apply || refused {
		if len(r.calls) > 0 || len(r.written) > 0 {
			w.wrongf("changed although it was not to be: %v %v (apply %v, refused %v)", r.calls, r.written, apply, refused)
		}
		if r.document.Journal != nil {
			w.wrongf("a journal without a change: %s", *r.document.Journal)
		}
		for _, v := range w.machine.Volumes {
			if before := w.before[v.DeviceID]; !reflect.DeepEqual(copied(v), before) {
				w.wrongf("%s is %+v, and was %+v", v.DeviceID, *v, before)
			}
		}
	}
	for _, v := range w.machine.Volumes {
		if before := w.before[v.DeviceID]; v.Conversion != simulator.Decrypted && !reflect.DeepEqual(v.Protectors, before.Protectors) {
			w.wrongf("the protectors of %s are %v, and were %v", v.DeviceID, v.Protectors, before.Protectors)
		}
	}
	for _, name := range w.journals() {
		content, err := os.ReadFile(filepath.Join(w.folder, name))
		if err != nil || bytes.Contains(content, []byte(recoveryPassword)) {
			w.wrongf("%s: %v, or a recovery password in it", name, err)
		}
	}
}

// journals are the names of the journals, oldest first.
func (w *world) journals() []string {
	entries, err := os.ReadDir(w.folder)
	if err != nil {
		return nil
	}
	var names []string
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".jsonl") {
			names = append(names, entry.Name())
		}
	}
	return names
}

// lines are the lines of the newest journal.
func (w *world) lines() []journal.Line {
	if w.written != nil {
		return w.written()
	}
	names := w.journals()
	if len(names) == 0 {
		return nil
	}
	content, err := os.ReadFile(filepath.Join(w.folder, names[len(names)-1]))
	if err != nil {
		return nil
	}
	var lines []journal.Line
	for text := range bytes.Lines(content) {
		var line journal.Line
		if err := json.Unmarshal(text, &line); err != nil {
			w.wrongf("a line of the journal is none: %q", text)
			continue
		}
		lines = append(lines, line)
	}
	return lines
}

// watched is the computer that is changed, and checks that the journal announces each change before it
// happens.
type watched struct {
	remediate.Computer
	world *world
}

func (w *watched) Change(ctx context.Context, id string, change contract.Change) error {
	w.world.announced(change, id, "")
	if w.world.intercept != nil {
		if err := w.world.intercept(change, id); err != nil {
			return err
		}
	}
	return w.Computer.Change(ctx, id, change)
}

func (w *watched) SetPrevention(ctx context.Context, value string) error {
	w.world.announced(contract.ChangePrevent, remediate.PreventionTarget, value)
	if w.world.intercept != nil {
		if err := w.world.intercept(contract.ChangePrevent, remediate.PreventionTarget); err != nil {
			return err
		}
	}
	return w.Computer.SetPrevention(ctx, value)
}

// announced checks that the last line of the journal is the announcement of this change, from the state that
// is there to the one that it leads to.
func (w *world) announced(change contract.Change, target, to string) {
	lines := w.lines()
	if len(lines) == 0 {
		w.wrongf("%s of %s before any line of a journal", change, target)
		return
	}
	last := lines[len(lines)-1]
	if last.Event != journal.EventStep || last.Change != change || last.Target != target || last.Sequence != uint64(len(lines)) {
		w.wrongf("%s of %s is not what the last line announces: %+v", change, target, last)
		return
	}
	present := w.present(change, target)
	if last.Old != present {
		w.wrongf("%s of %s, which is %s, and the journal says %s", change, target, present, last.Old)
	}
	if to != "" && last.New != to || last.New == "" {
		w.wrongf("%s of %s to %q, and the journal says %q", change, target, to, last.New)
	}
}

// present is the state that a change is about, in the words of a journal.
func (w *world) present(change contract.Change, target string) (state string) {
	if change == contract.ChangePrevent {
		return w.store.prevention()
	}
	w.machine.Update(func(m *simulator.Machine) {
		for _, v := range m.Volumes {
			switch {
			case v.DeviceID != target:
			case change != contract.ChangeClearAutoUnlock:
				state = contract.Conversion(v.Conversion).String()
			case v.KeysStored:
				state = remediate.Stored
			default:
				state = remediate.NotStored
			}
		}
	})
	return state
}

// simulatedVolume is a volume as it is now.
func (w *world) simulatedVolume(letter byte) (found simulator.Volume, there bool) {
	w.machine.Update(func(m *simulator.Machine) {
		for _, v := range m.Volumes {
			if v.DeviceID == simulator.WineVolume(letter) {
				found, there = copied(v), true
			}
		}
	})
	return found, there
}

// cache is that of a computer whose disks' write caches are left alone.
type cache struct{}

func (cache) Flushing(disk string) (bool, error) {
	return false, fmt.Errorf("the write cache of %s is of no concern", disk)
}

func (cache) SetFlushing(disk string, _ bool) error {
	return fmt.Errorf("the write cache of %s is of no concern", disk)
}

// facts are what Windows itself tells of the computer.
type facts struct{ *world }

var (
	_ windows.Host    = facts{}
	_ windows.Storage = facts{}
)

func (f facts) Machine(context.Context, bool) (contract.Machine, []contract.Problem) {
	return f.computer.machine(), nil
}

func (f facts) Policy(ctx context.Context) (contract.Policy, []contract.Problem) {
	return host.New(nil, f.store).Policy(ctx)
}

func (f facts) Disks(_ context.Context, report *machine.Report, _ bool) {
	report.AddDisk(f.disk())
}

func (f facts) Volumes(context.Context) ([]contract.Volume, []contract.Problem) {
	var listed []contract.Volume
	for _, v := range f.volumes {
		listed = append(listed, v.listed())
	}
	return listed, nil
}

// OpenDisk opens none: what only the metadata on a disk tells is not needed.
func (f facts) OpenDisk(id string) (storage.RawDisk, int64, error) {
	return nil, 0, fmt.Errorf("opening %s: %w", id, fs.ErrPermission)
}
