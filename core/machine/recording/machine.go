package recording

import (
	"context"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// Machine answers with the facts of a recording.
type Machine struct {
	status contract.Status
	// The document's problems without those of single volumes, which come with the volumes.
	problems []contract.Problem
}

var _ machine.Machine = (*Machine)(nil)

// Host reports the computer, with the recording as the source of its facts, and everything that
// went wrong when it was recorded and is not about one volume.
func (m *Machine) Host(ctx context.Context, report *machine.Report) {
	if ctx.Err() != nil {
		return
	}
	host := deepCopy(m.status.Machine)
	host.Source = contract.SourceRecording
	report.SetMachine(host)
	report.SetProvider(deepCopy(m.status.BitLocker))
	for _, problem := range m.problems {
		report.AddProblem(deepCopy(problem))
	}
}

// Policy reports the policies.
func (m *Machine) Policy(ctx context.Context, report *machine.Report) {
	if ctx.Err() == nil {
		report.SetPolicy(deepCopy(m.status.Policy))
	}
}

// Disks reports the disks.
func (m *Machine) Disks(ctx context.Context, report *machine.Report) {
	for i, disk := range m.status.Disks {
		if ctx.Err() != nil {
			return
		}
		report.AddDisk(deepCopy(disk))
		report.Progress(machine.StageDisks, i+1, len(m.status.Disks))
	}
}

// Volumes reports the volumes with their problems.
func (m *Machine) Volumes(ctx context.Context, report *machine.Report) {
	for i, volume := range m.status.Volumes {
		if ctx.Err() != nil {
			return
		}
		report.AddVolume(deepCopy(volume))
		report.Progress(machine.StageVolumes, i+1, len(m.status.Volumes))
	}
}

// ownProblems returns the document's problems less those that its volumes list as well, each of
// these as often as a volume lists it.
func ownProblems(status contract.Status) []contract.Problem {
	ofVolumes := map[problemKey]int{}
	for _, volume := range status.Volumes {
		for _, problem := range volume.Problems {
			ofVolumes[keyOf(problem)]++
		}
	}
	var own []contract.Problem
	// From the end, since collecting puts the volumes' problems last.
	for i := len(status.Problems) - 1; i >= 0; i-- {
		key := keyOf(status.Problems[i])
		if ofVolumes[key] > 0 {
			ofVolumes[key]--
			continue
		}
		own = append([]contract.Problem{status.Problems[i]}, own...)
	}
	return own
}

// problemKey is a problem's content, to compare by.
type problemKey struct {
	code, stage, target, text, hresult, hresultName string
	level                                           contract.Level
	hasHResult, hasName, retryable                  bool
}

func keyOf(p contract.Problem) problemKey {
	key := problemKey{code: p.Code, stage: p.Stage, target: p.Target, text: p.Text, level: p.Level, retryable: p.Retryable}
	if p.HResult != nil {
		key.hresult, key.hasHResult = *p.HResult, true
	}
	if p.HResultName != nil {
		key.hresultName, key.hasName = *p.HResultName, true
	}
	return key
}
