package report

import (
	"fmt"
	"strconv"

	"diskaudit/core/contract"
)

func (t tongue) diskGrid(disks []contract.Disk) grid {
	g := grid{columns: []column{
		{name: t.say("Disk")}, {name: t.say("Model")}, {name: t.say("Bus")}, {name: t.say("Media")}, {name: t.say("Size"), whole: true},
		{name: t.say("Sectors"), whole: true}, {name: t.say("Write cache")}, {name: t.say("Health")},
	}}
	for _, disk := range disks {
		g.rows = append(g.rows, []span{
			{text: orUnknown(&disk.ID, t.unknown(), "")},
			// Of an image there is no hardware to tell of.
			ofHardware(disk, disk.Model == nil, span{text: orUnknown(disk.Model, t.unknown(), "")}),
			ofHardware(disk, disk.Bus == nil, span{text: t.bus(disk)}),
			ofHardware(disk, disk.Media == nil, span{text: coded(t, disk.Media)}),
			{text: t.size(disk.SizeBytes)},
			{text: t.sectors(disk)},
			ofHardware(disk, disk.WriteCache == contract.WriteCache{}, t.writeCache(disk.WriteCache)),
			ofHardware(disk, disk.Health == contract.Health{}, t.health(disk.Health)),
		})
	}
	return g
}

func ofHardware(disk contract.Disk, absent bool, s span) span {
	if disk.Container != nil && absent {
		return span{text: notApplicable}
	}
	return s
}

// bus names the bus, and NVMe behind another one.
func (t tongue) bus(disk contract.Disk) string {
	name := coded(t, disk.Bus)
	if disk.Bus == nil || *disk.Bus == contract.BusNVMe {
		return name
	}
	if *disk.Bus == contract.BusRAID || (disk.NVMe != nil && *disk.NVMe) {
		return name + whether(disk.NVMe, " (NVMe)", "", " ("+t.say("NVMe unknown")+")")
	}
	return name
}

// sectors gives the sizes of logical and physical sectors in bytes.
func (t tongue) sectors(disk contract.Disk) string {
	if disk.LogicalSectorBytes == nil && disk.PhysicalSectorBytes == nil {
		return t.unknown()
	}
	return t.count(disk.LogicalSectorBytes) + "/" + t.count(disk.PhysicalSectorBytes) + " B"
}

func (t tongue) count(n *uint64) string {
	if n == nil {
		return t.unknown()
	}
	return strconv.FormatUint(*n, 10)
}

// writeCache tells whether the cache is on, its type, and whether flushes reach the disk.
func (t tongue) writeCache(c contract.WriteCache) span {
	if c.Type != nil && *c.Type == contract.WriteCacheNone {
		return span{text: t.say("none")}
	}
	words := whether(c.Enabled, t.say("on"), t.say("off"), t.unknown())
	if c.Type != nil && *c.Type != contract.WriteCacheUnknown {
		words += " (" + coded(t, c.Type) + ")"
	}
	if c.PowerProtected != nil && *c.PowerProtected {
		return span{t.list([]string{words, t.say("flushes dropped")}), caution}
	}
	return span{text: words}
}

// health gives the disk's own verdict and what speaks against it.
func (t tongue) health(h contract.Health) span {
	words := []string{whether(h.OK, "OK", t.say("failing"), t.unknown())}
	style := normal
	if h.OK != nil {
		style = good
		if !*h.OK {
			style = bad
		}
	}
	if h.CriticalWarning != nil && *h.CriticalWarning != 0 {
		words = append(words, t.say("critical warning %s", fmt.Sprintf("0x%02x", *h.CriticalWarning)))
		style = bad
	}
	if h.MediaErrors != nil && *h.MediaErrors != 0 {
		words = append(words, t.counted(*h.MediaErrors, "%s media error", "%s media errors"))
		style = bad
	}
	return span{t.list(words), style}
}
