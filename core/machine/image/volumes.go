package image

import (
	"fmt"
	"io"

	"diskaudit/core/contract"
	"diskaudit/core/disk"
	"diskaudit/core/machine"
)

// subject is one volume in an image.
type subject struct {
	machine.Subject
	extent *contract.Extent
	size   uint64
}

// subjects lists the volumes of an image: its partitions, or the whole of it. Not so when there
// is a table without a partition that can be used: then there is no volume to speak of.
func subjects(opened *imageFile) []subject {
	if opened.table.Scheme == disk.SchemeNone {
		whole := subject{
			Subject: machine.Subject{ID: opened.path, Reader: opened.image, Size: opened.image.Size()},
			size:    uint64(opened.image.Size()),
		}
		if opened.isDisk() {
			whole.extent = &contract.Extent{DiskID: opened.path, LengthBytes: whole.size}
		}
		return []subject{whole}
	}
	var found []subject
	for _, partition := range opened.table.Partitions {
		// The bytes that are there: of a truncated image's last partition, not all.
		there := min(partition.LengthBytes, opened.image.Size()-partition.OffsetBytes)
		one := subject{
			Subject: machine.Subject{
				ID:     fmt.Sprintf("%s#partition%d", opened.path, partition.Index),
				Reader: io.NewSectionReader(opened.image, partition.OffsetBytes, there),
				Size:   there,
				Length: partition.LengthBytes,
			},
			extent: &contract.Extent{DiskID: opened.path, OffsetBytes: uint64(partition.OffsetBytes), LengthBytes: uint64(partition.LengthBytes)},
			size:   uint64(partition.LengthBytes),
		}
		if partition.Reserved() {
			one.Reserved = partition.TypeName
		}
		found = append(found, one)
	}
	return found
}

// inspect reads one volume. Its size is that of the metadata where they state one, so that the
// same volume has the same size in every container; else that of the partition or the file.
func inspect(opened *imageFile, s subject) contract.Volume {
	seen := machine.Inspect(s.Subject)
	volume := contract.Volume{
		ID:           s.ID,
		Label:        seen.Label,
		FileSystem:   seen.FileSystem,
		ClusterBytes: seen.ClusterBytes,
		SizeBytes:    &s.size,
		Encryption:   seen.Encryption,
		Problems:     seen.Problems,
	}
	if seen.SizeBytes != nil || seen.Truncated && s.extent == nil {
		volume.SizeBytes = seen.SizeBytes
	}
	if s.extent != nil {
		volume.Extents = contract.List[contract.Extent]{*s.extent}
		if s.ID != opened.path {
			volume.Layers = append(volume.Layers, contract.Layer{Device: s.ID, Kind: "partition", Below: &opened.path, OffsetBytes: &s.extent.OffsetBytes})
		}
		volume.Layers = append(volume.Layers, contract.Layer{Device: opened.path, Kind: "disk"})
	}
	return volume
}
