package table_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"diskaudit/core/contract"
	"diskaudit/tests/rig/simulator"
)

// row is a row of the table.
type row struct {
	computer
	request
	apply bool
}

func (r row) String() string {
	return fmt.Sprintf("%s; %s named %s apply %v overrides %v", r.computer, r.action, r.named, r.apply, r.overrides)
}

func (r row) arguments() []string {
	arguments := []string{"--action", string(r.action)}
	if r.apply {
		arguments = append(arguments, "--apply")
	}
	for _, letter := range r.named {
		arguments = append(arguments, "--volume", string(letter)+":")
	}
	for _, guard := range r.overrides {
		switch {
		case guard != keysGuard:
			arguments = append(arguments, "--override", guard)
		case r.clearsKeys():
			arguments = append(arguments, "--clear-auto-unlock")
		}
	}
	return arguments
}

// rows counts the rows that were run, folders the folders that were made for them.
var rows, folders atomic.Int64

// run runs the row in a bubble of its own, and holds what came of it against the rules.
func (r row) run(t *testing.T, base string) {
	t.Helper()
	r.inBubble(t, base, func(w *world, result ran) {
		v := judge(r.computer, r.request)
		var untouched []string
		for _, letter := range v.untouched {
			untouched = append(untouched, simulator.WineVolume(letter))
		}
		w.invariants(result, r.apply, r.clearsKeys(), untouched)
		w.hold(v, r, result)
	})
}

// inBubble runs the row in a bubble of its own, in which time passes only while all wait.
func (r row) inBubble(t *testing.T, base string, check func(*world, ran)) {
	t.Helper()
	rows.Add(1)
	var wrong []string
	synctest.Test(t, func(t *testing.T) {
		w := r.exist(filepath.Join(base, fmt.Sprint(folders.Add(1))))
		defer w.machine.Release()
		check(w, w.run(t.Context(), r.arguments()...))
		wrong = w.wrong
	})
	for _, text := range wrong {
		t.Errorf("%s: %s", r, text)
	}
}

// hold holds what came of a row against the rules.
func (w *world) hold(v verdict, r row, result ran) {
	plan := result.document.Plan
	var refusing, overridden []string
	for _, guard := range plan.Guards {
		switch {
		case guard.Result.Refuses():
			refusing = append(refusing, guard.ID)
		case guard.Result == contract.GuardOverridden:
			overridden = append(overridden, guard.ID)
		}
	}
	for _, id := range v.refuse {
		if !slices.Contains(refusing, id) {
			w.wrongf("the guard %s has to refuse, and of %v none does", id, refusing)
		}
	}
	for _, id := range v.overridden {
		if !slices.Contains(overridden, id) {
			w.wrongf("the guard %s is to be overridden, and is not among %v", id, overridden)
		}
	}
	for _, guard := range plan.Guards {
		if guard.Result.Refuses() && !slices.Contains(v.refuse, guard.ID) && !slices.Contains(v.open, guard.ID) {
			w.wrongf("the guard %s refuses against the rules: %s", guard.ID, guard.Text)
		}
		if guard.Result != contract.GuardAllow && guard.Override != nil && !strings.Contains(guard.Text, *guard.Override) {
			w.wrongf("the guard %s does not name its override: %s", guard.ID, guard.Text)
		}
	}
	w.holdSteps(v, plan.Steps)
	refused := len(refusing) > 0
	carried := r.apply && !refused
	want := 0
	if refused {
		want = 5
	}
	if result.code != want {
		w.wrongf("want exit code %d, got %d, problems %+v, steps %+v", want, result.code, result.document.Problems, result.document.Steps)
	}
	if carried {
		w.holdEnd(v, result)
	}
}

// holdSteps holds the steps of a plan against the rules: none is missing or too many, and those that rest
// on each other are in order.
func (w *world) holdSteps(v verdict, planned []contract.PlanStep) {
	var steps []string
	for _, step := range planned {
		name := string(step.Change)
		if letter := w.letter(step.Target); letter != "" {
			name += " " + letter
		}
		steps = append(steps, name)
	}
	want, got := slices.Sorted(slices.Values(v.steps)), slices.Sorted(slices.Values(steps))
	if !slices.Equal(want, got) {
		w.wrongf("want the steps %v, got %v", want, got)
		return
	}
	for _, pair := range v.order {
		first, then := slices.Index(steps, pair[0]), slices.Index(steps, pair[1])
		if first > then {
			w.wrongf("%s comes after %s in %v", pair[0], pair[1], steps)
		}
	}
}

func (w *world) letter(target string) string {
	for _, one := range w.volumes {
		if one.id() == target {
			return string(one.letter)
		}
	}
	return ""
}

// ends are what conversions lead to when they are left alone.
var ends = map[int32]int32{simulator.Encrypting: simulator.Encrypted, simulator.Decrypting: simulator.Decrypted}

// holdEnd holds what is there in the end against the rules.
func (w *world) holdEnd(v verdict, result ran) {
	for _, one := range w.volumes {
		now, there := w.simulatedVolume(one.letter)
		want := v.conversions[one.letter]
		// What converts by itself may have ended meanwhile.
		if ended, moves := ends[want]; moves && now.Conversion == ended {
			want = ended
		}
		if !there || now.Conversion != want {
			w.wrongf("%c: is %s in the end, not %s", one.letter, contract.Conversion(now.Conversion), contract.Conversion(want))
		}
		if one.kind == simulator.OperatingSystem && one.bound && now.KeysStored == v.cleared {
			w.wrongf("%c: stores keys %v in the end", one.letter, now.KeysStored)
		}
		if want == simulator.Decrypted && len(now.Protectors) > 0 {
			w.wrongf("%c: is decrypted and has protectors", one.letter)
		}
	}
	if now := w.store.prevention(); now != v.prevention {
		w.wrongf("PreventDeviceEncryption is %s in the end, not %s", now, v.prevention)
	}
	if !result.document.Applied || !result.document.Complete || len(result.document.Running) > 0 {
		w.wrongf("applied %v, complete %v, running %+v", result.document.Applied, result.document.Complete, result.document.Running)
	}
	if (result.document.Journal != nil) != (len(result.document.Plan.Steps) > 0) {
		w.wrongf("%d steps, and the journal %v", len(result.document.Plan.Steps), result.document.Journal)
	}
	for _, step := range result.document.Steps {
		if step.Result != contract.StepDone && step.Result != contract.StepAlready || step.Problem != nil {
			w.wrongf("exit code 0, and the step %s %s: %+v", step.ID, step.Result, step.Problem)
		}
	}
	if len(result.document.Steps) != len(result.document.Plan.Steps) {
		w.wrongf("%d results for %d steps", len(result.document.Steps), len(result.document.Plan.Steps))
	}
	// What the plan foresaw is what came.
	if projected := result.document.Projected; projected != nil {
		for _, volume := range projected.Volumes {
			for _, one := range w.volumes {
				if one.id() == volume.ID && volume.Encryption.Conversion != nil && int32(*volume.Encryption.Conversion) != v.conversions[one.letter] {
					w.wrongf("%c: was foreseen to be %s, not %s", one.letter, volume.Encryption.Conversion, contract.Conversion(v.conversions[one.letter]))
				}
			}
		}
	}
}
