package remediate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/contract"
	"diskaudit/core/remediate/journal"
)

// outline is a plan's steps in short.
func outline(plan contract.Plan) []string {
	var lines []string
	for _, step := range plan.Steps {
		target := map[string]string{soundC: "C:", soundD: "D:", PreventionTarget: "prevention"}[step.Target]
		if target == "" {
			target = step.Target
		}
		lines = append(lines, fmt.Sprintf("%s %s %s>%s", step.Change, target, step.Before, step.After))
	}
	return lines
}

const verified = "verify machine FullyDecrypted>FullyDecrypted"

func TestOrder(t *testing.T) {
	autoUnlocking := func(s *contract.Status) {
		s.Volumes[1].Encryption.AutoUnlock = contract.Ptr(true)
		s.Volumes[0].Encryption.AutoUnlockKeysStored = contract.Ptr(true)
	}
	for _, test := range []struct {
		name    string
		change  func(*contract.Status)
		request Request
		want    []string
	}{
		{"all volumes, the system's last", func(*contract.Status) {}, Request{}, []string{
			"set-prevent-device-encryption prevention absent>1", "decrypt D: FullyEncrypted>DecryptionInProgress", "decrypt C: FullyEncrypted>DecryptionInProgress",
			"wait D: DecryptionInProgress>FullyDecrypted", "wait C: DecryptionInProgress>FullyDecrypted", verified,
		}},
		{"what unlocks by itself first, to its end", autoUnlocking, Request{ClearAutoUnlock: true}, []string{
			"set-prevent-device-encryption prevention absent>1", "decrypt D: FullyEncrypted>DecryptionInProgress", "wait D: DecryptionInProgress>FullyDecrypted",
			"clear-auto-unlock-keys C: stored>not-stored", "decrypt C: FullyEncrypted>DecryptionInProgress", "wait C: DecryptionInProgress>FullyDecrypted", verified,
		}},
		{"keys only with consent", autoUnlocking, Request{Volumes: []string{soundC}}, []string{
			"set-prevent-device-encryption prevention absent>1", "decrypt C: FullyEncrypted>DecryptionInProgress", "wait C: DecryptionInProgress>FullyDecrypted", verified,
		}},
		{"B33: prevented, but encrypted with a key in the clear", func(s *contract.Status) {
			s.Policy.PreventDeviceEncryption = contract.Ptr(true)
			s.Volumes[0].Encryption.ClearKey, s.Volumes[0].Encryption.Protectors = contract.Ptr(true), []contract.Protector{}
			s.Volumes[0].Encryption.Protection, s.Volumes[0].Encryption.ProtectionReason = contract.Ptr(contract.ProtectionOff), contract.Ptr(contract.ReasonWaitingForActivation)
		}, Request{Volumes: []string{soundC}}, []string{
			"decrypt C: FullyEncrypted>DecryptionInProgress", "wait C: DecryptionInProgress>FullyDecrypted", verified,
		}},
		{"B53: a paused decryption goes on", func(s *contract.Status) {
			s.Volumes[0].Encryption.Conversion = contract.Ptr(contract.DecryptionPaused)
		}, Request{Volumes: []string{soundC}}, []string{
			"set-prevent-device-encryption prevention absent>1", "decrypt C: DecryptionPaused>DecryptionInProgress", "wait C: DecryptionInProgress>FullyDecrypted", verified,
		}},
		{"what is being decrypted is waited for", func(s *contract.Status) {
			s.Volumes[0].Encryption.Conversion = contract.Ptr(contract.DecryptionInProgress)
			s.Policy.PreventDeviceEncryption = contract.Ptr(true)
		}, Request{Volumes: []string{soundC}}, []string{"wait C: DecryptionInProgress>FullyDecrypted", verified}},
		{"a hard disk is sped up, and slowed down again", func(*contract.Status) {}, Request{Volumes: []string{soundD}, SpeedUp: true}, []string{
			"set-prevent-device-encryption prevention absent>1", "set-cache-flushing PhysicalDrive1 on>off", "decrypt D: FullyEncrypted>DecryptionInProgress",
			"wait D: DecryptionInProgress>FullyDecrypted", "set-cache-flushing PhysicalDrive1 off>on", verified,
		}},
		{"flushing that its owner turned off stays off", func(s *contract.Status) {
			s.Disks[1].WriteCache.PowerProtected = contract.Ptr(true)
		}, Request{Volumes: []string{soundD}, SpeedUp: true}, []string{
			"set-prevent-device-encryption prevention absent>1", "decrypt D: FullyEncrypted>DecryptionInProgress", "wait D: DecryptionInProgress>FullyDecrypted", verified,
		}},
		{"a value of 0 is known by its data", func(s *contract.Status) {
			at := strings.LastIndex(PreventionTarget, `\`)
			s.Policy.Settings = contract.List[contract.PolicySetting]{{Key: PreventionTarget[:at], Name: PreventionTarget[at+1:], Data: "0"}}
		}, Request{Action: contract.ActionPrevent}, []string{"set-prevent-device-encryption prevention 0>1"}},
		{"C40: decrypted is success", func(s *contract.Status) {
			for i := range s.Volumes[:2] {
				projectDecrypted(&s.Volumes[i].Encryption)
			}
		}, Request{}, nil},
		{"a drive's own encryption is left", func(s *contract.Status) {
			s.Volumes[0].Encryption.Engine = contract.Ptr(contract.EngineDrive)
			s.Volumes[1].Encryption.Engine = contract.Ptr(contract.EngineSoC)
		}, Request{}, nil},
		{"a stick is left", func(s *contract.Status) {
			s.Volumes[1].Type = contract.Ptr(contract.Removable)
		}, Request{Volumes: nil}, []string{
			"set-prevent-device-encryption prevention absent>1", "decrypt C: FullyEncrypted>DecryptionInProgress", "wait C: DecryptionInProgress>FullyDecrypted", verified,
		}},
		{"a stick that is named is not", func(s *contract.Status) {
			s.Volumes[1].Type = contract.Ptr(contract.Removable)
			s.Policy.PreventDeviceEncryption = contract.Ptr(true)
		}, Request{Volumes: []string{soundD}}, []string{
			"decrypt D: FullyEncrypted>DecryptionInProgress", "wait D: DecryptionInProgress>FullyDecrypted", verified,
		}},
		{"pause", func(s *contract.Status) {
			s.Volumes[0].Encryption.Conversion = contract.Ptr(contract.EncryptionInProgress)
			s.Volumes[1].Encryption.Conversion = contract.Ptr(contract.DecryptionInProgress)
		}, Request{Action: contract.ActionPause}, []string{
			"pause-conversion C: EncryptionInProgress>EncryptionPaused", "pause-conversion D: DecryptionInProgress>DecryptionPaused",
		}},
		{"resume", func(s *contract.Status) {
			s.Volumes[0].Encryption.Conversion = contract.Ptr(contract.EncryptionPaused)
			s.Volumes[1].Encryption.Conversion = contract.Ptr(contract.DecryptionPaused)
		}, Request{Action: contract.ActionResume}, []string{
			"resume-conversion C: EncryptionPaused>EncryptionInProgress", "resume-conversion D: DecryptionPaused>DecryptionInProgress",
		}},
		{"nothing to pause", func(*contract.Status) {}, Request{Action: contract.ActionPause}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.request.Status = soundComputer()
			test.change(&test.request.Status)
			made := Make(test.request)
			if diff := cmp.Diff(test.want, outline(made.Plan)); diff != "" {
				t.Error(diff)
			}
			if len(test.want) == 0 && len(made.Plan.Guards) != 0 {
				t.Errorf("nothing to do, but guards: %+v", made.Plan.Guards)
			}
		})
	}
}

// A plan's id changes with each fact that it rests on, and with none that moves all the time.
func TestIdentity(t *testing.T) {
	identity := func(change func(*contract.Status), request Request) string {
		request.Status = soundComputer()
		change(&request.Status)
		return Make(request).Plan.ID
	}
	base := identity(func(*contract.Status) {}, Request{})
	seen := map[string]string{base: "base"}
	for name, change := range map[string]func(*contract.Status){
		"conversion":  func(s *contract.Status) { s.Volumes[0].Encryption.Conversion = contract.Ptr(contract.EncryptionPaused) },
		"lock":        func(s *contract.Status) { s.Volumes[0].Encryption.Lock = contract.Ptr(contract.Locked) },
		"method":      func(s *contract.Status) { s.Volumes[0].Encryption.Method = contract.Ptr(contract.Aes256) },
		"protection":  func(s *contract.Status) { s.Volumes[0].Encryption.Protection = contract.Ptr(contract.ProtectionOff) },
		"protectors":  func(s *contract.Status) { s.Volumes[0].Encryption.Protectors[0].ID = "z" },
		"auto-unlock": func(s *contract.Status) { s.Volumes[1].Encryption.AutoUnlock = contract.Ptr(true) },
		"keys":        func(s *contract.Status) { s.Volumes[0].Encryption.AutoUnlockKeysStored = contract.Ptr(true) },
		"hardware test": func(s *contract.Status) {
			s.Volumes[0].Encryption.HardwareTest = contract.Ptr(contract.HardwareTestPending)
		},
		"wiping":             func(s *contract.Status) { s.Volumes[0].Encryption.Wiping = contract.Ptr(contract.WipeInProgress) },
		"another volume":     func(s *contract.Status) { s.Volumes[1].ID += "x" },
		"file system":        func(s *contract.Status) { s.Volumes[1].FileSystemDirty = contract.Ptr(true) },
		"prevention":         func(s *contract.Status) { s.Policy.PreventDeviceEncryption = contract.Ptr(true) },
		"policy":             func(s *contract.Status) { s.Policy.RequireDeviceEncryption = contract.Ptr(true) },
		"a policy's origin":  func(s *contract.Status) { s.Policy.Origins = contract.List[string]{"Intune"} },
		"join":               func(s *contract.Status) { s.Machine.Join.MDM = contract.Ptr(true) },
		"power":              func(s *contract.Status) { s.Machine.Power.Source = contract.Ptr(contract.PowerBattery) },
		"portable":           func(s *contract.Status) { s.Machine.Power.Portable = nil },
		"restart":            func(s *contract.Status) { s.Machine.RebootPending = contract.Ptr(true) },
		"health":             func(s *contract.Status) { s.Disks[0].Health.OK = contract.Ptr(false) },
		"a volume's problem": func(s *contract.Status) { s.Volumes[0].Problems = nil },
	} {
		id := identity(change, Request{})
		if other, taken := seen[id]; taken {
			t.Errorf("%s: the id is that of %s", name, other)
		}
		seen[id] = name
	}
	for name, change := range map[string]func(*contract.Status){
		"free space":  func(s *contract.Status) { *s.Volumes[0].FreeBytes -= 4096 },
		"percent":     func(s *contract.Status) { *s.Volumes[0].Encryption.Percent -= 0.5 },
		"temperature": func(s *contract.Status) { s.Disks[0].Health.TemperatureCelsius = contract.Ptr(50.0) },
		"charge":      func(s *contract.Status) { s.Machine.Power.BatteryPercent = contract.Ptr(50.0) },
		"time":        func(s *contract.Status) { s.CollectedAt = time.Now() },
	} {
		if id := identity(change, Request{}); id != base {
			t.Errorf("%s: the id is another", name)
		}
	}
	if identity(func(*contract.Status) {}, Request{Overrides: []string{guardPortable}}) != base {
		t.Error("the plan that a guard refused has another id when it is overridden")
	}
}

func TestExpect(t *testing.T) {
	made := Make(Request{Status: soundComputer()})
	made.Expect(made.Plan.ID)
	if Refuses(made.Plan.Guards) {
		t.Errorf("the expected plan is refused: %+v", made.Plan.Guards)
	}
	made.Expect("0000000000000000")
	last := made.Plan.Guards[len(made.Plan.Guards)-1]
	if !Refuses(made.Plan.Guards) || last.ID != "plan-changed" || last.Override != nil || !strings.Contains(last.Text, made.Plan.ID) {
		t.Errorf("another plan: %+v", last)
	}
}

func TestProjection(t *testing.T) {
	facts := soundComputer()
	before := clone(facts)
	made := Make(Request{Status: facts})
	if diff := cmp.Diff(before, clone(facts)); diff != "" {
		t.Errorf("the facts were changed: %s", diff)
	}
	projected := made.Projected
	if projected.Policy.PreventDeviceEncryption == nil || !*projected.Policy.PreventDeviceEncryption || projected.Policy.Settings[0].Data != "1" {
		t.Errorf("prevention: %+v", projected.Policy)
	}
	for _, volume := range projected.Volumes[:2] {
		e := volume.Encryption
		if *e.Conversion != contract.FullyDecrypted || *e.Engine != contract.EngineNone || *e.ProtectionReason != contract.ReasonDecrypted || len(e.Protectors) != 0 || *e.Percent != 0 {
			t.Errorf("%s: %+v", volume.ID, e)
		}
	}
	again := Make(Request{Status: projected})
	if len(again.Plan.Steps) != 0 || len(again.Plan.Guards) != 0 {
		t.Errorf("the projected computer needs more: %v %+v", outline(again.Plan), again.Plan.Guards)
	}
}

func TestEstimate(t *testing.T) {
	seconds := func(change func(*contract.Status), history journal.History) (*float64, *contract.Estimate) {
		status := soundComputer()
		change(&status)
		for _, step := range Make(Request{Status: status, Volumes: []string{soundC}, History: history}).Plan.Steps {
			if step.Change == contract.ChangeWait {
				return step.EstimatedSeconds, step.Estimate
			}
		}
		return nil, nil
	}
	for _, test := range []struct {
		name    string
		change  func(*contract.Status)
		bytes   uint64
		seconds float64
	}{
		{"a whole solid-state volume of 900 GB", func(*contract.Status) {}, 900e9, 9000},
		{"only the 500 GB in use", func(s *contract.Status) { s.Volumes[0].Encryption.UsedSpaceOnly = contract.Ptr(true) }, 500e9, 5000},
		{"half done", func(s *contract.Status) { s.Volumes[0].Encryption.Percent = contract.Ptr(50.0) }, 450e9, 4500},
		{"a hard disk", func(s *contract.Status) { s.Disks[0].Media = contract.Ptr(contract.MediaHDD) }, 900e9, 30000},
		{"an unknown kind of disk", func(s *contract.Status) { s.Disks[0].Media = nil }, 900e9, 30000},
	} {
		got, estimate := seconds(test.change, journal.History{})
		if got == nil || *got != test.seconds || estimate.Bytes != test.bytes || estimate.Basis != contract.BasisAssumed {
			t.Errorf("%s: %v %+v", test.name, got, estimate)
		}
	}
	if got, estimate := seconds(func(s *contract.Status) { s.Volumes[0].SizeBytes = nil }, journal.History{}); got != nil || estimate != nil {
		t.Errorf("a volume of unknown size: %v %+v", got, estimate)
	}
	begun := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	measured := journal.History{Runs: []journal.Run{{Lines: []journal.Line{
		{Event: journal.EventProgress, Target: soundC, Time: begun, Percent: contract.Ptr(80.0)},
		{Event: journal.EventProgress, Target: soundC, Time: begun.Add(1000 * time.Second), Percent: contract.Ptr(70.0)},
	}}}}
	// 10 % of 900 GB in 1000 s.
	if got, estimate := seconds(func(*contract.Status) {}, measured); got == nil || *got != 10000 || estimate.Basis != contract.BasisMeasured || estimate.BytesPerSecond != 90e6 {
		t.Errorf("measured: %v %+v", got, estimate)
	}
}

// A measured rate is in percent, also where only the space in use is encrypted.
func TestMeasuredEstimate(t *testing.T) {
	begun := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	history := journal.History{Runs: []journal.Run{{Lines: []journal.Line{
		{Event: journal.EventProgress, Target: soundC, Time: begun, Percent: contract.Ptr(100.0)},
		{Event: journal.EventProgress, Target: soundC, Time: begun.Add(100 * time.Second), Percent: contract.Ptr(90.0)},
	}}}}
	for _, used := range []bool{false, true} {
		status := soundComputer()
		status.Volumes[0].Encryption.UsedSpaceOnly = &used
		for _, step := range Make(Request{Status: status, Volumes: []string{soundC}, History: history}).Plan.Steps {
			if step.Change == contract.ChangeWait && (step.EstimatedSeconds == nil || *step.EstimatedSeconds != 1000) {
				t.Errorf("used space only %v: %v", used, step.EstimatedSeconds)
			}
		}
	}
	status := soundComputer()
	status.Volumes[0].SizeBytes = contract.Ptr(uint64(0))
	Make(Request{Status: status, History: history})
}

// What an earlier run left comes first, has no guard and does not change the plan's id.
func TestLeftovers(t *testing.T) {
	left := []journal.Done{{Target: soundHDD, Journal: "run", Change: contract.ChangeFlushing, Old: On, New: Off}}
	request := Request{Status: soundComputer()}
	without := Make(request)
	request.Left = left
	with := Make(request)
	if with.Plan.ID != without.Plan.ID || with.Plan.Steps[0].Target != soundHDD || with.Plan.Steps[0].ID != "1-set-cache-flushing" || len(with.Plan.Steps) != len(without.Plan.Steps)+1 {
		t.Errorf("%s %s %v", with.Plan.ID, without.Plan.ID, outline(with.Plan))
	}
	if alone := Make(Request{Action: contract.ActionUndo, Status: soundComputer(), Left: left}); len(alone.Plan.Steps) != 1 || len(alone.Plan.Guards) != 0 {
		t.Errorf("%v %+v", outline(alone.Plan), alone.Plan.Guards)
	}
}

// A list that may lack volumes is not taken for all of them.
func TestIncompleteList(t *testing.T) {
	request := Request{Status: soundComputer(), Incomplete: []string{"enumeration-incomplete"}}
	if made := Make(request); !Refuses(made.Plan.Guards) {
		t.Error("an incomplete list is taken for complete")
	}
	request.Volumes = []string{soundD}
	if made := Make(request); Refuses(made.Plan.Guards) {
		t.Errorf("a volume that is named does not need the others: %+v", made.Plan.Guards)
	}
	request.Volumes, request.Overrides = nil, []string{guardState}
	if made := Make(request); Refuses(made.Plan.Guards) || len(made.Plan.Steps) == 0 {
		t.Errorf("overridden: %+v", made.Plan.Guards)
	}
	// Keys that a volume may need which is not listed are not removed, whatever is overridden.
	request.Status.Volumes[0].Encryption.AutoUnlockKeysStored, request.ClearAutoUnlock = contract.Ptr(true), true
	if made := Make(request); !Refuses(made.Plan.Guards) {
		t.Error("the keys are removed although volumes may be missing from the list")
	}
}

func TestUndo(t *testing.T) {
	line := func(event journal.Event, step string, change contract.Change, target, before, after string) journal.Line {
		return journal.Line{Event: event, Step: step, Change: change, Target: target, Old: before, New: after, Result: contract.StepDone}
	}
	ran := func(change contract.Change, target, before, after string) journal.History {
		return journal.History{Runs: []journal.Run{{Path: "run", Lines: []journal.Line{
			line(journal.EventStep, "1", change, target, before, after), line(journal.EventStepEnd, "1", change, target, "", ""),
		}}}}
	}
	prevented := func(data string) func(*contract.Status) {
		return func(s *contract.Status) { projectPrevention(&s.Policy, data) }
	}
	converting := func(conversion contract.Conversion) func(*contract.Status) {
		return func(s *contract.Status) { s.Volumes[0].Encryption.Conversion = &conversion }
	}
	for _, test := range []struct {
		name     string
		history  journal.History
		change   func(*contract.Status)
		override bool
		want     []string
		refused  bool
		problem  string
	}{
		{name: "nothing was done", change: func(*contract.Status) {}},
		{name: "prevention", history: ran(contract.ChangePrevent, PreventionTarget, Absent, "1"), change: prevented("1"), want: []string{"set-prevent-device-encryption prevention 1>absent"}},
		{name: "prevention that was 0", history: ran(contract.ChangePrevent, PreventionTarget, "0", "1"), change: prevented("1"), want: []string{"set-prevent-device-encryption prevention 1>0"}},
		{name: "somebody has put it back", history: ran(contract.ChangePrevent, PreventionTarget, Absent, "1"), change: func(*contract.Status) {}},
		{name: "somebody has changed it", history: ran(contract.ChangePrevent, PreventionTarget, Absent, "1"), change: prevented("0"), want: []string{"set-prevent-device-encryption prevention 0>absent"}, refused: true},
		{name: "somebody has changed it, overridden", history: ran(contract.ChangePrevent, PreventionTarget, Absent, "1"), change: prevented("0"), override: true, want: []string{"set-prevent-device-encryption prevention 0>absent"}},
		{name: "pause", history: ran(contract.ChangePause, soundC, "DecryptionInProgress", "DecryptionPaused"), change: converting(contract.DecryptionPaused), want: []string{"resume-conversion C: DecryptionPaused>DecryptionInProgress"}},
		{name: "a pause that ended", history: ran(contract.ChangePause, soundC, "DecryptionInProgress", "DecryptionPaused"), change: converting(contract.FullyDecrypted)},
		{name: "resumption", history: ran(contract.ChangeResume, soundC, "DecryptionPaused", "DecryptionInProgress"), change: converting(contract.DecryptionInProgress), want: []string{"pause-conversion C: DecryptionInProgress>DecryptionPaused"}},
		{name: "a value that is not known", history: ran(contract.ChangePrevent, PreventionTarget, Absent, "1"), change: func(s *contract.Status) { s.Policy.PreventDeviceEncryption = nil }, want: []string{"set-prevent-device-encryption prevention absent>absent"}, refused: true},
		{name: "a foreign target", history: ran(contract.ChangePrevent, `HKLM\Other`, Absent, "1"), change: prevented("1"), problem: "journal-implausible"},
		{name: "a value that is none", history: ran(contract.ChangePrevent, PreventionTarget, "99999999999", "1"), change: prevented("1"), problem: "journal-implausible"},
		{name: "a decryption is for good", history: ran(contract.ChangeDecrypt, soundC, "FullyEncrypted", "DecryptionInProgress"), change: converting(contract.FullyDecrypted), problem: "cannot-undo"},
	} {
		t.Run(test.name, func(t *testing.T) {
			request := Request{Action: contract.ActionUndo, Status: soundComputer(), History: test.history}
			test.change(&request.Status)
			if test.override {
				request.Overrides = []string{guardSince}
			}
			made := Make(request)
			if diff := cmp.Diff(test.want, outline(made.Plan)); diff != "" {
				t.Error(diff)
			}
			if Refuses(made.Plan.Guards) != test.refused {
				t.Errorf("guards: %+v", made.Plan.Guards)
			}
			if found := slices.ContainsFunc(made.Problems, func(p contract.Problem) bool { return p.Code == test.problem }); found != (test.problem != "") {
				t.Errorf("problems: %+v", made.Problems)
			}
		})
	}
}
