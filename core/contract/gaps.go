package contract

import "slices"

// endsTheRun are the problems that end the run when they are about no single thing.
var endsTheRun = []string{"timeout", "interrupted", "internal-error"}

// leavesVolumesOut are the problems of listing volumes after which one of them, or the name of one,
// may be missing from the list.
var leavesVolumesOut = []string{"volumes-not-listed", "devices-not-listed", "enumeration-incomplete", "letters-not-listed", "mounts-unknown"}

// Gaps returns the problems because of which a volume that is there may not be in the list of volumes,
// or not by its name; none when the list is whole.
func (s Status) Gaps() []Problem {
	var gaps []Problem
	for _, problem := range s.Problems {
		ended := slices.Contains(endsTheRun, problem.Code) && problem.Target == ""
		unlisted := slices.Contains(leavesVolumesOut, problem.Code) && problem.Stage == "volumes"
		nothing := len(s.Volumes) == 0 && problem.Level.OrError() == LevelError
		if ended || unlisted || nothing {
			gaps = append(gaps, problem)
		}
	}
	return gaps
}
