package bench

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"time"

	"diskaudit/core/bench/engine"
	"diskaudit/core/contract"
)

// observe asks the computer before the tests. Its problems explain unknown context; they are not
// failures of the measurement.
func (r *run) observe(ctx context.Context) {
	if r.options.Observe == nil {
		return
	}
	r.status = r.options.Observe(ctx)
	r.document.Context.Machine = &r.status.Machine
	r.document.Context.Before = r.before()
}

// before is the state before the first test.
func (r *run) before() contract.BenchState {
	state := r.state(r.status)
	state.BusyPercent = r.busyBefore
	return state
}

// idleLook is how long the program does nothing, to see how busy others keep the processors: long
// enough for the system's ticks of 10 ms.
const idleLook = 300 * time.Millisecond

// busyPercent looks at the processors for a moment.
func busyPercent(ctx context.Context) *float64 {
	begun := time.Now()
	before, known := engine.SystemCPU()
	if !known {
		return nil
	}
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(idleLook):
	}
	after, known := engine.SystemCPU()
	if !known || after < before {
		return nil
	}
	percent := 100 * float64(after-before) / float64(time.Since(begun)) / float64(runtime.NumCPU())
	percent = min(percent, 100)
	return &percent
}

// locate finds the volume and the disk of what was opened, by the block device below it and then
// by the folder in which its volume is mounted, and takes over what explains unknown facts about them.
func (r *run) locate(device, path string, kind contract.TargetKind) {
	t, c := &r.document.Target, &r.document.Context
	if volume := findVolume(r.status.Volumes, device, path); volume != nil {
		t.VolumeID, c.Volume = &volume.ID, volume
		c.Disk = findDisk(r.status.Disks, diskOf(*volume))
	}
	if c.Volume == nil {
		c.Disk = findDisk(r.status.Disks, device)
	}
	if c.Disk != nil {
		t.DiskID = &c.Disk.ID
	}
	t.Layer = r.layerOf(device, kind)
	c.Before = r.before()
	for _, problem := range r.status.Problems {
		if r.explains(problem) {
			problem.Level = contract.LevelInfo
			r.problem(problem)
		}
	}
}

// explains tells whether a problem of the status can be why a fact about the target is unknown: it
// is about the target's volume or disk, about the whole status, or about the machine and what
// answers for BitLocker on it. How asking the computer ended is left out: it says nothing of the
// measurement.
func (r *run) explains(problem contract.Problem) bool {
	t := r.document.Target
	switch {
	case problem.Code == "interrupted" || problem.Code == "timeout" && problem.Target == "":
		return false
	case problem.Target == "":
		return problem.Stage != "policy"
	case t.VolumeID != nil && problem.Target == *t.VolumeID, t.DiskID != nil && problem.Target == *t.DiskID:
		return true
	}
	ofVolume := slices.ContainsFunc(r.status.Volumes, func(volume contract.Volume) bool { return isDevice(volume, problem.Target) })
	return problem.Stage == "host" && !ofVolume && findDisk(r.status.Disks, problem.Target) == nil
}

// findVolume finds a volume by its device or, where that is not known, by the folder in which it is
// mounted that holds the path.
func findVolume(volumes []contract.Volume, device, path string) *contract.Volume {
	for i, volume := range volumes {
		if isDevice(volume, device) {
			return &volumes[i]
		}
	}
	if deviceName(device) != "" {
		// Windows told the volume, and it is none of these: another one must not stand in for it.
		return nil
	}
	var found *contract.Volume
	longest := -1
	for i, volume := range volumes {
		for _, mount := range volume.MountPoints {
			if len(mount) > longest && within(path, mount) {
				found, longest = &volumes[i], len(mount)
			}
		}
	}
	return found
}

// within tells whether a path is the folder or lies below it. Below a drive the case of letters
// does not matter, as it does not to Windows.
func within(path, folder string) bool {
	trimmed := strings.TrimRight(folder, `/\`)
	if len(path) < len(trimmed) {
		return false
	}
	begin, rest := path[:len(trimmed)], path[len(trimmed):]
	same := begin == trimmed
	if len(trimmed) >= 2 && trimmed[1] == ':' {
		same = strings.EqualFold(begin, trimmed)
	}
	return same && (rest == "" || rest[0] == '/' || rest[0] == '\\')
}

// diskOf is the id of the disk that a volume lies on; "" when it lies on several or none is known.
func diskOf(volume contract.Volume) string {
	disk := ""
	for _, extent := range volume.Extents {
		if disk != "" && extent.DiskID != disk {
			return ""
		}
		disk = extent.DiskID
	}
	return disk
}

// findDisk finds a disk by its id or by its path.
func findDisk(disks []contract.Disk, id string) *contract.Disk {
	at := slices.IndexFunc(disks, func(disk contract.Disk) bool {
		return id != "" && (disk.ID == id || deviceName(id) == strings.ToLower(disk.ID))
	})
	if at < 0 {
		return nil
	}
	return &disks[at]
}

// layerOf tells where in the stack the I/O enters.
func (r *run) layerOf(device string, kind contract.TargetKind) *string {
	if kind != contract.TargetDevice {
		layer := "file system"
		return &layer
	}
	for _, volume := range r.status.Volumes {
		for _, layer := range volume.Layers {
			if layer.Device == device {
				return &layer.Kind
			}
		}
	}
	if findDisk(r.status.Disks, device) != nil {
		layer := "disk"
		return &layer
	}
	if deviceName(device) != "" && findVolume(r.status.Volumes, device, "") != nil {
		layer := "volume"
		return &layer
	}
	return nil
}

// state is what a status says about things that change in the course of a run.
func (r *run) state(status contract.Status) contract.BenchState {
	now := r.now().UTC()
	state := contract.BenchState{TakenAt: &now, PowerSource: status.Machine.Power.Source, PowerPlan: status.Machine.Power.Plan}
	if id := r.document.Target.DiskID; id != nil {
		if disk := findDisk(status.Disks, *id); disk != nil {
			state.TemperatureCelsius = disk.Health.TemperatureCelsius
		}
	}
	for _, volume := range status.Volumes {
		if r.isTarget(volume) {
			state.Conversion, state.ConversionPercent, state.FreeBytes = volume.Encryption.Conversion, volume.Encryption.Percent, volume.FreeBytes
		}
	}
	return state
}
