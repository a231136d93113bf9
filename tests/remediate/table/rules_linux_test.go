package table_test

import (
	"slices"

	"diskaudit/core/contract"
	"diskaudit/tests/rig/simulator"
)

// request is what the program is asked for.
type request struct {
	action contract.Action
	// named are the letters of the volumes that are named; nil for none.
	named []byte
	// overrides are guards, with "auto-unlock-keys" for --clear-auto-unlock.
	overrides []string
}

func (r request) overridden(guard string) bool { return slices.Contains(r.overrides, guard) }

func (r request) clearsKeys() bool {
	return r.action == contract.ActionDecrypt && r.overridden(keysGuard)
}

// keysGuard is the guard whose override is an option of its own.
const keysGuard = "auto-unlock-keys"

// verdict is what the documented rules say of a request to a computer.
type verdict struct {
	// refuse are the guards that have to refuse, open those of which the rules leave it open. No
	// other may.
	refuse, open []string
	// overridden are the guards that would refuse and are overridden.
	overridden []string
	// steps are the changes of the plan, as "decrypt C".
	steps []string
	// order are pairs of steps of which the first has to come first.
	order [][2]string
	// conversions are the states of the volumes in the end, prevention that of PreventDeviceEncryption.
	conversions map[byte]int32
	prevention  string
	// cleared: the keys on the operating system's volume are gone in the end.
	cleared bool
	// untouched are the volumes that may not be changed whatever else happens.
	untouched []byte
}

// judge reads the rules: those of module/docs/remediation.md, with its guards.
func judge(c computer, r request) verdict {
	v := verdict{conversions: map[byte]int32{}, prevention: c.prevention}
	if v.prevention == "" {
		v.prevention = absent
	}
	for _, one := range c.volumes {
		v.conversions[one.letter] = one.conversion
	}
	switch r.action {
	case contract.ActionPrevent:
		v.prevent(c, r)
	case contract.ActionPause, contract.ActionResume:
		v.turn(c, r)
	case contract.ActionUndo:
		// Nothing was done, so nothing is taken back.
	default:
		v.decrypt(c, r)
	}
	return v
}

// guard is a guard that stands against the plan unless it is overridden.
func (v *verdict) guard(r request, id string) {
	if r.overridden(id) {
		v.overridden = append(v.overridden, id)
		return
	}
	v.refuse = append(v.refuse, id)
}

// leave tells whether a volume is left alone: "Unknown is never go ahead", and overriding such a guard leaves
// the volume out.
func (v *verdict) leave(r request, one volume) bool {
	id := ""
	switch {
	case one.damaged:
		id = "metadata-damaged"
	case one.fileSystem == "CSVFS":
		id = "cluster"
	case one.locked:
		id = "locked"
	case one.unread, one.doubtful, one.conversion != simulator.Decrypted && one.method == obscure:
		id = "state-unknown"
	default:
		return false
	}
	v.untouched = append(v.untouched, one.letter)
	v.guard(r, id)
	return true
}

func (v *verdict) prevent(c computer, r request) {
	if v.prevention == "1" {
		return
	}
	v.steps = append(v.steps, "set-prevent-device-encryption")
	if c.prevention == unreadable {
		// There is nothing to leave out, so nothing overrides it.
		v.refuse = append(v.refuse, "state-unknown")
	}
	v.management(c, r)
	v.open = append(v.open, "portable")
	v.prevention = "1"
}

// management: "the computer is managed", "a policy would encrypt again".
func (v *verdict) management(c computer, r request) {
	if c.mdm != no || c.domain != no || c.entra != no {
		v.guard(r, "managed")
	}
	if c.require != no || c.enforce != no {
		v.guard(r, "policy-reencrypts")
	}
}

// decrypt: "software-encrypted volumes; includes prevent". "Removable volumes, and volumes that a drive or a
// processor's engine encrypts, are taken only when they are named."
func (v *verdict) decrypt(c computer, r request) {
	var chosen []volume
	for _, one := range c.volumes {
		named := slices.Contains(r.named, one.letter)
		switch {
		case r.named != nil && !named, r.named == nil && one.kind == simulator.Removable:
		case one.conversion == simulator.Decrypted && one.fileSystem == "CSVFS":
			// Where there is nothing to do, only a volume whose state is not known has a guard.
		case v.leave(r, one):
		case one.conversion == simulator.Decrypted, one.method == drive && !named:
		default:
			chosen = append(chosen, one)
		}
	}
	if len(chosen) == 0 {
		// "A computer on which nothing is encrypted needs nothing: an empty plan and exit 0." Whether one is that will
		// be encrypted with the next restart, the rules leave open.
		v.open = append(v.open, "hardware-test-pending")
		return
	}
	v.prevent(c, r)
	v.open = slices.DeleteFunc(v.open, func(id string) bool { return id == "portable" })
	v.whole(c, r, chosen)
	for _, one := range chosen {
		v.start(c, r, chosen, one)
	}
	v.steps = append(v.steps, "verify")
}

// whole are the guards about the computer as a whole. Where nothing is begun, for all that is chosen is being
// decrypted already, the rules do not say which of them stand.
func (v *verdict) whole(c computer, r request, chosen []volume) {
	under := !slices.ContainsFunc(chosen, func(one volume) bool { return one.conversion != simulator.Decrypting })
	add := func(state fact, id string) {
		switch {
		case state == no:
		case under:
			v.open = append(v.open, id)
		default:
			v.guard(r, id)
		}
	}
	add(c.portable, "portable")
	add(c.battery, "on-battery")
	add(c.reboot, "reboot-pending")
	add(c.failing, "disk-health")
	for _, one := range c.volumes {
		if one.test == 2 {
			add(yes, "hardware-test-pending")
		}
	}
	for _, one := range chosen {
		if one.conversion != simulator.Decrypting {
			add(one.dirty, "file-system")
			if one.nowhere {
				add(unknown, "disk-health")
			}
		}
		switch one.kind {
		case simulator.Fixed:
			add(c.denyFixed, "write-denied")
		case simulator.Removable:
			add(c.denyRemovable, "write-denied")
		}
	}
}

// start is the decryption of one volume.
func (v *verdict) start(c computer, r request, chosen []volume, one volume) {
	letter := string(one.letter)
	wait := "wait " + letter
	v.steps = append(v.steps, wait)
	v.order = append(v.order, [2]string{wait, "verify"})
	v.conversions[one.letter] = simulator.Decrypted
	// What is being decrypted already needs no second beginning, and what stands against that is too late.
	start := "decrypt " + letter
	if one.conversion == simulator.Decrypting {
		v.open = append(v.open, "hardware-encrypted")
		return
	}
	if one.method == drive {
		v.guard(r, "hardware-encrypted")
	}
	v.steps = append(v.steps, start)
	v.order = append(v.order, [2]string{"set-prevent-device-encryption", start}, [2]string{start, wait})
	if one.conversion == simulator.Encrypting || one.conversion == simulator.EncryptingPaused || one.wiping == simulator.Wiping || one.wiping == simulator.WipePaused {
		v.guard(r, "conversion-running")
	}
	if one.kind != simulator.OperatingSystem || !one.bound {
		return
	}
	v.guard(r, keysGuard)
	// With the volume's encryption the keys end that it holds, whether they are removed before or not.
	for _, other := range c.volumes {
		taken := slices.ContainsFunc(chosen, func(one volume) bool { return one.letter == other.letter })
		if other.kind != simulator.OperatingSystem && other.bound && other.onlyKey && !taken {
			v.guard(r, "auto-unlock-only-key")
		}
	}
	if !r.clearsKeys() {
		return
	}
	clearing := "clear-auto-unlock-keys " + letter
	v.steps, v.cleared = append(v.steps, clearing), true
	v.order = append(v.order, [2]string{clearing, start})
	for _, other := range c.volumes {
		taken := slices.ContainsFunc(chosen, func(one volume) bool { return one.letter == other.letter })
		if other.kind != simulator.OperatingSystem && other.bound && taken {
			v.order = append(v.order, [2]string{"wait " + string(other.letter), clearing})
		}
	}
}

// turn: pausing and resuming take what converts. The rules do not say which guards stand against a pause, or
// against resuming what was paused, beside those about the conversion itself.
func (v *verdict) turn(c computer, r request) {
	turns := map[int32]int32{simulator.Encrypting: simulator.EncryptingPaused, simulator.Decrypting: simulator.DecryptingPaused}
	step := "pause-conversion "
	if r.action == contract.ActionResume {
		turns = map[int32]int32{simulator.EncryptingPaused: simulator.Encrypting, simulator.DecryptingPaused: simulator.Decrypting}
		step = "resume-conversion "
	}
	begins := false
	for _, one := range c.volumes {
		if r.named != nil && !slices.Contains(r.named, one.letter) {
			continue
		}
		becomes, turns := turns[one.conversion]
		// That a volume converts nothing is known without knowing what encrypts it; yet its state is not known in full.
		if !turns && one.method == obscure && !one.locked && one.conversion != simulator.Decrypted {
			v.open = append(v.open, "state-unknown")
			v.untouched = append(v.untouched, one.letter)
			continue
		}
		// Where there is nothing to do, only a volume whose state is not known has a guard.
		if !turns && one.fileSystem == "CSVFS" || v.leave(r, one) || !turns {
			continue
		}
		if one.method == drive {
			// Windows pauses nothing that a drive does.
			v.untouched = append(v.untouched, one.letter)
			continue
		}
		begins = true
		v.steps = append(v.steps, step+string(one.letter))
		v.conversions[one.letter] = becomes
		if one.nowhere {
			v.open = append(v.open, "disk-health")
		}
	}
	if !begins {
		return
	}
	v.open = append(v.open, "managed", "portable", "policy-reencrypts", "write-denied", "reboot-pending", "hardware-test-pending", "file-system", "conversion-running")
	for _, rewriting := range []struct {
		state fact
		id    string
	}{{c.battery, "on-battery"}, {c.failing, "disk-health"}} {
		// A conversion that goes on rewrites the disk; one that is paused no more.
		if rewriting.state != no && r.action == contract.ActionResume {
			v.guard(r, rewriting.id)
		}
	}
}
