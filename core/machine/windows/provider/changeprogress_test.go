package provider

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
)

func TestConversion(t *testing.T) {
	unlocked, decrypting := ptr(contract.Unlocked), ptr(contract.DecryptionInProgress)
	progress := func(conversion, percent int32) reply {
		return ok(conversion, percent, int32(1), int32(0), int32(0))
	}
	for name, test := range map[string]struct {
		changes script
		want    contract.Encryption
		codes   []string
	}{
		"under way": {script{"GetConversionStatus": progress(3, 371_234)}, contract.Encryption{Lock: unlocked, Conversion: decrypting, Percent: ptr(37.1234)}, nil},
		"ended":     {script{"GetConversionStatus": progress(0, 0)}, contract.Encryption{Lock: unlocked, Conversion: ptr(contract.FullyDecrypted), Percent: ptr(0.0)}, nil},
		"not begun": {script{}, contract.Encryption{Lock: unlocked, Conversion: ptr(contract.FullyEncrypted), Percent: ptr(100.0)}, nil},
		"locked":    {script{"GetLockStatus": ok(int32(1)), "GetConversionStatus": refuses(bitlocker.FVE_E_LOCKED_VOLUME)}, contract.Encryption{Lock: ptr(contract.Locked)}, []string{"volume-locked error"}},
		"locked only by what it refuses": {script{"GetLockStatus": fails(bitlocker.DISP_E_UNKNOWNNAME), "GetConversionStatus": refuses(bitlocker.FVE_E_LOCKED_VOLUME)},
			contract.Encryption{Lock: ptr(contract.Locked)}, []string{"method-missing error", "volume-locked error"}},
		"a state without a name":  {script{"GetConversionStatus": progress(9, 0)}, contract.Encryption{Lock: unlocked, Conversion: ptr(contract.Conversion(9))}, []string{"conversion-unrecognized error"}},
		"a percentage of nothing": {script{"GetConversionStatus": progress(3, -70_000)}, contract.Encryption{Lock: unlocked, Conversion: decrypting}, []string{"percent-unknown error"}},
		"no answer by its type":   {script{"GetConversionStatus": ok("3", int32(0), int32(0), int32(0), int32(0))}, contract.Encryption{Lock: unlocked}, []string{"answer-malformed error"}},
		"the disk failed":         {script{"GetConversionStatus": refuses(bitlocker.FVE_E_CONV_READ)}, contract.Encryption{Lock: unlocked}, []string{"disk-error error"}},
		"vanished":                {script{"GetConversionStatus": fails(bitlocker.WBEM_E_NOT_FOUND)}, contract.Encryption{}, []string{"volume-vanished error"}},
		"vanished at once":        {script{"GetLockStatus": fails(bitlocker.WBEM_E_NOT_FOUND)}, contract.Encryption{}, []string{"volume-vanished error"}},
	} {
		f := &fake{volumes: map[string]script{deviceC: protectedSystem.but(test.changes)}}
		got := open(t, f).Conversion(t.Context(), deviceC)
		if diff := cmp.Diff(test.want, got.Encryption); diff != "" {
			t.Errorf("%s, want -, got +:\n%s", name, diff)
		}
		if codes := problemsOf(got.Problems); !slices.Equal(codes, append([]string{}, test.codes...)) {
			t.Errorf("%s: %v, want %v", name, codes, test.codes)
		}
		for _, call := range f.calls[1:] {
			if call != "GetLockStatus" && call != "GetConversionStatus" {
				t.Errorf("%s: %s was called", name, call)
			}
		}
	}
}

// A volume that is locked between the two questions is asked once more, and locked.
func TestConversionOfAVolumeThatLocks(t *testing.T) {
	f := &fake{
		volumes: map[string]script{deviceC: lockedData},
		replies: map[string][]reply{"GetLockStatus": {ok(int32(0))}},
	}
	got := open(t, f).Conversion(t.Context(), deviceC)
	if got.Encryption.Lock == nil || *got.Encryption.Lock != contract.Locked || got.Encryption.Conversion != nil {
		t.Errorf("%+v, %v", got.Encryption, problemsOf(got.Problems))
	}
	// One whose two answers never agree is unknown.
	f = &fake{volumes: map[string]script{deviceC: lockedData.but(script{"GetLockStatus": ok(int32(0))})}}
	got = open(t, f).Conversion(t.Context(), deviceC)
	if got.Encryption.Conversion != nil || f.count("GetLockStatus") != 2 {
		t.Errorf("%+v after %v", got.Encryption, f.calls)
	}
}

// Unlike a change, a question is asked again for a reason that passes.
func TestConversionIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{
			volumes: map[string]script{deviceC: protectedSystem},
			replies: map[string][]reply{"GetConversionStatus": {refuses(bitlocker.FVE_E_ACTION_NOT_ALLOWED), fails(bitlocker.RPC_S_SERVER_UNAVAILABLE)}},
		}
		got := open(t, f).Conversion(t.Context(), deviceC)
		if got.Encryption.Conversion == nil || len(got.Problems) != 0 {
			t.Errorf("%+v, %v", got.Encryption, problemsOf(got.Problems))
		}
	})
}
