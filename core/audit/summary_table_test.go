package audit

import (
	"fmt"
	"slices"
	"testing"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
)

// known returns every value as a fact, and the fact that is not known before them.
func known[T any](values ...T) []*T {
	facts := []*T{nil}
	for _, value := range values {
		facts = append(facts, &value)
	}
	return facts
}

// The values that each fact can have, those included that no page lists: first the unknown one.
var (
	everyConversion = known(contract.FullyDecrypted, contract.FullyEncrypted, contract.EncryptionInProgress, contract.DecryptionInProgress,
		contract.EncryptionPaused, contract.DecryptionPaused, contract.Conversion(17))
	everyPercent    = known(0.0, 40.0, 100.0)
	everyProtection = known(contract.ProtectionOff, contract.ProtectionOn, contract.ProtectionUnknown, contract.Protection(9))
	everyLock       = known(contract.Unlocked, contract.Locked, contract.Lock(9))
	everyMethod     = known(contract.MethodNone, contract.MethodUnknown, contract.Aes128Diffuser, contract.MethodHardware, contract.XtsAes256, contract.Method(99))
	everyEngine     = known(contract.EngineNone, contract.EngineSoftware, contract.EngineDrive, contract.EngineSoC, contract.Engine("other"))
	everyReason     = known(contract.ReasonDecrypted, contract.ReasonProtected, contract.ReasonConverting)
	everyClearKey   = known(true, false)
	everyFormat     = known("none", "bitlocker", "luks")
	everyHardware   = known(contract.HardwareNotSupported, contract.HardwareUsesSoftware, contract.HardwareUsesHardware)
)

// eachEncryption calls check with every combination of the facts that say where a volume stands.
func eachEncryption(check func(contract.Encryption)) {
	var e contract.Encryption
	for _, e.Conversion = range everyConversion {
		for _, e.Percent = range everyPercent {
			for _, e.Protection = range everyProtection {
				for _, e.Lock = range everyLock {
					for _, e.Method = range everyMethod {
						for _, e.Engine = range everyEngine {
							for _, e.ProtectionReason = range everyReason {
								for _, e.ClearKey = range everyClearKey {
									for _, e.Format = range everyFormat {
										check(e)
									}
								}
							}
						}
					}
				}
			}
		}
	}
}

// contradictsPlain names the answer that a volume which is not encrypted cannot have, or that has to be
// known to call it so.
func contradictsPlain(e contract.Encryption, onDisk bool) string {
	switch {
	case !is(e.Conversion, contract.FullyDecrypted):
		return "conversion"
	case e.Percent != nil && *e.Percent != 0:
		return "percent"
	case e.Protection != nil && *e.Protection != contract.ProtectionOff:
		return "protection"
	case e.Lock != nil && *e.Lock != contract.Unlocked, e.Lock == nil && !onDisk:
		return "lock"
	case e.Method != nil && *e.Method != contract.MethodNone && *e.Method != contract.MethodHardware:
		return "method"
	case is(e.Engine, contract.EngineSoftware, contract.EngineSoC, contract.Engine("other")), is(e.Engine, contract.EngineDrive) && !is(e.Method, contract.MethodHardware):
		return "engine"
	case e.ProtectionReason != nil && *e.ProtectionReason != contract.ReasonDecrypted:
		return "reason"
	case yes(e.ClearKey):
		return "clear key"
	case is(e.Format, "bitlocker"):
		return "format"
	}
	return ""
}

// contradictsEncrypted is the same for one that is fully encrypted by an engine.
func contradictsEncrypted(e contract.Encryption, engine ...contract.Engine) string {
	switch {
	case !is(e.Conversion, contract.FullyEncrypted):
		return "conversion"
	case !is(e.Engine, engine...):
		return "engine"
	case e.Percent != nil && *e.Percent != 100:
		return "percent"
	case e.Lock != nil && *e.Lock != contract.Unlocked:
		return "lock"
	case is(e.Method, contract.MethodNone):
		return "method"
	case is(e.Engine, contract.EngineSoftware) && is(e.Method, contract.MethodHardware, contract.MethodUnknown, contract.Method(99)):
		return "method"
	case is(e.Engine, contract.EngineDrive) && e.Method != nil && *e.Method != contract.MethodHardware:
		return "method"
	case is(e.ProtectionReason, contract.ReasonDecrypted, contract.ReasonConverting):
		return "reason"
	case is(e.Format, "none", "luks"):
		return "format"
	}
	return ""
}

// Cases B4 and B20: whatever combination of answers there is, a volume is called something only if all
// of them allow it. The rules are written here a second time, from the definitions of the states.
func TestEveryCombinationOfAnswers(t *testing.T) {
	failures, seen := 0, map[standing]int{}
	for _, provider := range []string{"wmi", "on-disk"} {
		status := contract.Status{BitLocker: contract.Provider{Available: ptr(true), Provider: &provider}}
		onDisk := provider == "on-disk"
		eachEncryption(func(e contract.Encryption) {
			got := standingOf(status, contract.Volume{Encryption: e})
			seen[got]++
			wrong := ""
			switch got {
			case standingNotEncrypted:
				wrong = contradictsPlain(e, onDisk)
			case standingSoftware:
				wrong = contradictsEncrypted(e, contract.EngineSoftware)
			case standingHardware:
				wrong = contradictsEncrypted(e, contract.EngineDrive, contract.EngineSoC)
			case standingDecrypting, standingEncrypting, standingPaused:
				if e.Lock != nil && *e.Lock != contract.Unlocked || !is(e.Conversion, conversionsOf(got)...) {
					wrong = "conversion or lock"
				}
			default:
				// What nothing contradicts is not called unknown either.
				if contradictsPlain(e, onDisk) == "" {
					wrong = "nothing, and it is not encrypted"
				}
				if contradictsEncrypted(e, contract.EngineSoftware) == "" {
					wrong = "nothing, and software encrypts it"
				}
			}
			if wrong == "" && got != standingUnknown {
				wrong = otherWithout(status, e, got)
			}
			if wrong != "" {
				if failures++; failures <= 10 {
					t.Errorf("%s: %s is called %s against %s", provider, state(contract.Volume{Encryption: e}), contract.ComputerStates()[got], wrong)
				}
			}
		})
	}
	if failures > 0 {
		t.Errorf("%d combinations", failures)
	}
	for stands := range contract.ComputerStates() {
		if seen[standing(stands)] == 0 {
			t.Errorf("no combination is called %s", contract.ComputerStates()[stands])
		}
	}
}

// A volume is passed over as none for BitLocker only if no answer speaks of encryption, and then only
// with the reason.
func TestEveryCombinationThatIsPassedOver(t *testing.T) {
	reason := contract.List[contract.Problem]{{Code: "not-encryptable", Level: contract.LevelInfo, Stage: "volumes"}}
	passed := 0
	eachEncryption(func(e contract.Encryption) {
		if bitlocker.Outside(contract.Volume{Encryption: e}) {
			t.Fatalf("passed over without a reason: %s", state(contract.Volume{Encryption: e}))
		}
		if !bitlocker.Outside(contract.Volume{Encryption: e, Problems: reason}) {
			return
		}
		passed++
		if e.Conversion == nil {
			// Nothing is known of most of them.
			e.Conversion = ptr(contract.FullyDecrypted)
		}
		if wrong := contradictsPlain(e, true); wrong != "" {
			t.Fatalf("passed over against %s: %s", wrong, state(contract.Volume{Encryption: e}))
		}
	})
	if passed == 0 {
		t.Error("none is passed over")
	}
}

func conversionsOf(stands standing) []contract.Conversion {
	switch stands {
	case standingDecrypting:
		return []contract.Conversion{contract.DecryptionInProgress}
	case standingEncrypting:
		return []contract.Conversion{contract.EncryptionInProgress}
	}
	return []contract.Conversion{contract.EncryptionPaused, contract.DecryptionPaused}
}

// forgotten are the facts, each with how not to know it.
var forgotten = []struct {
	name   string
	forget func(*contract.Encryption)
}{
	{"conversion", func(e *contract.Encryption) { e.Conversion = nil }}, {"percent", func(e *contract.Encryption) { e.Percent = nil }},
	{"protection", func(e *contract.Encryption) { e.Protection = nil }}, {"lock", func(e *contract.Encryption) { e.Lock = nil }},
	{"method", func(e *contract.Encryption) { e.Method = nil }}, {"engine", func(e *contract.Encryption) { e.Engine = nil }},
	{"reason", func(e *contract.Encryption) { e.ProtectionReason = nil }}, {"clear key", func(e *contract.Encryption) { e.ClearKey = nil }},
	{"format", func(e *contract.Encryption) { e.Format = nil }},
}

// otherWithout names a fact without which a volume would be called something else than before and
// than unknown: to know less must never settle anything.
func otherWithout(status contract.Status, e contract.Encryption, called standing) string {
	less := contract.Volume{}
	for _, fact := range forgotten {
		less.Encryption = e
		fact.forget(&less.Encryption)
		if got := standingOf(status, less); got != called && got != standingUnknown {
			return "itself, for without its " + fact.name + " it is called " + string(contract.ComputerStates()[got])
		}
	}
	return ""
}

// Who else answers: the drive's use, in its own table, since few combinations have it.
func TestEveryUseOfTheDrive(t *testing.T) {
	status := plain()
	for _, engine := range everyEngine {
		for _, method := range everyMethod {
			for _, use := range everyHardware {
				encrypted := contract.Volume{}
				encrypt(&encrypted)
				e := encrypted.Encryption
				e.Engine, e.Method, e.HardwareEncryption = engine, method, use
				got := standingOf(status, contract.Volume{Encryption: e})
				if got == standingSoftware && is(use, contract.HardwareUsesHardware) || got == standingHardware && is(use, contract.HardwareUsesSoftware) {
					t.Errorf("%s with the drive's use %v is called %s", state(contract.Volume{Encryption: e}), use, contract.ComputerStates()[got])
				}
			}
		}
	}
}

// kindsOfVolumes are volumes of every kind that a computer can have, each with what it stands for; the
// ones that are left out stand for nothing.
var kindsOfVolumes = []struct {
	name    string
	change  func(*contract.Volume)
	stands  standing
	outside bool
}{
	{"plain", func(*contract.Volume) {}, standingNotEncrypted, false},
	{"software", encrypt, standingSoftware, false},
	{"suspended", func(v *contract.Volume) { encrypt(v); disarm(v, ptr(contract.ReasonSuspended)) }, standingSoftware, false},
	{"drive", func(v *contract.Volume) {
		encrypt(v)
		v.Encryption.Engine, v.Encryption.Method = ptr(contract.EngineDrive), ptr(contract.MethodHardware)
	}, standingHardware, false},
	{"decrypting", func(v *contract.Volume) {
		encrypt(v)
		v.Encryption.Conversion = ptr(contract.DecryptionInProgress)
	}, standingDecrypting, false},
	{"encrypting", func(v *contract.Volume) {
		encrypt(v)
		v.Encryption.Conversion = ptr(contract.EncryptionInProgress)
	}, standingEncrypting, false},
	{"paused", func(v *contract.Volume) {
		encrypt(v)
		v.Encryption.Conversion = ptr(contract.EncryptionPaused)
	}, standingPaused, false},
	{"locked", lock, standingUnknown, false},
	{"nothing is known", func(v *contract.Volume) { *v = unread(*v) }, standingUnknown, false},
	{"timed out", func(v *contract.Volume) {
		v.Problems = contract.List[contract.Problem]{{Code: "timeout", Level: contract.LevelError, Stage: "volumes", Target: v.ID}}
	}, standingUnknown, false},
	{"contradicts itself", func(v *contract.Volume) {
		v.Problems = contract.List[contract.Problem]{{Code: "states-contradict", Level: contract.LevelError, Stage: "volumes", Target: v.ID}}
	}, standingUnknown, false},
	{"none for BitLocker", func(v *contract.Volume) {
		*v = unread(*v)
		v.Problems = contract.List[contract.Problem]{{Code: "not-encryptable", Level: contract.LevelInfo, Stage: "volumes", Target: v.ID}}
	}, standingNotEncrypted, true},
}

// Every pair of volumes of every type, by every provider, with a whole list and one with gaps: the
// computer is what its volume that needs most attention is, a removable volume changes nothing, and
// where anything is not known it is called unknown.
func TestEveryPairOfVolumes(t *testing.T) {
	gaps := map[string]*contract.Problem{
		"": nil, "a list that broke off": {Code: "volumes-not-listed", Level: contract.LevelError, Stage: "volumes"},
		"a volume without a path":          {Code: "volume-unnamed", Level: contract.LevelError, Stage: "volumes", Target: `root\CIMV2`},
		"a volume that was left out":       {Code: "internal-error", Level: contract.LevelError, Stage: "volumes", Target: "/dev/sdz"},
		"a recording that does not say":    {Code: "recording-incomplete", Level: contract.LevelError, Stage: "recording"},
		"the end of the time":              {Code: "timeout", Level: contract.LevelError, Stage: "disks"},
		"nothing but a disk without SMART": {Code: "health-unreadable", Level: contract.LevelError, Stage: "disks", Target: "PhysicalDrive0"},
	}
	for gapName, gap := range gaps {
		whole := gap == nil || gap.Code == "health-unreadable"
		for _, available := range known(true, false) {
			for _, first := range kindsOfVolumes {
				for _, second := range kindsOfVolumes {
					for _, kind := range known(contract.Data, contract.Removable, contract.VolumeType(7)) {
						status := with(func(s *contract.Status) {
							first.change(volC(s))
							second.change(volD(s))
							volD(s).Type = kind
							s.BitLocker.Available = available
							if gap != nil {
								s.Problems = contract.List[contract.Problem]{*gap}
							}
						})
						want := standingNotEncrypted
						count := uint64(0)
						if !first.outside {
							want, count = first.stands, 1
						}
						if !second.outside && !is(kind, contract.Removable) {
							want, count = min(want, second.stands), count+1
						}
						if !whole || !yes(available) || first.outside {
							want = standingUnknown
						}
						got := Summarize(status)
						about := fmt.Sprintf("%s beside %s of type %v, available %v, with %q", first.name, second.name, kind, available, gapName)
						if got.State != contract.ComputerStates()[want] {
							t.Fatalf("%s: %s, want %s", about, got.State, contract.ComputerStates()[want])
						}
						if whole != (got.Volumes != nil) || whole && *got.Volumes != count {
							t.Fatalf("%s: %v volumes are counted, not %d", about, got.Volumes, count)
						}
						if whole && *got.NotEncrypted+*got.UnknownVolumes+*got.SoftwareEncrypted+*got.HardwareEncrypted != count {
							t.Fatalf("%s: the counts do not add up: %+v", about, got)
						}
						if whole && slices.Contains([]string{"suspended"}, first.name) != (*got.Unprotected > 0) && (second.name != "suspended" || is(kind, contract.Removable)) {
							t.Fatalf("%s: %d are counted as unprotected", about, *got.Unprotected)
						}
					}
				}
			}
		}
	}
}
