package windows

import (
	"context"
	"fmt"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/windows/provider"
)

// Volumes reports Windows' volumes, each with what BitLocker says of it, and then those that only
// BitLocker's provider lists.
func (m *Machine) Volumes(ctx context.Context, report *machine.Report) {
	asked := m.answer.Swap(nil)
	if asked == nil {
		asked = m.ask(ctx, nil, nil)
	}
	defer asked.close()
	volumes, problems := m.options.Storage.Volumes(ctx)
	addAll(report, problems)
	if asked.session != nil {
		addAll(report, provider.Notes())
	}
	rows := map[string]provider.Row{}
	for _, row := range asked.rows {
		rows[volumeKey(*row.DeviceID)] = row
	}
	for i := range volumes {
		delete(rows, volumeKey(volumes[i].ID))
	}
	for _, row := range asked.rows {
		if _, unlisted := rows[volumeKey(*row.DeviceID)]; unlisted {
			volumes = append(volumes, unlistedVolume(row))
		}
	}
	for i := range volumes {
		if ctx.Err() != nil {
			// Collect tells that the run has ended. Without an answer a volume is still listed.
			volumes[i].Problems = append(volumes[i].Problems, notAsked(volumes[i], context.Cause(ctx)))
		} else {
			m.encryption(ctx, asked, &volumes[i])
		}
		report.AddVolume(volumes[i])
		report.Progress(machine.StageVolumes, i+1, len(volumes))
	}
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

func notAsked(volume contract.Volume, cause error) contract.Problem {
	return machine.ReadProblem(machine.StageVolumes, volume.ID, cause)
}

// encryption finds out what BitLocker does with a volume: by its provider, else by what Explorer
// shows, and by the metadata on the disk for what these leave open.
func (m *Machine) encryption(ctx context.Context, asked *bitLocker, volume *contract.Volume) {
	row, listed := asked.row(volume.ID)
	switch {
	case listed:
		read := asked.session.Read(ctx, row, volume.ID)
		volume.Encryption = read.Encryption
		if read.Type != nil {
			volume.Type = read.Type
		}
		volume.Problems = append(volume.Problems, asked.rightly(read.Problems)...)
		m.fromDisk(ctx, volume, answered)
	case asked.session != nil:
		m.fromDisk(ctx, volume, unlisted)
	case asked.shell != nil:
		asked.askShell(ctx, volume)
	default:
		m.fromDisk(ctx, volume, unavailable)
	}
}
