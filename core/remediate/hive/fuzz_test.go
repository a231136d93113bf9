package hive

import (
	"bytes"
	"errors"
	"runtime"
	"testing"

	"diskaudit/core/remediate/hive/hivetest"
)

// fuzzAllocation is what reading any hive may allocate in all: what is kept at one time is less than
// a mebibyte.
const fuzzAllocation = 64 << 20

// FuzzRead changes hives; with seal their headers are then put right, which the fuzzer could not do.
func FuzzRead(f *testing.F) {
	value := hivetest.Number("PreventDeviceEncryption", 1)
	for _, kind := range []string{"li", "lf", "lh", "ri"} {
		root := hivetest.System(1, 2, hivetest.ControlSet("ControlSet001", value), hivetest.ControlSet("ControlSet002"))
		root.List = kind
		f.Add(hivetest.Hive(root), true)
	}
	f.Add(hivetest.Hive(hivetest.Key{Name: "ROOT"}), false)
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		if seal && len(data) >= summedBytes {
			copy(data, signature)
			copy(data[8:12], data[4:8])
			hivetest.Seal(data)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		state, err := read(bytes.NewReader(data), int64(len(data)), "SYSTEM")
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > fuzzAllocation {
			t.Errorf("%d bytes allocated", got)
		}
		var refusal *Error
		if err != nil && (!errors.As(err, &refusal) || refusal.Code == "" || refusal.Text == "") {
			t.Errorf("an error without a code or a text: %v", err)
		}
		if (err == nil) != (len(state.Sets) > 0) {
			t.Errorf("%v with %v", state, err)
		}
		for _, set := range state.Sets {
			if set.Prevention == "" || len(set.Name) != len("ControlSet001") {
				t.Errorf("control set %+v", set)
			}
		}
	})
}

// A hive made to keep its reader busy is given up soon, and costs little memory.
func TestBudget(t *testing.T) {
	// Each of 65535 entries leads to one and the same list, of 65535 keys that are all the root.
	const entries = 1<<16 - 1
	data := hivetest.Hive(hivetest.Key{Name: "ROOT", List: "ri", Keys: []hivetest.Key{{Name: "A"}, {Name: "B"}}})
	root := nodeOf(t, data, "ROOT")
	add := func(kind string, element int) int {
		at := len(data) - headerBytes
		list := make([]byte, (8+entries*4+binBytes-1)/binBytes*binBytes)
		le.PutUint32(list, -uint32(len(list)))
		copy(list[4:], kind)
		le.PutUint16(list[6:], entries)
		for n := range entries {
			le.PutUint32(list[8+n*4:], uint32(element))
		}
		data = append(data, list...)
		return at
	}
	keys := add("li", root-4-headerBytes)
	lists := add("ri", keys)
	le.PutUint32(data[root+28:], uint32(lists))
	le.PutUint32(data[40:], uint32(len(data)-headerBytes))
	hivetest.Seal(data)

	reader := &counting{data: data}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := read(reader, int64(len(data)), testPath)
	runtime.ReadMemStats(&after)
	refused(t, err, testPath, CodeDamaged, "65536 places")
	if reader.reads > budgetCells+10 {
		t.Errorf("%d reads", reader.reads)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > fuzzAllocation {
		t.Errorf("%d bytes allocated", got)
	}
}

type counting struct {
	data  []byte
	reads int
}

func (c *counting) ReadAt(p []byte, offset int64) (int, error) {
	c.reads++
	return bytes.NewReader(c.data).ReadAt(p, offset)
}
