package remediate

import (
	"slices"
	"strings"

	"diskaudit/core/contract"
)

// The ids of the guards.
const (
	// guardState: what the plan rests on is not known.
	guardState = "state-unknown"
	// guardLocked: the volume is locked.
	guardLocked = "locked"
	// guardDamaged: BitLocker's metadata on the volume is damaged.
	guardDamaged = "metadata-damaged"
	// guardCluster: the volume belongs to a cluster.
	guardCluster = "cluster"
	// guardHardware: the drive or the processor's own engine encrypts, not software.
	guardHardware = "hardware-encrypted"
	// guardManaged: somebody else manages the computer.
	guardManaged = "managed"
	// guardReencrypts: a policy demands encryption.
	guardReencrypts = "policy-reencrypts"
	// guardWriteDenied: a policy makes volumes without BitLocker read-only.
	guardWriteDenied = "write-denied"
	// guardForbids: a policy forbids decrypting removable volumes.
	guardForbids = "policy-forbids-decryption"
	// guardPortable: the computer is one that gets lost or stolen.
	guardPortable = "portable"
	// guardBattery: the computer runs on its battery.
	guardBattery = "on-battery"
	// guardHealth: a disk reports that it is failing.
	guardHealth = "disk-health"
	// guardRunning: the volume is being encrypted, or its free space wiped.
	guardRunning = "conversion-running"
	// guardTest: encryption begins with the next start.
	guardTest = "hardware-test-pending"
	// guardReboot: Windows waits for a restart.
	guardReboot = "reboot-pending"
	// guardFileSystem: the file system is marked as not sound.
	guardFileSystem = "file-system"
	// guardKeys: the operating system volume holds keys by which other volumes unlock.
	guardKeys = "auto-unlock-keys"
	// guardOnlyKey: such a key is a volume's only way in.
	guardOnlyKey = "auto-unlock-only-key"
	// guardChanged: the plan is not the expected one.
	guardChanged = "plan-changed"
	// guardSpeedUp: the flushing of a disk's write cache must not be turned off.
	guardSpeedUp = "speed-up"
	// guardSince: what is to be taken back was changed by somebody else since.
	guardSince = "changed-since"
)

// Guards lists the ids that --override takes. Those without an override, and that with an option of
// its own, are not among them.
func Guards() []string {
	return []string{
		guardState, guardLocked, guardDamaged, guardCluster, guardHardware, guardManaged, guardReencrypts, guardWriteDenied,
		guardForbids, guardPortable, guardBattery, guardHealth, guardRunning, guardTest, guardReboot, guardFileSystem, guardOnlyKey, guardSince,
	}
}

// Refuses tells whether any of the guards stands against carrying out their plan.
func Refuses(guards []contract.Guard) bool {
	return slices.ContainsFunc(guards, func(guard contract.Guard) bool { return guard.Result.Refuses() })
}

// verdict is what a guard says of one target, before anything overrides it.
type verdict struct {
	// guard is the id where it is another than the rule's.
	guard  string
	target string
	// result is GuardAllow, GuardRefuse or GuardUnknown.
	result contract.GuardResult
	// fact is a sentence: what is known, or what is not.
	fact string
	// risk is what that means, and way what to do about it; both are for what is not allowed.
	risk, way string
	// settled tells that the override's option is in the plan already, and firm that it would not help.
	settled, firm bool
}

// rule is a guard.
type rule struct {
	id string
	// option overrides it; empty for a guard that nothing overrides.
	option string
	// effect ends the sentence "With the option ...".
	effect string
	// judge looks at what the guard is about. It returns nothing where the plan is of no concern to it.
	judge func(p *planning) []verdict
}

// anyway is the effect of most overrides.
const anyway = "the plan is carried out all the same"

// rules are the guards of a plan that changes something, in the order in which they are told.
var rules = []rule{
	{id: guardState, judge: (*planning).judgeTargets},
	{id: guardState, judge: (*planning).judgePrevention},
	overridable(guardHardware, anyway, (*planning).judgeEngines),
	overridable(guardManaged, anyway, (*planning).judgeManagement),
	overridable(guardReencrypts, anyway, (*planning).judgeDemands),
	overridable(guardWriteDenied, anyway, (*planning).judgeWriteAccess),
	overridable(guardForbids, "decrypting it is tried all the same", (*planning).judgeForbidden),
	overridable(guardPortable, anyway, (*planning).judgePortable),
	overridable(guardBattery, anyway, (*planning).judgePower),
	overridable(guardHealth, anyway, (*planning).judgeHealth),
	overridable(guardRunning, "the volume is decrypted all the same", (*planning).judgeRunning),
	overridable(guardTest, anyway, (*planning).judgeHardwareTest),
	overridable(guardReboot, anyway, (*planning).judgeRestart),
	overridable(guardFileSystem, anyway, (*planning).judgeFileSystem),
	{id: guardKeys, option: "--clear-auto-unlock", effect: "the keys are removed before it is decrypted", judge: (*planning).judgeStoredKeys},
	overridable(guardOnlyKey, anyway, (*planning).judgeOnlyKeys),
	{id: guardSpeedUp, judge: (*planning).judgeSpeedUp},
}

func overridable(id, effect string, judge func(*planning) []verdict) rule {
	return rule{id: id, option: "--override " + id, effect: effect, judge: judge}
}

// guards are what stands against the plan, or does not. A volume that is left alone has its guard even
// where there is nothing to do; the others are about changes.
func (p *planning) guards() []contract.Guard {
	var guards []contract.Guard
	for _, c := range p.candidates {
		if c.bar != "" {
			r := overridable(c.bar, "the volume is left out and not touched", nil)
			guards = append(guards, p.guard(r, leaving(c, p.request.Action)))
		}
	}
	if len(p.steps) == 0 {
		return guards
	}
	for _, r := range rules {
		for _, v := range r.judge(p) {
			guards = append(guards, p.guard(r, v))
		}
	}
	return guards
}

// guard turns a verdict into the document's terms.
func (p *planning) guard(r rule, v verdict) contract.Guard {
	if v.guard != "" {
		r.id = v.guard
	}
	if v.firm {
		r.option = ""
	}
	g := contract.Guard{ID: r.id, Target: v.target, Result: v.result, Text: v.fact}
	if v.result == contract.GuardAllow {
		return g
	}
	parts := []string{v.fact, v.risk, v.way}
	if r.option != "" {
		g.Override = &r.option
		parts = append(parts, "With "+r.option+" "+r.effect+".")
	}
	if v.settled || r.option != "" && p.overridden(r.id) {
		g.Result = contract.GuardOverridden
		parts = append(parts, "It was overridden.")
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	g.Text = strings.Join(parts, " ")
	return g
}
