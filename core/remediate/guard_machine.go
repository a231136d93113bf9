package remediate

import (
	"fmt"

	"diskaudit/core/contract"
)

// prevents tells whether the plan sets PreventDeviceEncryption, rather than takes it back.
func (p *planning) prevents() bool {
	for _, step := range p.steps {
		if step.Change == contract.ChangePrevent && step.After != Absent && step.After != "0" {
			return true
		}
	}
	return false
}

// pausesEncryption tells whether the plan leaves a volume short of being encrypted.
func (p *planning) pausesEncryption() bool {
	return len(p.changedBy(func(step contract.PlanStep) bool {
		return step.Change == contract.ChangePause && step.Before != contract.DecryptionInProgress.String()
	})) > 0
}

// converts tells whether volumes are rewritten because of the plan.
func (p *planning) converts() bool {
	return p.has(contract.ChangeDecrypt) || p.has(contract.ChangeResume)
}

// judgePortable: a portable computer gets lost, and what lies on it then is for anyone to read.
func (p *planning) judgePortable() []verdict {
	if len(p.decrypted()) == 0 && !p.pausesEncryption() {
		return nil
	}
	v := verdict{
		target: machineTarget,
		risk:   "A thief or a finder could read all data on a portable computer whose volumes are not encrypted.",
		way:    "Keep the encryption of a computer that is carried about, unless its data is worth nothing to others.",
	}
	switch portable := p.request.Status.Machine.Power.Portable; {
	case portable == nil:
		v.result, v.fact = contract.GuardUnknown, "Whether this computer is portable is not known."
		v.way = "Keep the encryption if it is carried about. " + causeOf("this computer")
	case *portable:
		v.result, v.fact = contract.GuardRefuse, "This computer is portable: it has a battery of its own."
	default:
		v.result, v.fact = contract.GuardAllow, "This computer is not portable."
	}
	return []verdict{v}
}

// judgePower: a conversion itself goes on where it stopped, also when power was lost
// (learn.microsoft.com/windows/security/operating-system-security/data-protection/bitlocker/faq).
func (p *planning) judgePower() []verdict {
	if !p.converts() && !p.request.SpeedUp {
		return nil
	}
	v := powered(p.request.Status.Machine.Power)
	v.target = machineTarget
	v.risk = "A conversion can take hours and drains a battery. It goes on where it stopped at the next start, but when the computer goes off, what programs have not saved is lost."
	if p.request.SpeedUp {
		v.risk += " Without flushing (--speed-up-conversion), data that they hold for written can be lost too."
	}
	v.way = "Connect the computer to mains power and run this again."
	if v.result == contract.GuardUnknown {
		v.way = "Make sure that it runs on mains power. " + causeOf("this computer")
	}
	return []verdict{v}
}

// powered says what feeds the computer.
func powered(power contract.Power) verdict {
	switch {
	case power.Source == nil:
		return verdict{result: contract.GuardUnknown, fact: "What feeds this computer is not known."}
	case *power.Source == contract.PowerAC:
		return verdict{result: contract.GuardAllow, fact: "This computer runs on mains power."}
	case *power.Source != contract.PowerBattery:
		return verdict{result: contract.GuardUnknown, fact: fmt.Sprintf("What feeds this computer is not known: %q.", *power.Source)}
	case power.BatteryPercent != nil:
		return verdict{result: contract.GuardRefuse, fact: fmt.Sprintf("This computer runs on its battery, which is at %g %%.", *power.BatteryPercent)}
	}
	return verdict{result: contract.GuardRefuse, fact: "This computer runs on its battery."}
}

func (p *planning) judgeRestart() []verdict {
	if len(p.decrypted()) == 0 {
		return nil
	}
	const inTheMidst = "restart would come in the midst of the conversion, and what is installed with it may suspend the protection or begin an encryption."
	v := verdict{
		target: machineTarget,
		risk:   "The " + inTheMidst,
		way:    "Restart the computer and run this again.",
	}
	switch pending := p.request.Status.Machine.RebootPending; {
	case pending == nil:
		v.result, v.fact = contract.GuardUnknown, "Whether Windows waits for a restart is not known."
		v.risk = "If it does, the " + inTheMidst
		v.way = causeOf("this computer")
	case *pending:
		v.result, v.fact = contract.GuardRefuse, "Windows waits for a restart (rebootPending)."
	default:
		v.result, v.fact = contract.GuardAllow, "Windows waits for no restart."
	}
	return []verdict{v}
}
