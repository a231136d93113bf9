package report

import (
	"fmt"
	"strconv"
	"strings"

	"diskaudit/core/contract"
)

func diskGrid(disks []contract.Disk) grid {
	g := grid{columns: []column{
		{name: "Disk"}, {name: "Model"}, {name: "Bus"}, {name: "Media"}, {name: "Size", whole: true},
		{name: "Sectors", whole: true}, {name: "Write cache"}, {name: "Health"},
	}}
	for _, disk := range disks {
		g.rows = append(g.rows, []span{
			{text: orUnknown(&disk.ID, unknown, "")},
			// Of an image there is no hardware to tell of.
			ofHardware(disk, disk.Model == nil, span{text: orUnknown(disk.Model, unknown, "")}),
			ofHardware(disk, disk.Bus == nil, span{text: bus(disk)}),
			ofHardware(disk, disk.Media == nil, span{text: coded(disk.Media)}),
			{text: size(disk.SizeBytes)},
			{text: sectors(disk)},
			ofHardware(disk, disk.WriteCache == contract.WriteCache{}, writeCache(disk.WriteCache)),
			ofHardware(disk, disk.Health == contract.Health{}, health(disk.Health)),
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
func bus(disk contract.Disk) string {
	name := coded(disk.Bus)
	if disk.Bus == nil || *disk.Bus == contract.BusNVMe {
		return name
	}
	if *disk.Bus == contract.BusRAID || (disk.NVMe != nil && *disk.NVMe) {
		return name + whether(disk.NVMe, " (NVMe)", "", " (NVMe "+unknown+")")
	}
	return name
}

// sectors gives the sizes of logical and physical sectors in bytes.
func sectors(disk contract.Disk) string {
	if disk.LogicalSectorBytes == nil && disk.PhysicalSectorBytes == nil {
		return unknown
	}
	return count(disk.LogicalSectorBytes) + "/" + count(disk.PhysicalSectorBytes) + " B"
}

func count(n *uint64) string {
	if n == nil {
		return unknown
	}
	return strconv.FormatUint(*n, 10)
}

// writeCache tells whether the cache is on, its type, and whether flushes reach the disk.
func writeCache(c contract.WriteCache) span {
	if c.Type != nil && *c.Type == contract.WriteCacheNone {
		return span{text: "none"}
	}
	words := whether(c.Enabled, "on", "off", unknown)
	if c.Type != nil && *c.Type != contract.WriteCacheUnknown {
		words += " (" + coded(c.Type) + ")"
	}
	if c.PowerProtected != nil && *c.PowerProtected {
		return span{words + ", flushes dropped", caution}
	}
	return span{text: words}
}

// health gives the disk's own verdict and what speaks against it.
func health(h contract.Health) span {
	words := []string{whether(h.OK, "OK", "failing", unknown)}
	style := normal
	if h.OK != nil {
		style = good
		if !*h.OK {
			style = bad
		}
	}
	if h.CriticalWarning != nil && *h.CriticalWarning != 0 {
		words = append(words, fmt.Sprintf("critical warning 0x%02x", *h.CriticalWarning))
		style = bad
	}
	if h.MediaErrors != nil && *h.MediaErrors != 0 {
		words = append(words, plural(*h.MediaErrors, "media error"))
		style = bad
	}
	return span{strings.Join(words, ", "), style}
}

// plural counts things whose plural ends in s.
func plural(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
