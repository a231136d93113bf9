package storage

import "diskaudit/core/contract"

// volumeIsDirty is VOLUME_IS_DIRTY, the one flag of the answer that has a meaning today
// (learn.microsoft.com/windows-hardware/drivers/ifs/fsctl-is-volume-dirty).
const volumeIsDirty = 1

// askDirty asks the file system of a volume whether it is marked as not sound. It answers on a handle
// of the mounted volume only, which one that was opened for no access is not; so it takes an
// administrator.
func (r *Reader) askDirty(p place) (*bool, error) {
	device, err := r.system.Open(p.device(), AccessRead)
	if err != nil {
		return nil, err
	}
	defer device.Close()
	data, err := device.Control(fsctlIsVolumeDirty, nil, 4)
	if err != nil {
		return nil, err
	}
	return decodeDirty(data)
}

// decodeDirty reads the flags of the answer. Those that are reserved say nothing here.
func decodeDirty(data []byte) (*bool, error) {
	if err := need("the dirty bit", data, 4); err != nil {
		return nil, err
	}
	return contract.Ptr(le.Uint32(data)&volumeIsDirty != 0), nil
}
