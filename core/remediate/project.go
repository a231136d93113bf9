package remediate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"diskaudit/core/contract"
)

// project runs the steps on a copy of the facts.
func project(status contract.Status, steps []contract.PlanStep) contract.Status {
	projected := clone(status)
	projected.Findings = nil
	for _, step := range steps {
		if step.Change == contract.ChangePrevent {
			projectPrevention(&projected.Policy, step.After)
		}
		for i := range projected.Volumes {
			e := &projected.Volumes[i].Encryption
			switch {
			case projected.Volumes[i].ID == step.Target:
				projectVolume(e, step)
			case step.Change == contract.ChangeClearAutoUnlock && e.AutoUnlock != nil:
				// learn.microsoft.com/windows/win32/secprov/clearallautounlockkeys-win32-encryptablevolume
				e.AutoUnlock = contract.Ptr(false)
			}
		}
	}
	return projected
}

// clone copies facts with all that they point to.
func clone(status contract.Status) contract.Status {
	data, err := contract.Encode(status)
	var copied contract.Status
	if err == nil {
		err = json.Unmarshal(data, &copied)
	}
	if err != nil {
		panic(fmt.Sprintf("copying the facts: %v", err))
	}
	return copied
}

func projectPrevention(policy *contract.Policy, value string) {
	policy.PreventDeviceEncryption = contract.Ptr(value != Absent && value != "0")
	at := slices.IndexFunc(policy.Settings, func(setting contract.PolicySetting) bool {
		return strings.EqualFold(setting.Key+`\`+setting.Name, PreventionTarget)
	})
	switch {
	case value == Absent && at >= 0:
		policy.Settings = slices.Delete(policy.Settings, at, at+1)
	case value != Absent && at >= 0:
		policy.Settings[at].Data = value
	case value != Absent:
		slash := strings.LastIndex(PreventionTarget, `\`)
		policy.Settings = slices.Insert(policy.Settings, 0, contract.PolicySetting{
			Key: PreventionTarget[:slash], Name: PreventionTarget[slash+1:], Data: value, Meaning: "keep Windows from encrypting by itself; it decrypts nothing",
		})
	}
}

func projectVolume(e *contract.Encryption, step contract.PlanStep) {
	switch step.Change {
	case contract.ChangeClearAutoUnlock:
		e.AutoUnlockKeysStored = contract.Ptr(false)
	case contract.ChangeDecrypt:
		e.Conversion = contract.Ptr(contract.DecryptionInProgress)
		e.Protection, e.ProtectionReason = contract.Ptr(contract.ProtectionOff), contract.Ptr(contract.ReasonConverting)
	case contract.ChangeWait:
		projectDecrypted(e)
	case contract.ChangePause:
		e.Conversion = contract.Ptr(pausing[*e.Conversion])
	case contract.ChangeResume:
		e.Conversion = contract.Ptr(resuming[*e.Conversion])
	}
}

// projectDecrypted is what Windows leaves of a volume's encryption when its decryption has ended: no
// protector and no metadata (learn.microsoft.com/windows/win32/secprov/decrypt-win32-encryptablevolume).
func projectDecrypted(e *contract.Encryption) {
	stored := e.AutoUnlockKeysStored
	if stored != nil {
		stored = contract.Ptr(false)
	}
	*e = contract.Encryption{
		Format: contract.Ptr("none"), Conversion: contract.Ptr(contract.FullyDecrypted), Percent: contract.Ptr(0.0),
		UsedSpaceOnly: contract.Ptr(false), Wiping: contract.Ptr(contract.NotWiped),
		Method: contract.Ptr(contract.MethodNone), Engine: contract.Ptr(contract.EngineNone), HardwareEncryption: e.HardwareEncryption,
		Protection: contract.Ptr(contract.ProtectionOff), ProtectionReason: contract.Ptr(contract.ReasonDecrypted),
		Lock: e.Lock, Protectors: []contract.Protector{}, ClearKey: contract.Ptr(false),
		AutoUnlock: contract.Ptr(false), AutoUnlockKeysStored: stored, HardwareTest: e.HardwareTest,
	}
}
