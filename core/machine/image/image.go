// Package image is the machine that consists of image files: disks and volumes, raw or as VHD
// and VHDX. It knows nothing of a computer around them.
package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/disk"
	"diskaudit/core/machine"
)

// Machine reads image files.
type Machine struct {
	paths []string
}

// New returns the machine of the image files. A file that is named twice is read once.
func New(paths []string) *Machine {
	m := &Machine{}
	seen := map[string]bool{}
	for _, path := range paths {
		if !seen[path] {
			seen[path] = true
			m.paths = append(m.paths, path)
		}
	}
	return m
}

// imageFile is one image that could be opened.
type imageFile struct {
	path string
	file *os.File
	// device is true for a block device, which is no file that holds a disk but the disk itself.
	device bool
	image  *disk.Image
	table  *disk.Table
	// unaligned is the issue of an image whose size is no multiple of a sector. It is told only
	// where something was recognised: what is no image at all need not be aligned.
	unaligned *disk.Issue
}

// isDisk tells a disk from a single volume: it has a partition table or a disk's container.
func (f *imageFile) isDisk() bool {
	return f.table.Scheme != disk.SchemeNone || f.image.Format() != disk.FormatRaw
}

// Host reports that there is no computer.
func (m *Machine) Host(_ context.Context, report *machine.Report) {
	report.SetMachine(contract.Machine{Source: contract.SourceImage})
	report.SetProvider(contract.Provider{Available: contract.Ptr(true), Provider: contract.Ptr("on-disk")})
	report.AddProblem(contract.Problem{
		Code: "not-in-image", Level: contract.LevelInfo, Stage: machine.StageHost,
		Text: "An image tells nothing of the computer, its policies and hardware, nor what only a running Windows knows: lock, auto-unlock, suspend count, wiping, volume type, mount points, free space, whether a file system is marked as not sound, and what lies inside an encrypted volume. They are null, and mount points empty.",
	})
}

// Policy reports nothing: the problem of Host explains it.
func (m *Machine) Policy(context.Context, *machine.Report) {}

// Disks reports nothing: each image is opened once, by Volumes, however many there are.
func (m *Machine) Disks(context.Context, *machine.Report) {}

// Volumes reports the images that are disks and what each image holds, one image after the other.
func (m *Machine) Volumes(ctx context.Context, report *machine.Report) {
	for i, path := range m.paths {
		if ctx.Err() != nil {
			return
		}
		read(path, report)
		report.Progress(machine.StageVolumes, i+1, len(m.paths))
	}
}

func read(path string, report *machine.Report) {
	opened, issues, err := open(path)
	var unaligned *disk.Issue
	for _, issue := range issues {
		if issue.Code == disk.IssueImageUnaligned {
			unaligned = &issue
			continue
		}
		report.AddProblem(issueProblem(path, issue))
	}
	if err != nil {
		report.AddProblem(openProblem(path, err))
		return
	}
	defer opened.file.Close()
	opened.unaligned = unaligned
	if opened.isDisk() {
		report.AddDisk(describe(opened, report))
	}
	lost := slices.ContainsFunc(opened.table.Issues, func(issue disk.Issue) bool { return issue.Incomplete })
	if opened.table.Scheme != disk.SchemeNone && len(opened.table.Partitions) == 0 && !lost {
		report.AddProblem(contract.Problem{
			Code: "no-partitions", Level: contract.LevelError, Stage: machine.StageDisks, Target: path,
			Text: fmt.Sprintf("%s has a partition table (%s) without any partition, so there is no volume to tell of. Whether anything lies on it all the same is unknown.", path, opened.table.Scheme),
		})
	}
	opened.reportVolumes(report)
}

func (f *imageFile) reportVolumes(report *machine.Report) {
	recognized := f.isDisk()
	for _, subject := range subjects(f) {
		volume := inspect(f, subject)
		recognized = recognized || !slices.ContainsFunc(volume.Problems, func(problem contract.Problem) bool {
			return problem.Code == machine.CodeUnrecognized
		})
		report.AddVolume(volume)
	}
	if f.unaligned != nil && recognized {
		report.AddProblem(issueProblem(f.path, *f.unaligned))
	}
}

func open(path string) (*imageFile, []disk.Issue, error) {
	file, size, device, err := openFile(path)
	if err != nil {
		return nil, nil, err
	}
	image, err := disk.Open(file, size)
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	table, err := image.Table()
	if err != nil {
		return nil, image.Issues(), errors.Join(err, file.Close())
	}
	return &imageFile{path: path, file: file, device: device, image: image, table: table}, append(image.Issues(), table.Issues...), nil
}

// Errors of what is no image by its kind.
var (
	// errNotAFile means something that is neither a file nor a block device. Opening a pipe would
	// wait for its other end.
	errNotAFile = errors.New("not a file")
	// errWindowsDevice means a device of Windows, which is read in whole sectors and has no size
	// that a file's functions tell.
	errWindowsDevice = errors.New("a device of Windows")
)

// openFile opens a file or a block device and returns its size, and which of the two it is.
func openFile(path string) (file *os.File, size int64, device bool, err error) {
	if runtime.GOOS == "windows" && strings.HasPrefix(path, `\\.\`) {
		return nil, 0, false, errWindowsDevice
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, false, err
	}
	device = info.Mode()&(fs.ModeDevice|fs.ModeCharDevice) == fs.ModeDevice
	if !info.Mode().IsRegular() && !device {
		return nil, 0, false, errNotAFile
	}
	if file, err = os.Open(path); err != nil {
		return nil, 0, false, err
	}
	size = info.Size()
	if device {
		if size, err = file.Seek(0, io.SeekEnd); err != nil {
			return nil, 0, false, errors.Join(err, file.Close())
		}
	}
	return file, size, device, nil
}

func issueProblem(path string, issue disk.Issue) contract.Problem {
	level := contract.LevelWarning
	if issue.Incomplete {
		level = contract.LevelError
	}
	return contract.Problem{
		Code: issue.Code, Level: level, Stage: machine.StageDisks, Target: path,
		Text: sentence(path, issue.Text),
	}
}

func describe(opened *imageFile, report *machine.Report) contract.Disk {
	scheme := string(opened.table.Scheme)
	described := contract.Disk{
		ID:             opened.path,
		PartitionTable: &scheme,
		SizeBytes:      contract.Ptr(uint64(opened.image.Size())),
	}
	if opened.device {
		report.AddProblem(contract.Problem{
			Code: "device-read-as-image", Level: contract.LevelInfo, Stage: machine.StageDisks, Target: opened.path,
			Text: fmt.Sprintf("%s is a device and was read like an image: what it is attached to and all else about the hardware is null. Without --image, status tells it.", opened.path),
		})
	} else {
		described.Bus = contract.Ptr(contract.BusFileBacked)
		described.NVMe = contract.Ptr(false)
		described.Container = contract.Ptr(string(opened.image.Format()))
	}
	if opened.image.LogicalSectorBytes() != 0 {
		described.LogicalSectorBytes = contract.Ptr(uint64(opened.image.LogicalSectorBytes()))
	} else if opened.table.Scheme != disk.SchemeNone {
		described.LogicalSectorBytes = contract.Ptr(uint64(opened.table.SectorBytes))
	}
	if opened.image.PhysicalSectorBytes() != 0 {
		described.PhysicalSectorBytes = contract.Ptr(uint64(opened.image.PhysicalSectorBytes()))
	}
	return described
}
