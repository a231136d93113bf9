package provider

import (
	"context"
	"errors"
	"fmt"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// maxProtectors bounds the list of a volume's protectors, whatever the provider says.
const maxProtectors = 256

// Reading is what the provider told of one volume.
type Reading struct {
	// Encryption has nil where something is unknown; a problem says why.
	Encryption contract.Encryption
	// Type is what the volume is to BitLocker; nil when unknown.
	Type *contract.VolumeType
	// Problems are about this volume.
	Problems []contract.Problem
}

// Read asks for the state of a volume, whom problems call target. All of it is read by methods:
// the row's states are as old as the row. It is read anew, once, when its parts contradict each
// other, for a conversion may end between two questions.
func (s *Session) Read(ctx context.Context, row Row, target string) Reading {
	first, contradictions := s.read(ctx, row, target)
	if len(contradictions) == 0 {
		return first
	}
	second, _ := s.read(ctx, row, target)
	return second
}

func (s *Session) read(ctx context.Context, row Row, target string) (Reading, []string) {
	if row.DeviceID == nil {
		return Reading{Problems: []contract.Problem{rowProblem("volume-unnamed", target,
			"BitLocker's WMI provider gives no path for %s, so it cannot be asked about it: its state is unknown.", target)}}, nil
	}
	r := &reader{ctx: ctx, session: s, deviceID: *row.DeviceID, target: target}
	r.askAll()
	if r.vanished != nil {
		problem := r.vanished.Problem(contract.LevelError, machine.StageVolumes, target)
		problem.Code = "volume-vanished"
		problem.Text = fmt.Sprintf("%s is no longer there: it went away while BitLocker was asked about it. Its state is unknown; run this again. (%s)", target, r.vanished)
		return Reading{Problems: []contract.Problem{problem}}, nil
	}
	d := describe(r.answers, row, target)
	d.Problems = append(r.problems(), d.Problems...)
	return d.Reading, d.contradictions
}

// reader asks about one volume.
type reader struct {
	ctx      context.Context
	session  *Session
	deviceID string
	target   string

	answers answers
	gaps    []gap
	// silent is why no more questions are asked.
	silent *silence
	// vanished is the answer for a volume that is not there.
	vanished *bitlocker.HResult
}

func (r *reader) askAll() {
	a := &r.answers
	if outs := r.ask(askLock, out{}); outs != nil {
		a.lock = r.number(askLock, outs, 0)
	}
	if a.lock == nil || contract.Lock(*a.lock) != contract.Locked {
		r.conversion()
	}
	if outs := r.ask(askMethod, out{}, out{}); outs != nil {
		a.method = r.number(askMethod, outs, 0)
		a.driveMethod = r.text(askMethod, outs, 1)
	}
	if outs := r.ask(askProtection, out{}); outs != nil {
		a.protection = r.number(askProtection, outs, 0)
	}
	r.protectors()
	r.autoUnlock()
	if a.suspendable() {
		switch outs, meaning := r.put(askSuspendCount, out{}); {
		case meaning == elsewhere:
			a.notSuspended = true
		case outs != nil:
			a.suspendCount = r.number(askSuspendCount, outs, 0)
		}
	}
	if outs := r.ask(askVersion, out{}); outs != nil {
		a.version = r.number(askVersion, outs, 0)
	}
	if a.isSystem == nil || *a.isSystem {
		switch outs, meaning := r.put(askHardwareTest, out{}, out{}); {
		case meaning == none:
			a.hardwareTest = contract.Ptr(int32(contract.HardwareTestNone))
		case outs != nil:
			a.hardwareTest = r.number(askHardwareTest, outs, 0)
		}
	}
	if outs := r.ask(askHardware, out{}); outs != nil {
		a.hardware = r.number(askHardware, outs, 0)
	}
}

// suspendable tells whether protection may be suspended: the count exists only then.
func (a *answers) suspendable() bool {
	off := a.protection != nil && contract.Protection(*a.protection) == contract.ProtectionOff
	plain := a.conversion != nil && contract.Conversion(*a.conversion) == contract.FullyDecrypted
	return off && !plain
}

func (r *reader) conversion() {
	a := &r.answers
	outs := r.ask(askConversion, out{}, out{}, out{}, out{}, out{}, finest)
	if outs == nil {
		return
	}
	for i, into := range []**int32{&a.conversion, &a.percent, &a.flags, &a.wiping, &a.wipePercent} {
		*into = r.number(askConversion, outs, i)
	}
	if !a.underWay() {
		return
	}
	rough, err := r.session.call(r.ctx, r.deviceID, askConversion.method, out{}, out{}, out{}, out{}, out{}, whole)
	var coded *Error
	switch {
	case err == nil:
		a.roughPercent, _ = number(rough[1])
		a.roughWipePercent, _ = number(rough[4])
	case errors.As(err, &coded) && coded.Code.Fatal():
		// The percentage is only made more exact by this, but what the disk does is told.
		r.gap(askConversion, []string{"percent"}, err)
	}
}

func (r *reader) protectors() {
	outs, meaning := r.put(askProtectors, int32(0), out{})
	r.answers.off = meaning == none
	if outs == nil {
		return
	}
	ids, ok := outs[0].([]string)
	if outs[0] == nil {
		// Whether NULL is the list without elements is not documented. Another method tells.
		ok = r.hasNoProtector()
	}
	if !ok {
		r.gap(askProtectors, askProtectors.facts, fmt.Errorf("%w: a list of texts was expected, not %s", errMalformed, typeOf(outs[0])))
		return
	}
	if len(ids) > maxProtectors {
		r.gap(askProtectors, askProtectors.facts, fmt.Errorf("%w: it lists %d key protectors", errMalformed, len(ids)))
		return
	}
	list := make([]contract.Protector, 0, len(ids))
	for _, id := range ids {
		kind := contract.ProtectorUnknown
		if outs := r.ask(askProtectorType, id, out{}); outs != nil {
			if code := r.number(askProtectorType, outs, 0); code != nil {
				kind = contract.ProtectorType(uint32(*code))
			}
		}
		name := printable(id)
		if bare := bareGUID(id); bare != nil {
			name = *bare
		}
		list = append(list, contract.Protector{ID: name, Type: kind})
	}
	r.answers.protectors = list
}

// hasNoProtector asks whether there is any protector; false also when that is not known.
func (r *reader) hasNoProtector() bool {
	outs := r.ask(askAnyProtector, int32(0), out{})
	if outs == nil {
		return false
	}
	any, known := outs[0].(bool)
	return known && !any
}

func (r *reader) autoUnlock() {
	a := &r.answers
	switch outs, meaning := r.put(askAutoUnlock, out{}, out{}); {
	case meaning == none:
		a.autoUnlock = contract.Ptr(false)
	case meaning == elsewhere:
		a.isSystem = contract.Ptr(true)
	case outs != nil:
		a.autoUnlock = r.truth(askAutoUnlock, outs, 0)
		a.isSystem = contract.Ptr(false)
	}
	switch outs, meaning := r.put(askKeysStored, out{}); {
	case meaning == none:
		a.keysStored = contract.Ptr(false)
	case meaning == elsewhere:
		a.isSystem = contract.Ptr(false)
	case outs != nil:
		a.keysStored = r.truth(askKeysStored, outs, 0)
		a.isSystem = contract.Ptr(true)
	}
}

// ask puts a question whose refusals say no more than that.
func (r *reader) ask(q question, arguments ...Value) []Value {
	outs, _ := r.put(q, arguments...)
	return outs
}

// put puts a question. It returns what the method filled in, or nil and what it said by refusing.
func (r *reader) put(q question, arguments ...Value) ([]Value, meaning) {
	if r.vanished != nil || r.silent != nil {
		return nil, unexplained
	}
	outs, err := r.session.call(r.ctx, r.deviceID, q.method, arguments...)
	if err == nil {
		return outs, unexplained
	}
	var silent *silence
	if errors.As(err, &silent) {
		r.silent = silent
		return nil, unexplained
	}
	var coded *Error
	if errors.As(err, &coded) {
		code := listed(coded.Code)
		if code == bitlocker.WBEM_E_NOT_FOUND {
			r.vanished = &code
			return nil, unexplained
		}
		if meaning := q.refusals[code]; meaning != unexplained {
			if meaning == locked {
				r.locked()
			}
			return nil, meaning
		}
	}
	r.gap(q, q.facts, err)
	return nil, unexplained
}

// locked takes a refusal as an answer about the lock where GetLockStatus gave none.
func (r *reader) locked() {
	if r.answers.lock == nil {
		r.answers.lock = contract.Ptr(int32(contract.Locked))
	}
}

func (r *reader) number(q question, outs []Value, i int) *int32 {
	value, err := number(outs[i])
	if err != nil {
		r.gap(q, q.facts[i:i+1], err)
	}
	return value
}

func number(value Value) (*int32, error) {
	if n, ok := value.(int32); ok {
		return &n, nil
	}
	return nil, fmt.Errorf("%w: a number was expected, not %s", errMalformed, typeOf(value))
}

// text is a text that may be missing: NULL and an empty one say that there is none.
func (r *reader) text(q question, outs []Value, i int) *string {
	if outs[i] == nil {
		return nil
	}
	value, ok := outs[i].(string)
	if !ok {
		r.gap(q, q.facts[i:i+1], fmt.Errorf("%w: a text was expected, not %s", errMalformed, typeOf(outs[i])))
	}
	if value == "" {
		return nil
	}
	return &value
}

func (r *reader) truth(q question, outs []Value, i int) *bool {
	if value, ok := outs[i].(bool); ok {
		return &value
	}
	r.gap(q, q.facts[i:i+1], fmt.Errorf("%w: true or false was expected, not %s", errMalformed, typeOf(outs[i])))
	return nil
}
