package table_test

import (
	"testing"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
	"diskaudit/tests/rig/simulator"
)

// weight is what hangs of a method.
type weight int

const (
	// all: nothing may be done to a volume without its answer.
	all weight = iota
	// beginning: its decryption may not be begun; what is under way is only waited for, and may be paused. Where a
	// guard of its own is about it, overriding another does not help.
	beginning
	// nothing: no state that a change rests on, no order and no guard.
	nothing
)

// weights are those of the methods; one that is not listed is of no weight. Protection and its reason end
// with any decryption, and so do the protectors.
var weights = map[string]struct {
	weight
	about func(kind int32) bool
}{
	"GetLockStatus":         {weight: all},
	"GetConversionStatus":   {weight: all},
	"GetEncryptionMethod":   {weight: all},
	"IsAutoUnlockEnabled":   {weight: beginning, about: ofData},
	"IsAutoUnlockKeyStored": {weight: beginning, about: ofSystem},
	"GetHardwareTestStatus": {weight: beginning, about: ofSystem},
}

// TestUntold: a method of BitLocker's provider that fails, alone, for a reason that does not pass. What a
// change rests on is not known then, and nothing is changed; of what none rests on the rules leave it open.
func TestUntold(t *testing.T) {
	base := inMemory(t)
	before := rows.Load()
	t.Cleanup(func() { t.Logf("%d rows", rows.Load()-before) })
	for _, method := range simulator.StateMethods() {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			weighs, listed := weights[method]
			if !listed {
				weighs.weight = nothing
			}
			for _, kind := range kinds {
				if weighs.about != nil && !weighs.about(kind.kind) {
					continue
				}
				for _, one := range converting {
					c := around(volume{letter: kind.letter, kind: kind.kind, conversion: one.conversion, method: software})
					c.faults = []*simulator.Fault{{
						Point: simulator.AtMethod, DeviceID: simulator.WineVolume(kind.letter), Name: method, Instead: signed(bitlocker.WBEM_E_FAILED),
					}}
					r := request{action: one.action}
					if kind.kind == simulator.Removable && one.action != contract.ActionPrevent && one.action != contract.ActionUndo {
						r.named = []byte{kind.letter}
					}
					rests := weighs.weight == all || weighs.weight == beginning && one.action == contract.ActionDecrypt && one.conversion != simulator.Decrypting
					for _, r := range []row{
						{computer: c, request: r},
						{computer: c, request: r, apply: true},
						{computer: c, request: request{action: r.action, named: r.named, overrides: []string{"state-unknown"}}, apply: true},
					} {
						r.untold(t, base, simulator.WineVolume(kind.letter), rests, weighs.weight == all, one.conversion)
					}
				}
			}
		})
	}
}

// untold runs a row of which a fact about the volume is not told; rests tells that a change of it rests on that,
// state that it is a part of its state.
func (r row) untold(t *testing.T, base, id string, rests, state bool, conversion int32) {
	t.Helper()
	whole := r.action == contract.ActionPrevent || r.action == contract.ActionUndo
	idle := conversion == simulator.Decrypted || conversion == simulator.Encrypted && r.action == contract.ActionPause
	r.inBubble(t, base, func(w *world, result ran) {
		var untouched []string
		if rests {
			untouched = []string{id}
		}
		w.invariants(result, r.apply, false, untouched)
		switch {
		case result.code != 0 && result.code != 5:
			w.wrongf("want exit code 0 or 5, got %d: %+v", result.code, result.document.Problems)
		case whole && result.code != 0:
			w.wrongf("what is no volume's is refused: exit code %d, %+v", result.code, result.document.Plan.Guards)
		case rests && !whole && !idle && !r.overridden("state-unknown") && result.code != 5:
			w.wrongf("nothing refuses, and what it rests on is not known")
		case state && r.overridden("state-unknown") && result.code != 0:
			w.wrongf("left out, and refused all the same: %+v", result.document.Plan.Guards)
		}
		// A volume whose state is not known does not pass for a decrypted one (B4, C40).
		told := r.faults[0].Name == "GetEncryptionMethod"
		if state && !told && conversion == simulator.Decrypted && r.action == contract.ActionDecrypt && !r.overridden("state-unknown") && result.code != 5 {
			w.wrongf("not known, and it passes for decrypted")
		}
	})
}
