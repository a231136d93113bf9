package linux

import (
	"errors"
	"fmt"
	"io/fs"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// plainKinds are the file systems that the kernel mounts only after it has read their own
// structures in the clear on the device, with the names that machine.Inspect gives them. FAT is
// not among them: a BitLocker To Go volume has a small FAT file system in front, which mounts.
var plainKinds = map[string]string{
	"ext2": "ext2", "ext3": "ext3", "ext4": "ext4", "xfs": "XFS", "btrfs": "Btrfs", "f2fs": "F2FS",
	"ntfs3": "NTFS", "exfat": "exFAT", "squashfs": "SquashFS", "iso9660": "ISO 9660", "udf": "UDF",
}

// plainMount is a mount that proves that its device is not encrypted; nil when there is none.
func plainMount(own []mount) *mount {
	for i := range own {
		if plainKinds[own[i].kind] != "" {
			return &own[i]
		}
	}
	return nil
}

// takeFromMount fills in what a mounted file system proves about a device that may not be read,
// and returns the problem that says so. What this user may not read is still missing; what root
// may not read either is as complete as it gets here.
func takeFromMount(volume *contract.Volume, proof *mount, problem contract.Problem, err error) contract.Problem {
	if proof == nil || !errors.Is(err, fs.ErrPermission) {
		return problem
	}
	name := plainKinds[proof.kind]
	volume.FileSystem = &name
	volume.Encryption = machine.Plain()
	problem.Text = fmt.Sprintf("%s may not be read (%v). That it is not encrypted is known from the %s file system mounted at %s; its label and what else lies on it are not.",
		volume.ID, err, name, proof.point)
	if problem.Code == "needs-elevation" {
		problem.Text += " Run as root (sudo diskaudit status)."
	} else {
		problem.Level = contract.LevelWarning
	}
	return problem
}
