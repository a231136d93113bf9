package bench

import (
	"slices"

	"diskaudit/core/bench/validity"
	"diskaudit/core/contract"
)

// activities are what BitLocker does in the background, by a status, on the disks that the target
// lies on: the heads or channels of a disk are shared by all of its volumes, so one that is being
// converted slows its neighbours. What is not known of a volume is no activity.
func (r *run) activities(status contract.Status) []validity.Activity {
	disks := r.targetDisks(status)
	var found []validity.Activity
	for _, volume := range status.Volumes {
		own := r.isTarget(volume)
		if !own && !slices.ContainsFunc(volume.Extents, func(extent contract.Extent) bool { return slices.Contains(disks, extent.DiskID) }) {
			continue
		}
		name := ""
		if !own {
			name = shownAs(volume)
		}
		if is(volume.Encryption.Conversion, contract.EncryptionInProgress) {
			found = append(found, validity.Activity{Kind: validity.Encrypting, Volume: name})
		}
		if is(volume.Encryption.Conversion, contract.DecryptionInProgress) {
			found = append(found, validity.Activity{Kind: validity.Decrypting, Volume: name})
		}
		if is(volume.Encryption.Wiping, contract.WipeInProgress) {
			found = append(found, validity.Activity{Kind: validity.Wiping, Volume: name})
		}
	}
	return found
}

// targetDisks are the ids of all disks that the target has bytes on; a volume may span several.
func (r *run) targetDisks(status contract.Status) []string {
	var disks []string
	if id := r.document.Target.DiskID; id != nil {
		disks = append(disks, *id)
	}
	for _, volume := range status.Volumes {
		if r.isTarget(volume) {
			for _, extent := range volume.Extents {
				disks = append(disks, extent.DiskID)
			}
		}
	}
	return disks
}

func (r *run) isTarget(volume contract.Volume) bool {
	id := r.document.Target.VolumeID
	return id != nil && volume.ID == *id
}

// shownAs is the name of a volume that people know: where it is mounted, else its id.
func shownAs(volume contract.Volume) string {
	if len(volume.MountPoints) > 0 {
		return volume.MountPoints[0]
	}
	return volume.ID
}
