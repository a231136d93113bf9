package provider

import (
	"math"

	"diskaudit/core/contract"
)

// GetConversionStatus takes a PrecisionFactor from 0 to 4, of which its page says no more than
// "the precision level". Where callers pass 4, they divide by 10,000; the page's range of 0 to 100
// fits 0 (learn.microsoft.com/windows/win32/secprov/getconversionstatus-win32-encryptablevolume).
// So the finest is asked for, and trusted only where the state or the answer in whole percent
// agrees with it.
const (
	finest int32 = 4
	whole  int32 = 0
	scale        = 10_000
)

// underWay tells whether a percentage cannot be told from the state.
func (a *answers) underWay() bool {
	is := func(value *int32, low, high int64) bool {
		return value != nil && int64(*value) >= low && int64(*value) <= high
	}
	return is(a.conversion, int64(contract.EncryptionInProgress), int64(contract.DecryptionPaused)) ||
		is(a.wiping, int64(contract.WipeInProgress), int64(contract.WipePaused))
}

// partOf is a percentage while something is under way; nil when the answers do not tell it.
func partOf(fine, rough *int32) *float64 {
	if rough != nil && (*rough < 0 || *rough > 100) {
		rough = nil
	}
	if fine != nil && (*fine < 0 || *fine > 100*scale) {
		fine = nil
	}
	switch {
	case fine != nil && rough != nil && math.Abs(float64(*fine)/scale-float64(*rough)) <= 1:
		return contract.Ptr(float64(*fine) / scale)
	case rough != nil:
		return contract.Ptr(float64(*rough))
	case fine != nil && *fine > 100:
		// No percentage that is not scaled is that large.
		return contract.Ptr(float64(*fine) / scale)
	}
	return nil
}

// completeOf is a percentage where the state says that all is done. The page warns of rounding, so
// a little less is believed.
func completeOf(fine *int32) *float64 {
	switch {
	case fine == nil || *fine < 0:
		return nil
	case *fine == 100:
		// Not scaled after all.
		return contract.Ptr(100.0)
	case *fine >= 99*scale && *fine <= 100*scale:
		return contract.Ptr(float64(*fine) / scale)
	}
	return nil
}

// nothingOf is a percentage where the state says that nothing is encrypted.
func nothingOf(fine *int32) *float64 {
	if fine != nil && *fine == 0 {
		return contract.Ptr(0.0)
	}
	return nil
}
