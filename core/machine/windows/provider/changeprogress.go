package provider

import (
	"context"
	"fmt"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// Conversion asks how far the conversion of the volume with this DeviceID is, and whether it is
// locked, by GetLockStatus and GetConversionStatus only: Lock, Conversion and Percent, the rest is
// nil. What is not known is nil too, and a problem says why; of a locked volume only the lock is
// known.
func (s *Session) Conversion(ctx context.Context, deviceID string) Reading {
	r := s.progress(ctx, deviceID)
	if r.lockedMeanwhile() {
		r = s.progress(ctx, deviceID)
	}
	if r.vanished != nil {
		problem := r.vanished.Problem(contract.LevelError, machine.StageVolumes, deviceID)
		problem.Code = "volume-vanished"
		problem.Text = fmt.Sprintf("%s is no longer there: it was removed or taken offline. Its state is unknown; reconnect it and run this again. (%s)", deviceID, r.vanished)
		return Reading{Problems: []contract.Problem{problem}}
	}
	d := &description{target: deviceID}
	d.lock(r.answers)
	d.conversion(r.answers)
	return Reading{
		Encryption: contract.Encryption{Lock: d.Encryption.Lock, Conversion: d.Encryption.Conversion, Percent: d.Encryption.Percent},
		Problems:   append(r.problems(), d.Problems...),
	}
}

func (s *Session) progress(ctx context.Context, deviceID string) *reader {
	r := &reader{ctx: ctx, session: s, deviceID: deviceID, target: deviceID}
	if outs := r.ask(askLock, out{}); outs != nil {
		r.answers.lock = r.number(askLock, outs, 0)
	}
	if r.answers.lock == nil || contract.Lock(*r.answers.lock) != contract.Locked {
		r.conversion()
	}
	return r
}

// lockedMeanwhile tells whether the volume was unlocked at the first question and refused the
// second for being locked, which is the only refusal that leaves no trace.
func (r *reader) lockedMeanwhile() bool {
	return r.answers.conversion == nil && len(r.gaps) == 0 && r.silent == nil && r.vanished == nil &&
		r.answers.lock != nil && contract.Lock(*r.answers.lock) != contract.Locked
}
