package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
)

// reply is what a method does: it returns a value and fills in the out arguments, or fails.
type reply struct {
	returns Value
	outs    []Value
	err     error
	// does happens first.
	does func()
}

// ok is a method that succeeds.
func ok(outs ...Value) reply { return reply{returns: int32(0), outs: outs} }

// refuses is a method that returns a code, and fills in what it should not.
func refuses(code bitlocker.HResult) reply { return reply{returns: int32(uint32(code))} }

// fails is a call that does not get through.
func fails(code bitlocker.HResult) reply { return reply{err: &Error{Doing: "calling", Code: code}} }

// script is a volume: its methods by name.
type script map[string]reply

// but is a volume that differs in some methods.
func (s script) but(changes script) script {
	changed := maps.Clone(s)
	maps.Copy(changed, changes)
	return changed
}

// fake is a Caller that follows scripts.
type fake struct {
	mu      sync.Mutex
	rows    []Row
	rowsErr error
	// connects are the errors of connecting, one a time; nil when they are used up.
	connects []error
	volumes  map[string]script
	// replies are served before the script, one a time, by method.
	replies map[string][]reply
	calls   []string
	closed  int
}

func (f *fake) Connect() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, "connect")
	if len(f.connects) == 0 {
		return nil
	}
	err := f.connects[0]
	f.connects = f.connects[1:]
	return err
}

func (f *fake) Volumes() ([]Row, error) { return f.rows, f.rowsErr }

func (f *fake) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed++
}

func (f *fake) Call(deviceID, method string, arguments ...*Argument) (Value, error) {
	f.mu.Lock()
	f.calls = append(f.calls, method)
	r, found := f.volumes[deviceID][method]
	if next := f.replies[method]; len(next) > 0 {
		r, found = next[0], true
		f.replies[method] = next[1:]
	}
	if !found {
		r = fails(bitlocker.DISP_E_UNKNOWNNAME)
	}
	f.mu.Unlock()
	if r.does != nil {
		r.does()
	}
	if r.err != nil {
		return nil, r.err
	}
	outs := r.outs
	for _, argument := range arguments {
		if !argument.IsOut {
			continue
		}
		if len(outs) > 0 {
			argument.Out, outs = outs[0], outs[1:]
		}
	}
	if method == "GetConversionStatus" && *arguments[5] == (Argument{In: whole}) {
		// The percentages in whole percent.
		for _, i := range []int{1, 4} {
			if n, isNumber := arguments[i].Out.(int32); isNumber {
				arguments[i].Out = n / scale
			}
		}
	}
	return r.returns, nil
}

func (f *fake) count(method string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(f.calls), func(call string) bool { return call != method }))
}

const deviceC = `\\?\Volume{00000000-0000-0000-0000-000000000043}\`

func device(n int) string { return fmt.Sprintf(`\\?\Volume{00000000-0000-0000-0000-%012x}\`, n) }

func row(id string, kind int32) Row {
	return Row{DeviceID: &id, PersistentVolumeID: contract.Ptr("{6F1D2E3C-AAAA-4000-8000-000000000001}"), VolumeType: &kind}
}

const (
	system = int32(0)
	data   = int32(1)
)

const (
	idTPM      = "{11111111-AAAA-4000-8000-000000000001}"
	idRecovery = "{22222222-AAAA-4000-8000-000000000002}"
)

// protectedSystem is a fully encrypted volume that Windows runs from, with TPM and recovery
// password; protectedData the same as a data volume, plainSystem and plainData decrypted ones.
var (
	protectedSystem = script{
		"GetLockStatus":               ok(int32(0)),
		"GetConversionStatus":         ok(int32(1), int32(1_000_000), int32(1), int32(0), int32(0)),
		"GetEncryptionMethod":         ok(int32(6), nil),
		"GetProtectionStatus":         ok(int32(1)),
		"GetKeyProtectors":            ok([]string{idTPM, idRecovery}),
		"GetKeyProtectorType":         ok(int32(1)),
		"IsAutoUnlockEnabled":         refuses(bitlocker.FVE_E_NOT_DATA_VOLUME),
		"IsAutoUnlockKeyStored":       ok(false),
		"GetSuspendCount":             refuses(bitlocker.HResult(50)),
		"GetVersion":                  ok(int32(2)),
		"GetHardwareTestStatus":       ok(int32(0), int32(0)),
		"GetHardwareEncryptionStatus": ok(int32(2)),
	}
	protectedData = protectedSystem.but(script{
		"IsAutoUnlockEnabled":   ok(true, idRecovery),
		"IsAutoUnlockKeyStored": refuses(bitlocker.FVE_E_NOT_OS_VOLUME),
		"GetKeyProtectorType":   ok(int32(8)),
	})
	plainSystem = protectedSystem.but(script{
		"GetConversionStatus":   ok(int32(0), int32(0), int32(0), int32(0), int32(0)),
		"GetEncryptionMethod":   ok(int32(0), nil),
		"GetProtectionStatus":   ok(int32(0)),
		"GetKeyProtectors":      refuses(bitlocker.FVE_E_NOT_ACTIVATED),
		"IsAutoUnlockKeyStored": refuses(bitlocker.FVE_E_NOT_ACTIVATED),
		"GetVersion":            ok(int32(0)),
	})
	plainData = plainSystem.but(script{
		"IsAutoUnlockEnabled":   refuses(bitlocker.FVE_E_NOT_ACTIVATED),
		"IsAutoUnlockKeyStored": refuses(bitlocker.FVE_E_NOT_OS_VOLUME),
	})
	lockedData = protectedData.but(script{
		"GetLockStatus":         ok(int32(1)),
		"GetConversionStatus":   refuses(bitlocker.FVE_E_LOCKED_VOLUME),
		"GetEncryptionMethod":   ok(int32(0), nil),
		"GetProtectionStatus":   ok(int32(2)),
		"GetHardwareTestStatus": refuses(bitlocker.FVE_E_LOCKED_VOLUME),
	})
)

// open connects to a fake.
func open(t *testing.T, f *fake) *Session {
	t.Helper()
	s, err := Open(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// read reads one volume.
func read(t *testing.T, s script, r Row) (Reading, *fake) {
	t.Helper()
	f := &fake{volumes: map[string]script{*r.DeviceID: s}}
	return open(t, f).Read(t.Context(), r, "C:"), f
}

// problemsOf are code and level of each problem.
func problemsOf(problems []contract.Problem) []string {
	list := []string{}
	for _, p := range problems {
		list = append(list, p.Code+" "+string(p.Level))
	}
	return list
}

// find is the problem with a code.
func find(t *testing.T, problems []contract.Problem, code string) contract.Problem {
	t.Helper()
	for _, p := range problems {
		if p.Code == code {
			return p
		}
	}
	t.Fatalf("no problem %s in %v", code, problemsOf(problems))
	return contract.Problem{}
}

func mustSay(t *testing.T, p contract.Problem, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(p.Text, word) {
			t.Errorf("problem %s does not say %q: %s", p.Code, word, p.Text)
		}
	}
}

// ptr is short for contract.Ptr.
func ptr[T any](value T) *T { return contract.Ptr(value) }
