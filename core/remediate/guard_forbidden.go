package remediate

import (
	"fmt"
	"strings"

	"diskaudit/core/contract"
)

// forbidding is the setting by which removable volumes may not be decrypted. Windows then answers
// FVE_E_POLICY_USER_DISABLE_RDV_NOT_ALLOWED (learn.microsoft.com/windows/win32/com/com-error-codes-9);
// device management sets it as RDVDisableBDE_Name of RemovableDrivesConfigureBDE
// (learn.microsoft.com/windows/client-management/mdm/bitlocker-csp#removabledrivesconfigurebde).
const forbidding = "RDVDisableBDE"

// judgeForbidden looks for the policy that forbids what the plan does to removable volumes.
func (p *planning) judgeForbidden() []verdict {
	policy := p.request.Status.Policy
	return each(p.decrypted(), func(volume contract.Volume) verdict {
		if !isRemovable(volume) {
			return verdict{}
		}
		v := verdict{
			risk: fmt.Sprintf("Windows would refuse to decrypt %s, in the midst of the plan.", named(volume)),
			way:  "Have the policy withdrawn where it comes from, or leave the volume out.",
		}
		setting, set := settingOf(policy, policyKey, forbidding)
		switch {
		case set && (p.unusable(policyKey, forbidding) || setting.Data != "0" && setting.Data != "1"):
			v.result = contract.GuardUnknown
			v.fact = fmt.Sprintf("Whether a policy forbids decrypting removable volumes is not known: %s is not the number 0 or 1.", placed(setting))
			v.risk = fmt.Sprintf("If it does, Windows would refuse to decrypt %s, in the midst of the plan.", named(volume))
			v.way = "Have the setting corrected where it comes from, or leave the volume out."
		case set && setting.Data == "0":
			v.result = contract.GuardRefuse
			v.fact = fmt.Sprintf("The policy %s forbids decrypting removable volumes.%s", placed(setting), p.origins())
		case !set && p.unread(policyKey):
			v.result = contract.GuardUnknown
			v.fact = fmt.Sprintf("Whether a policy forbids decrypting removable volumes is not known: %s in %s could not be read.", forbidding, policyKey)
			v.risk = fmt.Sprintf("If one does, Windows would refuse to decrypt %s, in the midst of the plan.", named(volume))
			v.way = causeOf("policies") + " Or leave the volume out."
		default:
			v.result, v.fact = contract.GuardAllow, "No policy forbids decrypting removable volumes."
		}
		return v
	})
}

// stagePolicy is the stage of problems about policies.
const stagePolicy = "policy"

// unusable tells whether a setting was found with a value that makes no sense.
func (p *planning) unusable(key, name string) bool {
	for _, problem := range p.request.Status.Problems {
		if problem.Code == "policy-value-unusable" && strings.EqualFold(problem.Target, key+`\`+name) {
			return true
		}
	}
	return false
}

// unread tells whether settings in a key may be missing because they could not be read. A problem of
// that stage without a target cost all of it.
func (p *planning) unread(key string) bool {
	for _, problem := range p.request.Status.Problems {
		if problem.Stage != stagePolicy {
			continue
		}
		whole := problem.Target == "" && problem.Level.OrError() == contract.LevelError
		if whole || problem.Code == "policy-unreadable" && strings.EqualFold(problem.Target, key) {
			return true
		}
	}
	return false
}
