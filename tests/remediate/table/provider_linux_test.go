package table_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
	"diskaudit/tests/rig/simulator"
)

// TestProvider: BitLocker's provider is not there, cannot be reached, or breaks off its list: nothing is known then,
// and nothing is changed but PreventDeviceEncryption, for which it is not needed.
func TestProvider(t *testing.T) {
	base := inMemory(t)
	before := rows.Load()
	t.Cleanup(func() { t.Logf("%d rows", rows.Load()-before) })
	for _, one := range []struct {
		name   string
		change func(m *simulator.Machine)
		// code is the exit code of what needs the provider; whole that of what does not.
		code, whole int
		// overridden is the code with --override state-unknown.
		overridden int
	}{
		{name: "B63 no namespace", change: func(m *simulator.Machine) { m.NoBitLocker = true }, code: 6, overridden: 6},
		{
			name: "connection fails", code: 6, overridden: 6,
			change: fault(simulator.Fault{Point: simulator.AtConnect, Raise: bitlocker.WBEM_E_FAILED}),
		},
		{
			name: "query fails", code: 6, overridden: 6,
			change: fault(simulator.Fault{Point: simulator.AtQuery, Raise: bitlocker.WBEM_E_PROVIDER_LOAD_FAILURE}),
		},
		{
			name: "list breaks off", code: 5, overridden: 0,
			change: fault(simulator.Fault{Point: simulator.AtNext, DeviceID: simulator.WineVolume('D'), Raise: bitlocker.WBEM_E_FAILED}),
		},
		{
			name: "a volume is not in the list", code: 5, overridden: 0,
			change: func(m *simulator.Machine) { m.Volumes = m.Volumes[:1] },
		},
	} {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			for _, action := range contract.Actions() {
				for _, overrides := range [][]string{nil, {"state-unknown"}} {
					for _, apply := range []bool{false, true} {
						r := row{computer: around(volume{letter: 'C', conversion: simulator.Encrypted, method: software}), request: request{action: action, overrides: overrides}, apply: apply}
						want := one.code
						switch {
						case action == contract.ActionPrevent:
							want = one.whole
						case overrides != nil:
							want = one.overridden
						}
						r.withProvider(t, base, one.change, want)
					}
				}
			}
		})
	}
}

func fault(f simulator.Fault) func(*simulator.Machine) {
	return func(m *simulator.Machine) { m.Faults = append(m.Faults, &f) }
}

func (r row) withProvider(t *testing.T, base string, change func(*simulator.Machine), want int) {
	t.Helper()
	rows.Add(1)
	var wrong []string
	synctest.Test(t, func(t *testing.T) {
		w := r.exist(filepath.Join(base, fmt.Sprint(folders.Add(1))))
		defer w.machine.Release()
		change(w.machine)
		result := w.run(t.Context(), r.arguments()...)
		w.invariants(result, r.apply, false, []string{simulator.WineVolume('D')})
		// Where undo has nothing to take back, whether the list is whole is of no concern to it.
		if result.code != want && (r.action != contract.ActionUndo || result.code != 0) {
			w.wrongf("want exit code %d, got %d: %+v %+v", want, result.code, result.document.Problems, result.document.Plan.Guards)
		}
		if want != 0 && result.code == want && r.action != contract.ActionUndo && len(result.document.Problems) == 0 &&
			!slices.ContainsFunc(result.document.Plan.Guards, func(guard contract.Guard) bool { return guard.Result == contract.GuardUnknown }) {
			w.wrongf("exit code %d, and nothing says why", result.code)
		}
		wrong = w.wrong
	})
	for _, text := range wrong {
		t.Errorf("%s: %s", r, text)
	}
}

// TestNotElevated: without an administrator's rights nothing is planned, whatever is asked for.
func TestNotElevated(t *testing.T) {
	base := inMemory(t)
	for _, action := range contract.Actions() {
		for _, apply := range []bool{false, true} {
			r := row{computer: around(volume{letter: 'C', conversion: simulator.Encrypted, method: software}), request: request{action: action}, apply: apply}
			r.standard = true
			r.withProvider(t, base, func(*simulator.Machine) {}, 4)
		}
	}
}
