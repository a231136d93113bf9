package linux

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// memberProbe calls every device a part of something larger.
func memberProbe(_ context.Context, target string, _ io.ReaderAt, _ int64) (contract.Encryption, ProbeFacts, []contract.Problem) {
	return contract.Encryption{}, ProbeFacts{}, []contract.Problem{{Code: machine.CodeMember, Level: contract.LevelError, Stage: machine.StageVolumes, Target: target, Text: "unknown"}}
}

// What a part of LVM or RAID holds is known only where a volume of the document lies on it.
func TestMembers(t *testing.T) {
	status := collect(t, recorded(t, "server"), &fakeKernel{}, Options{Probe: memberProbe})
	for id, above := range map[string]string{
		"/dev/sdb1": "/dev/md127", "/dev/sdc2": "/dev/md0",
		"/dev/sda": "/dev/mapper/data-big", "/dev/sdf": "/dev/mapper/mpatha",
		// Nothing lies on the array, the LUN and the logical volume.
		"/dev/md0": "", "/dev/sdh": "", "/dev/mapper/data-big": "",
	} {
		found := problem(t, status.Problems, machine.CodeMember, id)
		if above == "" {
			if found.Level != contract.LevelError || found.Text != "unknown" {
				t.Errorf("%s, on which nothing lies: %+v", id, found)
			}
			continue
		}
		if found.Level != contract.LevelInfo || !strings.Contains(found.Text, above) {
			t.Errorf("%s, on which %s lies: %+v", id, above, found)
		}
	}
}

// A device that is no volume tells nothing, but one that lies on it does.
func TestMembersBelowInnerDevices(t *testing.T) {
	tree := recorded(t, "laptop")
	// Only an inner device of a thin pool lies on the partition.
	for _, name := range []string{"dm-1", "dm-2"} {
		delete(tree, "sys/block/"+name)
	}
	tree["sys/devices/virtual/block/dm-0/dm/uuid"] = &fstest.MapFile{Data: []byte("LVM-" + strings.Repeat("A", 64) + "-tdata")}
	level := func() contract.Level {
		status := collect(t, tree, laptopKernel(), Options{Probe: memberProbe})
		return problem(t, status.Problems, machine.CodeMember, "/dev/nvme0n1p3").Level
	}
	if got := level(); got != contract.LevelError {
		t.Errorf("with an inner device alone: level %s", got)
	}
	thin := recorded(t, "laptop")
	for name, file := range thin {
		if strings.HasSuffix(name, "block/dm-1") || strings.Contains(name, "block/dm-1/") {
			tree[name] = file
		}
	}
	if got := level(); got != contract.LevelInfo {
		t.Errorf("with a volume on the inner device: level %s", got)
	}
	// An array that is not started has no size: it is listed by the kernel and is no volume.
	tree["sys/devices/virtual/block/dm-1/size"] = &fstest.MapFile{Data: []byte("0\n")}
	if got := level(); got != contract.LevelError {
		t.Errorf("with a volume that has no size: level %s", got)
	}
}

// Devices that claim to lie on each other end the search.
func TestMembersInACircle(t *testing.T) {
	inv := inventory{devices: map[string]*device{}}
	for i := range 3 {
		inv.keep(&device{name: fmt.Sprint(i), id: fmt.Sprint(i), below: []string{fmt.Sprint((i + 1) % 3)}})
	}
	inv.keep(&device{name: "alone", below: []string{"alone"}})
	if !inv.liesOn(inv.devices["0"], inv.devices["2"]) || inv.liesOn(inv.devices["0"], inv.devices["alone"]) || inv.liesOn(inv.devices["alone"], inv.devices["alone"]) {
		t.Error("what lies on what in a circle")
	}
}
