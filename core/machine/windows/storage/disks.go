package storage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// Disks reports the disks of this computer, each asked on its own for a limited time, and what could
// not be told of them. Serial numbers are among the facts only with identify.
func (r *Reader) Disks(ctx context.Context, report *machine.Report, identify bool) {
	instances, instancesErr := r.instances(ctx)
	numbers, err := r.diskNumbers(ctx, instances)
	if len(numbers) == 0 {
		report.AddProblem(noDisksProblem(errors.Join(err, instancesErr)))
		return
	}
	speedUps := r.speedUps(ctx, report, numbers)
	limit := r.limit(ctx)
	gather(len(numbers), min(orderPatience, limit/2),
		func(index int) portrait {
			number := numbers[index]
			return r.portray(ctx, limit, number, instances[number], identify)
		},
		func(_ int, p portrait) {
			if path, ok := speedUps[p.disk.ID]; ok {
				p.disk.WriteCache.SpeedUpJournal = &path
			}
			report.AddDisk(p.disk)
			for _, problem := range p.problems {
				report.AddProblem(problem)
			}
		},
		func(done int) { report.Progress(machine.StageDisks, done, len(numbers)) })
}

// diskNumbers are N of every \\.\PhysicalDriveN: those that have such a name, and those that the
// configuration manager knows.
func (r *Reader) diskNumbers(ctx context.Context, instances map[uint32]string) ([]uint32, error) {
	numbers := map[uint32]bool{}
	for number := range instances {
		numbers[number] = true
	}
	names, err := answer(ctx, r.limit(ctx), r.system.DeviceNames)
	for _, name := range names {
		if number, ok := diskNumber(name); ok {
			numbers[number] = true
		}
	}
	if err != nil {
		err = fmt.Errorf("listing the names of devices: %w", err)
	}
	return slices.Sorted(maps.Keys(numbers)), err
}

func noDisksProblem(err error) contract.Problem {
	reason := "Windows lists none"
	if err != nil {
		reason = err.Error()
	}
	return withResult(contract.Problem{
		Code: "disks-not-listed", Level: contract.LevelError, Stage: machine.StageDisks,
		Text: fmt.Sprintf("The disks cannot be listed: %s. A container or a sandbox hides the disks of its host: run diskaudit on the host itself.", reason),
	}, err)
}
