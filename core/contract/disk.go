package contract

// Disk describes one disk, or one image of a disk.
type Disk struct {
	// Id within this document: "PhysicalDrive0", "/dev/nvme0n1", an image's path.
	ID string `json:"id"`
	// Model as the device names itself.
	Model *string `json:"model"`
	// Serial number; only there with --identify.
	Serial *string `json:"serial,omitempty"`
	// Revision of the firmware.
	Firmware *string `json:"firmware"`
	// What it is attached to. NVMe behind RAID or VMD says RAID.
	Bus *Bus `json:"bus"`
	// Whether it speaks NVMe; null where a controller hides that.
	NVMe *bool `json:"nvme"`
	// What it stores data on.
	Media *Media `json:"media"`
	// Whether it is removable.
	Removable *bool `json:"removable"`
	// Format of the container of an image: raw, vhd, vhdx; null for a real disk.
	Container *string `json:"container"`
	// Partition table: gpt, mbr, none; null when unknown.
	PartitionTable *string `json:"partitionTable"`
	// Capacity in bytes.
	SizeBytes *uint64 `json:"sizeBytes"`
	// Smallest addressable unit in bytes.
	LogicalSectorBytes *uint64 `json:"logicalSectorBytes"`
	// Unit that the device writes without reading first, in bytes.
	PhysicalSectorBytes *uint64 `json:"physicalSectorBytes"`
	// Driver that runs the disk.
	Driver Driver `json:"driver"`
	// Write cache.
	WriteCache WriteCache `json:"writeCache"`
	// Ability of the disk to encrypt by itself.
	SelfEncrypting SelfEncrypting `json:"selfEncrypting"`
	// Health by the disk's own account.
	Health Health `json:"health"`
}

// Driver is the software that runs a disk.
type Driver struct {
	// Its name, such as "stornvme" or "nvme".
	Name *string `json:"name"`
	// Its version; on Linux that of the kernel unless the module has its own.
	Version *string `json:"version"`
}

// WriteCache describes a disk's volatile write cache.
type WriteCache struct {
	// How it works.
	Type *WriteCacheType `json:"type"`
	// Whether it is on.
	Enabled *bool `json:"enabled"`
	// Whether the system holds it for safe against power loss and therefore drops flushes: "Turn off Windows write-cache buffer flushing".
	PowerProtected *bool `json:"powerProtected"`
	// UserWriteCacheSetting in the registry, which takes effect when the device starts.
	StoredEnabled *bool `json:"storedEnabled"`
	// CacheIsPowerProtected in the registry, which takes effect when the device starts.
	StoredPowerProtected *bool `json:"storedPowerProtected"`
	// Journal of a remediation that turned flushing off to convert faster and has not turned it on again; null when there is none or it could not be looked up.
	SpeedUpJournal *string `json:"speedUpJournal"`
}

// SelfEncrypting tells whether a disk can encrypt by itself.
type SelfEncrypting struct {
	// True for a disk that answers TCG level 0 discovery with a locking feature.
	Supported *bool `json:"supported"`
	// What it implements, such as "Opal 2", "Enterprise" or "Pyrite".
	Standard *string `json:"standard"`
	// Whether its locking is switched on.
	LockingEnabled *bool `json:"lockingEnabled"`
}

// Health is what the disk says of its own health.
type Health struct {
	// False when the disk itself warns of failure.
	OK *bool `json:"ok"`
	// NVMe critical warning bits (NVM Express Base Specification, SMART / Health Information log); 0 is none.
	CriticalWarning *uint64 `json:"criticalWarning"`
	// Temperature in degrees Celsius.
	TemperatureCelsius *float64 `json:"temperatureCelsius"`
	// Part of the rated endurance that is used up; can exceed 100.
	PercentUsed *float64 `json:"percentUsed"`
	// Spare blocks left.
	AvailableSparePercent *float64 `json:"availableSparePercent"`
	// Spare blocks below which the disk warns.
	SpareThresholdPercent *float64 `json:"spareThresholdPercent"`
	// Errors in the data that the disk could not correct.
	MediaErrors *uint64 `json:"mediaErrors"`
	// Hours that it was powered.
	PowerOnHours *uint64 `json:"powerOnHours"`
	// Times that power went away without notice.
	UnsafeShutdowns *uint64 `json:"unsafeShutdowns"`
	// Bytes written by the host over the disk's life.
	WrittenBytes *uint64 `json:"writtenBytes"`
	// Bytes read by the host over the disk's life.
	ReadBytes *uint64 `json:"readBytes"`
}
