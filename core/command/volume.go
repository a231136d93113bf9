package command

import (
	"fmt"
	"slices"
	"strings"

	"diskaudit/core/contract"
)

// chooseVolumes returns the ids of the volumes and disks that were not asked for, and drops their
// problems, so that nothing is judged by them. A name that fits no volume is a problem, not silence.
func chooseVolumes(document *contract.Status, names []string) (unwanted map[string]bool) {
	unwanted = map[string]bool{}
	if len(names) == 0 {
		return unwanted
	}
	wanted := make([]bool, len(document.Volumes))
	var missing []contract.Problem
	for _, name := range names {
		found := false
		for i, volume := range document.Volumes {
			if isVolume(volume, name) {
				wanted[i], found = true, true
			}
		}
		if !found {
			missing = append(missing, contract.Problem{
				Code: "volume-not-found", Level: contract.LevelError, Stage: "volumes", Target: name,
				Text: fmt.Sprintf("There is no volume %s here. Name it by drive letter (C:), GUID path, mount folder, device or id; without --volume all are listed.", name),
			})
		}
	}
	for _, disk := range document.Disks {
		unwanted[disk.ID] = true
	}
	for i := range document.Volumes {
		volume := &document.Volumes[i]
		if !wanted[i] {
			unwanted[volume.ID] = true
			volume.Problems = nil
		}
	}
	for i, volume := range document.Volumes {
		for _, extent := range volume.Extents {
			if wanted[i] {
				delete(unwanted, extent.DiskID)
			}
		}
	}
	// What is missing can have the name of something that is not wanted, such as a disk: it comes
	// after the others are left out.
	document.Complete = len(missing) == 0
	document.Problems = slices.DeleteFunc(document.Problems, func(problem contract.Problem) bool {
		if unwanted[problem.Target] {
			return true
		}
		document.Complete = document.Complete && problem.Level.OrError() != contract.LevelError
		return false
	})
	document.Problems = append(document.Problems, missing...)
	return unwanted
}

// drop leaves out what was not asked for. What is about the computer stays.
func drop(document *contract.Status, unwanted map[string]bool) {
	document.Volumes = slices.DeleteFunc(document.Volumes, func(volume contract.Volume) bool { return unwanted[volume.ID] })
	document.Disks = slices.DeleteFunc(document.Disks, func(disk contract.Disk) bool { return unwanted[disk.ID] })
	document.Findings = slices.DeleteFunc(document.Findings, func(finding contract.Finding) bool { return unwanted[finding.Target] })
}

// isVolume tells whether a person who writes name means volume, in every way to write it.
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
