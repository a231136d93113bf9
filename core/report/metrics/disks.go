package metrics

import "diskaudit/core/contract"

// diskFacts are the numbers of a disk. Most disks tell only some of what is optional here.
var diskFacts = []fact[namedDisk]{
	{name: "diskaudit_disk_size_bytes", kind: gauge, help: "Capacity of the disk.", of: func(d namedDisk) *float64 { return number(d.SizeBytes) }},
	{name: "diskaudit_disk_healthy", kind: gauge, help: "0 when the disk itself warns of failure.", of: func(d namedDisk) *float64 { return truth(d.Health.OK) }},
	{name: "diskaudit_disk_write_cache_enabled", kind: gauge, help: "Whether the disk's write cache is on.", of: func(d namedDisk) *float64 { return truth(d.WriteCache.Enabled) }},
	{name: "diskaudit_disk_flushing_disabled", kind: gauge, help: "Whether the system holds the write cache for safe against power loss and therefore drops flushes.", of: func(d namedDisk) *float64 {
		return truth(d.WriteCache.PowerProtected)
	}, optional: true},
	{name: "diskaudit_disk_temperature_celsius", kind: gauge, help: "Temperature of the disk.", of: func(d namedDisk) *float64 { return d.Health.TemperatureCelsius }, optional: true},
	{name: "diskaudit_disk_endurance_used_ratio", kind: gauge, help: "Part of the rated endurance that is used up; can exceed 1.", of: func(d namedDisk) *float64 { return ratio(d.Health.PercentUsed) }, optional: true},
	{name: "diskaudit_disk_available_spare_ratio", kind: gauge, help: "Spare blocks left.", of: func(d namedDisk) *float64 { return ratio(d.Health.AvailableSparePercent) }, optional: true},
	{name: "diskaudit_disk_media_errors_total", kind: counter, help: "Errors in the data that the disk could not correct.", of: func(d namedDisk) *float64 { return number(d.Health.MediaErrors) }, optional: true},
	{name: "diskaudit_disk_unsafe_shutdowns_total", kind: counter, help: "Times that power went away without notice.", of: func(d namedDisk) *float64 { return number(d.Health.UnsafeShutdowns) }, optional: true},
	{name: "diskaudit_disk_power_on_seconds_total", kind: counter, help: "Time that the disk was powered.", of: func(d namedDisk) *float64 {
		if d.Health.PowerOnHours == nil {
			return nil
		}
		return contract.Ptr(float64(*d.Health.PowerOnHours) * 3600)
	}, optional: true},
	{name: "diskaudit_disk_written_bytes_total", kind: counter, help: "Bytes written by the host over the disk's life.", of: func(d namedDisk) *float64 { return number(d.Health.WrittenBytes) }, optional: true},
	{name: "diskaudit_disk_read_bytes_total", kind: counter, help: "Bytes read by the host over the disk's life.", of: func(d namedDisk) *float64 { return number(d.Health.ReadBytes) }, optional: true},
}

func writeDisks(e *exposition, s contract.Status) []string {
	disks := nameDisks(s.Disks)
	e.begin("diskaudit_disk_info", gauge, "What the disk is and what runs it.")
	for _, d := range disks {
		e.sample(1, label{"disk", d.name}, label{"model", text(d.Model)}, label{"firmware", text(d.Firmware)}, label{"bus", coded(d.Bus)}, label{"media", coded(d.Media)}, label{"driver", text(d.Driver.Name)}, label{"driver_version", text(d.Driver.Version)})
	}
	return writeFacts(e, diskFacts, disks, func(d namedDisk) []label { return []label{{"disk", d.name}} }, func(namedDisk) bool { return true }, scopeDisks)
}
