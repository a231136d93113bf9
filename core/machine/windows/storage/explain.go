package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// driveWords names the types of drives in texts.
var driveWords = map[DriveType]string{
	DriveRemovable: "removable drive", DriveFixed: "fixed drive", DriveRemote: "network drive",
	DriveOptical: "optical drive", DriveRAMDisk: "RAM disk",
}

// explain gathers why facts of a volume are missing. What has one reason is told once.
func explain(p place, in interior, at positioned) []contract.Problem {
	var problems []contract.Problem
	add := func(problem contract.Problem) {
		if !slices.ContainsFunc(problems, func(other contract.Problem) bool { return other.Code == problem.Code }) {
			problems = append(problems, problem)
		}
	}
	if p.isLetter() {
		add(letterProblem(p))
	}
	if p.err != nil {
		add(mountsProblem(p))
	}
	if in.kind == DriveOptical && !errors.Is(in.err, errNoMedia) {
		add(opticalProblem(p))
	}
	if in.readOnly && in.kind != DriveOptical && len(p.points) > 0 {
		add(readOnlyProblem(p))
	}
	if in.err != nil {
		add(interiorProblem(p, in, at.kind))
	}
	if in.spaceErr != nil {
		add(spaceProblem(p, in.spaceErr))
	}
	if in.dirtyErr != nil && !errors.Is(in.dirtyErr, fs.ErrPermission) {
		add(dirtyProblem(p, in.dirtyErr))
	}
	for _, problem := range positionProblems(p, in, at) {
		add(problem)
	}
	if facts, refusal := deniedFacts(p, in, at); len(facts) > 0 {
		add(deniedProblem(p, facts, refusal))
	}
	return problems
}

func volumeProblem(p place, code string, level contract.Level, err error, format string, arguments ...any) contract.Problem {
	return withResult(contract.Problem{
		Code: code, Level: level, Stage: machine.StageVolumes, Target: p.id(), Text: fmt.Sprintf(format, arguments...),
	}, err)
}

// named is a volume as people know it: its mount points beside its id.
func named(p place) string {
	if p.isLetter() || len(p.points) == 0 {
		return p.id()
	}
	return fmt.Sprintf("%s (%s)", p.id(), phrase(p.points))
}

func letterProblem(p place) contract.Problem {
	return volumeProblem(p, CodeNoVolumeGUID, contract.LevelInfo, nil,
		"Drive %s (%s) is no volume that Windows manages: it is a RAM disk or comes from another maker's driver. BitLocker does not know it, so its states are null.", p.id(), p.target)
}

func mountsProblem(p place) contract.Problem {
	if errors.Is(p.err, errGone) || errors.Is(p.err, errTimeout) {
		return problemOf(machine.StageVolumes, p.id(), p.err)
	}
	problem := volumeProblem(p, "mounts-unknown", contract.LevelError, p.err,
		"Where volume %s is mounted could not be read (%v): its list of mount points may be too short. Run again.", p.id(), p.err)
	problem.Retryable = true
	return problem
}

func opticalProblem(p place) contract.Problem {
	return volumeProblem(p, CodeOptical, contract.LevelInfo, nil,
		"Volume %s is an optical drive: BitLocker does not encrypt those, so its states are null, and it is not asked whether its file system is sound.", named(p))
}

// readOnlyProblem tells of what looks like a fault and often is a policy of BitLocker.
func readOnlyProblem(p place) contract.Problem {
	return volumeProblem(p, "volume-read-only", contract.LevelWarning, nil,
		"Windows has volume %s mounted read-only: nothing can be written to it. A write-protected medium does this, and so does the policy that denies write access to drives which BitLocker does not protect.", named(p))
}

// interiorProblem says why the file system told nothing.
func interiorProblem(p place, in interior, kind string) contract.Problem {
	switch {
	case errors.Is(in.err, errNoMedia):
		word, ok := driveWords[in.kind]
		if !ok {
			word = "drive"
		}
		problem := volumeProblem(p, CodeNoMedium, contract.LevelInfo, in.err,
			"There is no medium in %s, which is a %s: what a medium would tell is null.", named(p), word)
		problem.Retryable = true
		return problem
	case errors.Is(in.err, errNoSystem) && kind != "":
		return volumeProblem(p, "no-file-system", contract.LevelInfo, in.err,
			"Volume %s is a %s without a file system that Windows knows: its file system and label are null.", named(p), kind)
	case errors.Is(in.err, errNoSystem):
		// One that someone gave a letter to is expected to be readable.
		level := contract.LevelInfo
		if len(p.points) > 0 {
			level = contract.LevelWarning
		}
		return volumeProblem(p, "file-system-unrecognized", level, in.err,
			"Volume %s has no file system that Windows knows: it is not formatted, belongs to another system, or is damaged. Its file system and label are null. If it held data, change nothing on it and recover that first.", named(p))
	case errors.Is(in.err, fs.ErrPermission) && len(p.points) == 0:
		what := "volume"
		if kind != "" {
			what = kind
		}
		return volumeProblem(p, CodeNeedsElevation, contract.LevelInfo, in.err,
			"Windows tells administrators only what is on %s, a %s without a drive letter: its file system, label and free space are null. To know, run diskaudit as administrator.", p.id(), what)
	}
	return problemOf(machine.StageVolumes, p.id(), in.err)
}

func spaceProblem(p place, err error) contract.Problem {
	problem := volumeProblem(p, "free-space-unknown", contract.LevelWarning, err,
		"The free space or the clusters of volume %s are not known: its file system did not tell (%v). Run again; if it stays so, check the volume with chkdsk.", named(p), err)
	problem.Retryable = true
	return problem
}

// dirtyProblem says why it is not known whether the file system is sound. NTFS gives its own error
// where what holds the dirty bit cannot be read
// (learn.microsoft.com/windows-hardware/drivers/ifs/fsctl-is-volume-dirty).
func dirtyProblem(p place, err error) contract.Problem {
	const code = "file-system-state-unknown"
	switch {
	case errors.Is(err, errTimeout), errors.Is(err, errGone):
		return problemOf(machine.StageVolumes, p.id(), err)
	case errors.Is(err, errUnasked):
		return volumeProblem(p, code, contract.LevelInfo, err,
			"Whether the file system of volume %s is sound is not known: it does not tell whether it is marked for a check (%v). chkdsk, or Repair-Volume -Scan, looks at it.", named(p), err)
	case errors.Is(err, errFileCorrupt):
		return volumeProblem(p, code, contract.LevelWarning, err,
			"The file system of volume %s is damaged where it notes whether it is sound (%v). Back up its data, then check it with chkdsk; do not start an encryption or a decryption before.", named(p), err)
	}
	problem := volumeProblem(p, code, contract.LevelWarning, err,
		"Whether the file system of volume %s is sound is not known: asking it failed (%v). Run again; if it stays so, check the volume with chkdsk.", named(p), err)
	problem.Retryable = true
	return problem
}

// deniedFacts are what Windows tells of a volume to administrators only, and its refusal.
func deniedFacts(p place, in interior, at positioned) (facts []string, refusal error) {
	note := func(fact string, err error) {
		if errors.Is(err, fs.ErrPermission) {
			facts = append(facts, fact)
			refusal = err
		}
	}
	note("whether its file system is sound", in.dirtyErr)
	if !p.isLetter() && !isEmpty(in, at) {
		note("on which disk it lies", at.err)
		note("how large it is", at.sizeErr)
	}
	return facts, refusal
}

func deniedProblem(p place, facts []string, err error) contract.Problem {
	return volumeProblem(p, CodeNeedsElevation, contract.LevelInfo, err,
		"Windows tells administrators only about volume %s: %s. To know, run diskaudit as administrator.", named(p), phrase(facts))
}

// isEmpty tells a drive without a medium, which has no place and no size.
func isEmpty(in interior, at positioned) bool {
	return errors.Is(in.err, errNoMedia) && (at.err == nil || errors.Is(at.err, errNoMedia) || errors.Is(at.err, errUnasked))
}

// positionProblems say why the place or the size of a volume is not known, apart from a refusal. What
// lies on no disk has none, and what has no medium tells none.
func positionProblems(p place, in interior, at positioned) []contract.Problem {
	if isEmpty(in, at) {
		return nil
	}
	var problems []contract.Problem
	switch {
	case at.err == nil, errors.Is(at.err, fs.ErrPermission):
	case in.kind == DriveOptical && errors.Is(at.err, errUnasked), p.isLetter():
		// Neither lies on a disk; that was told with the kind.
	case errors.Is(at.err, errUnasked):
		problems = append(problems, volumeProblem(p, "extents-unknown", contract.LevelInfo, at.err,
			"On which disk volume %s lies is not known: its driver does not tell (%v).", named(p), at.err))
	case errors.Is(at.err, errTimeout), errors.Is(at.err, errGone):
		problems = append(problems, problemOf(machine.StageVolumes, p.id(), at.err))
	default:
		problem := volumeProblem(p, "extents-unknown", contract.LevelError, at.err,
			"On which disk volume %s lies could not be read: %v. Run again; if it stays so, check its disk in Disk Management.", named(p), at.err)
		problem.Retryable = true
		problems = append(problems, problem)
	}
	if at.err == nil && at.sizeErr != nil && !errors.Is(at.sizeErr, fs.ErrPermission) {
		problems = append(problems, volumeProblem(p, "volume-size-unknown", contract.LevelWarning, at.sizeErr,
			"The size of volume %s is not known: its driver did not tell (%v). Its extents are in the document.", named(p), at.sizeErr))
	}
	return problems
}

// listingProblem is about an enumeration of volumes that failed or broke off.
func listingProblem(err error) contract.Problem {
	return withResult(contract.Problem{
		Code: "volumes-not-listed", Level: contract.LevelError, Stage: machine.StageVolumes, Retryable: true,
		Text: fmt.Sprintf("The volumes could not be listed to the end: %v. Those that were listed before are in the document; others may exist. Run again.", err),
	}, err)
}
