package storage

import (
	"context"
	"errors"
	"time"

	"diskaudit/core/contract"
)

// interior is what the file system of a volume tells.
type interior struct {
	kind DriveType
	// readOnly is set for a volume that Windows mounted so that nothing can be written to it.
	readOnly                            bool
	label, fileSystem                   *string
	clusterBytes, freeBytes, totalBytes *uint64
	// dirty is set for a file system that is marked as not sound.
	dirty *bool
	// err is why the file system did not tell, spaceErr why it did not tell its room, dirtyErr why it
	// did not tell whether it is sound.
	err, spaceErr, dirtyErr error
}

// flagReadOnly is FILE_READ_ONLY_VOLUME
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getvolumeinformationw).
const flagReadOnly = 0x00080000

// inside asks the file system of a volume, for at most limit.
func (r *Reader) inside(ctx context.Context, limit time.Duration, p place) interior {
	in, err := within(ctx, limit, func(d *draft[interior]) {
		kind := r.system.DriveType(p.root)
		d.note(func(in *interior) { in.kind = kind })
		system, err := r.system.FileSystem(p.root)
		if err == nil && system.Name == "" {
			err = errNoSystem
		}
		if err != nil {
			d.note(func(in *interior) { in.err = err })
			return
		}
		// A volume without a label has one that is known to be empty.
		d.note(func(in *interior) {
			in.label, in.fileSystem = &system.Label, &system.Name
			in.readOnly = system.Flags&flagReadOnly != 0
		})
		space, spaceErr := r.system.Space(p.root)
		cluster, clusterErr := r.system.ClusterBytes(p.root)
		d.note(func(in *interior) {
			if spaceErr == nil {
				in.freeBytes, in.totalBytes = &space.FreeBytes, positive(space.TotalBytes)
			}
			if clusterErr == nil {
				in.clusterBytes = positive(cluster)
			}
			in.spaceErr = errors.Join(spaceErr, clusterErr)
		})
		if kind == DriveOptical {
			return
		}
		dirty, dirtyErr := r.askDirty(p)
		d.note(func(in *interior) { in.dirty, in.dirtyErr = dirty, dirtyErr })
	})
	if err != nil {
		in.err = err
	}
	return in
}

// positive is nil for a size of nothing, which no volume has.
func positive(bytes uint64) *uint64 {
	if bytes == 0 {
		return nil
	}
	return contract.Ptr(bytes)
}
