package provider

import (
	"testing"

	"diskaudit/core/contract"
)

// The page does not say what PrecisionFactor scales, so a percentage is believed only where
// the state or the answer in whole percent agrees with it.
func TestPercent(t *testing.T) {
	n := func(v int32) *int32 { return &v }
	for name, test := range map[string]struct {
		got  *float64
		want *float64
	}{
		"37.25 of 100":                     {partOf(n(372_500), n(37)), ptr(37.25)},
		"rounded up":                       {partOf(n(376_000), n(38)), ptr(37.6)},
		"almost nothing":                   {partOf(n(50), n(0)), ptr(0.005)},
		"not scaled after all":             {partOf(n(37), n(37)), ptr(37.0)},
		"scaled by something else":         {partOf(n(3_725), n(37)), ptr(37.0)},
		"fine beyond its range":            {partOf(n(1_000_001), n(37)), ptr(37.0)},
		"negative":                         {partOf(n(-1), n(37)), ptr(37.0)},
		"both beyond":                      {partOf(n(1_000_001), n(101)), nil},
		"only fine, surely scaled":         {partOf(n(372_500), nil), ptr(37.25)},
		"only fine, perhaps not scaled":    {partOf(n(37), nil), nil},
		"only fine, rough beyond":          {partOf(n(37), n(-5)), nil},
		"nothing":                          {partOf(nil, nil), nil},
		"complete":                         {completeOf(n(1_000_000)), ptr(100.0)},
		"complete but for rounding":        {completeOf(n(999_999)), ptr(99.9999)},
		"complete, not scaled":             {completeOf(n(100)), ptr(100.0)},
		"complete, but half":               {completeOf(n(500_000)), nil},
		"complete, but nothing":            {completeOf(n(0)), nil},
		"complete, beyond":                 {completeOf(n(1_000_001)), nil},
		"complete, negative":               {completeOf(n(-1)), nil},
		"complete, missing":                {completeOf(nil), nil},
		"decrypted":                        {nothingOf(n(0)), ptr(0.0)},
		"decrypted, but something is left": {nothingOf(n(1)), nil},
		"decrypted, missing":               {nothingOf(nil), nil},
	} {
		if (test.got == nil) != (test.want == nil) || test.got != nil && *test.got != *test.want {
			t.Errorf("%s: %v, want %v", name, show(test.got), show(test.want))
		}
	}
}

func show(p *float64) any {
	if p == nil {
		return "unknown"
	}
	return *p
}

// A percentage that is no part of anything is unknown, and never decides about the state.
func TestImpossiblePercent(t *testing.T) {
	for _, outs := range [][]Value{
		{int32(2), int32(2_000_000), int32(0), int32(0), int32(0)},
		{int32(1), int32(0), int32(0), int32(0), int32(0)},
		{int32(0), int32(1_000_000), int32(0), int32(0), int32(0)},
	} {
		got, _ := read(t, plainSystem.but(script{"GetConversionStatus": ok(outs...)}), row(deviceC, system))
		if got.Encryption.Percent != nil || int32(*got.Encryption.Conversion) != outs[0].(int32) {
			t.Errorf("%v: percent %v, conversion %s", outs, show(got.Encryption.Percent), got.Encryption.Conversion)
		}
		if p := find(t, got.Problems, "percent-unknown"); p.Level != contract.LevelError {
			t.Errorf("level %s", p.Level)
		}
	}
	got, _ := read(t, protectedSystem.but(script{"GetConversionStatus": ok(int32(1), int32(1_000_000), int32(0), int32(3), int32(2_000_000))}), row(deviceC, system))
	if got.Encryption.WipePercent != nil || *got.Encryption.Wiping != contract.WipePaused {
		t.Errorf("wipe %v", show(got.Encryption.WipePercent))
	}
	find(t, got.Problems, "wipe-percent-unknown")
}
