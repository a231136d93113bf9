package linux

import (
	"strings"

	"diskaudit/core/contract"
)

// Limits on how deep and how wide devices may lie on each other. The kernel itself allows
// about eight levels; a recorded tree could claim a circle.
const (
	layerLimit = 32
	edgeLimit  = 256
)

// offsets tells where mapped devices begin on what is below them, which sysfs does not say.
// Either function returns false when it cannot.
type offsets struct {
	// table is the table of a device-mapper device that is made of linear runs.
	table func(*device) ([]linearTarget, bool)
	// payload is where the data of an encrypted mapping begins on the device below it.
	payload func(d, below *device) (uint64, bool)
}

// noOffsets is for when the kernel or a device does not answer.
var noOffsets = offsets{
	table:   func(*device) ([]linearTarget, bool) { return nil, false },
	payload: func(_, _ *device) (uint64, bool) { return 0, false },
}

// edge is one step down from a device: to a device or a file, and where on it.
type edge struct {
	below  string
	device *device // nil for a file, or a device that is not in the inventory
	offset *uint64
}

// layers lists the devices from d down to the disks, level by level. A device on several others,
// such as an array, appears once for each.
func (inv *inventory) layers(d *device, at offsets) []contract.Layer {
	var out []contract.Layer
	seen := map[string]bool{d.name: true}
	level := []*device{d}
	for depth := 0; len(level) > 0 && depth < layerLimit; depth++ {
		var next []*device
		for _, current := range level {
			edges := inv.edges(current, at)
			if len(edges) == 0 {
				out = append(out, contract.Layer{Device: current.id, Kind: current.kind})
			}
			for _, e := range edges {
				out = append(out, contract.Layer{Device: current.id, Kind: current.kind, Below: contract.Ptr(e.below), OffsetBytes: e.offset})
				if e.device != nil && !seen[e.device.name] {
					seen[e.device.name] = true
					next = append(next, e.device)
				}
			}
			if len(out) >= edgeLimit {
				return out[:edgeLimit]
			}
		}
		level = next
	}
	return out
}

func (inv *inventory) edges(d *device, at offsets) []edge {
	switch {
	case d.parent != "":
		return []edge{{below: inv.idOf(d.parent), device: inv.devices[d.parent], offset: &d.start}}
	case d.kind == kindLoop:
		file, ok := inv.tree.text(d.folder + "/loop/backing_file")
		if !ok {
			return nil
		}
		return []edge{{below: file, offset: inv.tree.numberPtr(d.folder + "/loop/offset")}}
	}
	edges := make([]edge, 0, len(d.below))
	for _, name := range d.below {
		below := inv.devices[name]
		e := edge{below: inv.idOf(name), device: below}
		if below != nil {
			e.offset = inv.offsetOn(d, below, at)
		}
		edges = append(edges, e)
	}
	return edges
}

// offsetOn is where d begins on below, nil when its bytes there are not one known run.
func (inv *inventory) offsetOn(d, below *device, at offsets) *uint64 {
	switch {
	case d.kind == kindCrypt:
		if offset, ok := at.payload(d, below); ok && len(d.below) == 1 {
			return &offset
		}
	case d.kind == kindRAID && strings.HasPrefix(d.name, "md"):
		// Each half of a mirror holds all of it, from the data offset on.
		// Source: Documentation/admin-guide/md.rst of the kernel.
		level, _ := inv.tree.text(d.folder + "/md/level")
		start, ok := inv.tree.number(d.folder + "/md/dev-" + below.name + "/offset")
		if offset, fits := inBytes(start); ok && fits && level == "raid1" {
			return &offset
		}
	default:
		if table, ok := at.table(d); ok && len(table) == 1 && table[0].device == below.number {
			return &table[0].offset
		}
	}
	return nil
}

// extents are the runs of a device's bytes on disks; empty when they are not known or when the
// device is more than runs put together.
func (inv *inventory) extents(d *device, at offsets) []contract.Extent {
	runs, ok := inv.runs(d, 0, d.size, at, 0)
	if !ok {
		return nil
	}
	return runs
}

// runs resolves length bytes at offset of a device.
func (inv *inventory) runs(d *device, offset, length uint64, at offsets, depth int) ([]contract.Extent, bool) {
	if d == nil || depth > layerLimit || offset > d.size || length > d.size-offset {
		return nil, false
	}
	switch {
	case d.parent != "":
		return inv.runs(inv.devices[d.parent], d.start+offset, length, at, depth+1)
	case d.kind == kindDisk:
		return []contract.Extent{{DiskID: d.id, OffsetBytes: offset, LengthBytes: length}}, true
	case d.kind == kindCrypt && len(d.below) == 1:
		below := inv.devices[d.below[0]]
		if below == nil {
			return nil, false
		}
		start, ok := at.payload(d, below)
		if !ok || start+offset < start {
			return nil, false
		}
		return inv.runs(below, start+offset, length, at, depth+1)
	case d.kind == kindRAID, d.kind == kindLoop:
		return nil, false
	}
	table, ok := at.table(d)
	if !ok {
		return nil, false
	}
	return inv.linearRuns(table, offset, length, at, depth)
}

// linearRuns resolves a range of a table of linear targets.
func (inv *inventory) linearRuns(table []linearTarget, offset, length uint64, at offsets, depth int) ([]contract.Extent, bool) {
	var out []contract.Extent
	for _, target := range table {
		if length == 0 {
			break
		}
		if offset < target.start || offset-target.start >= target.length {
			continue
		}
		into := offset - target.start
		part := min(length, target.length-into)
		below, ok := inv.find(target.device)
		if !ok || target.offset+into < into {
			return nil, false
		}
		runs, ok := inv.runs(below, target.offset+into, part, at, depth+1)
		if !ok || len(out)+len(runs) > edgeLimit {
			return nil, false
		}
		out = append(out, runs...)
		offset, length = offset+part, length-part
	}
	return out, length == 0 && len(out) > 0
}
