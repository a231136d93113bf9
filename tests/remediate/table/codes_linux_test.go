package table_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/provider"
	"diskaudit/tests/rig/simulator"
)

// way is how a call goes wrong.
type way int

const (
	// returned: the method returns the code, and nothing was done.
	returned way = iota
	// raised: WMI raises it, and nothing was done.
	raised
	// lost: the method did its work, and the code is returned all the same.
	lost
	// cut: the method did its work, and WMI raises the code.
	cut
	// hanging: no answer comes, and nothing was done.
	hanging
	// mute: the method did its work, and no answer comes.
	mute
)

var ways = []string{"returned", "raised", "lost", "cut", "hanging", "mute"}

// trouble is what goes wrong when the plan is carried out.
type trouble struct {
	way
	code bitlocker.HResult
	// at is the call, counted from 1, and times how often in a row calls of the same method go wrong; 0 for ever.
	at, times int
	// other, when set, is done to the computer before that call.
	other func(*simulator.Machine)
}

// asked is one call of BitLocker's provider while a plan is carried out.
type asked struct {
	method, deviceID string
	at               time.Time
	struck           bool
}

// troubled is the way to a provider of which calls go wrong.
type troubled struct {
	mu sync.Mutex
	trouble
	calls []asked
	// method and device are those of the call that was struck first, struck counts how often.
	method, device string
	struck         int
	over           chan struct{}
}

func (t *troubled) changes(machine *simulator.Machine) provider.Caller {
	return &troubledCaller{Caller: simulator.NewCaller(machine), troubled: t, machine: machine}
}

type troubledCaller struct {
	provider.Caller
	*troubled
	machine *simulator.Machine
}

// strikes tells whether this call goes wrong.
func (t *troubled) strikes(method, device string) (strikes, first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	call := asked{method: method, deviceID: device, at: time.Now()}
	first = len(t.calls)+1 == t.at
	if first {
		t.method, t.device = method, device
	}
	same := t.method == method && t.device == device && len(t.calls)+1 >= t.at && t.at > 0
	if same && (t.times == 0 || t.struck < t.times) && t.other == nil {
		call.struck = true
		t.struck++
	}
	t.calls = append(t.calls, call)
	return call.struck, first
}

func (c *troubledCaller) wrong(method, device string, work func() (provider.Value, error)) (provider.Value, error) {
	strikes, first := c.strikes(method, device)
	if first && c.other != nil {
		c.machine.Update(c.other)
	}
	if !strikes {
		return work()
	}
	failed := fmt.Errorf("asking BitLocker's provider: %w", &provider.Error{Doing: "calling " + method, Code: c.code})
	switch c.way {
	case lost, cut, mute:
		if _, err := work(); err != nil {
			return nil, err
		}
	}
	switch c.way {
	case hanging, mute:
		<-c.over
		return nil, failed
	case raised, cut:
		return nil, failed
	}
	if device == "" {
		return nil, failed
	}
	return int32(uint32(c.code)), nil
}

func (c *troubledCaller) Connect() error {
	_, err := c.wrong("Connect", "", func() (provider.Value, error) { return nil, c.Caller.Connect() })
	return err
}

func (c *troubledCaller) Volumes() (rows []provider.Row, err error) {
	_, err = c.wrong("Volumes", "", func() (provider.Value, error) {
		rows, err = c.Caller.Volumes()
		return nil, err
	})
	return rows, err
}

func (c *troubledCaller) Call(deviceID, method string, arguments ...*provider.Argument) (provider.Value, error) {
	return c.wrong(method, deviceID, func() (provider.Value, error) { return c.Caller.Call(deviceID, method, arguments...) })
}

// whole is a computer on which every kind of step is made: PreventDeviceEncryption, a data volume that unlocks
// by itself, the keys for that, and the system's volume.
func whole() computer {
	return computer{volumes: []volume{
		{letter: 'C', kind: simulator.OperatingSystem, conversion: simulator.Encrypted, method: software, bound: true},
		{letter: 'D', kind: simulator.Fixed, conversion: simulator.Encrypted, method: software, bound: true},
	}}
}

// short is how long a conversion takes that is waited for: few looks show it. One that is turned lasts for as
// long as that is tried.
const (
	short = 5 * time.Second
	long  = time.Hour
)

// troubledRun runs a row in which calls go wrong.
func (r row) troubledRun(t *testing.T, base string, trouble trouble, check func(w *world, result ran, met *troubled, took time.Duration)) {
	t.Helper()
	rows.Add(1)
	var wrong []string
	met := &troubled{trouble: trouble}
	synctest.Test(t, func(t *testing.T) {
		met.over = make(chan struct{})
		defer close(met.over)
		w := r.exist(filepath.Join(base, fmt.Sprint(folders.Add(1))))
		defer w.machine.Release()
		for _, v := range w.machine.Volumes {
			v.Takes = short
			if r.action != contract.ActionDecrypt {
				v.Takes = long
			}
			w.before[v.DeviceID] = copied(v)
		}
		w.changes = met.changes
		w.intercept, w.disturbed = w.inOrder, trouble.other != nil
		began := time.Now()
		result := w.run(t.Context(), r.arguments()...)
		// Whatever goes wrong, the journal and the protectors are as they must be.
		w.invariants(result, r.apply, r.clearsKeys(), nil)
		w.once(met)
		check(w, result, met, time.Since(began))
		wrong = w.wrong
	})
	for _, text := range wrong {
		t.Errorf("%s, %s %s %d times from call %d (%s %s): %s", r, ways[trouble.way], trouble.code, trouble.times, trouble.at, met.method, met.device, text)
	}
}

// inOrder is called before each change: the keys of data volumes go only when these are decrypted, and nothing
// is decrypted as long as Windows may encrypt by itself.
func (w *world) inOrder(change contract.Change, target string) error {
	if data, there := w.simulatedVolume('D'); change == contract.ChangeClearAutoUnlock && there && data.Conversion != simulator.Decrypted && !w.disturbed {
		w.wrongf("the keys are cleared while D: is %s", contract.Conversion(data.Conversion))
	}
	if now := w.store.prevention(); change == contract.ChangeDecrypt && now != "1" && !w.disturbed {
		w.wrongf("%s is decrypted while PreventDeviceEncryption is %s", target, now)
	}
	return nil
}

// once: what took effect, or was accepted, is not asked for again.
func (w *world) once(met *troubled) {
	accepted := map[string]int{}
	for _, call := range met.calls {
		if _, changes := permitted[call.method]; changes && !call.struck {
			if accepted[call.method+" of "+call.deviceID]++; accepted[call.method+" of "+call.deviceID] > 1 {
				w.wrongf("%s of %s was accepted and asked for again", call.method, call.deviceID)
			}
		}
	}
}

// codes are all codes that are retryable, or fatal, of those that Windows answers with.
func codes() (retryable, fatal []bitlocker.HResult) {
	for _, facility := range []bitlocker.HResult{0x80010000, 0x80040000, 0x80070000, 0x80310000} {
		for low := bitlocker.HResult(0); low <= 0xFFFF; low++ {
			code := facility | low
			if code.Retryable() {
				retryable = append(retryable, code)
			}
			if code.Fatal() {
				fatal = append(fatal, code)
			}
		}
	}
	return retryable, fatal
}

// others are codes that neither pass nor are the disk's.
var others = []bitlocker.HResult{
	bitlocker.FVE_E_AUTOUNLOCK_ENABLED, bitlocker.FVE_E_NOT_DECRYPTED, bitlocker.FVE_E_POLICY_USER_DISABLE_RDV_NOT_ALLOWED,
	bitlocker.FVE_E_NOT_ON_STACK, bitlocker.FVE_E_REBOOT_REQUIRED, bitlocker.FVE_E_BAD_INFORMATION, bitlocker.E_ACCESSDENIED,
}

// names are the public reports about a code.
var names = map[bitlocker.HResult]string{bitlocker.FVE_E_NOT_DECRYPTED: "B50 ", bitlocker.FVE_E_NOT_ON_STACK: "B63 "}

// TestCodes: the codes that the documents list are the ones that are put in.
func TestCodes(t *testing.T) {
	retryable, fatal := codes()
	for _, code := range []bitlocker.HResult{0x80310009, 0x80310024, 0x80310057, 0x80310059} {
		if !slices.Contains(retryable, code) {
			t.Errorf("%s is not retryable", code)
		}
	}
	for _, code := range []bitlocker.HResult{0x8031001B, 0x8031001C, 0x8007045D} {
		if !slices.Contains(fatal, code) {
			t.Errorf("%s is not fatal", code)
		}
	}
	t.Logf("%d codes are retryable, %d fatal", len(retryable), len(fatal))
}

// undisturbed are the calls of a row with which nothing goes wrong.
func (r row) undisturbed(t *testing.T, base string) (calls []asked) {
	t.Helper()
	r.troubledRun(t, base, trouble{}, func(w *world, result ran, met *troubled, _ time.Duration) {
		calls = met.calls
		if result.code != 0 {
			w.wrongf("exit code %d, %+v", result.code, result.document.Problems)
		}
	})
	return calls
}

// troubledRows are the rows into whose every call something is put.
func troubledRows() []row {
	return []row{
		{computer: whole(), request: request{action: contract.ActionDecrypt, overrides: []string{keysGuard}}, apply: true},
		{computer: around(volume{letter: 'C', conversion: simulator.Encrypting, method: software}), request: request{action: contract.ActionPause}, apply: true},
		{computer: around(volume{letter: 'D', kind: simulator.Fixed, conversion: simulator.DecryptingPaused, method: software}), request: request{action: contract.ActionResume}, apply: true},
	}
}

// TestRefusedChange: each code at each call that changes something.
func TestRefusedChange(t *testing.T) {
	base := inMemory(t)
	before := rows.Load()
	t.Cleanup(func() { t.Logf("%d rows", rows.Load()-before) })
	retryable, fatal := codes()
	for _, r := range troubledRows() {
		for i, call := range r.undisturbed(t, base) {
			if _, changes := permitted[call.method]; !changes {
				continue
			}
			for _, code := range slices.Concat(retryable, fatal, others) {
				t.Run(fmt.Sprintf("%s %s%s %s", r.action, names[code], call.method, code), func(t *testing.T) {
					t.Parallel()
					for _, way := range []way{returned, raised, lost, cut} {
						for _, times := range []int{1, 3, 0} {
							if times != 1 && (way == lost || way == cut) {
								continue
							}
							r.refused(t, base, trouble{way: way, code: code, at: i + 1, times: times})
						}
					}
				})
			}
		}
	}
}

// refused holds what comes of a change that is refused against the rules: what passes is tried again, after a
// pause and a look at the state, up to a limit; an error of the disk stops everything; what was done in spite of
// the answer is not done again; nothing else is tried as if it had gone well.
func (r row) refused(t *testing.T, base string, put trouble) {
	t.Helper()
	r.troubledRun(t, base, put, func(w *world, result ran, met *troubled, took time.Duration) {
		attempts := met.of(met.method, met.device)
		passes := put.code.Retryable() && !put.code.Fatal()
		// Of a code that WMI raises it is not known whether the method ran: after a look that may be tried again too.
		doubtful := put.way == raised && !put.code.Fatal()
		done := put.way == lost || put.way == cut
		switch {
		case put.code.Fatal():
			w.stops(result, met, put)
			if len(attempts) != 1 {
				w.wrongf("after an error of the disk it was tried %d times", len(attempts))
			}
		case done:
			if result.code != 0 || len(attempts) != 1 {
				w.wrongf("it took effect: want exit code 0 and one attempt, got %d and %d: %+v", result.code, len(attempts), result.document.Problems)
			}
		case passes && put.times != 0:
			if result.code != 0 || len(attempts) != put.times+1 {
				w.wrongf("it passes: want exit code 0 and %d attempts, got %d and %d: %+v", put.times+1, result.code, len(attempts), result.document.Problems)
			}
		case passes:
			w.stops(result, met, put)
			if len(attempts) < 3 || len(attempts) > 20 || took > 10*time.Minute {
				w.wrongf("%d attempts in %v", len(attempts), took)
			}
		case doubtful:
			if len(attempts) > 20 || took > 10*time.Minute {
				w.wrongf("%d attempts in %v", len(attempts), took)
			}
			if put.times == 0 {
				w.stops(result, met, put)
			}
		default:
			w.stops(result, met, put)
			if len(attempts) != 1 {
				w.wrongf("what does not pass was tried %d times", len(attempts))
			}
		}
		for i := 1; i < len(attempts); i++ {
			w.lookedBetween(met, attempts[i-1], attempts[i])
		}
	})
}

// of are the calls of a method, as indices.
func (t *troubled) of(method, device string) (at []int) {
	for i, call := range t.calls {
		if call.method == method && call.deviceID == device {
			at = append(at, i)
		}
	}
	return at
}

// looks are the methods that tell the state of a change.
var looks = []string{"GetConversionStatus", "IsAutoUnlockKeyStored"}

func (w *world) lookedBetween(met *troubled, first, second int) {
	looked := slices.ContainsFunc(met.calls[first+1:second], func(call asked) bool {
		return slices.Contains(looks, call.method) && call.deviceID == met.calls[first].deviceID
	})
	if !looked {
		w.wrongf("it was tried again without a look at the state")
	}
	if pause := met.calls[second].at.Sub(met.calls[first].at); pause <= 0 {
		w.wrongf("it was tried again without a pause")
	}
}

// stops holds the end of a run that a code ended against the rules: it exits 1, a step failed with this code, its
// name and the advice for it, no later step was begun, and no change was made after it.
func (w *world) stops(result ran, met *troubled, put trouble) {
	if result.code != 1 || result.document.Complete {
		w.wrongf("want exit code 1, got %d, complete %v: %+v", result.code, result.document.Complete, result.document.Steps)
	}
	failed := false
	for _, step := range result.document.Steps {
		switch {
		case step.Result == contract.StepFailed:
			failed = true
			// A failure of this method can also mean that the drive does not encrypt, and Microsoft does not say which.
			if met.method != "GetHardwareEncryptionStatus" {
				w.says(step.Problem, put.code)
			}
		case failed && step.Result != contract.StepNotStarted:
			w.wrongf("after a step that failed, %s is %s", step.ID, step.Result)
		}
	}
	if !failed {
		w.wrongf("no step failed: %+v", result.document.Steps)
	}
	struck := slices.IndexFunc(met.calls, func(call asked) bool { return call.struck })
	for _, call := range met.calls[struck+1:] {
		if _, changes := permitted[call.method]; changes && (call.method != met.method || call.deviceID != met.device) {
			w.wrongf("it goes on with %s of %s", call.method, call.deviceID)
		}
	}
}

func (w *world) says(problem *contract.Problem, code bitlocker.HResult) {
	switch {
	case problem == nil:
		w.wrongf("a step failed without a problem")
		return
	case problem.HResult == nil || *problem.HResult != code.String():
		w.wrongf("the problem does not give the code: %+v", problem)
		return
	}
	if name, known := code.Name(); known && (problem.HResultName == nil || *problem.HResultName != name || !strings.Contains(problem.Text, name)) {
		w.wrongf("the problem does not name %s: %+v", name, problem)
	}
	if advice := code.Advice(); !strings.Contains(problem.Text, advice) {
		w.wrongf("the problem does not give the advice %q: %s", advice, problem.Text)
	}
	if problem.Retryable != code.Retryable() || problem.Code == "" || problem.Level != contract.LevelError {
		w.wrongf("retryable, code or level: %+v", problem)
	}
}
