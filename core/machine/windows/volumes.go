package windows

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/windows/provider"
)

// Volumes reports Windows' volumes, each with what BitLocker says of it, and those that only
// BitLocker's provider lists. All are in the report as soon as they are listed, for one that is
// missing looks like one that does not exist; then BitLocker is asked about each, and then the
// disks below them, so that a disk that hangs costs no more than what only it can tell.
func (m *Machine) Volumes(ctx context.Context, report *machine.Report) {
	asked := m.answer.Swap(nil)
	if asked == nil {
		asked = m.ask(ctx, nil, nil)
	}
	defer asked.close()
	listed, problems := m.options.Storage.Volumes(ctx)
	addAll(report, problems)
	if asked.session != nil {
		addAll(report, provider.Notes())
	}
	volumes := withUnlisted(listed, asked.rows)
	for _, volume := range volumes {
		report.PutVolume(notYetAsked(volume))
	}

	// Some time is left for the report itself.
	asking, cancel := context.WithTimeoutCause(ctx, spare(ctx), context.DeadlineExceeded)
	defer cancel()
	standings := make([]standing, len(volumes))
	for _, i := range mostWantedFirst(volumes, asked) {
		limited, done := context.WithTimeoutCause(asking, part(asking, providerLimit), context.DeadlineExceeded)
		standings[i] = asked.about(limited, &volumes[i])
		done()
		report.PutVolume(volumes[i])
	}
	m.fromDisks(asking, asked, volumes, standings, func(i, done int) {
		report.PutVolume(volumes[i])
		report.Progress(machine.StageVolumes, done, len(volumes))
	})
}

// spare is how long questions may take.
func spare(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		// No more than what the single questions may take bounds it.
		return 24 * time.Hour
	}
	left := time.Until(deadline)
	return left - min(left/10, time.Second)
}

// withUnlisted adds the volumes that only the provider lists.
func withUnlisted(volumes []contract.Volume, rows []provider.Row) []contract.Volume {
	known := map[string]bool{}
	for _, volume := range volumes {
		known[volumeKey(volume.ID)] = true
	}
	for _, row := range rows {
		if !known[volumeKey(*row.DeviceID)] {
			volumes = append(volumes, unlistedVolume(row))
		}
	}
	return volumes
}

// volumeKey is what two ways to write one volume's GUID path have in common.
func volumeKey(id string) string {
	return strings.ToLower(strings.TrimRight(id, `\`))
}

// unlistedVolume is a volume that the provider knows and Windows' own list does not have: it went
// away meanwhile, or is one that was never mounted. It is reported, not left out.
func unlistedVolume(row provider.Row) contract.Volume {
	volume := contract.Volume{ID: *row.DeviceID}
	where := ""
	if row.DriveLetter != nil && *row.DriveLetter != "" {
		volume.MountPoints = contract.List[string]{*row.DriveLetter}
		where = " (" + *row.DriveLetter + ")"
	}
	volume.Problems = append(volume.Problems, contract.Problem{
		Code: "volume-not-listed", Level: contract.LevelWarning, Stage: machine.StageVolumes, Target: volume.ID,
		Text: fmt.Sprintf("BitLocker lists the volume %s%s, but Windows' own list of volumes does not have it: its size, file system and place on a disk are unknown. A volume that was removed just now, or that is kept offline, looks like this; mountvol shows the list.", volume.ID, where),
	})
	return volume
}

// notYetAsked is a volume as it stands in the report until its state is known.
func notYetAsked(volume contract.Volume) contract.Volume {
	volume.Problems = append(slices.Clone(volume.Problems), contract.Problem{
		Code: "not-asked", Level: contract.LevelError, Stage: machine.StageVolumes, Target: volume.ID, Retryable: true,
		Text: fmt.Sprintf("The run ended before BitLocker was asked about %s: its state is unknown. Run again, with a higher --timeout where it was the limit.", named(volume)),
	})
	return volume
}

// named is a volume with the letter or folder by which people know it.
func named(volume contract.Volume) string {
	if len(volume.MountPoints) == 0 || volume.MountPoints[0] == volume.ID {
		return volume.ID
	}
	return volume.ID + " (" + volume.MountPoints[0] + ")"
}

// mostWantedFirst is the order in which volumes are asked about: one whose driver hangs silences the
// provider, which is likelier of a removable volume and hurts most for the operating system's.
func mostWantedFirst(volumes []contract.Volume, asked *bitLocker) []int {
	order := make([]int, len(volumes))
	kinds := make([]int32, len(volumes))
	for i := range volumes {
		order[i] = i
		kinds[i] = int32(contract.Data)
		if row, listed := asked.row(volumes[i].ID); listed && row.VolumeType != nil {
			kinds[i] = *row.VolumeType
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(uint32(kinds[a]), uint32(kinds[b])) })
	return order
}
