package provider

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
)

// told are the fields of the document that each method tells, for a protected system volume.
var told = map[string][]string{
	"GetLockStatus":               {"Lock"},
	"GetConversionStatus":         {"Conversion", "Percent", "UsedSpaceOnly", "Wiping", "Format"},
	"GetEncryptionMethod":         {"Method", "Engine"},
	"GetProtectionStatus":         {"Protection", "ProtectionReason", "ClearKey"},
	"GetKeyProtectors":            {"Protectors"},
	"IsAutoUnlockKeyStored":       {"AutoUnlockKeysStored"},
	"GetVersion":                  {"MetadataVersion"},
	"GetHardwareTestStatus":       {"HardwareTest"},
	"GetHardwareEncryptionStatus": {"HardwareEncryption"},
}

// nulls are the fields that are null.
func nulls(e contract.Encryption) []string {
	var names []string
	v := reflect.ValueOf(e)
	for i := range v.NumField() {
		if v.Field(i).IsNil() {
			names = append(names, v.Type().Field(i).Name)
		}
	}
	return names
}

// A method that refuses, in whatever way, costs the facts that only it tells: they are null, a
// problem says so, and nothing becomes "decrypted". Cases B4, B14, B15, B16, B48, B49, B50.
func TestEveryMethodRefusing(t *testing.T) {
	always := nulls(expected())
	ways := map[string]struct {
		reply reply
		code  string
	}{
		"an FVE code":               {refuses(bitlocker.FVE_E_BAD_INFORMATION), "metadata-damaged"},
		"a positive Win32 code":     {refuses(bitlocker.HResult(1117)), "disk-error"},
		"E_INVALIDARG":              {refuses(bitlocker.E_INVALIDARG), ""},
		"an unknown code":           {refuses(0x8031FFFF), "windows-error"},
		"access denied":             {fails(bitlocker.WBEM_E_ACCESS_DENIED), "needs-elevation"},
		"no such method":            {fails(bitlocker.DISP_E_UNKNOWNNAME), "method-missing"},
		"not implemented":           {fails(bitlocker.WBEM_E_METHOD_NOT_IMPLEMENTED), "method-missing"},
		"an error without a code":   {reply{err: fmt.Errorf("the library failed")}, "call-failed"},
		"no return value":           {reply{outs: []Value{int32(0), int32(0)}}, "answer-malformed"},
		"a return value of text":    {reply{returns: "0"}, "answer-malformed"},
		"a fault of this program":   {reply{returns: int32(0), does: func() { panic("index out of range") }}, "call-failed"},
		"TPM not there, as -214484": {refuses(bitlocker.FromInt32(-2144845809)), ""},
	}
	for method, fields := range told {
		for way, w := range ways {
			t.Run(method+": "+way, func(t *testing.T) {
				got, _ := read(t, protectedSystem.but(script{method: w.reply}), row(deviceC, system))
				missing := nulls(got.Encryption)
				for _, field := range fields {
					if !slices.Contains(missing, field) {
						t.Errorf("%s is not null", field)
					}
				}
				// What follows from several answers may be null too; all else is there.
				for _, field := range missing {
					if !slices.Contains(always, field) && !slices.Contains(fields, field) &&
						!slices.Contains([]string{"ProtectionReason", "ClearKey", "Engine"}, field) {
						t.Errorf("%s is null because %s refused", field, method)
					}
				}
				explained := slices.ContainsFunc(got.Problems, func(p contract.Problem) bool {
					return strings.Contains(p.Text, method) && (w.code == "" || p.Code == w.code || p.Code == "hardware-encryption-unknown")
				})
				if !explained {
					t.Errorf("no problem %s that names %s in %v", w.code, method, problemsOf(got.Problems))
				}
				if c := got.Encryption.Conversion; c != nil && *c == contract.FullyDecrypted {
					t.Error("it became decrypted")
				}
			})
		}
	}
}

// An answer of another type than the page declares, or none at all, is unknown, never 0 or false.
// Case B13.
func TestEveryAnswerMalformed(t *testing.T) {
	for method, fields := range told {
		for _, value := range []Value{nil, "1", []string{"1"}, int64(1), 1.5, struct{}{}} {
			if method == "GetKeyProtectors" {
				if _, list := value.([]string); list {
					continue
				}
			}
			t.Run(fmt.Sprintf("%s: %T", method, value), func(t *testing.T) {
				got, _ := read(t, protectedSystem.but(script{method: ok(value, value, value, value, value)}), row(deviceC, system))
				missing := nulls(got.Encryption)
				for _, field := range fields {
					if !slices.Contains(missing, field) {
						t.Errorf("%s is not null", field)
					}
				}
				find(t, got.Problems, "answer-malformed")
			})
		}
	}
	// A number where true or false belongs.
	got, _ := read(t, protectedData.but(script{"IsAutoUnlockEnabled": ok(int32(1), "")}), row(deviceC, data))
	if got.Encryption.AutoUnlock != nil {
		t.Errorf("autoUnlock %v", *got.Encryption.AutoUnlock)
	}
	find(t, got.Problems, "answer-malformed")
}

// Only what the page documents as an answer is one.
func TestDocumentedRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		volume script
		kind   int32
		check  func(contract.Encryption) bool
		level  contract.Level
		code   string
	}{
		"the count of restarts on an older Windows": {
			volume: protectedSystem.but(script{"GetProtectionStatus": ok(int32(0)), "GetSuspendCount": fails(bitlocker.DISP_E_UNKNOWNNAME)}),
			check: func(e contract.Encryption) bool {
				return e.SuspendCount == nil && *e.ProtectionReason == contract.ReasonSuspended
			},
			level: contract.LevelInfo, code: "method-missing"},
		"not suspended, yet off, with a recovery password": {
			volume: protectedSystem.but(script{"GetProtectionStatus": ok(int32(0)), "GetKeyProtectorType": ok(int32(3))}),
			check: func(e contract.Encryption) bool {
				return e.ProtectionReason == nil && e.SuspendCount == nil && *e.ClearKey
			},
			level: contract.LevelError, code: "protection-reason-unknown"},
		"an impossible count of restarts": {
			volume: protectedSystem.but(script{"GetProtectionStatus": ok(int32(0)), "GetSuspendCount": ok(int32(16))}),
			check:  func(e contract.Encryption) bool { return e.SuspendCount == nil },
			level:  contract.LevelError, code: "suspend-count-unknown"},
		"the drive's own encryption not usable": {
			volume: protectedSystem.but(script{"GetHardwareEncryptionStatus": refuses(bitlocker.HResult(50))}),
			check:  func(e contract.Encryption) bool { return e.HardwareEncryption == nil },
			level:  contract.LevelInfo, code: "hardware-encryption-unknown"},
		"the version not known": {
			volume: protectedSystem.but(script{"GetVersion": ok(int32(0))}),
			check:  func(e contract.Encryption) bool { return e.MetadataVersion == nil },
			level:  contract.LevelInfo, code: "metadata-version-unknown"},
		"not activated, though protection is on": {
			volume: protectedSystem.but(script{"GetKeyProtectors": refuses(bitlocker.FVE_E_NOT_ACTIVATED)}),
			check:  func(e contract.Encryption) bool { return e.ProtectionReason == nil },
			level:  contract.LevelError, code: "states-contradict"},
		"protection not known, though unlocked": {
			volume: protectedSystem.but(script{"GetProtectionStatus": ok(int32(2))}),
			check: func(e contract.Encryption) bool {
				return *e.Protection == contract.ProtectionUnknown && e.ProtectionReason == nil
			},
			level: contract.LevelError, code: "protection-unknown"},
		"locked, by what another method refuses": {
			volume: lockedData.but(script{"GetLockStatus": refuses(bitlocker.E_INVALIDARG)}), kind: data,
			check: func(e contract.Encryption) bool {
				return *e.Lock == contract.Locked && e.Conversion == nil && *e.ProtectionReason == contract.ReasonLocked
			},
			level: contract.LevelError, code: "volume-locked"},
		"locked, with its cipher told": {
			volume: lockedData.but(script{"GetEncryptionMethod": ok(int32(7), nil)}), kind: data,
			check: func(e contract.Encryption) bool {
				return *e.Method == contract.XtsAes256 && *e.Engine == contract.EngineSoftware && e.Conversion == nil
			},
			level: contract.LevelError, code: "volume-locked"},
		"locked, protection refused too": {
			volume: lockedData.but(script{"GetProtectionStatus": refuses(bitlocker.FVE_E_LOCKED_VOLUME)}), kind: data,
			check: func(e contract.Encryption) bool {
				return *e.Protection == contract.ProtectionUnknown && *e.ProtectionReason == contract.ReasonLocked
			},
			level: contract.LevelError, code: "volume-locked"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := read(t, test.volume, row(deviceC, test.kind))
			if !test.check(got.Encryption) {
				t.Errorf("%+v", got.Encryption)
			}
			if p := find(t, got.Problems, test.code); p.Level != test.level {
				t.Errorf("level %s, want %s", p.Level, test.level)
			}
		})
	}
}

// Numbers that no page lists stay as they are and are complained of. Case B22.
func TestUnlistedCodes(t *testing.T) {
	for code, test := range map[string]struct {
		volume script
		number func(contract.Encryption) int64
		want   int64
	}{
		"conversion-unrecognized": {
			protectedSystem.but(script{"GetConversionStatus": ok(int32(6), int32(0), int32(0), int32(0), int32(0))}),
			func(e contract.Encryption) int64 { return int64(*e.Conversion) }, 6},
		"protection-unrecognized": {
			protectedSystem.but(script{"GetProtectionStatus": ok(int32(3))}),
			func(e contract.Encryption) int64 { return int64(*e.Protection) }, 3},
		"lock-unrecognized": {
			protectedSystem.but(script{"GetLockStatus": ok(int32(2))}),
			func(e contract.Encryption) int64 { return int64(*e.Lock) }, 2},
		"method-unrecognized": {
			protectedSystem.but(script{"GetEncryptionMethod": ok(int32(-2), nil)}),
			func(e contract.Encryption) int64 { return int64(*e.Method) }, 0xFFFFFFFE},
		"wiping-unrecognized": {
			protectedSystem.but(script{"GetConversionStatus": ok(int32(1), int32(1_000_000), int32(0), int32(9), int32(0))}),
			func(e contract.Encryption) int64 { return int64(*e.Wiping) }, 9},
		"hardware-test-unrecognized": {
			protectedSystem.but(script{"GetHardwareTestStatus": ok(int32(3), int32(0))}),
			func(e contract.Encryption) int64 { return int64(*e.HardwareTest) }, 3},
		"hardware-encryption-unrecognized": {
			protectedSystem.but(script{"GetHardwareEncryptionStatus": ok(int32(4))}),
			func(e contract.Encryption) int64 { return int64(*e.HardwareEncryption) }, 4},
		"protector-unrecognized": {
			protectedSystem.but(script{"GetKeyProtectorType": ok(int32(11))}),
			func(e contract.Encryption) int64 { return int64(e.Protectors[0].Type) }, 11},
	} {
		got, _ := read(t, test.volume, row(deviceC, system))
		if number := test.number(got.Encryption); number != test.want {
			t.Errorf("%s: %d, want %d", code, number, test.want)
		}
		find(t, got.Problems, code)
	}
}

// One reason that costs many facts is one problem, which names them all.
func TestOneProblemForOneReason(t *testing.T) {
	denied := script{}
	for method := range protectedSystem {
		denied[method] = fails(bitlocker.WBEM_E_ACCESS_DENIED)
	}
	got, _ := read(t, denied, row(deviceC, system))
	if len(got.Problems) != 1 {
		t.Fatalf("problems %v", problemsOf(got.Problems))
	}
	mustSay(t, got.Problems[0], "lock", "conversion", "protectors", "autoUnlock", "C:", "0x80041003", "elevated")
}

// What no volume's state rests on is missed with a warning, and the document stays complete.
func TestWhatTheStateDoesNotRestOn(t *testing.T) {
	for method, want := range map[string]contract.Level{
		"GetVersion": contract.LevelWarning, "GetHardwareTestStatus": contract.LevelWarning, "IsAutoUnlockKeyStored": contract.LevelWarning,
		"GetConversionStatus": contract.LevelError, "GetEncryptionMethod": contract.LevelError, "GetProtectionStatus": contract.LevelError,
		"GetLockStatus": contract.LevelError, "GetKeyProtectors": contract.LevelError,
	} {
		got, _ := read(t, protectedSystem.but(script{method: fails(bitlocker.WBEM_E_FAILED)}), row(deviceC, system))
		worst := contract.LevelInfo
		for _, p := range got.Problems {
			if p.Level == contract.LevelError || p.Level == contract.LevelWarning && worst == contract.LevelInfo {
				worst = p.Level
			}
		}
		if worst != want {
			t.Errorf("%s fails: %s, want %s; %v", method, worst, want, problemsOf(got.Problems))
		}
	}
}

// Where one of several answers of a method is malformed, the others stay.
func TestOneAnswerOfSeveralMalformed(t *testing.T) {
	got, _ := read(t, protectedSystem.but(script{
		"GetConversionStatus": ok(int32(1), int32(1_000_000), nil, int32(0), int32(0)),
		"GetEncryptionMethod": ok(int32(6), int32(7)),
	}), row(deviceC, system))
	if got.Encryption.Conversion == nil || got.Encryption.UsedSpaceOnly != nil || got.Encryption.Engine == nil || got.Encryption.DriveMethod != nil {
		t.Errorf("%+v", got.Encryption)
	}
	p := find(t, got.Problems, "answer-malformed")
	mustSay(t, p, "unknown: usedSpaceOnly, driveMethod.")
}
