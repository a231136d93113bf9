package linux

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"sync"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/disk"
	"diskaudit/core/machine"
	"diskaudit/core/machine/patience"
)

// partitionTables reads the partition table of each disk once.
type partitionTables struct {
	mu    sync.Mutex
	found map[string]*disk.Table
}

// partitionTable is what the disk itself says of its partitions, read within limit.
func (m *Machine) partitionTable(ctx context.Context, limit time.Duration, d *device) (*disk.Table, error) {
	m.tables.mu.Lock()
	table := m.tables.found[d.name]
	m.tables.mu.Unlock()
	if table != nil {
		return table, nil
	}
	sector, _ := m.tree.number(d.folder + "/queue/logical_block_size")
	table, err := patience.Within(ctx, limit, func(ctx context.Context) (*disk.Table, error) {
		file, err := m.open(d)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		size := int64(min(d.size, math.MaxInt64))
		return disk.ReadTable(&watchedReader{ctx: ctx, device: file, size: size}, size, int(min(sector, math.MaxInt32)))
	})
	if err != nil {
		return nil, fmt.Errorf("reading the partition table: %w", err)
	}
	m.tables.mu.Lock()
	defer m.tables.mu.Unlock()
	if m.tables.found == nil {
		m.tables.found = map[string]*disk.Table{}
	}
	m.tables.found[d.name] = table
	return table, nil
}

// describeTable adds the kind of partition table to a disk. The kernel has its own view of the
// partitions, so what is wrong with a table is something to look at and no fact is missing.
func (m *Machine) describeTable(d *device, table *disk.Table, err error, out *contract.Disk, unknown *reasons) []contract.Problem {
	switch {
	case errors.Is(err, fs.ErrPermission):
		unknown.add("partition table", "this user may not read the disk")
		return nil
	case err != nil:
		return []contract.Problem{m.deviceProblem(machine.StageDisks, d, err)}
	}
	out.PartitionTable = contract.Ptr(string(table.Scheme))
	var problems []contract.Problem
	for _, issue := range table.Issues {
		problems = append(problems, contract.Problem{
			Code: issue.Code, Level: contract.LevelWarning, Stage: machine.StageDisks, Target: d.id,
			Text: fmt.Sprintf("%s: %s", d.id, issue.Text),
		})
	}
	return problems
}

// explainUnrecognized says more than the Probe can about unknown content: a partition may hold no
// file system by design, and a device a partition table whose partitions the kernel does not show.
func (e *examination) explainUnrecognized(ctx context.Context, limit time.Duration, d *device, problems []contract.Problem) {
	i := slices.IndexFunc(problems, func(p contract.Problem) bool { return p.Code == machine.CodeUnrecognized })
	if i < 0 {
		return
	}
	holder := d
	if d.parent != "" {
		holder = e.inventory.devices[d.parent]
	}
	table, err := e.machine.partitionTable(ctx, limit, holder)
	if err != nil || table.Scheme == disk.SchemeNone {
		return
	}
	if holder == d {
		problems[i].Code = "partitions-not-shown"
		problems[i].Text = fmt.Sprintf("%[1]s holds a partition table (%[2]s), but the kernel shows no partitions of it, so they were not read. Make them visible (partprobe %[1]s; for a loop: losetup --partscan), or run diskaudit status --image %[1]s.", d.id, table.Scheme)
		return
	}
	for _, partition := range table.Partitions {
		if partition.Reserved() && partition.OffsetBytes >= 0 && uint64(partition.OffsetBytes) == d.start {
			problems[i].Code, problems[i].Level = "no-file-system", contract.LevelInfo
			problems[i].Text = fmt.Sprintf("%s is a partition of type %s, which holds no file system by design; its states are null.", d.id, partition.TypeName)
		}
	}
}
