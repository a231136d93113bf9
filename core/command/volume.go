package command

import (
	"fmt"
	"slices"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// chooseVolumes returns the ids of the volumes and disks that were not asked for, and drops their
// problems, so that nothing is judged by them. A name that fits no volume is a problem, not silence.
func chooseVolumes(document *contract.Status, names []string) (unwanted map[string]bool) {
	unwanted = map[string]bool{}
	if len(names) == 0 {
		return unwanted
	}
	gaps := document.Gaps()
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
			missing = append(missing, missingProblem(name, gaps))
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

// missingProblem is about a name that fits no volume; gaps are the problems because of which the
// list of volumes may lack some.
func missingProblem(name string, gaps []contract.Problem) contract.Problem {
	if len(gaps) == 0 {
		return contract.Problem{
			Code: "volume-not-found", Level: contract.LevelError, Stage: machine.StageVolumes, Target: name,
			Text: fmt.Sprintf("There is no volume %s here. Name it by drive letter (C:), GUID path, mount folder, device or id; without --volume all are listed.", name),
		}
	}
	var codes []string
	problem := contract.Problem{Code: "volume-not-reached", Level: contract.LevelError, Stage: machine.StageVolumes, Target: name}
	for _, gap := range gaps {
		problem.Retryable = problem.Retryable || gap.Retryable
		if !slices.Contains(codes, gap.Code) {
			codes = append(codes, gap.Code)
		}
	}
	problem.Text = fmt.Sprintf("Volume %s is not among those that were listed, but the list lacks some (%s): whether it is there is not known. See that problem for what stood in the way, and run again.", name, strings.Join(codes, ", "))
	return problem
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

// canonical brings the ways to write one place to one form: "c", "C:", "C:\" and "\\.\C:" are the
// same, so are a GUID path with and without its last backslash. Windows ignores case, Linux does not.
// Source: https://learn.microsoft.com/windows/win32/fileio/naming-a-file, "Win32 Device Namespaces".
func canonical(name string) string {
	if len(name) == 1 && isLetter(name[0]) {
		name += ":"
	}
	windows := strings.ReplaceAll(name, "/", `\`)
	for _, namespace := range []string{`\\?\`, `\\.\`, `\??\`} {
		inside, ok := strings.CutPrefix(windows, namespace)
		if !ok {
			continue
		}
		if !isDrivePath(inside) {
			inside = `\\?\` + inside
		}
		return windowsForm(inside)
	}
	if isDrivePath(name) || strings.HasPrefix(name, `\\`) {
		return windowsForm(windows)
	}
	if trimmed := strings.TrimRight(name, "/"); trimmed != "" {
		return trimmed
	}
	return name
}

func isDrivePath(path string) bool { return len(path) >= 2 && isLetter(path[0]) && path[1] == ':' }

func windowsForm(path string) string { return strings.ToLower(strings.TrimRight(path, `\`)) }

func isLetter(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
