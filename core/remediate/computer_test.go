package remediate

import (
	"context"
	"errors"
	"fmt"

	"diskaudit/core/contract"
	"diskaudit/core/remediate/journal"
)

// made is a computer in memory for the tests of this package.
type made struct {
	conversions map[string]contract.Conversion
	percents    map[string]float64
	keys        map[string]bool
	prevention  string
	flushing    map[string]string
	// step is how much of a volume each look decrypts.
	step float64
	// happened are the changes that were asked for, and looks of another connection.
	happened []string
	// before is asked before each call, and its error returned in place of the call.
	before func(call string) error
	// after is called when a call has been carried out; its error is returned although it was.
	after func(call string) error
}

func computerWith(conversion contract.Conversion, volumes ...string) *made {
	m := &made{conversions: map[string]contract.Conversion{}, percents: map[string]float64{}, keys: map[string]bool{}, prevention: Absent, flushing: map[string]string{}, step: 50}
	for _, volume := range volumes {
		m.conversions[volume], m.percents[volume] = conversion, 100
	}
	return m
}

func (m *made) call(name string, work func()) error {
	if m.before != nil {
		if err := m.before(name); err != nil {
			return err
		}
	}
	work()
	if m.after != nil {
		return m.after(name)
	}
	return nil
}

func (m *made) Volume(ctx context.Context, id string) (contract.Encryption, error) {
	e, err := m.Conversion(ctx, id)
	e.AutoUnlockKeysStored = contract.Ptr(m.keys[id])
	if e.Conversion != nil && *e.Conversion == contract.FullyDecrypted {
		e.Protectors = []contract.Protector{}
	}
	return e, err
}

func (m *made) Conversion(_ context.Context, id string) (e contract.Encryption, err error) {
	err = m.call("look "+id, func() {
		if m.conversions[id] == contract.DecryptionInProgress {
			if m.percents[id] = max(0, m.percents[id]-m.step); m.percents[id] == 0 {
				m.conversions[id] = contract.FullyDecrypted
			}
		}
		e = contract.Encryption{
			Conversion: contract.Ptr(m.conversions[id]), Percent: contract.Ptr(m.percents[id]), Lock: contract.Ptr(contract.Unlocked),
		}
	})
	return e, err
}

func (m *made) Change(_ context.Context, id string, change contract.Change) error {
	return m.call(fmt.Sprintf("%s %s", change, id), func() {
		m.happened = append(m.happened, fmt.Sprintf("%s %s", change, id))
		switch change {
		case contract.ChangeDecrypt:
			if m.conversions[id] != contract.FullyDecrypted {
				m.conversions[id] = contract.DecryptionInProgress
			}
		case contract.ChangePause:
			m.conversions[id] = pausing[m.conversions[id]]
		case contract.ChangeResume:
			m.conversions[id] = resuming[m.conversions[id]]
		case contract.ChangeClearAutoUnlock:
			m.keys[id] = false
		}
	})
}

func (m *made) Prevention(context.Context) (value string, err error) {
	err = m.call("prevention", func() { value = m.prevention })
	return value, err
}

func (m *made) SetPrevention(_ context.Context, value string) error {
	return m.call("prevent "+value, func() { m.prevention, m.happened = value, append(m.happened, "prevent "+value) })
}

func (m *made) Flushing(_ context.Context, disk string) (value string, err error) {
	err = m.call("flushing "+disk, func() { value = m.flushing[disk] })
	return value, err
}

func (m *made) SetFlushing(_ context.Context, disk, value string) error {
	return m.call("flush "+value, func() { m.flushing[disk], m.happened = value, append(m.happened, "flush "+value) })
}

func (m *made) Reconnect(context.Context) error {
	return m.call("reconnect", func() { m.happened = append(m.happened, "reconnect") })
}

func (m *made) Close() {}

// kept is a journal in memory. It fails from the line with the number fails on, counted from 1.
type kept struct {
	lines []journal.Line
	fails int
}

var errFull = errors.New("no space left on device")

func (k *kept) Write(line journal.Line) error {
	if k.fails != 0 && len(k.lines)+1 >= k.fails {
		return errFull
	}
	k.lines = append(k.lines, line)
	return nil
}
