package remediate

import (
	"fmt"
	"slices"

	"diskaudit/core/contract"
)

// judgeHardwareTest: a pending test is one that runs with the next restart, after which a volume that is
// still decrypted gets encrypted
// (learn.microsoft.com/windows/win32/secprov/gethardwareteststatus-win32-encryptablevolume). That
// concerns the decryption of other volumes too.
func (p *planning) judgeHardwareTest() []verdict {
	mine := p.decrypted()
	if len(mine) == 0 {
		return nil
	}
	return each(p.request.Status.Volumes, func(volume contract.Volume) verdict {
		if testPending(volume) {
			return pending(volume)
		}
		isMine := slices.ContainsFunc(mine, func(other contract.Volume) bool { return other.ID == volume.ID })
		if !isMine || !maySystem(volume) {
			return verdict{}
		}
		test := volume.Encryption.HardwareTest
		switch {
		case test == nil || !test.Recognized():
			return verdict{
				result: contract.GuardUnknown,
				fact:   fmt.Sprintf("Whether a hardware test of %s is pending is not known (hardwareTest is %s).", named(volume), worded(test)),
				risk:   "If one is, Windows would begin to encrypt with the next restart, against this plan.",
				way:    causeOf(named(volume)) + " A test that is pending is called off before the restart: " + turnOff(volume) + ".",
			}
		case *test == contract.HardwareTestFailed:
			return verdict{result: contract.GuardAllow, fact: fmt.Sprintf("No hardware test of %s is pending; the last one failed.", named(volume))}
		}
		return verdict{result: contract.GuardAllow, fact: fmt.Sprintf("No hardware test of %s is pending.", named(volume))}
	})
}

// pendingTest are the guards of a plan to decrypt that has no steps: a volume that is decrypted now, and
// gets encrypted with the next restart, is no reason to say that there is nothing to do. That a test is
// not known of counts only where something is decrypted.
func (p *planning) pendingTest() []contract.Guard {
	r := overridable(guardTest, "the test is left as it is", nil)
	var guards []contract.Guard
	for _, volume := range p.request.Status.Volumes {
		if p.request.Volumes != nil && !slices.Contains(p.request.Volumes, volume.ID) || !testPending(volume) {
			continue
		}
		v := pending(volume)
		v.target = volume.ID
		guards = append(guards, p.guard(r, v))
	}
	return guards
}

func testPending(volume contract.Volume) bool {
	test := volume.Encryption.HardwareTest
	return test != nil && *test == contract.HardwareTestPending && maySystem(volume)
}

// maySystem tells whether a volume is an operating system's, for all that is known.
func maySystem(volume contract.Volume) bool {
	return volume.Type == nil || !volume.Type.Recognized() || isSystem(volume)
}

func pending(volume contract.Volume) verdict {
	v := verdict{
		result: contract.GuardRefuse,
		fact:   fmt.Sprintf("A hardware test of %s is pending (hardwareTest Pending).", named(volume)),
		risk:   "With the next restart Windows would run it and, if it succeeds, begin to encrypt, against this plan.",
		way:    "Call it off before the restart: " + turnOff(volume) + ". Then see with diskaudit status that no test is pending any more.",
	}
	if conversion := volume.Encryption.Conversion; conversion == nil || *conversion != contract.FullyDecrypted {
		v.way += " Where the volume is encrypted already, that begins its decryption too."
	}
	return v
}
