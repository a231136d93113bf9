package table_test

import (
	"testing"

	"diskaudit/core/contract"
	"diskaudit/tests/rig/simulator"
)

// change is one fact that is not as on the ordinary computer. The volume that matters is the last one.
type change struct {
	name string
	make func(c *computer)
	// about tells of which kinds of volume it can be true; nil for all.
	about func(kind int32) bool
}

func subject(c *computer) *volume {
	for i := range c.volumes {
		if c.volumes[i].conversion != simulator.Decrypted {
			return &c.volumes[i]
		}
	}
	return &c.volumes[len(c.volumes)-1]
}

func ofSystem(kind int32) bool { return kind == simulator.OperatingSystem }

func ofData(kind int32) bool { return kind != simulator.OperatingSystem }

// both are a fact that is true and one that is not known.
func both(name string, into func(c *computer) *fact) []change {
	return []change{
		{name: name, make: func(c *computer) { *into(c) = yes }},
		{name: name + " unknown", make: func(c *computer) { *into(c) = unknown }},
	}
}

// oneAtATime are the facts, each alone.
func oneAtATime() []change {
	var all []change
	for _, one := range [][]change{
		both("device management", func(c *computer) *fact { return &c.mdm }),
		both("domain", func(c *computer) *fact { return &c.domain }),
		both("Entra ID", func(c *computer) *fact { return &c.entra }),
		both("portable", func(c *computer) *fact { return &c.portable }),
		both("battery", func(c *computer) *fact { return &c.battery }),
		both("reboot pending", func(c *computer) *fact { return &c.reboot }),
		both("disk failing", func(c *computer) *fact { return &c.failing }),
		both("encryption required", func(c *computer) *fact { return &c.require }),
		both("MBAM encrypts", func(c *computer) *fact { return &c.enforce }),
		both("B57 writing to fixed volumes denied", func(c *computer) *fact { return &c.denyFixed }),
		both("B57 writing to removable volumes denied", func(c *computer) *fact { return &c.denyRemovable }),
		both("file system dirty", func(c *computer) *fact { return &subject(c).dirty }),
	} {
		all = append(all, one...)
	}
	return append(all,
		change{name: "B34 prevented already", make: func(c *computer) { c.prevention = "1" }},
		change{name: "B34 prevention switched off", make: func(c *computer) { c.prevention = "0" }},
		change{name: "prevention unreadable", make: func(c *computer) { c.prevention = unreadable }},
		change{name: "hardware test pending", make: func(c *computer) { subject(c).test = 2 }, about: ofSystem},
		change{name: "hardware test failed", make: func(c *computer) { subject(c).test = 1 }, about: ofSystem},
		change{name: "hardware test of the plain system pending", make: func(c *computer) { c.volumes[0].test = 2 }, about: ofData},
		change{name: "cluster", make: func(c *computer) { subject(c).fileSystem = "CSVFS" }, about: ofData},
		change{name: "on no disk", make: func(c *computer) { subject(c).nowhere = true }},
		change{name: "metadata damaged", make: func(c *computer) { subject(c).damaged = true }},
	)
}

// converting are the requests, with a state in which each has something to do.
var converting = []struct {
	conversion int32
	action     contract.Action
}{
	{simulator.Encrypted, contract.ActionDecrypt},
	{simulator.Encrypted, contract.ActionPrevent},
	{simulator.Encrypted, contract.ActionPause},
	{simulator.Encrypted, contract.ActionUndo},
	{simulator.Decrypting, contract.ActionDecrypt},
	{simulator.DecryptingPaused, contract.ActionDecrypt},
	{simulator.Encrypting, contract.ActionPause},
	{simulator.Decrypting, contract.ActionPause},
	{simulator.EncryptingPaused, contract.ActionResume},
	{simulator.DecryptingPaused, contract.ActionResume},
	{simulator.Decrypted, contract.ActionDecrypt},
	{simulator.Decrypted, contract.ActionPrevent},
}

// TestFacts: each fact that a guard is about, alone, against each action, with the overrides for it and with
// all others.
func TestFacts(t *testing.T) {
	base := inMemory(t)
	before := rows.Load()
	t.Cleanup(func() { t.Logf("%d rows", rows.Load()-before) })
	for _, changed := range oneAtATime() {
		t.Run(changed.name, func(t *testing.T) {
			t.Parallel()
			for _, kind := range kinds {
				if changed.about != nil && !changed.about(kind.kind) {
					continue
				}
				for i, one := range converting {
					// A removable volume differs from a fixed one in what makes its decryption begin.
					if kind.kind == simulator.Removable && i > 0 {
						break
					}
					c := around(volume{letter: kind.letter, kind: kind.kind, conversion: one.conversion, method: software})
					changed.make(&c)
					r := request{action: one.action}
					if kind.kind == simulator.Removable && one.action != contract.ActionPrevent && one.action != contract.ActionUndo {
						r.named = []byte{kind.letter}
					}
					run(t, base, c, r)
					unhelpful(t, base, c, r)
				}
			}
		})
	}
}

// overridable are the guards that --override takes and that are about no other kind of computer.
var overridable = []string{
	"state-unknown", "locked", "metadata-damaged", "cluster", "hardware-encrypted", "managed", "policy-reencrypts", "policy-forbids-decryption", "write-denied", "portable",
	"on-battery", "disk-health", "conversion-running", "hardware-test-pending", "reboot-pending", "file-system", "auto-unlock-only-key",
}

// unhelpful runs with all overrides but those for the guards that refuse: none of them helps.
func unhelpful(t *testing.T, base string, c computer, r request) {
	t.Helper()
	v := judge(c, r)
	if len(v.refuse) == 0 {
		return
	}
	for _, id := range overridable {
		needed := false
		for _, refusing := range append(v.refuse, v.open...) {
			needed = needed || refusing == id
		}
		if !needed {
			r.overrides = append(r.overrides, id)
		}
	}
	row{computer: c, request: r, apply: true}.run(t, base)
}
