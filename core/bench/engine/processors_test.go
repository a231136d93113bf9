package engine

import (
	"encoding/binary"
	"slices"
	"testing"
)

// One processor of each core comes first, fast cores before slow ones, then the siblings (P17,
// P38).
func TestBindingOrder(t *testing.T) {
	for name, c := range map[string]struct {
		processors []logicalProcessor
		want       []int
	}{
		"none":            {nil, []int{}},
		"siblings beside": {[]logicalProcessor{{0, 0, 0}, {1, 0, 0}, {2, 1, 0}, {3, 1, 0}}, []int{0, 2, 1, 3}},
		"siblings apart":  {[]logicalProcessor{{0, 0, 0}, {1, 1, 0}, {2, 0, 0}, {3, 1, 0}}, []int{0, 1, 2, 3}},
		"two fast cores with siblings and four slow ones": {[]logicalProcessor{
			{0, 0, 5000}, {1, 0, 5000}, {2, 2, 5000}, {3, 2, 5000}, {4, 4, 3000}, {5, 5, 3000}, {6, 6, 3000}, {7, 7, 3000},
		}, []int{0, 2, 4, 5, 6, 7, 1, 3}},
		"slow ones first":      {[]logicalProcessor{{0, 0, 400}, {1, 1, 400}, {2, 2, 1024}, {3, 3, 1024}}, []int{2, 3, 0, 1}},
		"unsorted, one of two": {[]logicalProcessor{{7, 3, 0}, {2, 1, 0}, {6, 3, 0}}, []int{2, 6, 7}},
	} {
		if got := bindingOrder(c.processors); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestProcessors(t *testing.T) {
	processors := Processors()
	if len(processors) == 0 {
		t.Fatal("no processor")
	}
	if sorted := slices.Sorted(slices.Values(processors)); len(slices.Compact(sorted)) != len(processors) {
		t.Errorf("a processor comes twice: %v", processors)
	}
}

// coreRecord is a record of GetLogicalProcessorInformationEx.
func coreRecord(relationship uint32, class byte, affinities ...uint64) []byte {
	record := make([]byte, 32, 32+8*len(affinities))
	binary.LittleEndian.PutUint32(record, relationship)
	record[9] = class
	binary.LittleEndian.PutUint16(record[30:], uint16(len(affinities)/2))
	for i := 0; i < len(affinities); i += 2 {
		record = binary.LittleEndian.AppendUint64(record, affinities[i])
		record = binary.LittleEndian.AppendUint64(record, affinities[i+1])
	}
	binary.LittleEndian.PutUint32(record[4:], uint32(len(record)))
	return record
}

// Two groups of processors, as computers with more than 64 have, and two classes (P10).
func TestDecodeCores(t *testing.T) {
	data := slices.Concat(
		coreRecord(0, 1, 0b11, 0),
		coreRecord(0, 0, 0b100, 0),
		coreRecord(3, 0, 0b111, 0), // a package, not a core
		coreRecord(0, 1, 1<<63, 1),
	)
	got, err := decodeCores(data)
	want := []logicalProcessor{{0, 0, 1}, {1, 0, 1}, {2, 1, 0}, {127, 3, 1}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	for length := range len(data) {
		// No panic, and no processor that is not there.
		if got, err := decodeCores(data[:length]); err == nil && !slices.Equal(got, want[:len(got)]) {
			t.Errorf("%d bytes: %v", length, got)
		}
	}
	broken := coreRecord(0, 0, 1, 0)
	binary.LittleEndian.PutUint16(broken[30:], 2)
	if _, err := decodeCores(broken); err == nil {
		t.Error("a record that is too short for its groups was read")
	}
}

func TestAllowedIn(t *testing.T) {
	all := []logicalProcessor{{0, 0, 0}, {1, 1, 0}, {64, 2, 0}, {65, 3, 0}}
	for name, c := range map[string]struct {
		groups          []uint16
		process, system uint64
		want            []logicalProcessor
	}{
		"no restriction":    {[]uint16{0}, 3, 3, all},
		"several groups":    {[]uint16{0, 1}, 0, 0, all},
		"nothing known":     {nil, 0, 0, all},
		"one of a group":    {[]uint16{0}, 2, 3, all[1:2]},
		"one of the second": {[]uint16{1}, 1, 3, all[2:3]},
	} {
		if got := allowedIn(all, c.groups, c.process, c.system); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
