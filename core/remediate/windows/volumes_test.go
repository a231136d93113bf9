package windows_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/remediate"
	"diskaudit/tests/rig/simulator"
)

// states are the conversions of a volume that is not locked.
var states = map[int32]contract.Conversion{
	simulator.Decrypted: contract.FullyDecrypted, simulator.Encrypted: contract.FullyEncrypted,
	simulator.Encrypting: contract.EncryptionInProgress, simulator.Decrypting: contract.DecryptionInProgress,
	simulator.EncryptingPaused: contract.EncryptionPaused, simulator.DecryptingPaused: contract.DecryptionPaused,
}

func percentOf(state int32) float64 {
	return map[int32]float64{simulator.Decrypted: 0, simulator.Encrypted: 100}[state] + map[bool]float64{true: 42.5}[state > simulator.Encrypted]
}

func TestVolume(t *testing.T) {
	for state, want := range states {
		for _, id := range []string{volumeD, strings.TrimSuffix(volumeD, `\`), strings.ToUpper(volumeD)} {
			computer := on(t, simulated(volume('C'), volume('D', is(state, percentOf(state)))))
			e, err := computer.Volume(t.Context(), id)
			if err != nil || e.Conversion == nil || *e.Conversion != want || e.Percent == nil || *e.Percent != percentOf(state) || e.Lock == nil || *e.Lock != contract.Unlocked {
				t.Errorf("%s, %s: %+v, %v", want, id, e, err)
			}
			progress, err := computer.Conversion(t.Context(), id)
			if diff := cmp.Diff(contract.Encryption{Lock: e.Lock, Conversion: e.Conversion, Percent: e.Percent}, progress); diff != "" || err != nil {
				t.Errorf("%s, %s: Volume -, Conversion +: %v\n%s", want, id, err, diff)
			}
			keepsSecrets(t, e, progress)
		}
	}
	for _, stored := range []bool{true, false} {
		computer := on(t, simulated(volume('C', func(v *simulator.Volume) { v.KeysStored = stored })))
		e, err := computer.Volume(t.Context(), volumeC)
		if err != nil || e.AutoUnlockKeysStored == nil || *e.AutoUnlockKeysStored != stored || len(e.Protectors) != 3 {
			t.Errorf("keys stored: %v, not %v; %d protectors; %v", e.AutoUnlockKeysStored, stored, len(e.Protectors), err)
		}
	}
}

// Watching a conversion asks two methods and nothing else, and lists the volumes once.
func TestConversionAsksLittle(t *testing.T) {
	m := simulated(volume('C'), volume('D', is(simulator.Decrypting, 80)))
	computer := on(t, m)
	for want := 80.0; want > 70; want-- {
		e, err := computer.Conversion(t.Context(), volumeD)
		if err != nil || e.Percent == nil || *e.Percent != want {
			t.Fatalf("%v %v, want %v", e.Percent, err, want)
		}
		m.Advance(time.Second)
	}
	for _, call := range m.Calls() {
		if !slices.Contains([]string{"ConnectServer", "GetLockStatus", "GetConversionStatus", "ExecQuery", "NameSpace"}, call.Name) {
			t.Errorf("%s was called", call.Name)
		}
	}
	if m.Called("ExecQuery") != 1 || m.Called("ConnectServer") != 1 {
		t.Errorf("%d lists, %d connections", m.Called("ExecQuery"), m.Called("ConnectServer"))
	}
}

// Cases B31, C36: a locked volume is an answer.
func TestLockedVolume(t *testing.T) {
	m := simulated(volume('C'), volume('D'))
	computer := on(t, m)
	if _, err := computer.Conversion(t.Context(), volumeD); err != nil {
		t.Fatal(err)
	}
	m.Update(func(m *simulator.Machine) { isLocked(m.Volumes[1]) })
	for name, ask := range map[string]func(context.Context, string) (contract.Encryption, error){"Volume": computer.Volume, "Conversion": computer.Conversion} {
		e, err := ask(t.Context(), volumeD)
		if err != nil || e.Lock == nil || *e.Lock != contract.Locked || e.Conversion != nil {
			t.Errorf("%s: lock %v, conversion %v, %v", name, e.Lock, e.Conversion, err)
		}
	}
	failure := failureOf(t, computer.Change(t.Context(), volumeD, contract.ChangeDecrypt))
	if failure.Problem.Code != "volume-locked" || failure.Unsure || failure.Fatal || failure.Problem.Retryable {
		t.Errorf("%+v", failure)
	}
}

// Case B53: each change of each state, paused ones too, calls one method once, and does to the volume
// what its page says; no protector goes with it.
func TestChange(t *testing.T) {
	const refuses = -1
	for change, test := range map[contract.Change]struct {
		method string
		after  map[int32]int32
		code   string
	}{
		contract.ChangeDecrypt: {"Decrypt", map[int32]int32{
			simulator.Decrypted: simulator.Decrypted, simulator.Encrypted: simulator.Decrypting, simulator.Encrypting: simulator.Decrypting,
			simulator.Decrypting: simulator.Decrypting, simulator.EncryptingPaused: simulator.Decrypting, simulator.DecryptingPaused: simulator.Decrypting,
		}, ""},
		contract.ChangePause: {"PauseConversion", map[int32]int32{
			simulator.Decrypted: simulator.Decrypted, simulator.Encrypted: simulator.Encrypted, simulator.Encrypting: simulator.EncryptingPaused,
			simulator.Decrypting: simulator.DecryptingPaused, simulator.EncryptingPaused: simulator.EncryptingPaused, simulator.DecryptingPaused: simulator.DecryptingPaused,
		}, ""},
		contract.ChangeResume: {"ResumeConversion", map[int32]int32{
			simulator.Decrypted: simulator.Decrypted, simulator.Encrypted: simulator.Encrypted, simulator.Encrypting: simulator.Encrypting,
			simulator.Decrypting: simulator.Decrypting, simulator.EncryptingPaused: simulator.Encrypting, simulator.DecryptingPaused: simulator.Decrypting,
		}, ""},
		// For the operating system's volume only.
		contract.ChangeClearAutoUnlock: {"ClearAllAutoUnlockKeys", map[int32]int32{
			simulator.Decrypted: refuses, simulator.Encrypted: refuses, simulator.Encrypting: refuses,
			simulator.Decrypting: refuses, simulator.EncryptingPaused: refuses, simulator.DecryptingPaused: refuses,
		}, "not-applicable"},
	} {
		for state := range states {
			for _, id := range []string{volumeD, strings.TrimSuffix(strings.ToUpper(volumeD), `\`)} {
				d := volume('D', is(state, percentOf(state)))
				m := simulated(volume('C'), d)
				protectors := len(d.Protectors)
				err := on(t, m).Change(t.Context(), id, change)
				if want := test.after[state]; want == refuses {
					failure := failureOf(t, err)
					if failure.Problem.Code != test.code || failure.Unsure || d.Conversion != state {
						t.Errorf("%s in the state %d: %+v, then %d", change, state, failure, d.Conversion)
					}
				} else if err != nil || d.Conversion != want {
					t.Errorf("%s in the state %d: %v, then %d, want %d", change, state, err, d.Conversion, want)
				}
				if names := called(m); !slices.Equal(names, []string{test.method}) {
					t.Errorf("%s in the state %d: called %v", change, state, names)
				}
				if len(d.Protectors) != protectors {
					t.Errorf("%s in the state %d: %d protectors of %d", change, state, len(d.Protectors), protectors)
				}
			}
		}
	}
}

// An operating system volume with stored keys is decrypted after they were removed, and not before.
func TestChangeWithStoredKeys(t *testing.T) {
	c, d := volume('C', storesKeys), volume('D', func(v *simulator.Volume) { v.AutoUnlock = v.Protectors[1].ID })
	computer := on(t, simulated(c, d))
	failure := failureOf(t, computer.Change(t.Context(), volumeC, contract.ChangeDecrypt))
	if failure.Problem.Code != "auto-unlock-keys" || failure.Problem.Retryable || c.Conversion != simulator.Encrypted {
		t.Errorf("%+v", failure)
	}
	if err := computer.Change(t.Context(), volumeC, contract.ChangeClearAutoUnlock); err != nil {
		t.Fatal(err)
	}
	e, err := computer.Volume(t.Context(), volumeC)
	if err != nil || e.AutoUnlockKeysStored == nil || *e.AutoUnlockKeysStored {
		t.Errorf("afterwards keys are stored: %v, %v", e.AutoUnlockKeysStored, err)
	}
	if err := computer.Change(t.Context(), volumeC, contract.ChangeDecrypt); err != nil || c.Conversion != simulator.Decrypting {
		t.Errorf("%v, then %d", err, c.Conversion)
	}
}

func TestChangeRefusesOthers(t *testing.T) {
	m := simulated(volume('C'))
	computer := on(t, m)
	for _, change := range []contract.Change{contract.ChangePrevent, contract.ChangeWait, contract.ChangeVerify, contract.ChangeFlushing, "", "DeleteKeyProtectors"} {
		failure := failureOf(t, computer.Change(t.Context(), volumeC, change))
		if failure.Problem.Code != "change-not-allowed" || failure.Unsure || failure.Problem.Target != volumeC {
			t.Errorf("%q: %+v", change, failure)
		}
	}
	if len(m.Calls()) != 0 {
		t.Errorf("calls %v", m.Calls())
	}
}

// A volume that is gone is said to be gone, at every moment.
func TestVanishedVolume(t *testing.T) {
	asks := map[string]func(remediate.Computer, context.Context) error{
		"Volume": func(c remediate.Computer, ctx context.Context) error { _, err := c.Volume(ctx, volumeD); return err },
		"Conversion": func(c remediate.Computer, ctx context.Context) error {
			_, err := c.Conversion(ctx, volumeD)
			return err
		},
		"Change": func(c remediate.Computer, ctx context.Context) error {
			return c.Change(ctx, volumeD, contract.ChangeDecrypt)
		},
	}
	for name, ask := range asks {
		for when, machine := range map[string]*simulator.Machine{
			"before":       simulated(volume('C')),
			"at the first": {Volumes: []*simulator.Volume{volume('C'), volume('D')}, Faults: []*simulator.Fault{{Point: simulator.AtMethod, DeviceID: volumeD, Vanish: true}}},
		} {
			failure := failureOf(t, ask(on(t, machine), t.Context()))
			if failure.Problem.Code != "volume-vanished" || failure.Problem.Target != volumeD || failure.Unsure || failure.Fatal {
				t.Errorf("%s, %s: %+v", name, when, failure)
			}
		}
		// Between two questions.
		m := simulated(volume('C'), volume('D'))
		computer := on(t, m)
		if _, err := computer.Conversion(t.Context(), volumeD); err != nil {
			t.Fatal(err)
		}
		m.Update(func(m *simulator.Machine) { m.Volumes = m.Volumes[:1] })
		if failure := failureOf(t, ask(computer, t.Context())); failure.Problem.Code != "volume-vanished" {
			t.Errorf("%s, meanwhile: %+v", name, failure)
		}
		// A list that breaks off says nothing about the volumes that it lacks.
		m = simulated(volume('C'), volume('D'))
		m.Faults = []*simulator.Fault{{Point: simulator.AtNext, DeviceID: volumeD, Raise: bitlocker.WBEM_E_PROVIDER_FAILURE}}
		if failure := failureOf(t, ask(on(t, m), t.Context())); failure.Problem.Code != "enumeration-incomplete" {
			t.Errorf("%s, in a list that breaks off: %+v", name, failure)
		}
	}
}

// Whatever BitLocker does not tell, or tells in two ways, is a failure and never a state.
func TestUnknownStates(t *testing.T) {
	outs := func(method, name string, value simulator.Value) *simulator.Fault {
		return &simulator.Fault{Point: simulator.AtMethod, Name: method, Outs: map[string]simulator.Value{name: value}}
	}
	for name, test := range map[string]struct {
		fault *simulator.Fault
		code  string
		// whole tells that only reading the whole volume meets it.
		whole bool
	}{
		"no conversion":                   {outs("GetConversionStatus", "ConversionStatus", simulator.Empty{}), "answer-malformed", false},
		"a conversion that is a text":     {outs("GetConversionStatus", "ConversionStatus", "1"), "answer-malformed", false},
		"a conversion without a meaning":  {outs("GetConversionStatus", "ConversionStatus", int32(77)), "conversion-unrecognized", false},
		"a lock without a meaning":        {outs("GetLockStatus", "LockStatus", int32(7)), "lock-unrecognized", false},
		"no lock":                         {outs("GetLockStatus", "LockStatus", simulator.Empty{}), "answer-malformed", false},
		"metadata that is damaged":        {&simulator.Fault{Point: simulator.AtMethod, Name: "GetConversionStatus", Instead: int32(-2144272368)}, "metadata-damaged", false},
		"no method":                       {&simulator.Fault{Point: simulator.AtMethod, Name: "GetConversionStatus", Missing: true}, "method-missing", false},
		"locked and not locked":           {&simulator.Fault{Point: simulator.AtMethod, Name: "GetConversionStatus", Instead: int32(-2144272384)}, "state-unknown", false},
		"a conversion that has no cipher": {outs("GetEncryptionMethod", "EncryptionMethod", int32(0)), "states-contradict", true},
	} {
		m := simulated(volume('C'))
		m.Faults = []*simulator.Fault{test.fault}
		computer := on(t, m)
		e, err := computer.Volume(t.Context(), volumeC)
		if failure := failureOf(t, err); failure.Problem.Code != test.code || failure.Problem.Target != volumeC || failure.Fatal || failure.Unsure {
			t.Errorf("%s: %+v", name, failure)
		}
		if diff := cmp.Diff(contract.Encryption{}, e); diff != "" {
			t.Errorf("%s: beside the failure %s", name, diff)
		}
		if test.whole {
			continue
		}
		e, err = computer.Conversion(t.Context(), volumeC)
		if failure := failureOf(t, err); failure.Problem.Code != test.code || e.Conversion != nil {
			t.Errorf("%s: Conversion says %+v, %v", name, failure, e.Conversion)
		}
	}
	// What nothing rests on is left open.
	m := simulated(volume('C'))
	m.Faults = []*simulator.Fault{{Point: simulator.AtMethod, Name: "GetVersion", Missing: true}}
	if e, err := on(t, m).Volume(t.Context(), volumeC); err != nil || e.MetadataVersion != nil || e.Conversion == nil {
		t.Errorf("without the version of the metadata: %v %v", e.Conversion, err)
	}
}

// Cases C38, C43: what hangs is left behind, and a new connection goes on.
func TestHangs(t *testing.T) {
	for name, test := range map[string]struct {
		method string
		ask    func(remediate.Computer, context.Context) error
	}{
		"Change": {"Decrypt", func(c remediate.Computer, ctx context.Context) error {
			return c.Change(ctx, volumeC, contract.ChangeDecrypt)
		}},
		"Conversion": {"GetConversionStatus", func(c remediate.Computer, ctx context.Context) error {
			_, err := c.Conversion(ctx, volumeC)
			return err
		}},
		"Volume": {"GetEncryptionMethod", func(c remediate.Computer, ctx context.Context) error { _, err := c.Volume(ctx, volumeC); return err }},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := simulated(volume('C'))
			m.Faults = []*simulator.Fault{{Point: simulator.AtMethod, Name: test.method, Hang: true, Times: 1}}
			computer := on(t, m)
			begun := time.Now()
			failure := failureOf(t, test.ask(computer, t.Context()))
			if failure.Problem.Code != "timeout" || !failure.Unsure || failure.Fatal || !failure.Problem.Retryable || failure.Problem.Target != volumeC {
				t.Errorf("%s: %+v", name, failure)
			}
			if took := time.Since(begun); took > time.Minute {
				t.Errorf("%s: given up after %s", name, took)
			}
			_, err := computer.Conversion(t.Context(), volumeC)
			if failure := failureOf(t, err); failure.Problem.Code != "not-asked" || !failure.Unsure {
				t.Errorf("%s: behind it %+v", name, failure)
			}
			if err := computer.Reconnect(t.Context()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			e, err := computer.Conversion(t.Context(), volumeC)
			if err != nil || e.Conversion == nil || *e.Conversion != contract.FullyEncrypted {
				t.Errorf("%s: after Reconnect %v %v", name, e.Conversion, err)
			}
			if err := test.ask(computer, t.Context()); err != nil {
				t.Errorf("%s: once more %v", name, err)
			}
		})
	}
}

func TestInterrupted(t *testing.T) {
	m := simulated(volume('C'))
	computer := on(t, m)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(machine.ErrInterrupted)
	failure := failureOf(t, computer.Change(ctx, volumeC, contract.ChangeDecrypt))
	if failure.Problem.Code != "interrupted" || len(called(m)) != 0 {
		t.Errorf("%+v after %v", failure, called(m))
	}
}

// A computer that cannot be asked says so, and can be asked again.
func TestUnavailable(t *testing.T) {
	for code, change := range map[string]func(*simulator.Machine){
		"provider-unavailable": func(m *simulator.Machine) { m.NoBitLocker = true },
		"needs-elevation": func(m *simulator.Machine) {
			m.Faults = []*simulator.Fault{{Point: simulator.AtConnect, Raise: bitlocker.WBEM_E_ACCESS_DENIED}}
		},
		"out-of-memory": func(m *simulator.Machine) {
			m.Faults = []*simulator.Fault{{Point: simulator.AtQuery, Raise: bitlocker.E_OUTOFMEMORY}}
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := simulated(volume('C'))
			change(m)
			computer := on(t, m)
			_, err := computer.Volume(t.Context(), volumeC)
			if failure := failureOf(t, err); failure.Problem.Code != code || failure.Problem.HResult == nil {
				t.Errorf("%s: Volume: %+v", code, failure)
			}
			_, err = computer.Conversion(t.Context(), volumeC)
			if failure := failureOf(t, err); failure.Problem.Code != code {
				t.Errorf("%s: Conversion: %+v", code, failure)
			}
			if failure := failureOf(t, computer.Change(t.Context(), volumeC, contract.ChangeDecrypt)); failure.Problem.Code != code || len(called(m)) != 0 {
				t.Errorf("%s: Change: %+v after %v", code, failure, called(m))
			}
			m.Update(func(m *simulator.Machine) { m.NoBitLocker, m.Faults = false, nil })
			if _, err := computer.Volume(t.Context(), volumeC); err != nil {
				t.Errorf("%s: afterwards %v", code, err)
			}
			computer.Close()
			computer.Close()
			if _, err := computer.Volume(t.Context(), volumeC); err != nil {
				t.Errorf("%s: after Close %v", code, err)
			}
		})
	}
}
