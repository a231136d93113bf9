package image

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/disk"
	"diskaudit/core/machine"
)

// openProblem says why an image could not be opened.
func openProblem(path string, err error) contract.Problem {
	problem := contract.Problem{Level: contract.LevelError, Stage: machine.StageDisks, Target: path}
	var damage *disk.Error
	switch {
	case errors.Is(err, fs.ErrNotExist):
		problem.Code = "image-not-found"
		problem.Text = fmt.Sprintf("There is no file %s. Check the path; quote it when it has spaces.", path)
	case errors.Is(err, errNotAFile):
		problem.Code = "image-not-a-file"
		problem.Text = fmt.Sprintf("%s is not a file and not a block device, so it is no image. Name the image file itself.", path)
		if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
			problem.Text = fmt.Sprintf("%s is a folder. Name the image files in it, each with --image.", path)
		}
	case errors.Is(err, errWindowsDevice):
		problem.Code = "device-not-supported"
		problem.Text = fmt.Sprintf("%s is a device; on Windows only image files can be read. Make an image of it, for example with dd or FTK Imager, and name that.", path)
	case errors.As(err, &damage) && damage.Code != disk.CodeUnreadable:
		problem.Code = damage.Code
		problem.Text = sentence(path, damage.Error())
	default:
		return machine.ReadProblem(machine.StageDisks, path, err)
	}
	return problem
}

// sentence puts a file's name before what is said of it.
func sentence(path, text string) string {
	return path + ": " + strings.TrimSuffix(text, ".") + "."
}
