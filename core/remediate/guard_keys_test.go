package remediate

import (
	"slices"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

// contradictory is a volume that is said to be decrypted, and yet encrypted.
func contradictory(v *contract.Volume) {
	protectors := v.Encryption.Protectors
	v.Encryption = plainEncryption()
	v.Encryption.Percent, v.Encryption.AutoUnlock, v.Encryption.Protectors = contract.Ptr(40.0), contract.Ptr(true), protectors
}

// A volume that is left out because its state is in doubt may be encrypted: the keys by which it unlocks
// are not removed without a word. Case B71.
func TestKeysOfVolumesInDoubt(t *testing.T) {
	locked := func(v *contract.Volume) { v.Encryption.Lock = contract.Ptr(contract.Locked) }
	for name, c := range map[string]struct {
		change   volumeChange
		override string
		want     contract.GuardResult
	}{
		"said to be decrypted": {contradictory, guardState, contract.GuardRefuse},
		"decrypted, but a problem": {func(v *contract.Volume) {
			contradictory(v)
			v.Encryption.Percent = contract.Ptr(0.0)
			v.Problems = append(v.Problems, problemOf("states-contradict", contract.LevelError))
		}, guardState, contract.GuardRefuse},
		"nothing known":       {unreadVolume(problemOf("not-listed-by-bitlocker", contract.LevelError)), guardState, contract.GuardUnknown},
		"locked":              {locked, guardLocked, contract.GuardRefuse},
		"decrypted for sure":  {func(v *contract.Volume) { v.Encryption = plainEncryption() }, guardState, ""},
		"nothing for the key": {unreadVolume(problemOf("no-medium", contract.LevelInfo)), guardState, ""},
	} {
		t.Run(name, func(t *testing.T) {
			request := requestWith(autoUnlocking(contract.ExternalKey), onVolume(soundD, c.change))
			request.Volumes, request.Overrides = nil, []string{c.override}
			p := &planning{request: request}
			p.choose()
			p.plan()
			if !p.has(contract.ChangeClearAutoUnlock) || slices.ContainsFunc(p.steps, func(step contract.PlanStep) bool { return step.Target == soundD }) {
				t.Fatalf("steps %+v", p.steps)
			}
			guards := p.guards()
			if c.want == "" {
				if slices.ContainsFunc(guards, func(g contract.Guard) bool { return g.ID == guardOnlyKey }) {
					t.Errorf("%+v", guards)
				}
				return
			}
			if got := findGuard(t, guards, guardOnlyKey, soundD); got.Result != c.want {
				t.Errorf("%s: %s", got.Result, got.Text)
			}
			if got := findGuard(t, guards, guardKeys, soundC); !strings.Contains(got.Text, "not connected now: D:") {
				t.Errorf("it does not name what would be locked: %s", got.Text)
			}
		})
	}
}

// The keys on an operating system's volume end with its decryption, also where they are not removed
// before, or where it is said to hold none.
func TestOnlyKeyWithoutClearing(t *testing.T) {
	all := func(r *Request) { r.ClearAutoUnlock, r.Volumes = false, nil }
	keep := func(r *Request) { r.ClearAutoUnlock = false }
	for name, c := range map[string]struct {
		edit edit
		want contract.GuardResult
	}{
		"said to hold none":                 {together(autoUnlocking(contract.ExternalKey), keep, keysStored(false)), contract.GuardRefuse},
		"another way in":                    {together(autoUnlocking(contract.ExternalKey, contract.RecoveryPassword), keep, keysStored(false)), contract.GuardAllow},
		"decrypting already":                {together(autoUnlocking(contract.ExternalKey), keep, inState(soundC, contract.DecryptionInProgress)), contract.GuardRefuse},
		"decrypting already, keys not told": {together(autoUnlocking(contract.ExternalKey), keep, inState(soundC, contract.DecryptionInProgress), keysStored(false)), contract.GuardRefuse},
		"decryption paused":                 {together(autoUnlocking(contract.ExternalKey), keep, inState(soundC, contract.DecryptionPaused), keysStored(false)), contract.GuardRefuse},
		"protectors not known": {together(autoUnlocking(), keep, keysStored(false), onVolume(soundD, func(v *contract.Volume) {
			v.Encryption.Protectors = nil
		})), contract.GuardUnknown},
		"automatic unlocking not known": {together(autoUnlocking(contract.ExternalKey), keep, keysStored(true), onVolume(soundD, func(v *contract.Volume) {
			v.Encryption.AutoUnlock = nil
		})), contract.GuardUnknown},
		"automatic unlocking not known, but nothing that could hold a key": {together(autoUnlocking(contract.ExternalKey), keep, keysStored(false), onVolume(soundD, func(v *contract.Volume) {
			v.Encryption.AutoUnlock = nil
		})), contract.GuardAllow},
		"decrypted before": {together(autoUnlocking(contract.ExternalKey), all, keysStored(false)), ""},
		"only the data volume is decrypted": {together(autoUnlocking(contract.ExternalKey), keep, func(r *Request) {
			r.Volumes = []string{soundD}
		}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			guards := guardsOf(requestWith(c.edit))
			if c.want == "" {
				if slices.ContainsFunc(guards, func(g contract.Guard) bool { return g.ID == guardOnlyKey && g.Result != contract.GuardAllow }) {
					t.Errorf("%+v", guards)
				}
				return
			}
			got := findGuard(t, guards, guardOnlyKey, soundD)
			if got.Result != c.want {
				t.Errorf("%s: %s", got.Result, got.Text)
			}
			if got.Result.Refuses() && !strings.Contains(got.Text, "ends with the decryption of C:") {
				t.Errorf("it does not say what ends the key: %s", got.Text)
			}
			checkGuard(t, name, got)
		})
	}
}

// Two systems on one computer do not unlock each other: the one that runs has no key of its own anywhere.
func TestOnlyKeyOfTheRunningSystem(t *testing.T) {
	system := soundSystemVolume()
	system.ID, system.MountPoints = "other", contract.List[string]{"S:"}
	system.Encryption.Protectors = soundEncryption(contract.Tpm).Protectors
	add := withFacts(func(s *contract.Status) { s.Volumes = append(s.Volumes, system) })
	onlyC := func(r *Request) { r.Volumes = []string{soundC} }
	if got := findGuard(t, guardsOf(requestWith(onlyC, add)), guardOnlyKey, "other"); got.Result != contract.GuardAllow {
		t.Errorf("%s: %s", got.Result, got.Text)
	}
	system.Problems = nil
	add = together(add, keysStored(true))
	if got := findGuard(t, guardsOf(requestWith(onlyC, add)), guardOnlyKey, "other"); got.Result != contract.GuardUnknown {
		t.Errorf("without Windows' word for it: %s: %s", got.Result, got.Text)
	}
}
