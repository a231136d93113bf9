package command

import (
	"fmt"
	"slices"
	"strings"

	"diskaudit/core/contract"
)

// selectVolumes keeps the volumes that were asked for, with their disks, problems and findings,
// and what is about the computer. A name that fits none is a problem, not silence.
func selectVolumes(document *contract.Status, names []string) {
	if len(names) == 0 {
		return
	}
	keep := make([]bool, len(document.Volumes))
	for _, name := range names {
		found := false
		for i, volume := range document.Volumes {
			if isVolume(volume, name) {
				keep[i], found = true, true
			}
		}
		if !found {
			document.Complete = false
			document.Problems = append(document.Problems, contract.Problem{
				Code: "volume-not-found", Level: contract.LevelError, Stage: "volumes", Target: name,
				Text: fmt.Sprintf("There is no volume %s here. Name it by drive letter (C:), GUID path, mount folder, device or id; without --volume all are listed.", name),
			})
		}
	}
	var kept []contract.Volume
	onDisks, dropped := map[string]bool{}, map[string]bool{}
	for i, volume := range document.Volumes {
		if !keep[i] {
			dropped[volume.ID] = true
			continue
		}
		kept = append(kept, volume)
		for _, extent := range volume.Extents {
			onDisks[extent.DiskID] = true
		}
	}
	var disks []contract.Disk
	for _, disk := range document.Disks {
		if onDisks[disk.ID] {
			disks = append(disks, disk)
		} else {
			dropped[disk.ID] = true
		}
	}
	document.Volumes, document.Disks = kept, disks
	document.Findings = slices.DeleteFunc(document.Findings, func(finding contract.Finding) bool { return dropped[finding.Target] })
	document.Problems, document.Complete = problemsWithout(document.Problems, dropped)
}

// problemsWithout leaves out the problems of what is no longer in the document.
func problemsWithout(problems []contract.Problem, dropped map[string]bool) ([]contract.Problem, bool) {
	var left []contract.Problem
	complete := true
	for _, problem := range problems {
		if dropped[problem.Target] {
			continue
		}
		left = append(left, problem)
		complete = complete && problem.Level.OrError() != contract.LevelError
	}
	return left, complete
}

// isVolume tells whether a person who writes name means volume (case B18: every way to write it).
func isVolume(volume contract.Volume, name string) bool {
	wanted := canonical(name)
	if canonical(volume.ID) == wanted {
		return true
	}
	for _, mountPoint := range volume.MountPoints {
		if canonical(mountPoint) == wanted {
			return true
		}
	}
	// The volume's own device; those below it are other volumes.
	return len(volume.Layers) > 0 && canonical(volume.Layers[0].Device) == wanted
}

// canonical brings the ways to write one place to one form: "c", "C:" and "C:\" are the same,
// so are a GUID path with and without its last backslash. Windows ignores case, Linux does not.
func canonical(name string) string {
	if len(name) == 1 && isLetter(name[0]) {
		name += ":"
	}
	windows := strings.HasPrefix(name, `\\`) || len(name) >= 2 && isLetter(name[0]) && name[1] == ':'
	if windows {
		return strings.ToLower(strings.TrimRight(name, `\/`))
	}
	if trimmed := strings.TrimRight(name, "/"); trimmed != "" {
		return trimmed
	}
	return name
}

func isLetter(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
