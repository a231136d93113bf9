package contract

import "slices"

// endsTheRun are the problems that end the run when they are about no single thing.
var endsTheRun = []string{"timeout", "interrupted", "internal-error"}

// leavesVolumesOut are the problems of listing volumes after which one of them, or the name of one,
// may be missing from the list, whatever their level and target.
var leavesVolumesOut = []string{"volumes-not-listed", "devices-not-listed", "enumeration-incomplete", "letters-not-listed", "mounts-unknown"}

// leavesNoneOut are the problems about no volume in the list that keep none out of it: a volume that
// someone named is not there, or the one who asks may not be told of BitLocker.
var leavesNoneOut = []string{"volume-not-found", "needs-elevation"}

// Gaps returns the problems because of which a volume that is there may not be in the list of volumes,
// or not by its name; none when the list is whole.
func (s Status) Gaps() []Problem {
	listed := map[string]bool{}
	for _, volume := range s.Volumes {
		listed[volume.ID] = true
	}
	var gaps []Problem
	for _, problem := range s.Problems {
		failed := problem.Level.OrError() == LevelError
		ended := slices.Contains(endsTheRun, problem.Code) && problem.Target == ""
		unlisted := slices.Contains(leavesVolumesOut, problem.Code) && problem.Stage == "volumes"
		// What could not be told of a volume in the list is said of that volume; what is said of
		// anything else kept it out of the list.
		leftOut := failed && problem.Stage == "volumes" && !listed[problem.Target] && !slices.Contains(leavesNoneOut, problem.Code)
		// The volumes of an image are found by its partition table.
		lost := failed && problem.Stage == "disks" && s.ofImages()
		unexplained := problem.Code == "recording-incomplete"
		nothing := len(s.Volumes) == 0 && failed
		if ended || unlisted || leftOut || lost || unexplained || nothing {
			gaps = append(gaps, problem)
		}
	}
	return gaps
}

// ofImages reports whether the facts are of disk images, or may be: a recording tells them only by
// what images do not tell, the operating system.
func (s Status) ofImages() bool {
	return s.Machine.Source == SourceImage || s.Machine.OS == nil && s.BitLocker.Provider != nil && *s.BitLocker.Provider == "on-disk"
}
