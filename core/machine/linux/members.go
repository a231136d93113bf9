package linux

import (
	"fmt"
	"slices"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// explainMember lowers the problem of a device that is a part of something larger, such as a
// physical volume of LVM, when a volume of the document lies on it: what the part holds is told
// there. Without one nobody has put the parts together, or the kernel does not say so, as with
// ZFS; then what it holds stays unknown.
func (e *examination) explainMember(d *device, problems []contract.Problem) {
	i := slices.IndexFunc(problems, func(p contract.Problem) bool { return p.Code == machine.CodeMember })
	if i < 0 {
		return
	}
	above := slices.IndexFunc(e.devices, func(other *device) bool { return e.inventory.liesOn(other, d) })
	if above < 0 {
		return
	}
	problems[i].Level = contract.LevelInfo
	problems[i].Text = fmt.Sprintf("%s is a part of something larger: what that holds is told of the volumes that lie on it, such as %s; the states of this part are null.", d.id, e.devices[above].id)
}

// liesOn reports whether a device lies on another one, directly or with devices between them.
func (inv *inventory) liesOn(upper, lower *device) bool {
	seen := map[string]bool{upper.name: true}
	for level := []string{upper.name}; len(level) > 0; {
		var next []string
		for _, name := range level {
			current, ok := inv.devices[name]
			if !ok {
				continue
			}
			for _, below := range append([]string{current.parent}, current.below...) {
				if below == lower.name && upper != lower {
					return true
				}
				if below != "" && !seen[below] {
					seen[below] = true
					next = append(next, below)
				}
			}
		}
		level = next
	}
	return false
}
