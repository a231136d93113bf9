package linux

import (
	"context"
	"fmt"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/patience"
)

// Volumes reports every block device that can hold a volume. Each is read on its own, for a
// limited time: one that hangs or fails is one problem.
func (m *Machine) Volumes(ctx context.Context, report *machine.Report) {
	inv, err := readInventory(m.tree)
	if err != nil {
		report.AddProblem(listingProblem(machine.StageVolumes, err))
		return
	}
	for _, id := range inv.vanished {
		report.AddProblem(vanishedProblem(id))
	}
	mounts, err := readMounts(m.tree)
	if err != nil {
		report.AddProblem(contract.Problem{
			Code: "mounts-unknown", Level: contract.LevelError, Stage: machine.StageVolumes, Target: "/proc/self/mountinfo",
			Text: fmt.Sprintf("Where volumes are mounted is not known, or not for all of them: %v. Lists of mount points that are empty may be so for that reason. Mount procfs at /proc (mount -t proc proc /proc).", err),
		})
	}
	devices := inv.volumes()
	e := examination{machine: m, inventory: &inv, devices: devices, mounts: mounts, byDevice: inv.mountsByDevice(mounts)}
	limit := m.deviceLimit(ctx)
	patience.Gather(ctx, len(devices), min(patience.OrderKept, limit/2),
		func(index int) contract.Volume { return e.volume(ctx, limit, devices[index]) },
		report.AddVolume,
		func(index int, fault patience.Panic) {
			report.AddProblem(m.deviceProblem(machine.StageVolumes, devices[index], fault))
		},
		func(done int) { report.Progress(machine.StageVolumes, done, len(devices)) })
	if len(devices) > 0 {
		report.AddProblem(contract.Problem{
			Code: "not-known-on-linux", Level: contract.LevelInfo, Stage: machine.StageVolumes,
			Text: "What only a running Windows knows about BitLocker is null: for how many restarts protection is suspended, whether the volume is unlocked, and whether it unlocks by itself. Whether a file system is marked as not sound is not asked on Linux, and null. Free space is known for mounted volumes only. Extents are empty, and a layer's offset null, where a mapped device is not made of plain runs or its table may be read by root only.",
		})
	}
}

// examination reads the volumes of one inventory.
type examination struct {
	machine   *Machine
	inventory *inventory
	// devices are those that the document lists as volumes.
	devices  []*device
	mounts   []mount
	byDevice map[string][]mount
}

// shape is where a volume's bytes lie.
type shape struct {
	layers  []contract.Layer
	extents []contract.Extent
}

// volume describes one device. Its three questions are asked side by side, each for at most
// limit: a device that hangs can still be mounted and have its place.
func (e *examination) volume(ctx context.Context, limit time.Duration, d *device) contract.Volume {
	m, inv := e.machine, e.inventory
	own := e.byDevice[d.name]
	points := mountPoints(own)
	volume := contract.Volume{ID: d.id, MountPoints: points, SizeBytes: &d.size, Type: volumeType(points, inv.lowest(d).removable)}

	probing := patience.Later(func() (probed, error) {
		return patience.Within(ctx, limit, func(ctx context.Context) (probed, error) { return m.probe(ctx, d) })
	})
	placing := patience.Later(func() (shape, error) {
		return patience.Within(ctx, limit, func(context.Context) (shape, error) { return inv.shape(d, m.offsets()), nil })
	})
	if point := visibleMount(points, own, e.mounts); point != "" {
		room, err := patience.Within(ctx, limit, func(context.Context) (space, error) { return m.kernel.space(point) })
		if err == nil {
			volume.ClusterBytes, volume.FreeBytes = &room.clusterBytes, &room.freeBytes
		} else {
			volume.Problems = append(volume.Problems, contract.Problem{
				Code: "free-space-unknown", Level: contract.LevelWarning, Stage: machine.StageVolumes, Target: d.id, Retryable: true,
				Text: fmt.Sprintf("The free space of %s is not known: the file system mounted at %s did not tell (%v).", d.id, point, err),
			})
		}
	}
	place, err := placing()
	if err != nil {
		place = inv.shape(d, noOffsets)
	}
	volume.Layers, volume.Extents = place.layers, place.extents
	found, err := probing()
	if err != nil {
		problem := takeFromMount(&volume, plainMount(own), m.deviceProblem(machine.StageVolumes, d, err), err)
		volume.Problems = append(volume.Problems, problem)
		return volume
	}
	volume.Encryption = found.encryption
	volume.FileSystem, volume.Label = found.facts.FileSystem, found.facts.Label
	if found.facts.ClusterBytes != nil {
		volume.ClusterBytes = found.facts.ClusterBytes
	}
	if found.facts.SizeBytes != nil {
		volume.SizeBytes = found.facts.SizeBytes
	}
	e.explainUnrecognized(ctx, limit, d, found.problems)
	e.explainMember(d, found.problems)
	volume.Problems = append(volume.Problems, found.problems...)
	return volume
}

func (inv *inventory) shape(d *device, at offsets) shape {
	return shape{layers: inv.layers(d, at), extents: inv.extents(d, at)}
}

// volumeType is what a volume is here; what it is to Windows only Windows knows.
func volumeType(points []string, removable *bool) *contract.VolumeType {
	for _, point := range points {
		if point == "/" {
			return contract.Ptr(contract.OperatingSystem)
		}
	}
	if removable != nil && *removable {
		return contract.Ptr(contract.Removable)
	}
	return nil
}
