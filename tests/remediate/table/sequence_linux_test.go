package table_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/tests/rig/simulator"
)

// sequence runs several commands on one computer.
func (c computer) sequence(t *testing.T, base string, work func(w *world, run func(arguments ...string) ran)) {
	t.Helper()
	var wrong []string
	synctest.Test(t, func(t *testing.T) {
		w := c.exist(filepath.Join(base, fmt.Sprint(folders.Add(1))))
		defer w.machine.Release()
		work(w, func(arguments ...string) ran {
			rows.Add(1)
			result := w.run(t.Context(), arguments...)
			w.invariants(result, slices.Contains(arguments, "--apply"), slices.Contains(arguments, "--clear-auto-unlock"), nil)
			for _, v := range w.machine.Volumes {
				w.before[v.DeviceID] = copied(v)
			}
			return result
		})
		wrong = w.wrong
	})
	for _, text := range wrong {
		t.Errorf("%s: %s", c, text)
	}
}

// TestUndo: what was done is taken back, as far as that is possible and still stands.
func TestUndo(t *testing.T) {
	base := inMemory(t)
	before := rows.Load()
	t.Cleanup(func() { t.Logf("%d rows", rows.Load()-before) })
	encrypted := volume{letter: 'C', conversion: simulator.Encrypted, method: software}
	undo := []string{"--action", "undo", "--apply"}
	for name, one := range map[string]struct {
		conversion int32
		prevention string
		// first is what is done, meanwhile what somebody else does after it.
		first     []string
		meanwhile func(w *world)
		// undo is the command that takes it back; code, system and then are its exit code, the state of the
		// system's volume and PreventDeviceEncryption after it.
		undo   []string
		code   int
		system int32
		then   string
	}{
		"prevention":                         {first: []string{"--action", "prevent"}, undo: undo, system: simulator.Encrypted, then: absent},
		"prevention that was off":            {prevention: "0", first: []string{"--action", "prevent"}, undo: undo, system: simulator.Encrypted, then: "0"},
		"prevention that was there":          {prevention: "1", first: []string{"--action", "prevent"}, undo: undo, system: simulator.Encrypted, then: "1"},
		"B37 decryption":                     {undo: undo, system: simulator.Decrypted, then: absent},
		"pause of an encryption":             {conversion: simulator.Encrypting, first: []string{"--action", "pause"}, undo: undo, system: simulator.Encrypting, then: absent},
		"pause of a decryption":              {conversion: simulator.Decrypting, first: []string{"--action", "pause"}, undo: undo, system: simulator.Decrypting, then: absent},
		"resumption of an encryption":        {conversion: simulator.EncryptingPaused, first: []string{"--action", "resume"}, undo: undo, system: simulator.EncryptingPaused, then: absent},
		"resumption of a decryption":         {conversion: simulator.DecryptingPaused, first: []string{"--action", "resume"}, undo: undo, system: simulator.DecryptingPaused, then: absent},
		"prevention that somebody took back": {first: []string{"--action", "prevent"}, meanwhile: prevents(absent), undo: undo, system: simulator.Encrypted, then: absent},
		"prevention that somebody changed":   {first: []string{"--action", "prevent"}, meanwhile: prevents("0"), undo: undo, code: 5, system: simulator.Encrypted, then: "0"},
		"prevention that somebody changed, overridden": {
			first: []string{"--action", "prevent"}, meanwhile: prevents("0"), undo: append(slices.Clone(undo), "--override", "changed-since"),
			system: simulator.Encrypted, then: absent,
		},
		"pause that somebody ended": {
			conversion: simulator.Encrypting, first: []string{"--action", "pause"}, undo: undo, system: simulator.Encrypted, then: absent,
			meanwhile: func(w *world) {
				w.machine.Update(func(m *simulator.Machine) { m.Volumes[0].Conversion, m.Volumes[0].Percent = simulator.Encrypted, 100 })
			},
		},
		"without consent": {
			first: []string{"--action", "prevent"}, undo: []string{"--action", "undo"}, system: simulator.Encrypted, then: "1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := around(encrypted)
			c.prevention = one.prevention
			if one.conversion != 0 {
				c.volumes[0].conversion = one.conversion
			}
			c.sequence(t, base, func(w *world, run func(...string) ran) {
				if result := run(append([]string{"--apply"}, one.first...)...); result.code != 0 {
					w.wrongf("first: exit code %d: %+v", result.code, result.document.Problems)
				}
				if one.meanwhile != nil {
					one.meanwhile(w)
					for _, v := range w.machine.Volumes {
						w.before[v.DeviceID] = copied(v)
					}
				}
				result := run(one.undo...)
				now, _ := w.simulatedVolume('C')
				if result.code != one.code || now.Conversion != one.system || w.store.prevention() != one.then {
					w.wrongf("undo: exit code %d, C: %s, PreventDeviceEncryption %s: %+v", result.code, contract.Conversion(now.Conversion), w.store.prevention(), result.document.Problems)
				}
				// What was taken back once is not taken back again; what somebody else had set, and was
				// overridden, is theirs to have back.
				if again := run(one.undo...); one.code == 0 && slices.Contains(one.undo, "--apply") && !slices.Contains(one.undo, "--override") && (again.code != 0 || len(again.document.Plan.Steps) > 0) {
					w.wrongf("undo again: exit code %d, steps %+v", again.code, again.document.Plan.Steps)
				}
			})
		})
	}
}

// prevents is somebody who sets PreventDeviceEncryption.
func prevents(value string) func(w *world) {
	return func(w *world) {
		memory := computer{prevention: value}.registry()
		number, err := memory.Value(switchKey, switchName)
		if err != nil {
			_ = w.store.Delete(switchKey, switchName)
		} else if n, err := number.Number(); err == nil {
			_ = w.store.SetNumber(switchKey, switchName, uint32(n))
		}
	}
}

// TestAgain: a run that ended in the middle is gone on with by the same command (B55), and a third time there is
// nothing left to do (B37: decrypted already is success).
func TestAgain(t *testing.T) {
	base := inMemory(t)
	for _, kind := range kinds {
		for _, bound := range []bool{false, true} {
			one := volume{letter: kind.letter, kind: kind.kind, conversion: simulator.Encrypted, method: software, bound: bound}
			if !one.possible() {
				continue
			}
			t.Run(one.String(), func(t *testing.T) {
				t.Parallel()
				arguments := []string{"--apply", "--clear-auto-unlock"}
				if kind.kind == simulator.Removable {
					arguments = append(arguments, "--volume", "E:")
				}
				around(one).sequence(t, base, func(w *world, run func(...string) ran) {
					for attempt := 1; ; attempt++ {
						result := run(append(slices.Clone(arguments), "--wait=false")...)
						if attempt == 1 && (result.code != 7 || len(result.document.Running) != 1 || result.document.Running[0].Watch == "") {
							w.wrongf("exit code %d, running %+v", result.code, result.document.Running)
						}
						if result.code != 7 {
							break
						}
						if attempt > 10 {
							w.wrongf("it never ends: exit code %d", result.code)
							break
						}
						time.Sleep(takes)
					}
					for _, volume := range w.volumes {
						now, _ := w.simulatedVolume(volume.letter)
						if now.Conversion != simulator.Decrypted {
							w.wrongf("%c: is %s", volume.letter, contract.Conversion(now.Conversion))
						}
					}
					if result := run(arguments...); result.code != 0 || len(result.document.Plan.Steps) > 0 {
						w.wrongf("decrypted already, and exit code %d, steps %+v", result.code, result.document.Plan.Steps)
					}
				})
			})
		}
	}
}

// TestPlanChanged: the plan that was looked at is the only one that is carried out.
func TestPlanChanged(t *testing.T) {
	base := inMemory(t)
	one := volume{letter: 'C', conversion: simulator.Encrypted, method: software}
	around(one).sequence(t, base, func(w *world, run func(...string) ran) {
		id := run().document.Plan.ID
		if again := run().document.Plan.ID; again != id || id == "" {
			w.wrongf("nothing has changed, and the plan %s is %s now", id, again)
		}
		w.machine.Update(func(m *simulator.Machine) {
			m.Volumes[0].Conversion, m.Volumes[0].Percent = simulator.DecryptingPaused, 50
		})
		w.before[one.id()] = copied(w.machine.Volumes[0])
		result := run("--apply", "--expect-plan", id)
		if result.code != 5 || !slices.ContainsFunc(result.document.Plan.Guards, func(guard contract.Guard) bool { return guard.ID == "plan-changed" && guard.Override == nil }) {
			w.wrongf("exit code %d, guards %+v", result.code, result.document.Plan.Guards)
		}
		if result := run("--apply", "--expect-plan", run().document.Plan.ID); result.code != 0 {
			w.wrongf("exit code %d of the expected plan", result.code)
		}
	})
}

// TestOnlyKey: a volume whose key on the system's volume is the only one (B56: what can be done is done, the rest
// is told).
func TestOnlyKey(t *testing.T) {
	base := inMemory(t)
	for _, only := range []bool{false, true} {
		c := computer{volumes: []volume{
			{letter: 'C', kind: simulator.OperatingSystem, conversion: simulator.Encrypted, method: software, bound: true},
			{letter: 'D', kind: simulator.Fixed, conversion: simulator.Encrypted, method: software, bound: true, onlyKey: only},
		}}
		for _, named := range [][]byte{nil, {'C'}, {'D'}, {'C', 'D'}} {
			run(t, base, c, request{action: contract.ActionDecrypt, named: named})
			run(t, base, c, request{action: contract.ActionDecrypt, named: named, overrides: []string{keysGuard}})
		}
	}
}

// TestInterrupted: Ctrl-C at each call. What was begun goes on, and is told; nothing new is begun.
func TestInterrupted(t *testing.T) {
	base := inMemory(t)
	r := troubledRows()[0]
	for i := range r.undisturbed(t, base) {
		rows.Add(1)
		var wrong []string
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			met := &troubled{trouble: trouble{at: i + 1, other: func(*simulator.Machine) { cancel(machine.ErrInterrupted) }}, over: make(chan struct{})}
			w := r.exist(filepath.Join(base, fmt.Sprint(folders.Add(1))))
			defer w.machine.Release()
			for _, v := range w.machine.Volumes {
				v.Takes = short
			}
			w.changes = met.changes
			result := w.run(ctx, r.arguments()...)
			w.invariants(result, true, true, nil)
			w.once(met)
			going := 0
			for _, v := range w.machine.Volumes {
				if v.Conversion == simulator.Decrypting {
					going++
				}
			}
			switch {
			case going > 0 && (result.code != 7 || len(result.document.Running) != going || result.document.Running[0].Watch == ""):
				w.wrongf("%d are being decrypted, exit code %d, running %+v", going, result.code, result.document.Running)
			case going == 0 && !slices.Contains([]int{0, 7, 130}, result.code):
				w.wrongf("exit code %d: %+v", result.code, result.document.Problems)
			}
			// At most the change that was under way is made after it.
			late := 0
			for _, call := range met.calls[i:] {
				if _, changes := permitted[call.method]; changes {
					late++
				}
			}
			if late > 1 {
				w.wrongf("%d changes after it", late)
			}
			wrong = w.wrong
		})
		for _, text := range wrong {
			t.Errorf("interrupted at call %d: %s", i+1, text)
		}
	}
}
