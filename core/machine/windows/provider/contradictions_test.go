package provider

import (
	"testing"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
)

// Answers that cannot both be true leave open what depends on them. Case B1.
func TestContradictions(t *testing.T) {
	for name, volume := range map[string]script{
		"protection on, but decrypted":    plainSystem.but(script{"GetProtectionStatus": ok(int32(1))}),
		"protection on, but converting":   protectedSystem.but(script{"GetConversionStatus": ok(int32(2), int32(10), int32(0), int32(0), int32(0))}),
		"protection on without protector": protectedSystem.but(script{"GetKeyProtectors": ok([]string{})}),
		"decrypted with a cipher":         plainSystem.but(script{"GetEncryptionMethod": ok(int32(7), nil)}),
		"encrypted without a cipher":      protectedSystem.but(script{"GetEncryptionMethod": ok(int32(0), nil)}),
		"locked, but its key in the open": lockedData.but(script{"GetProtectionStatus": ok(int32(0))}),
	} {
		t.Run(name, func(t *testing.T) {
			got, f := read(t, volume, row(deviceC, system))
			e := got.Encryption
			if e.ProtectionReason != nil && e.Engine != nil {
				t.Errorf("reason %s and engine %s in spite of it", *e.ProtectionReason, *e.Engine)
			}
			if p := find(t, got.Problems, "states-contradict"); p.Level != contract.LevelError {
				t.Errorf("level %s", p.Level)
			}
			if n := f.count("GetLockStatus"); n != 2 {
				t.Errorf("read %d times, want 2", n)
			}
		})
	}
}

// A conversion that ends between two questions makes a contradiction once: the second reading counts.
func TestConversionEndsWhileReading(t *testing.T) {
	f := &fake{
		volumes: map[string]script{deviceC: protectedSystem.but(script{"GetKeyProtectorType": ok(int32(1))})},
		replies: map[string][]reply{"GetConversionStatus": {
			ok(int32(2), int32(999_900), int32(1), int32(0), int32(0)), ok(int32(2), int32(999_900), int32(1), int32(0), int32(0)),
		}},
	}
	got := open(t, f).Read(t.Context(), row(deviceC, system), "C:")
	if *got.Encryption.Conversion != contract.FullyEncrypted || *got.Encryption.ProtectionReason != contract.ReasonProtected {
		t.Errorf("%s, %v", got.Encryption.Conversion, got.Encryption.ProtectionReason)
	}
	if codes := problemsOf(got.Problems); len(codes) != 1 || codes[0] != "auto-unlock-not-applicable info" {
		t.Errorf("problems %v", codes)
	}
}

// The drive's own encryption may be called decrypted: it is always unlocked then.
func TestUnlockedDrive(t *testing.T) {
	got, _ := read(t, plainSystem.but(script{"GetEncryptionMethod": ok(int32(5), nil)}), row(deviceC, system))
	e := got.Encryption
	if e.Format != nil || *e.Engine != contract.EngineDrive {
		t.Errorf("format %v, engine %v", e.Format, *e.Engine)
	}
	find(t, got.Problems, "format-unknown")
}

// Cases B19, B16: without the property VolumeType the type is what the methods prove.
func TestTypeFromMethods(t *testing.T) {
	r := row(deviceC, 0)
	r.VolumeType = nil
	if got, _ := read(t, protectedSystem, r); got.Type == nil || *got.Type != contract.OperatingSystem {
		t.Errorf("of the system's volume: %v", got.Type)
	}
	got, _ := read(t, protectedData, r)
	if got.Type != nil {
		t.Errorf("of a data volume, fixed or removable: %v", got.Type)
	}
	find(t, got.Problems, "type-unknown")
	r.VolumeType = ptr(int32(7))
	got, _ = read(t, protectedData, r)
	if got.Type == nil || *got.Type != 7 {
		t.Errorf("an unlisted type: %v", got.Type)
	}
	find(t, got.Problems, "type-unrecognized")
}

func TestVolumeGUID(t *testing.T) {
	for given, want := range map[string]struct {
		guid *string
		code string
	}{
		"{6F1D2E3C-AAAA-4000-8000-000000000001}": {guid: ptr(guidC)},
		"6F1D2E3C-AAAA-4000-8000-000000000001":   {guid: ptr(guidC)},
		"":                                       {code: "volume-guid-unknown"},
		"{6F1D2E3C}":                             {code: "volume-guid-malformed"},
		"\xff\x00'; DROP":                        {code: "volume-guid-malformed"},
	} {
		r := row(deviceC, system)
		r.PersistentVolumeID = &given
		got, _ := read(t, protectedSystem, r)
		if (got.Encryption.VolumeGUID == nil) != (want.guid == nil) || want.guid != nil && *got.Encryption.VolumeGUID != *want.guid {
			t.Errorf("%q: %v", given, got.Encryption.VolumeGUID)
		}
		if want.code != "" {
			find(t, got.Problems, want.code)
		}
	}
	r := row(deviceC, system)
	r.PersistentVolumeID = ptr("")
	if got, _ := read(t, plainSystem, r); got.Encryption.VolumeGUID != nil || len(got.Problems) != 1 {
		t.Errorf("a volume never encrypted: %v, %v", got.Encryption.VolumeGUID, problemsOf(got.Problems))
	}
}

// A volume that goes away between two questions is unknown as a whole.
func TestVanishedVolume(t *testing.T) {
	for _, method := range []string{"GetLockStatus", "GetConversionStatus", "GetKeyProtectorType", "GetHardwareEncryptionStatus"} {
		got, f := read(t, protectedSystem.but(script{method: fails(bitlocker.WBEM_E_NOT_FOUND)}), row(deviceC, system))
		if codes := problemsOf(got.Problems); len(codes) != 1 || codes[0] != "volume-vanished error" {
			t.Errorf("%s: problems %v", method, codes)
		}
		if names := nulls(got.Encryption); len(names) != len(nulls(contract.Encryption{})) || got.Type != nil {
			t.Errorf("%s: something is known of it all the same: %+v", method, got)
		}
		if n := f.count("GetHardwareEncryptionStatus"); n > 1 || n == 1 && method != "GetHardwareEncryptionStatus" {
			t.Errorf("%s: asked on afterwards", method)
		}
	}
}
