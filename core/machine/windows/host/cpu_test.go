package host

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"testing"
)

func TestCores(t *testing.T) {
	full := ^uint64(0)
	for name, c := range map[string]struct {
		list Cores
		want string
	}{
		"4 cores with 2 threads": {Cores{coreList(8, 3, 12, 48, 192), 8}, "4 8"},
		// 8 performance cores with two threads, 8 efficient ones with one.
		"hybrid":                    {Cores{coreList(8, 3, 12, 48, 192, 768, 3072, 12288, 49152, 1<<16, 1<<17, 1<<18, 1<<19, 1<<20, 1<<21, 1<<22, 1<<23), 8}, "16 24"},
		"high processor of a group": {Cores{coreList(8, 1<<63, 1<<31), 8}, "2 2"},
		"32-bit program":            {Cores{coreList(4, 1, 2), 4}, "2 2"},
	} {
		cores, processors, err := decodeCores(c.list)
		if got := fmt.Sprint(cores, " ", processors); got != c.want || err != nil {
			t.Errorf("%s: %s %v, not %s", name, got, err, c.want)
		}
	}
	// More than one group of processors: each core lies in one of them, by the group's number.
	var many []byte
	for group := range 3 {
		for core := range 32 {
			entry := coreEntry(8, 3<<(2*core))
			binary.LittleEndian.PutUint16(entry[40:], uint16(group))
			many = append(many, entry...)
		}
	}
	if cores, processors, err := decodeCores(Cores{many, 8}); cores != 96 || processors != 192 || err != nil {
		t.Errorf("three groups: %d %d %v", cores, processors, err)
	}
	// An entry of another relationship between them is passed over.
	other := coreEntry(8, full)
	binary.LittleEndian.PutUint32(other, 2)
	if cores, processors, err := decodeCores(Cores{slices.Concat(coreList(8, 1), other, coreList(8, 2)), 8}); cores != 2 || processors != 2 || err != nil {
		t.Errorf("with a cache: %d %d %v", cores, processors, err)
	}
}

func TestCoresThatCannotBe(t *testing.T) {
	whole := coreList(8, 3)
	for name, list := range map[string]Cores{
		"nothing": {nil, 8}, "cut": {whole[:40], 8}, "header cut": {whole[:6], 8}, "no such pointers": {whole, 16},
		"core without processors": {coreList(8, 0), 8},
		"length of nothing":       {append(slices.Clone(whole[:4]), make([]byte, 44)...), 8},
		"groups beyond the entry": {func() []byte { e := slices.Clone(whole); e[30] = 200; return e }(), 8},
	} {
		if cores, processors, err := decodeCores(list); err == nil || cores != 0 || processors != 0 {
			t.Errorf("%s: %d %d %v", name, cores, processors, err)
		}
	}
}

// A 32-bit program sees 32 processors of a group at most.
func TestProcessorsOfA32BitProgram(t *testing.T) {
	system, memory := desktop()
	system.cores = Cores{coreList(4, 0xFFFFFFFF), 4}
	machine, problems := reader(system, memory).Machine(t.Context(), false)
	if show(machine.CPU.Cores) != uint64(1) || machine.CPU.LogicalProcessors != nil {
		t.Errorf("%v cores, %v processors", show(machine.CPU.Cores), show(machine.CPU.LogicalProcessors))
	}
	expectText(t, problems, "host-facts-unknown", "logical processors")
}

func FuzzCores(f *testing.F) {
	f.Add(coreList(8, 3, 12), true)
	f.Add(coreList(4, 1), false)
	f.Add(coreEntry(8, 1, 2, 3), true)
	f.Fuzz(func(t *testing.T, data []byte, wide bool) {
		list := Cores{data, 4}
		if wide {
			list.PointerBytes = 8
		}
		cores, processors, err := decodeCores(list)
		if err == nil && (cores == 0 || processors < cores || processors > uint64(len(data)*8)) {
			t.Errorf("%d cores with %d processors in %d bytes", cores, processors, bits.Len(uint(len(data))))
		}
	})
}

func TestMachineOf(t *testing.T) {
	for architecture, want := range map[uint16]string{0: "386", 5: "arm", 9: "amd64", 12: "arm64"} {
		machines, err := machineOf(architecture)
		if got := architectures[machines.Native]; got != want || err != nil {
			t.Errorf("%d is %s %v, not %s", architecture, got, err, want)
		}
	}
	if _, err := machineOf(0xFFFF); err == nil {
		t.Error("an unknown architecture is known")
	}
}

func TestTextsOfWindows(t *testing.T) {
	if got := utf16Text([]byte{'A', 0, 0xFC, 0, 0, 0, 'B', 0}); got != "A\u00fc" {
		t.Errorf("%q", got)
	}
	if got := utf16Text([]byte{'A', 0, 'B'}); got != "A" {
		t.Errorf("%q", got)
	}
	if got := plainGUID("{A1841308-3541-4FAB-BC81-F71556F20B4A}"); got != saverScheme {
		t.Errorf("%q", got)
	}
}
