package journal

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/contract"
)

// did is a run of an action, with its lines after the first.
func did(action contract.Action, lines ...Line) Run {
	return Run{Lines: append([]Line{{Event: EventBegin, Plan: &contract.Plan{Action: action}}}, lines...)}
}

// recovery is a run that was to turn a disk's flushing on, and announced no change.
func recovery(disk string, result contract.StepOutcome) Run {
	run := did(contract.ActionUndo, Line{Event: EventEnd, Result: result})
	run.Lines[0].Plan.Steps = []contract.PlanStep{{ID: "on", Change: contract.ChangeFlushing, Target: disk, Before: "off", After: "on"}}
	return run
}

// past is a history of runs that are given oldest first, as people tell it.
func past(runs ...Run) History {
	var history History
	for i, run := range runs {
		run.Path = fmt.Sprint("run ", i+1)
		for k := range run.Lines {
			run.Lines[k].Sequence = uint64(k + 1)
			run.Lines[k].Time = start.Add(time.Duration(i)*time.Hour + time.Duration(k)*time.Second)
		}
		history.Runs = append([]Run{run}, history.Runs...)
	}
	return history
}

// brief is what tests tell of a change.
func brief(all []Done) []string {
	var lines []string
	for _, done := range all {
		certain := "certain"
		if !done.Ended {
			certain = "maybe"
		}
		lines = append(lines, fmt.Sprintf("%s of %s: %s %s %s -> %s, %s", done.Step, done.Journal, done.Change, done.Target, done.Old, done.New, certain))
	}
	return lines
}

const (
	prevents = contract.ChangePrevent
	flushes  = contract.ChangeFlushing
	decrypts = contract.ChangeDecrypt
	pauses   = contract.ChangePause
	resumes  = contract.ChangeResume
	clears   = contract.ChangeClearAutoUnlock

	finished = contract.StepDone
	goesOn   = contract.StepRunning
	already  = contract.StepAlready
	failed   = contract.StepFailed
	skipped  = contract.StepNotStarted
)

func TestInForce(t *testing.T) {
	forward, back := contract.ActionDecrypt, contract.ActionUndo
	for _, test := range []struct {
		name string
		runs []Run
		want []string
	}{
		{"nothing", nil, nil},
		{"a run without a step", []Run{did(forward)}, nil},
		{"a setting", []Run{did(forward, step("a", prevents, "v", "absent", "1"), ended("a", finished))},
			[]string{"a of run 1: set-prevent-device-encryption v absent -> 1, certain"}},
		{"begun and not ended", []Run{did(forward, step("a", prevents, "v", "absent", "1"))},
			[]string{"a of run 1: set-prevent-device-encryption v absent -> 1, maybe"}},
		{"failed with an unknown effect", []Run{did(forward, step("a", prevents, "v", "absent", "1"), unsure("a"))},
			[]string{"a of run 1: set-prevent-device-encryption v absent -> 1, maybe"}},
		{"failed, already there, not started, nothing said", []Run{
			did(forward, step("a", prevents, "v", "absent", "1"), ended("a", failed)),
			did(forward, step("a", prevents, "w", "absent", "1"), ended("a", already)),
			did(forward, step("a", prevents, "x", "absent", "1"), ended("a", skipped)),
			did(forward, step("a", prevents, "y", "absent", "1"), ended("a", "")),
			did(forward, step("a", decrypts, "C", "FullyEncrypted", "DecryptionInProgress"), ended("a", failed)),
			did(forward, step("a", decrypts, "D", "FullyEncrypted", "DecryptionInProgress"), ended("a", already)),
		}, nil},
		{"a result of another version", []Run{did(forward, step("a", prevents, "v", "absent", "1"), ended("a", "half-done"))},
			[]string{"a of run 1: set-prevent-device-encryption v absent -> 1, maybe"}},
		{"the end of a step that was not begun", []Run{did(forward, ended("a", finished))}, nil},
		{"an end in a later run belongs to no step of an earlier one", []Run{
			did(forward, step("a", prevents, "v", "absent", "1")), did(forward, ended("a", finished)),
		}, []string{"a of run 1: set-prevent-device-encryption v absent -> 1, maybe"}},
		{"no change", []Run{did(forward, step("a", prevents, "v", "1", "1"), ended("a", finished))}, nil},
		{"taken back", []Run{
			did(forward, step("a", prevents, "v", "absent", "1"), ended("a", finished)),
			did(back, step("b", prevents, "v", "1", "absent"), ended("b", finished)),
		}, nil},
		{"taken back by hand, as another run found", []Run{
			did(forward, step("a", prevents, "v", "absent", "1"), ended("a", finished)),
			did(forward, step("b", prevents, "v", "absent", "1"), ended("b", finished)),
		}, []string{"b of run 2: set-prevent-device-encryption v absent -> 1, certain"}},
		{"taken back perhaps", []Run{
			did(forward, step("a", prevents, "v", "0", "1"), ended("a", finished)),
			did(back, step("b", prevents, "v", "1", "0")),
		}, []string{"a of run 1: set-prevent-device-encryption v 0 -> 1, maybe"}},
		{"taken back perhaps, and then for sure", []Run{
			did(forward, step("a", prevents, "v", "0", "1"), ended("a", finished)),
			did(back, step("b", prevents, "v", "1", "0")),
			did(back, step("c", prevents, "v", "1", "0"), ended("c", finished)),
		}, nil},
		{"taken back perhaps, and set again", []Run{
			did(forward, step("a", prevents, "v", "0", "1"), ended("a", finished)),
			did(back, step("b", prevents, "v", "1", "0")),
			did(forward, step("c", prevents, "v", "0", "1"), ended("c", finished)),
		}, []string{"c of run 3: set-prevent-device-encryption v 0 -> 1, certain"}},
		{"found taken back", []Run{
			did(forward, step("a", prevents, "v", "0", "1"), ended("a", finished)),
			did(back, step("b", prevents, "v", "1", "0"), ended("b", already)),
		}, nil},
		{"found as it was set", []Run{
			did(forward, step("a", prevents, "v", "0", "1")),
			did(forward, step("b", prevents, "v", "0", "1"), ended("b", already)),
		}, []string{"a of run 1: set-prevent-device-encryption v 0 -> 1, maybe"}},
		{"flushing that was found on", []Run{did(forward, step("a", flushes, "disk", "on", "off")), recovery("disk", finished)}, nil},
		{"the net change of several", []Run{
			did(forward, step("a", prevents, "v", "absent", "0"), ended("a", finished)),
			did(forward, step("b", prevents, "v", "0", "1"), ended("b", finished)),
		}, []string{"b of run 2: set-prevent-device-encryption v absent -> 1, certain"}},
		{"killed over and over", []Run{
			did(forward, step("a", prevents, "v", "absent", "1")),
			did(forward, step("b", prevents, "v", "absent", "1")),
			did(forward, step("c", prevents, "v", "absent", "1"), unsure("c")),
		}, []string{"c of run 3: set-prevent-device-encryption v absent -> 1, maybe"}},
		{"killed, then done", []Run{
			did(forward, step("a", prevents, "v", "absent", "1")),
			did(forward, step("b", prevents, "v", "absent", "1"), ended("b", finished)),
		}, []string{"b of run 2: set-prevent-device-encryption v absent -> 1, certain"}},
		// What the administrator set counts, not what was there before that.
		{"changed by another in between", []Run{
			did(forward, step("a", prevents, "v", "absent", "1"), ended("a", finished)),
			did(forward, step("b", prevents, "v", "0", "1"), ended("b", finished)),
		}, []string{"b of run 2: set-prevent-device-encryption v 0 -> 1, certain"}},
		{"failed after it was done", []Run{
			did(forward, step("a", prevents, "v", "absent", "1"), ended("a", finished)),
			did(back, step("b", prevents, "v", "1", "absent"), ended("b", failed)),
		}, []string{"a of run 1: set-prevent-device-encryption v absent -> 1, certain"}},
		{"settings of several targets, interleaved", []Run{
			did(forward, step("a", flushes, "disk 0", "on", "off"), step("b", flushes, "disk 1", "on", "off"),
				ended("b", finished), step("c", prevents, "v", "absent", "1"), ended("a", finished), ended("c", finished)),
			did(forward, step("d", flushes, "disk 0", "off", "on"), ended("d", finished), step("e", flushes, "disk 1", "off", "on")),
		}, []string{
			"c of run 1: set-prevent-device-encryption v absent -> 1, certain",
			"b of run 1: set-cache-flushing disk 1 on -> off, maybe",
		}},
		{"volumes: the last change of each", []Run{
			did(forward, step("a", decrypts, "C", "FullyEncrypted", "DecryptionInProgress"), ended("a", goesOn),
				step("b", decrypts, "D", "FullyEncrypted", "DecryptionInProgress"), ended("b", finished)),
			did(contract.ActionPause, step("c", pauses, "C", "DecryptionInProgress", "DecryptionPaused"), ended("c", finished)),
			did(contract.ActionResume, step("d", resumes, "C", "DecryptionPaused", "DecryptionInProgress")),
			did(forward, step("e", clears, "E", "stored", "not-stored"), ended("e", finished)),
		}, []string{
			"e of run 4: clear-auto-unlock-keys E stored -> not-stored, certain",
			"d of run 3: resume-conversion C DecryptionPaused -> DecryptionInProgress, maybe",
			"b of run 1: decrypt D FullyEncrypted -> DecryptionInProgress, certain",
		}},
		{"a volume that is left alone by a failure", []Run{
			did(forward, step("a", decrypts, "C", "FullyEncrypted", "DecryptionInProgress"), ended("a", finished)),
			did(contract.ActionPause, step("b", pauses, "C", "DecryptionInProgress", "DecryptionPaused"), ended("b", failed)),
		}, []string{"a of run 1: decrypt C FullyEncrypted -> DecryptionInProgress, certain"}},
		// An undo that were itself undone would pause and resume in turn.
		{"a pause taken back", []Run{
			did(contract.ActionPause, step("a", pauses, "C", "EncryptionInProgress", "EncryptionPaused"), ended("a", finished)),
			did(back, step("b", resumes, "C", "EncryptionPaused", "EncryptionInProgress"), ended("b", finished)),
		}, nil},
		{"a pause taken back perhaps", []Run{
			did(contract.ActionPause, step("a", pauses, "C", "EncryptionInProgress", "EncryptionPaused"), ended("a", finished)),
			did(back, step("b", resumes, "C", "EncryptionPaused", "EncryptionInProgress")),
		}, []string{"a of run 1: pause-conversion C EncryptionInProgress -> EncryptionPaused, maybe"}},
		{"an undo of which only the attempt is known", []Run{
			did(back, step("b", resumes, "C", "EncryptionPaused", "EncryptionInProgress")),
		}, []string{"b of run 1: resume-conversion C EncryptionPaused -> EncryptionInProgress, maybe"}},
		{"an undo whose pause is in no journal", []Run{
			did(back, step("b", resumes, "C", "EncryptionPaused", "EncryptionInProgress"), ended("b", finished)),
		}, nil},
		{"steps that change nothing", []Run{
			did(forward, step("a", contract.ChangeWait, "C", "", "FullyDecrypted"), ended("a", finished), step("b", contract.ChangeVerify, "machine", "", ""), ended("b", failed)),
		}, nil},
		{"the same id twice in a run", []Run{
			did(forward, step("a", prevents, "v", "absent", "1"), ended("a", finished), step("a", prevents, "w", "absent", "1")),
		}, []string{
			"a of run 1: set-prevent-device-encryption w absent -> 1, maybe",
			"a of run 1: set-prevent-device-encryption v absent -> 1, certain",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, brief(past(test.runs...).InForce())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestInForceSaysWhen(t *testing.T) {
	done := past(did(contract.ActionPrevent), did(contract.ActionPrevent, step("a", prevents, "v", "absent", "1"), ended("a", finished))).InForce()
	if len(done) != 1 || !done[0].At.Equal(start.Add(time.Hour+time.Second)) || done[0].Journal != "run 2" {
		t.Errorf("in force is %+v", done)
	}
}

func TestFlushingOff(t *testing.T) {
	forward := contract.ActionDecrypt
	turnedOff := []Line{step("a", flushes, "disk", "on", "off"), ended("a", finished)}
	for _, test := range []struct {
		name string
		runs []Run
		want []string
	}{
		{"never", []Run{did(forward, step("a", decrypts, "disk", "FullyEncrypted", "off"), ended("a", finished))}, nil},
		{"off", []Run{did(forward, turnedOff...)}, []string{"a of run 1: set-cache-flushing disk on -> off, certain"}},
		{"off and on in one run", []Run{did(forward, append(turnedOff, step("b", flushes, "disk", "off", "on"), ended("b", finished))...)}, nil},
		{"killed while it was turned off", []Run{did(forward, turnedOff[0])}, []string{"a of run 1: set-cache-flushing disk on -> off, maybe"}},
		{"killed while it was turned on", []Run{did(forward, turnedOff...), did(forward, step("b", flushes, "disk", "off", "on"))},
			[]string{"a of run 1: set-cache-flushing disk on -> off, certain"}},
		{"not turned on", []Run{did(forward, turnedOff...), did(forward, step("b", flushes, "disk", "off", "on"), ended("b", failed))},
			[]string{"a of run 1: set-cache-flushing disk on -> off, certain"}},
		{"perhaps turned on", []Run{did(forward, turnedOff...), did(forward, step("b", flushes, "disk", "off", "on"), unsure("b"))},
			[]string{"a of run 1: set-cache-flushing disk on -> off, certain"}},
		{"turned on by the next run", []Run{did(forward, turnedOff...), did(contract.ActionUndo, step("b", flushes, "disk", "off", "on"), ended("b", finished))}, nil},
		{"found turned on by the next run", []Run{did(forward, turnedOff...), did(forward, step("b", flushes, "disk", "on", "on"), ended("b", already))}, nil},
		{"found turned on by a run that was to turn it on, and ended well", []Run{did(forward, turnedOff[0]), recovery("disk", contract.StepDone)}, nil},
		{"a run that was to turn it on and failed", []Run{did(forward, turnedOff[0]), recovery("disk", failed)},
			[]string{"a of run 1: set-cache-flushing disk on -> off, maybe"}},
		{"a run that was to turn another on", []Run{did(forward, turnedOff[0]), recovery("other", contract.StepDone)},
			[]string{"a of run 1: set-cache-flushing disk on -> off, maybe"}},
		{"off again after it was found on", []Run{did(forward, turnedOff[0]), recovery("disk", contract.StepDone), did(forward, turnedOff...)},
			[]string{"a of run 3: set-cache-flushing disk on -> off, certain"}},
		{"was off before", []Run{did(forward, turnedOff[0], ended("a", already))}, nil},
		{"could not be turned off", []Run{did(forward, turnedOff[0], ended("a", failed))}, nil},
		{"off again after on", []Run{did(forward, append(turnedOff, step("b", flushes, "disk", "off", "on"), ended("b", finished))...), did(forward, turnedOff...)},
			[]string{"a of run 2: set-cache-flushing disk on -> off, certain"}},
		{"on before off", []Run{did(forward, step("b", flushes, "disk", "off", "on"), ended("b", finished)), did(forward, turnedOff...)},
			[]string{"a of run 2: set-cache-flushing disk on -> off, certain"}},
		{"two disks", []Run{
			did(forward, append(turnedOff, step("b", flushes, "other", "on", "off"), ended("b", finished))...),
			did(forward, step("c", flushes, "disk", "off", "on"), ended("c", finished)),
		}, []string{"b of run 1: set-cache-flushing other on -> off, certain"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, brief(past(test.runs...).FlushingOff())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Killed at any point any number of times, a setting that nobody else touches is in force exactly when it
// differs from what it was at first, or may differ; and what was there at first is never forgotten.
func TestTheFirstStateIsNeverForgotten(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 20_000 {
		original := []string{"absent", "0"}[random.IntN(2)]
		value := original
		var runs []Run
		for range 1 + random.IntN(8) {
			action, to := contract.ActionPrevent, "1"
			if random.IntN(2) == 0 {
				inForce := past(runs...).InForce()
				if len(inForce) == 0 {
					continue
				}
				action, to = contract.ActionUndo, inForce[0].Old
			}
			if value == to {
				continue
			}
			lines := []Line{step("a", prevents, "v", value, to)}
			switch random.IntN(6) {
			case 0:
				// Killed before it was made.
			case 1:
				value = to
			case 2:
				value = to
				lines = append(lines, unsure("a"))
			case 3:
				lines = append(lines, ended("a", failed))
			default:
				value = to
				lines = append(lines, ended("a", finished))
			}
			runs = append(runs, did(action, lines...))
		}
		inForce := past(runs...).InForce()
		switch {
		case len(inForce) == 0 && value != original,
			len(inForce) > 1,
			len(inForce) == 1 && (inForce[0].Old != original || inForce[0].New != "1"),
			len(inForce) == 1 && inForce[0].Ended && value != "1":
			t.Fatalf("it was %s at first and is %s now; in force is %v after %+v", original, value, brief(inForce), runs)
		}
	}
}
