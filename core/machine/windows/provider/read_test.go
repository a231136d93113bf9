package provider

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
)

const guidC = "6f1d2e3c-aaaa-4000-8000-000000000001"

var (
	tpm      = contract.Protector{ID: "11111111-aaaa-4000-8000-000000000001", Type: contract.Tpm}
	recovery = contract.Protector{ID: "22222222-aaaa-4000-8000-000000000002", Type: contract.RecoveryPassword}
)

// typed gives the protectors their types in turn.
func typed(codes ...int32) []reply {
	var replies []reply
	for _, code := range codes {
		replies = append(replies, ok(code))
	}
	return replies
}

// expected is a protected system volume in the document's words.
func expected(changes ...func(*contract.Encryption)) contract.Encryption {
	e := contract.Encryption{
		Format: ptr("bitlocker"), Conversion: ptr(contract.FullyEncrypted), Percent: ptr(100.0), UsedSpaceOnly: ptr(true),
		Wiping: ptr(contract.NotWiped), Method: ptr(contract.XtsAes128), Engine: ptr(contract.EngineSoftware),
		HardwareEncryption: ptr(contract.HardwareUsesSoftware), Protection: ptr(contract.ProtectionOn),
		ProtectionReason: ptr(contract.ReasonProtected), Lock: ptr(contract.Unlocked), Protectors: []contract.Protector{tpm, recovery},
		ClearKey: ptr(false), AutoUnlockKeysStored: ptr(false), HardwareTest: ptr(contract.HardwareTestNone),
		MetadataVersion: ptr(uint64(2)), VolumeGUID: ptr(guidC),
	}
	for _, change := range changes {
		change(&e)
	}
	return e
}

// dataVolume turns what is expected of the system's volume into what is of a data volume.
func dataVolume(autoUnlock *bool) func(*contract.Encryption) {
	return func(e *contract.Encryption) {
		e.AutoUnlock, e.AutoUnlockKeysStored, e.HardwareTest = autoUnlock, nil, nil
	}
}

func disarmed(reason contract.ProtectionReason, clearKey *bool) func(*contract.Encryption) {
	return func(e *contract.Encryption) {
		e.Protection, e.ProtectionReason, e.ClearKey = ptr(contract.ProtectionOff), &reason, clearKey
	}
}

func converting(state contract.Conversion, percent float64) func(*contract.Encryption) {
	return func(e *contract.Encryption) { e.Conversion, e.Percent = &state, &percent }
}

// The states that Microsoft's pages describe, each as the four answers, never as one word.
// Cases B2, B3, B5, B7, B8, B20, B22, B23 (flags), B33, B53, C37.
func TestStates(t *testing.T) {
	off := ok(int32(0))
	notApplicable := "auto-unlock-not-applicable info"
	for name, test := range map[string]struct {
		volume   script
		kind     int32
		types    []reply
		want     contract.Encryption
		problems []string
	}{
		"protected": {volume: protectedSystem, want: expected(), problems: []string{notApplicable}},
		"protected data volume that unlocks by itself": {volume: protectedData, kind: data, want: expected(dataVolume(ptr(true)))},
		"suspended for two restarts": {
			volume: protectedSystem.but(script{"GetProtectionStatus": off, "GetSuspendCount": ok(int32(2))}),
			want: expected(disarmed(contract.ReasonSuspended, ptr(true)), func(e *contract.Encryption) {
				e.SuspendCount = ptr(uint64(2))
			}), problems: []string{notApplicable}},
		"suspended until someone resumes it": {
			volume: protectedSystem.but(script{"GetProtectionStatus": off, "GetSuspendCount": ok(int32(0))}),
			want: expected(disarmed(contract.ReasonSuspended, ptr(true)), func(e *contract.Encryption) {
				e.SuspendCount = ptr(uint64(0))
			}), problems: []string{notApplicable}},
		"suspended data volume": {
			volume: protectedData.but(script{"GetProtectionStatus": off}), kind: data,
			want: expected(dataVolume(ptr(true)), disarmed(contract.ReasonSuspended, ptr(true)))},
		"waiting for activation, only a clear key": {
			volume: protectedSystem.but(script{"GetProtectionStatus": off, "GetKeyProtectors": ok([]string{})}),
			want: expected(disarmed(contract.ReasonWaitingForActivation, ptr(true)), func(e *contract.Encryption) {
				e.Protectors = []contract.Protector{}
			}), problems: []string{notApplicable}},
		"waiting for activation, the list refused as not activated": {
			volume: protectedSystem.but(script{"GetProtectionStatus": off, "GetKeyProtectors": refuses(bitlocker.FVE_E_NOT_ACTIVATED)}),
			want: expected(disarmed(contract.ReasonWaitingForActivation, ptr(true)), func(e *contract.Encryption) {
				e.Protectors = []contract.Protector{}
			}), problems: []string{notApplicable}},
		"waiting for activation with the TPM alone, B32": {
			volume: protectedSystem.but(script{"GetProtectionStatus": off, "GetKeyProtectors": ok([]string{idTPM})}),
			want: expected(disarmed(contract.ReasonWaitingForActivation, ptr(true)), func(e *contract.Encryption) {
				e.Protectors = []contract.Protector{tpm}
			}), problems: []string{notApplicable}},
		"encrypting 37 percent": {
			volume: protectedSystem.but(script{"GetProtectionStatus": off,
				"GetConversionStatus": ok(int32(2), int32(372_500), int32(0), int32(0), int32(0))}),
			want: expected(disarmed(contract.ReasonConverting, nil), converting(contract.EncryptionInProgress, 37.25), func(e *contract.Encryption) {
				e.UsedSpaceOnly = ptr(false)
			}), problems: []string{"clear-key-unknown info", notApplicable}},
		"encrypting without a protector": {
			volume: protectedSystem.but(script{"GetProtectionStatus": off, "GetKeyProtectors": ok([]string{}),
				"GetConversionStatus": ok(int32(2), int32(500_000), int32(1), int32(0), int32(0))}),
			want: expected(disarmed(contract.ReasonConverting, ptr(true)), converting(contract.EncryptionInProgress, 50), func(e *contract.Encryption) {
				e.Protectors = []contract.Protector{}
			}), problems: []string{notApplicable}},
		"decrypting": {
			volume: protectedData.but(script{"GetProtectionStatus": off, "IsAutoUnlockEnabled": ok(false, ""),
				"GetConversionStatus": ok(int32(3), int32(999_999), int32(0), int32(0), int32(0))}), kind: data,
			want: expected(dataVolume(ptr(false)), disarmed(contract.ReasonConverting, nil), converting(contract.DecryptionInProgress, 99.9999), func(e *contract.Encryption) {
				e.UsedSpaceOnly = ptr(false)
			}), problems: []string{"clear-key-unknown info"}},
		"encryption paused": {
			volume: protectedSystem.but(script{"GetProtectionStatus": off,
				"GetConversionStatus": ok(int32(4), int32(10_000), int32(0), int32(0), int32(0))}),
			want: expected(disarmed(contract.ReasonConverting, nil), converting(contract.EncryptionPaused, 1), func(e *contract.Encryption) {
				e.UsedSpaceOnly = ptr(false)
			}), problems: []string{"clear-key-unknown info", notApplicable}},
		"decryption paused": {
			volume: protectedSystem.but(script{"GetProtectionStatus": off,
				"GetConversionStatus": ok(int32(5), int32(0), int32(0), int32(0), int32(0))}),
			want: expected(disarmed(contract.ReasonConverting, nil), converting(contract.DecryptionPaused, 0), func(e *contract.Encryption) {
				e.UsedSpaceOnly = ptr(false)
			}), problems: []string{"clear-key-unknown info", notApplicable}},
		"wiping free space": {
			volume: protectedSystem.but(script{"GetConversionStatus": ok(int32(1), int32(1_000_000), int32(3), int32(2), int32(125_000))}),
			want: expected(func(e *contract.Encryption) {
				e.Wiping, e.WipePercent = ptr(contract.WipeInProgress), ptr(12.5)
			}), problems: []string{notApplicable}},
		"wiped free space": {
			volume: protectedSystem.but(script{"GetConversionStatus": ok(int32(1), int32(1_000_000), int32(3), int32(1), int32(1_000_000))}),
			want: expected(func(e *contract.Encryption) {
				e.Wiping, e.WipePercent = ptr(contract.Wiped), ptr(100.0)
			}), problems: []string{notApplicable}},
		"the drive encrypts": {
			volume: protectedSystem.but(script{"GetEncryptionMethod": ok(int32(5), "2.16.840.1.101.3.4.1.42"), "GetHardwareEncryptionStatus": ok(int32(3))}),
			want: expected(func(e *contract.Encryption) {
				e.Method, e.Engine, e.DriveMethod = ptr(contract.MethodHardware), ptr(contract.EngineDrive), ptr("2.16.840.1.101.3.4.1.42")
				e.HardwareEncryption = ptr(contract.HardwareUsesHardware)
			}), problems: []string{notApplicable}},
		"the drive encrypts, protection off": {
			volume: protectedSystem.but(script{"GetEncryptionMethod": ok(int32(5), nil), "GetProtectionStatus": off, "GetSuspendCount": ok(int32(1))}),
			want: expected(disarmed(contract.ReasonSuspended, nil), func(e *contract.Encryption) {
				e.Method, e.Engine, e.SuspendCount = ptr(contract.MethodHardware), ptr(contract.EngineDrive), ptr(uint64(1))
			}), problems: []string{"clear-key-unknown info", notApplicable}},
		"an unknown cipher": {
			volume: protectedSystem.but(script{"GetEncryptionMethod": ok(int32(-1), nil)}),
			want: expected(func(e *contract.Encryption) {
				e.Method, e.Engine = ptr(contract.MethodUnknown), nil
			}), problems: []string{"method-unknown error", notApplicable}},
		"a cipher that came later, perhaps of the processor's engine": {
			volume: protectedSystem.but(script{"GetEncryptionMethod": ok(int32(8), nil)}),
			want: expected(func(e *contract.Encryption) {
				e.Method, e.Engine = ptr(contract.Method(8)), nil
			}), problems: []string{"method-unrecognized error", notApplicable}},
		"decrypted": {
			volume: plainSystem,
			want: contract.Encryption{
				Format: ptr("none"), Conversion: ptr(contract.FullyDecrypted), Percent: ptr(0.0), UsedSpaceOnly: ptr(false),
				Wiping: ptr(contract.NotWiped), Method: ptr(contract.MethodNone), Engine: ptr(contract.EngineNone),
				HardwareEncryption: ptr(contract.HardwareUsesSoftware), Protection: ptr(contract.ProtectionOff),
				ProtectionReason: ptr(contract.ReasonDecrypted), Lock: ptr(contract.Unlocked), Protectors: []contract.Protector{},
				ClearKey: ptr(false), AutoUnlockKeysStored: ptr(false), HardwareTest: ptr(contract.HardwareTestNone), VolumeGUID: ptr(guidC),
			}, problems: []string{notApplicable}},
		"decrypted, with a hardware test pending": {
			volume: plainSystem.but(script{
				"GetKeyProtectors": ok([]string{idTPM}), "GetEncryptionMethod": ok(int32(6), nil),
				"GetHardwareTestStatus": ok(int32(2), int32(0)), "IsAutoUnlockKeyStored": ok(false), "GetVersion": ok(int32(2))}),
			want: contract.Encryption{
				Format: ptr("none"), Conversion: ptr(contract.FullyDecrypted), Percent: ptr(0.0), UsedSpaceOnly: ptr(false),
				Wiping: ptr(contract.NotWiped), Method: ptr(contract.XtsAes128), Engine: ptr(contract.EngineNone),
				HardwareEncryption: ptr(contract.HardwareUsesSoftware), Protection: ptr(contract.ProtectionOff),
				ProtectionReason: ptr(contract.ReasonDecrypted), Lock: ptr(contract.Unlocked), Protectors: []contract.Protector{tpm},
				ClearKey: ptr(false), AutoUnlockKeysStored: ptr(false), HardwareTest: ptr(contract.HardwareTestPending),
				MetadataVersion: ptr(uint64(2)), VolumeGUID: ptr(guidC),
			}, problems: []string{notApplicable}},
		"decrypted data volume": {
			volume: plainData, kind: data,
			want: contract.Encryption{
				Format: ptr("none"), Conversion: ptr(contract.FullyDecrypted), Percent: ptr(0.0), UsedSpaceOnly: ptr(false),
				Wiping: ptr(contract.NotWiped), Method: ptr(contract.MethodNone), Engine: ptr(contract.EngineNone),
				HardwareEncryption: ptr(contract.HardwareUsesSoftware), Protection: ptr(contract.ProtectionOff),
				ProtectionReason: ptr(contract.ReasonDecrypted), Lock: ptr(contract.Unlocked), Protectors: []contract.Protector{},
				ClearKey: ptr(false), AutoUnlock: ptr(false), VolumeGUID: ptr(guidC),
			}},
		// Cases B31, C36, P69.
		"locked data volume": {
			volume: lockedData, kind: data, types: typed(8, 3),
			want: contract.Encryption{
				Format: ptr("bitlocker"), HardwareEncryption: ptr(contract.HardwareUsesSoftware), Protection: ptr(contract.ProtectionUnknown),
				ProtectionReason: ptr(contract.ReasonLocked), Lock: ptr(contract.Locked), AutoUnlock: ptr(true),
				Protectors: []contract.Protector{
					{ID: tpm.ID, Type: contract.Password}, recovery,
				}, MetadataVersion: ptr(uint64(2)), VolumeGUID: ptr(guidC),
			}, problems: []string{"volume-locked error"}},
	} {
		t.Run(name, func(t *testing.T) {
			types := test.types
			if types == nil {
				types = typed(1, 3)
			}
			f := &fake{volumes: map[string]script{deviceC: test.volume}, replies: map[string][]reply{"GetKeyProtectorType": types}}
			got := open(t, f).Read(t.Context(), row(deviceC, test.kind), "C:")
			if diff := cmp.Diff(test.want, got.Encryption); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
			wanted := test.problems
			if wanted == nil {
				wanted = []string{}
			}
			if diff := cmp.Diff(wanted, problemsOf(got.Problems)); diff != "" {
				t.Errorf("problems, want -, got +:\n%s", diff)
			}
			if got.Type == nil || int32(*got.Type) != test.kind {
				t.Errorf("type %v, want %d", got.Type, test.kind)
			}
		})
	}
}

// Case B1: what the instance says of its state is not looked at; the methods are, all of them
// that tell a state, and none that hands out a secret or changes anything. Case B72.
func TestOnlyStateMethodsAreCalled(t *testing.T) {
	allowed := []string{"connect",
		"GetLockStatus", "GetConversionStatus", "GetEncryptionMethod", "GetProtectionStatus", "GetKeyProtectors",
		"GetKeyProtectorType", "IsKeyProtectorAvailable", "IsAutoUnlockEnabled", "IsAutoUnlockKeyStored", "GetSuspendCount",
		"GetVersion", "GetHardwareTestStatus", "GetHardwareEncryptionStatus",
	}
	for name, volume := range map[string]script{
		"protected": protectedSystem, "data": protectedData, "plain": plainData, "locked": lockedData,
		"null list": protectedSystem.but(script{"GetKeyProtectors": ok(nil), "IsKeyProtectorAvailable": ok(false), "GetProtectionStatus": ok(int32(0))}),
	} {
		_, f := read(t, volume, row(deviceC, system))
		for _, call := range f.calls {
			if !slices.Contains(allowed, call) {
				t.Errorf("%s: %s was called", name, call)
			}
		}
	}
}

// A list that is NULL is no list without protectors until another method says so.
func TestNullListOfProtectors(t *testing.T) {
	disarmed := protectedSystem.but(script{"GetProtectionStatus": ok(int32(0)), "GetKeyProtectors": ok(nil)})
	got, _ := read(t, disarmed.but(script{"IsKeyProtectorAvailable": ok(false)}), row(deviceC, system))
	if got.Encryption.Protectors == nil || len(got.Encryption.Protectors) != 0 || *got.Encryption.ProtectionReason != contract.ReasonWaitingForActivation {
		t.Errorf("without a protector: %v, %v", got.Encryption.Protectors, got.Encryption.ProtectionReason)
	}
	for name, reply := range map[string]reply{"there is one": ok(true), "unknown": ok(nil), "refused": refuses(bitlocker.E_INVALIDARG)} {
		got, _ := read(t, disarmed.but(script{"IsKeyProtectorAvailable": reply}), row(deviceC, system))
		if got.Encryption.Protectors != nil || got.Encryption.ProtectionReason != nil {
			t.Errorf("%s: %v, %v", name, got.Encryption.Protectors, got.Encryption.ProtectionReason)
		}
		find(t, got.Problems, "answer-malformed")
		find(t, got.Problems, "protection-reason-unknown")
	}
}
