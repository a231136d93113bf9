package remediate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"diskaudit/core/contract"
)

// identity is the plan's id: a digest of its steps and of the facts that it rests on. What moves all
// the time, such as free space, the percentage of a conversion or a temperature, is not among them; nor
// is what was overridden, so that a plan that was refused can be expected.
func (p *planning) identity(guards []contract.Guard) string {
	status := p.request.Status
	rests := struct {
		Action   contract.Action
		Steps    []contract.PlanStep
		Volumes  []contract.Volume
		Disks    []contract.Disk
		Policy   contract.Policy
		Join     contract.Join
		Source   *contract.PowerSource
		Portable *bool
		Restart  *bool
		Guards   []contract.Guard
		// Lacking are the reasons why the list of volumes may not be complete.
		Lacking []string
	}{
		Action: p.request.Action, Policy: status.Policy, Join: status.Machine.Join,
		Lacking: p.request.Incomplete,
		Source:  status.Machine.Power.Source, Portable: status.Machine.Power.Portable, Restart: status.Machine.RebootPending,
	}
	for _, step := range p.steps {
		step.EstimatedSeconds, step.Estimate = nil, nil
		rests.Steps = append(rests.Steps, step)
	}
	for _, guard := range guards {
		if guard.Result != contract.GuardAllow {
			guard.Result = contract.GuardRefuse
		}
		rests.Guards = append(rests.Guards, contract.Guard{ID: guard.ID, Target: guard.Target, Result: guard.Result})
	}
	for _, volume := range status.Volumes {
		concerned := slices.ContainsFunc(p.candidates, func(c candidate) bool { return c.volume.ID == volume.ID })
		// Where keys are removed, all volumes count that may have unlocked by them.
		if concerned || p.has(contract.ChangeClearAutoUnlock) {
			rests.Volumes = append(rests.Volumes, resting(volume))
		}
	}
	below, _ := p.disks()
	for _, disk := range below {
		disk.Serial = nil
		disk.Health.TemperatureCelsius, disk.Health.PowerOnHours, disk.Health.UnsafeShutdowns = nil, nil, nil
		disk.Health.WrittenBytes, disk.Health.ReadBytes = nil, nil
		rests.Disks = append(rests.Disks, disk)
	}
	data, err := json.Marshal(rests)
	if err != nil {
		panic(fmt.Sprintf("digesting the plan: %v", err))
	}
	digest := sha256.Sum256(data)
	return hex.EncodeToString(digest[:8])
}

// resting is a volume without what moves all the time.
func resting(volume contract.Volume) contract.Volume {
	volume.FreeBytes = nil
	volume.Encryption.Percent, volume.Encryption.WipePercent = nil, nil
	var codes contract.List[contract.Problem]
	for _, problem := range volume.Problems {
		codes = append(codes, contract.Problem{Code: problem.Code, Level: problem.Level})
	}
	volume.Problems = codes
	return volume
}
