package remediate

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/contract"
	"diskaudit/core/remediate/journal"
)

var quick = Options{Wait: true, Poll: time.Microsecond, Pauses: []time.Duration{time.Microsecond, time.Microsecond, time.Microsecond}}

// spedUp is a plan for D: on a hard disk, with its flushing off meanwhile, and the computer for it.
func spedUp() (contract.Plan, *made) {
	request := Request{Status: soundComputer(), Volumes: []string{soundD}, SpeedUp: true}
	computer := computerWith(contract.FullyEncrypted, soundD)
	computer.flushing[soundHDD] = On
	return Make(request).Plan, computer
}

// results are the outcomes of the steps.
func results(outcome Outcome) []contract.StepOutcome {
	var results []contract.StepOutcome
	for _, step := range outcome.Steps {
		results = append(results, step.Result)
	}
	return results
}

func busy(code string) *Failure {
	return &Failure{Problem: contract.Problem{Code: code, Level: contract.LevelError, Text: "Busy.", Retryable: true}}
}

func TestApply(t *testing.T) {
	plan, computer := spedUp()
	written := &kept{}
	var seen []float64
	options := quick
	options.Watched = func(running contract.Running) { seen = append(seen, *running.Percent) }
	computer.step = 25
	outcome := Apply(t.Context(), plan, computer, written, options)
	want := []string{"prevent 1", "flush off", "decrypt " + soundD, "flush on", "reconnect"}
	if diff := cmp.Diff(want, computer.happened); diff != "" || outcome.Failed() || len(outcome.Running) != 0 {
		t.Errorf("%s %+v", diff, outcome)
	}
	if computer.prevention != "1" || computer.flushing[soundHDD] != On || computer.conversions[soundD] != contract.FullyDecrypted || !slices.Equal(seen, []float64{50, 25}) {
		t.Errorf("%+v, seen %v", computer, seen)
	}
	// Again: nothing is done twice.
	computer.happened = nil
	outcome = Apply(t.Context(), plan, computer, &kept{}, quick)
	if got := results(outcome); got[0] != contract.StepAlready || got[2] != contract.StepAlready || got[3] != contract.StepAlready || slices.Contains(computer.happened, "decrypt "+soundD) || slices.Contains(computer.happened, "prevent 1") {
		t.Errorf("the second time: %v %v", got, computer.happened)
	}
}

// A fault of the program is a way out, too: a disk's flushing is on after it, and the fault is not kept
// from whoever tells of it.
func TestFlushingIsTurnedOnAfterAFault(t *testing.T) {
	plan, computer := spedUp()
	var calls []string
	computer.before = func(call string) error { calls = append(calls, call); return nil }
	Apply(t.Context(), plan, computer, &kept{}, quick)
	for n, name := range calls {
		for _, late := range []bool{false, true} {
			_, computer := spedUp()
			count := 0
			fault := func(string) error {
				if count++; count == n+1 {
					panic("fault")
				}
				return nil
			}
			if computer.before = fault; late {
				computer.before, computer.after = nil, fault
			}
			told := func() (told any) {
				defer func() { told = recover() }()
				Apply(t.Context(), plan, computer, &kept{}, quick)
				return nil
			}()
			if told != "fault" || computer.flushing[soundHDD] != On {
				t.Errorf("call %d (%s): told %v, flushing is %s", n, name, told, computer.flushing[soundHDD])
			}
		}
	}
}

// Whatever fails and wherever: a disk's flushing is on at the end, and no change is made that the
// journal did not announce.
func TestFlushingIsTurnedOnOnEveryWayOut(t *testing.T) {
	plan, computer := spedUp()
	var calls []string
	computer.before = func(call string) error { calls = append(calls, call); return nil }
	lines := &kept{}
	Apply(t.Context(), plan, computer, lines, quick)

	check := func(t *testing.T, computer *made, written *kept, outcome Outcome) {
		t.Helper()
		if computer.flushing[soundHDD] != On {
			t.Errorf("flushing is %s", computer.flushing[soundHDD])
		}
		if computer.prevention != Absent && !written.hasAnnounced(contract.ChangePrevent) || slices.Contains(computer.happened, "decrypt "+soundD) && !written.hasAnnounced(contract.ChangeDecrypt) {
			t.Errorf("changed without a word in the journal: %v", computer.happened)
		}
		if len(outcome.Steps) != len(plan.Steps) {
			t.Errorf("%d results for %d steps", len(outcome.Steps), len(plan.Steps))
		}
	}
	fatal := &Failure{Fatal: true, Problem: contract.Problem{Code: "disk-error", Level: contract.LevelError, Text: "The disk failed."}}
	for n, name := range calls {
		for _, failure := range []*Failure{fatal, busy("bitlocker-busy"), {Unsure: true, Problem: contract.Problem{Code: "timeout", Text: "No answer."}}} {
			_, computer := spedUp()
			count := 0
			computer.before = func(call string) error {
				if count++; count == n+1 {
					return failure
				}
				return nil
			}
			written := &kept{}
			outcome := Apply(t.Context(), plan, computer, written, quick)
			if name != "flush on" || !failure.Fatal {
				check(t, computer, written, outcome)
			}
			if !failure.Fatal && (outcome.Failed() || computer.conversions[soundD] != contract.FullyDecrypted) {
				t.Errorf("call %d (%s), %s once: %+v", n, name, failure.Problem.Code, outcome.Steps)
			}
			// A look at the flushing that fails does not keep it from being turned on.
			if failure.Fatal && !outcome.Failed() && !strings.HasPrefix(name, "flushing") {
				t.Errorf("call %d (%s): an error of the disk goes unnoticed", n, name)
			}
			if got := count; failure.Fatal && !strings.HasPrefix(name, "flushing") && got > n+1+4 {
				t.Errorf("call %d (%s): %d calls after an error of the disk", n, name, got-n-1)
			}
		}
	}
	for n := range lines.lines {
		_, computer := spedUp()
		written := &kept{fails: n + 1}
		outcome := Apply(t.Context(), plan, computer, written, quick)
		check(t, computer, written, outcome)
	}
	for n := range calls {
		_, computer := spedUp()
		ctx, cancel := context.WithCancel(t.Context())
		count := 0
		computer.before = func(string) error {
			if count++; count == n+1 {
				cancel()
			}
			return nil
		}
		written := &kept{}
		outcome := Apply(ctx, plan, computer, written, quick)
		check(t, computer, written, outcome)
		if began := computer.conversions[soundD] == contract.DecryptionInProgress; began != (len(outcome.Running) == 1) {
			t.Errorf("interrupted at call %d: conversion %s, running %+v", n, computer.conversions[soundD], outcome.Running)
		}
		cancel()
	}
}

func (k *kept) hasAnnounced(change contract.Change) bool {
	return slices.ContainsFunc(k.lines, func(line journal.Line) bool { return line.Event == journal.EventStep && line.Change == change })
}

// A change whose answer was lost is not made again.
func TestLostAnswer(t *testing.T) {
	plan, computer := spedUp()
	computer.after = func(call string) error {
		if strings.HasPrefix(call, "decrypt") {
			return busy("bitlocker-busy")
		}
		return nil
	}
	outcome := Apply(t.Context(), plan, computer, &kept{}, quick)
	asked := 0
	for _, happened := range computer.happened {
		if strings.HasPrefix(happened, "decrypt") {
			asked++
		}
	}
	if outcome.Failed() || asked != 1 {
		t.Errorf("asked %d times: %+v", asked, outcome.Steps)
	}
}

// A change that was accepted may take a moment to show; it is not asked for again, nor taken for one
// without effect.
func TestLateEffect(t *testing.T) {
	plan, computer := spedUp()
	looks := 0
	computer.after = func(call string) error {
		switch {
		case strings.HasPrefix(call, "decrypt"):
			computer.conversions[soundD] = contract.FullyEncrypted
			looks = 1
		case looks > 0 && strings.HasPrefix(call, "look"):
			if looks++; looks == 3 {
				computer.conversions[soundD] = contract.DecryptionInProgress
			}
		}
		return nil
	}
	outcome := Apply(t.Context(), plan, computer, &kept{}, quick)
	asked := strings.Count(strings.Join(computer.happened, "\n"), "decrypt")
	if outcome.Failed() || asked != 1 || computer.conversions[soundD] != contract.FullyDecrypted {
		t.Errorf("asked %d times: %+v", asked, outcome.Steps)
	}
}

// B51: another tool encrypts again while this one waits: it stops, and never asks again.
func TestEncryptedAgainMeanwhile(t *testing.T) {
	for _, becomes := range []contract.Conversion{contract.EncryptionInProgress, contract.FullyEncrypted, contract.EncryptionPaused} {
		plan, computer := spedUp()
		computer.step = 0
		looks := 0
		computer.before = func(call string) error {
			if looks++; looks > 15 {
				computer.conversions[soundD] = becomes
			}
			return nil
		}
		outcome := Apply(t.Context(), plan, computer, &kept{}, quick)
		wait := outcome.Steps[3]
		if wait.Result != contract.StepFailed || wait.Problem.Code != "encrypted-again" || len(outcome.Running) != 0 || computer.flushing[soundHDD] != On {
			t.Errorf("%s: %+v", becomes, outcome)
		}
	}
}

// B53: a decryption that somebody pauses is told, not waited for without end.
func TestPausedMeanwhile(t *testing.T) {
	plan, computer := spedUp()
	computer.step = 1
	computer.before = func(string) error {
		if computer.percents[soundD] < 90 {
			computer.conversions[soundD] = contract.DecryptionPaused
		}
		return nil
	}
	outcome := Apply(t.Context(), plan, computer, &kept{}, quick)
	if wait := outcome.Steps[3]; wait.Result != contract.StepRunning || wait.Problem.Code != "conversion-paused" || len(outcome.Running) != 1 {
		t.Errorf("%+v", outcome)
	}
}

// Without waiting all is begun that does not rest on the end of something else.
func TestWithoutWaiting(t *testing.T) {
	status := soundComputer()
	plan := Make(Request{Status: status}).Plan
	computer := computerWith(contract.FullyEncrypted, soundC, soundD)
	computer.step = 1
	options := quick
	options.Wait = false
	outcome := Apply(t.Context(), plan, computer, &kept{}, options)
	want := []contract.StepOutcome{contract.StepDone, contract.StepDone, contract.StepDone, contract.StepRunning, contract.StepRunning, contract.StepNotStarted}
	if diff := cmp.Diff(want, results(outcome)); diff != "" || len(outcome.Running) != 2 {
		t.Errorf("%s %+v", diff, outcome.Running)
	}

	status.Volumes[1].Encryption.AutoUnlock, status.Volumes[0].Encryption.AutoUnlockKeysStored = contract.Ptr(true), contract.Ptr(true)
	plan = Make(Request{Status: status, ClearAutoUnlock: true}).Plan
	computer = computerWith(contract.FullyEncrypted, soundC, soundD)
	computer.step, computer.keys[soundC] = 1, true
	outcome = Apply(t.Context(), plan, computer, &kept{}, options)
	if !computer.keys[soundC] || computer.conversions[soundC] != contract.FullyEncrypted || len(outcome.Running) != 1 {
		t.Errorf("the keys went before the volume was decrypted that needs them: %+v", outcome)
	}
}

// What has changed since the plan was made is left alone.
func TestStateChangedSince(t *testing.T) {
	plan, computer := spedUp()
	computer.conversions[soundD] = contract.EncryptionInProgress
	outcome := Apply(t.Context(), plan, computer, &kept{}, quick)
	if step := outcome.Steps[2]; step.Result != contract.StepFailed || step.Problem.Code != "state-changed" || computer.conversions[soundD] != contract.EncryptionInProgress {
		t.Errorf("%+v", step)
	}
}

// The guards are asked again before a change that follows on a wait.
func TestRecheck(t *testing.T) {
	status := soundComputer()
	status.Volumes[1].Encryption.AutoUnlock = contract.Ptr(true)
	plan := Make(Request{Status: status}).Plan
	computer := computerWith(contract.FullyEncrypted, soundC, soundD)
	computer.step = 25
	options, asked := quick, 0
	options.Recheck = func(context.Context) *contract.Problem {
		asked++
		return &contract.Problem{Code: "refused-meanwhile", Text: "On battery."}
	}
	outcome := Apply(t.Context(), plan, computer, &kept{}, options)
	want := []contract.StepOutcome{contract.StepDone, contract.StepDone, contract.StepDone, contract.StepFailed, contract.StepNotStarted, contract.StepNotStarted}
	if diff := cmp.Diff(want, results(outcome)); diff != "" || asked != 1 || computer.conversions[soundC] != contract.FullyEncrypted {
		t.Errorf("%s asked %d times, C: is %s", diff, asked, computer.conversions[soundC])
	}
}

// A person who does not want to wait for a busy BitLocker is obeyed at once, and nothing was changed.
func TestInterruptedWhileBusy(t *testing.T) {
	plan, computer := spedUp()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	computer.before = func(call string) error {
		if strings.HasPrefix(call, "decrypt") {
			cancel()
			return busy("bitlocker-busy")
		}
		return nil
	}
	options := quick
	options.Pauses = []time.Duration{time.Hour}
	outcome := Apply(ctx, plan, computer, &kept{}, options)
	if outcome.Failed() || !outcome.Interrupted || outcome.Steps[2].Result != contract.StepNotStarted || computer.flushing[soundHDD] != On {
		t.Errorf("%+v, flushing %s", outcome, computer.flushing[soundHDD])
	}
}

// What its owner turned off in the moment before is not turned on at the end.
func TestFlushingOfItsOwner(t *testing.T) {
	plan, computer := spedUp()
	computer.flushing[soundHDD] = Off
	outcome := Apply(t.Context(), plan, computer, &kept{}, quick)
	if outcome.Failed() || computer.flushing[soundHDD] != Off {
		t.Errorf("flushing is %s: %+v", computer.flushing[soundHDD], outcome.Steps)
	}
}

// Somebody takes the prevention back while it is waited for.
func TestPreventionTakenBackMeanwhile(t *testing.T) {
	status := soundComputer()
	status.Policy.PreventDeviceEncryption = contract.Ptr(true)
	plan := Make(Request{Status: status, Volumes: []string{soundD}}).Plan
	computer := computerWith(contract.FullyEncrypted, soundD)
	outcome := Apply(t.Context(), plan, computer, &kept{}, quick)
	last := outcome.Steps[len(outcome.Steps)-1]
	if last.Result != contract.StepFailed || last.Problem.Code != "verification-failed" || last.Problem.Target != PreventionTarget {
		t.Errorf("%+v", last)
	}
}
