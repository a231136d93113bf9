package remediate

import (
	"fmt"
	"slices"
	"strings"

	"diskaudit/core/contract"
)

// Keys below which policies about BitLocker are set. The first is written by group policies and by
// device management, the second by device management alone
// (learn.microsoft.com/windows/client-management/mdm/bitlocker-csp), the third by MBAM and
// Configuration Manager (learn.microsoft.com/mem/configmgr/protect/tech-ref/bitlocker/settings), the
// last holds the two that deny writing.
const (
	policyKey     = `HKLM\SOFTWARE\Policies\Microsoft\FVE`
	managerKey    = `HKLM\SOFTWARE\Microsoft\PolicyManager\current\device\BitLocker`
	managementKey = policyKey + `\MDOPBitLockerManagement`
	denyKey       = `HKLM\SYSTEM\CurrentControlSet\Policies\Microsoft\FVE`
)

var policyKeys = []string{policyKey, managerKey, managementKey, denyKey}

func (p *planning) judgePrevention() []verdict {
	if !p.has(contract.ChangePrevent) {
		return nil
	}
	policy := p.request.Status.Policy
	if prevent := policy.PreventDeviceEncryption; prevent != nil {
		return []verdict{{target: PreventionTarget, result: contract.GuardAllow, fact: fmt.Sprintf("PreventDeviceEncryption is %s now.", worded(prevent))}}
	}
	at := strings.LastIndex(PreventionTarget, `\`)
	key, name := PreventionTarget[:at], PreventionTarget[at+1:]
	if setting, set := settingOf(policy, key, name); set {
		return []verdict{{
			target: PreventionTarget, result: contract.GuardUnknown,
			fact: fmt.Sprintf("%s is %q in %s, where the number 0 or 1 is needed: what Windows makes of it is not known.", name, shortened(setting.Data), key),
			risk: "Such a value could not be put back as it was, and would be lost.",
			way:  fmt.Sprintf(`Correct it, or remove it with reg delete "%s" /v %s /f, and run this again.`, key, name),
		}}
	}
	return []verdict{{
		target: PreventionTarget, result: contract.GuardUnknown,
		fact: "What PreventDeviceEncryption is now is not known.",
		risk: "What is not known could not be put back as it was, and would be lost.",
		way:  causeOf("policies"),
	}}
}

// judgeManagement: what somebody else manages gets encrypted again, and reports it until then.
func (p *planning) judgeManagement() []verdict {
	if len(p.decrypted()) == 0 && !p.prevents() && !p.pausesEncryption() {
		return nil
	}
	join := p.request.Status.Machine.Join
	var by, unknown []string
	for _, kind := range []struct {
		name string
		fact *bool
	}{
		{"enrolled in device management (mdm)", join.MDM},
		{"joined to an Active Directory domain (domain)", join.Domain},
		{"joined to Microsoft Entra ID (entra)", join.Entra},
	} {
		switch {
		case kind.fact == nil:
			unknown = append(unknown, kind.name)
		case *kind.fact:
			by = append(by, kind.name)
		}
	}
	v := verdict{
		target: machineTarget, result: contract.GuardRefuse,
		risk: "Its management may encrypt it again, and may count it as not compliant until then.",
		way:  "Have the administrator take the computer out of the policy first.",
	}
	switch {
	case len(by) > 0:
		v.fact = "This computer is " + listed(by) + "." + p.managedBy()
	case len(unknown) > 0:
		v.result = contract.GuardUnknown
		v.fact = "Whether this computer is " + strings.Join(unknown, " or ") + " is not known." + p.managedBy()
		v.risk = "If it is, its management may encrypt it again, and may count it as not compliant until then."
		v.way = causeOf("this computer")
	default:
		v.result, v.fact = contract.GuardAllow, "This computer belongs to no domain, no Entra ID and no device management."
	}
	return []verdict{v}
}

// managedBy names who manages the computer, and what they have set about BitLocker and where, as far as
// that is known.
func (p *planning) managedBy() string {
	text := ""
	if provider := p.request.Status.Machine.Join.MDMProvider; provider != nil {
		text += fmt.Sprintf(" Its device management is %q.", *provider)
	}
	policy := p.request.Status.Policy
	if len(policy.Origins) > 0 {
		text += " Policies about BitLocker come from " + listed(policy.Origins) + "."
	}
	var set []string
	for _, setting := range policy.Settings {
		if slices.ContainsFunc(policyKeys, func(key string) bool { return strings.EqualFold(key, setting.Key) }) {
			set = append(set, placed(setting))
		}
	}
	if len(set) > 0 {
		text += " These settings are there: " + listed(set) + "."
	}
	return text
}

// placed is a setting with its value and where it is set. The data of a template can be long.
func placed(setting contract.PolicySetting) string {
	return fmt.Sprintf(`%s = %s in %s`, setting.Name, shortened(setting.Data), setting.Key)
}

func shortened(data string) string {
	const most = 40
	if cut := []rune(data); len(cut) > most {
		return string(cut[:most]) + "..."
	}
	return data
}

// demand is a setting by which encryption comes back.
type demand struct {
	key, name string
	// fact is what the setting decides about; nil for one that is only listed, and then matters where
	// it is set.
	fact func(contract.Policy) *bool
	// who carries it out, and what.
	who string
}

var demands = []demand{
	{managerKey, "RequireDeviceEncryption", func(p contract.Policy) *bool { return p.RequireDeviceEncryption },
		"device management requires encryption"},
	{managementKey, "ShouldEncryptOSDrive", func(p contract.Policy) *bool { return p.ManagementEnforces },
		"MBAM or Configuration Manager encrypts the operating system volume"},
	{managementKey, "ShouldEncryptFixedDataDrive", nil, "MBAM or Configuration Manager encrypts fixed data volumes"},
	{managementKey, "UseOSEnforcePolicy", nil, "MBAM or Configuration Manager encrypts the operating system volume after a time of grace"},
	{managementKey, "UseFddEnforcePolicy", nil, "MBAM or Configuration Manager encrypts fixed data volumes after a time of grace"},
}

// judgeDemands looks at each setting by which what is decrypted gets encrypted again.
func (p *planning) judgeDemands() []verdict {
	if len(p.decrypted()) == 0 && !p.prevents() {
		return nil
	}
	policy := p.request.Status.Policy
	var verdicts []verdict
	for _, d := range demands {
		v := verdict{
			target: d.key + `\` + d.name,
			risk:   "What is decrypted here can be encrypted again, and its data rewritten twice for nothing.",
			way:    "Have the setting withdrawn where it comes from, by whoever manages the computer.",
		}
		setting, set := settingOf(policy, d.key, d.name)
		switch fact := d.state(policy, setting, set); {
		case fact == nil && d.fact == nil && !set:
			continue
		case fact == nil:
			v.result = contract.GuardUnknown
			v.fact = fmt.Sprintf("Whether %s is not known: the policy %s in %s could not be read, or makes no sense.", d.who, d.name, d.key)
			if set {
				v.fact = fmt.Sprintf("Whether %s is not known: the policy %s makes no sense.", d.who, placed(setting))
			}
			v.risk = "If so, what is decrypted here can be encrypted again, and its data rewritten twice for nothing."
			v.way = causeOf("policies")
		case *fact:
			where := d.name + " in " + d.key
			if set {
				where = placed(setting)
			}
			v.result = contract.GuardRefuse
			v.fact = fmt.Sprintf("The policy %s is set: %s.%s", where, d.who, p.origins())
		default:
			v.result, v.fact = contract.GuardAllow, fmt.Sprintf("The policy %s demands nothing.", d.name)
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// state is what the setting demands; nil when it is not known, or not set.
func (d demand) state(policy contract.Policy, setting contract.PolicySetting, set bool) *bool {
	switch {
	case d.fact != nil:
		return d.fact(policy)
	case set && setting.Data == "1":
		return contract.Ptr(true)
	case set && setting.Data == "0":
		return contract.Ptr(false)
	}
	return nil
}

// origins says where policies come from, and through whom.
func (p *planning) origins() string {
	text := ""
	if origins := p.request.Status.Policy.Origins; len(origins) > 0 {
		text += " Policies come from " + listed(origins) + "."
	}
	if provider := p.request.Status.Machine.Join.MDMProvider; provider != nil {
		text += fmt.Sprintf(" Device management is %q.", *provider)
	}
	return text
}

func settingOf(policy contract.Policy, key, name string) (contract.PolicySetting, bool) {
	at := slices.IndexFunc(policy.Settings, func(setting contract.PolicySetting) bool {
		return strings.EqualFold(setting.Key, key) && strings.EqualFold(setting.Name, name)
	})
	if at < 0 {
		return contract.PolicySetting{}, false
	}
	return policy.Settings[at], true
}

// denial is a policy that makes volumes without BitLocker read-only, and the setting of device
// management of the same meaning.
type denial struct {
	kind       string
	fact       func(contract.Policy) *bool
	name, twin string
}

var denials = map[contract.VolumeType]denial{
	contract.Data: {"fixed data volumes", func(p contract.Policy) *bool { return p.DenyWriteFixed },
		"FDVDenyWriteAccess", "FixedDrivesRequireEncryption"},
	contract.Removable: {"removable volumes", func(p contract.Policy) *bool { return p.DenyWriteRemovable },
		"RDVDenyWriteAccess", "RemovableDrivesRequireEncryption"},
}

// judgeWriteAccess: case B57. A volume that such a policy is for becomes read-only by being decrypted
// (learn.microsoft.com/windows/client-management/mdm/bitlocker-csp#fixeddrivesrequireencryption).
func (p *planning) judgeWriteAccess() []verdict {
	policy := p.request.Status.Policy
	return each(p.decrypted(), func(volume contract.Volume) verdict {
		if volume.Type == nil || !volume.Type.Recognized() {
			return verdict{
				result: contract.GuardUnknown,
				fact:   fmt.Sprintf("What kind of volume %s is is not known, and so whether a policy denies writing to it.", named(volume)),
				risk:   "It may become read-only once it is decrypted.",
				way:    causeOf(named(volume)),
			}
		}
		d, concerned := denials[*volume.Type]
		if !concerned {
			return verdict{}
		}
		v := verdict{
			risk: fmt.Sprintf("Once %s is decrypted, Windows mounts it read-only, and programs fail to write to it.", named(volume)),
			way:  "Have the policy withdrawn where it comes from, or leave the volume out.",
		}
		switch denied := d.fact(policy); {
		case denied == nil:
			v.result = contract.GuardUnknown
			v.fact = fmt.Sprintf(`Whether a policy denies writing to %s without BitLocker is not known: %s in %s, or %s in %s, could not be read or makes no sense.`, d.kind, d.name, denyKey, d.twin, managerKey)
			v.risk = fmt.Sprintf("If one does, Windows mounts %s read-only once it is decrypted, and programs fail to write to it.", named(volume))
			v.way = causeOf("policies") + " Or leave the volume out."
		case *denied:
			where := d.name + " in " + denyKey
			if setting, set := settingOf(policy, denyKey, d.name); set {
				where = placed(setting)
			} else if setting, set := settingOf(policy, managerKey, d.twin); set {
				where = placed(setting)
			}
			v.result = contract.GuardRefuse
			v.fact = fmt.Sprintf("The policy %s denies writing to %s without BitLocker.%s", where, d.kind, p.origins())
		default:
			v.result, v.fact = contract.GuardAllow, fmt.Sprintf("No policy denies writing to %s.", d.kind)
		}
		return v
	})
}
