package remediate

import (
	"slices"
	"testing"

	"diskaudit/core/contract"
)

// Which guards each action asks: one that does not concern it must not stand in its way.
func TestGuardsOfEachAction(t *testing.T) {
	decrypting := []string{
		guardState, guardHardware, guardManaged, guardReencrypts, guardWriteDenied, guardPortable, guardBattery,
		guardHealth, guardRunning, guardTest, guardReboot, guardFileSystem, guardKeys, guardOnlyKey,
	}
	alone := slices.DeleteFunc(slices.Clone(decrypting), func(id string) bool { return id == guardWriteDenied })
	for name, c := range map[string]struct {
		edit edit
		want []string
	}{
		"decrypt":                {asItIs, decrypting},
		"decrypt, the default":   {withAction(""), decrypting},
		"decrypt and clear keys": {autoUnlocking(contract.RecoveryPassword), alone},
		"go on decrypting":       {together(inState(soundC, contract.DecryptionPaused), func(r *Request) { r.Volumes = []string{soundC} }), alone},
		"prevent":                {withAction(contract.ActionPrevent), []string{guardState, guardManaged, guardReencrypts}},
		"pause an encryption":    {together(withAction(contract.ActionPause), inState(soundC, contract.EncryptionInProgress)), []string{guardManaged, guardPortable}},
		"pause a decryption":     {together(withAction(contract.ActionPause), inState(soundC, contract.DecryptionInProgress)), nil},
		"resume":                 {together(withAction(contract.ActionResume), inState(soundC, contract.DecryptionPaused)), []string{guardBattery, guardHealth}},
		// Windows does not pause what a drive encrypts: nothing about that speaks against pausing its wipe.
		"pause on a drive that encrypts": {together(withAction(contract.ActionPause), inState(soundC, contract.DecryptionInProgress), onVolume(soundC, func(v *contract.Volume) {
			v.Encryption.Engine = contract.Ptr(contract.EngineDrive)
		})), nil},
		"decrypt a stick": {together(func(r *Request) { r.Volumes = []string{soundD} }, onVolume(soundD, func(v *contract.Volume) {
			v.Type = contract.Ptr(contract.Removable)
		})), append(slices.DeleteFunc(slices.Clone(decrypting), func(id string) bool {
			return slices.Contains([]string{guardTest, guardKeys, guardOnlyKey}, id)
		}), guardForbids)},
		"nothing to pause":         {withAction(contract.ActionPause), nil},
		"nothing to undo":          {withAction(contract.ActionUndo), nil},
		"wait for what is running": {together(inState(soundC, contract.DecryptionInProgress), inState(soundD, contract.DecryptionInProgress), withFacts(func(s *contract.Status) { s.Policy.PreventDeviceEncryption = contract.Ptr(true) })), nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, g := range guardsOf(requestWith(c.edit)) {
				if g.Result.Refuses() {
					t.Errorf("%s of %s is %s: %s", g.ID, g.Target, g.Result, g.Text)
				}
				if !slices.Contains(got, g.ID) {
					got = append(got, g.ID)
				}
			}
			want := slices.Clone(c.want)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("guards %v, want %v", got, want)
			}
		})
	}
}

// Where there is nothing to do, nothing stands against it, whatever else may be with the computer, but
// for a volume of which it is not known whether there is.
func TestNothingToDo(t *testing.T) {
	decrypted := withFacts(func(s *contract.Status) {
		s.Volumes[0].Encryption, s.Volumes[1].Encryption = plainEncryption(), plainEncryption()
		s.Policy.PreventDeviceEncryption = contract.Ptr(true)
		s.Machine.Power = contract.Power{Source: contract.Ptr(contract.PowerBattery), Portable: contract.Ptr(true)}
		s.Machine.Join.MDM, s.Machine.RebootPending = contract.Ptr(true), nil
	})
	if made := Make(requestWith(decrypted)); len(made.Plan.Steps) != 0 || len(made.Plan.Guards) != 0 {
		t.Errorf("steps %v, guards %+v", made.Plan.Steps, made.Plan.Guards)
	}
	made := Make(requestWith(decrypted, onVolume(soundD, func(v *contract.Volume) { v.Encryption = contract.Encryption{} })))
	if len(made.Plan.Steps) != 0 || len(made.Plan.Guards) != 1 || made.Plan.Guards[0].ID != guardState || !Refuses(made.Plan.Guards) {
		t.Errorf("steps %v, guards %+v", made.Plan.Steps, made.Plan.Guards)
	}
}

// A barred volume is left out once that is allowed, and the rest is done.
func TestLeavingOut(t *testing.T) {
	request := requestWith(onVolume(soundD, func(v *contract.Volume) { v.Encryption.Lock = contract.Ptr(contract.Locked) }))
	if made := Make(request); !Refuses(made.Plan.Guards) {
		t.Errorf("a locked volume stops nothing: %+v", made.Plan.Guards)
	}
	request.Overrides = []string{guardLocked}
	made := Make(request)
	if Refuses(made.Plan.Guards) || len(made.Plan.Steps) == 0 {
		t.Errorf("steps %d, guards %+v", len(made.Plan.Steps), made.Plan.Guards)
	}
	for _, step := range made.Plan.Steps {
		if step.Target == soundD {
			t.Errorf("step %s is about the volume that was left out", step.ID)
		}
	}
}

// What an earlier run did is no reason to touch a volume that is barred now, and nothing overrides that.
func TestStepsOnBarredVolumes(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*contract.Volume)
		want   string
	}{
		"locked":   {func(v *contract.Volume) { v.Encryption.Lock = contract.Ptr(contract.Locked) }, guardLocked},
		"in doubt": {func(v *contract.Volume) { v.Encryption.Lock = nil }, guardState},
		"damaged": {func(v *contract.Volume) {
			v.Problems = append(v.Problems, problemOf("metadata-damaged", contract.LevelError))
		}, guardDamaged},
		"in cluster": {func(v *contract.Volume) { v.FileSystem = contract.Ptr("CSVFS") }, guardCluster},
	} {
		t.Run(name, func(t *testing.T) {
			p := &planning{
				request: requestWith(withAction(contract.ActionUndo), inState(soundC, contract.DecryptionPaused), onVolume(soundC, c.change)),
				steps: []contract.PlanStep{{
					ID: "1", Target: soundC, Change: contract.ChangeResume,
					Before: contract.DecryptionPaused.String(), After: contract.DecryptionInProgress.String(),
				}},
			}
			p.request.Overrides = Guards()
			got := findGuard(t, p.guards(), c.want, soundC)
			if !got.Result.Refuses() || got.Override != nil {
				t.Errorf("%s, override %v", got.Result, got.Override)
			}
		})
	}
}

// Keys are removed only when the plan has waited for the volumes that unlock by them. The order of the
// steps counts.
func TestOnlyKeyAfterWaiting(t *testing.T) {
	waiting := func(steps ...contract.PlanStep) []contract.Guard {
		p := &planning{request: requestWith(autoUnlocking(contract.ExternalKey)), steps: steps}
		return p.guards()
	}
	has := func(guards []contract.Guard) bool {
		return slices.ContainsFunc(guards, func(g contract.Guard) bool { return g.ID == guardOnlyKey && g.Result.Refuses() })
	}
	decrypt := contract.PlanStep{Target: soundD, Change: contract.ChangeDecrypt}
	wait := contract.PlanStep{Target: soundD, Change: contract.ChangeWait}
	remove := contract.PlanStep{Target: soundC, Change: contract.ChangeClearAutoUnlock}
	if has(waiting(decrypt, wait, remove)) {
		t.Error("a volume that is decrypted before counts as one that would be locked")
	}
	if !has(waiting(decrypt, remove, wait)) || !has(waiting(remove, decrypt, wait)) || !has(waiting(remove)) {
		t.Error("a volume that is still encrypted when its key goes is not noticed")
	}
}
