package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"testing"
)

// What the store on Windows does, this one does too.
func TestMemoryStore(t *testing.T) {
	changes(t, NewStore(Memory{}), `HKLM\SOFTWARE\DiskAuditTest`)
}

// changes writes, overwrites and deletes in a key that is not there yet.
func changes(t *testing.T, store Store, key string) {
	t.Helper()
	below := key + `\Made\On the way`
	number := func(step, name string, want *uint64) {
		t.Helper()
		got, err := Number(store, below, name)
		if err != nil || (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%s: %v %v, want %v", step, got, err, want)
		}
	}
	if err := store.Delete(below, "Number"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("deleting in a key that is not there: %v", err)
	}
	if _, err := store.Subkeys(key); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("deleting made the key: %v", err)
	}
	for _, value := range []uint64{1, 0, 4294967295, 1} {
		if err := store.SetNumber(below, "Number", uint32(value)); err != nil {
			t.Fatal(err)
		}
		number(fmt.Sprintf("set to %d", value), "Number", &value)
	}
	value, err := store.Value(below, "Number")
	if err != nil || value.Type != TypeDWord || len(value.Data) != 4 {
		t.Errorf("%+v %v, want a REG_DWORD", value, err)
	}
	if err := store.SetNumber(below, "NUMBER", 7); err != nil {
		t.Fatal(err)
	}
	if names, err := store.Names(below); err != nil || len(names) != 1 {
		t.Errorf("%q %v: names differ by their case only", names, err)
	}
	if err := store.SetNumber(below, "Other", 2); err != nil {
		t.Fatal(err)
	}
	if err := store.Delete(below, "number"); err != nil {
		t.Errorf("deleting: %v", err)
	}
	number("deleted", "Number", nil)
	two := uint64(2)
	number("beside it", "Other", &two)
	if err := store.Delete(below, "Number"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("deleting again: %v", err)
	}
	if err := store.Delete(below, "Other"); err != nil {
		t.Error(err)
	}
	if _, err := store.Names(below); err != nil {
		t.Errorf("the key went with its last value: %v", err)
	}
}

func TestMemoryStoreReplacesAndRefuses(t *testing.T) {
	broken := errors.New("broken")
	memory := Memory{
		`HKLM\A`: {"Text": "x", "Denied": fs.ErrPermission, "Broken": broken},
		`HKLM\B`: {"*": fs.ErrPermission, "One": 1},
	}
	store := NewStore(memory)
	if err := store.SetNumber(`hklm\a`, "Text", 1); err != nil {
		t.Fatal(err)
	}
	if number, err := Number(store, `HKLM\A`, "Text"); err != nil || number == nil || *number != 1 {
		t.Errorf("a text in whose place a number was written: %v %v", number, err)
	}
	for _, where := range []struct {
		key, name string
		want      error
	}{
		{`HKLM\A`, "Denied", fs.ErrPermission}, {`HKLM\A`, "Broken", broken},
		{`HKLM\B`, "One", fs.ErrPermission}, {`HKLM\B`, "New", fs.ErrPermission},
	} {
		if err := store.SetNumber(where.key, where.name, 2); !errors.Is(err, where.want) {
			t.Errorf(`writing %s\%s: %v`, where.key, where.name, err)
		}
		if err := store.Delete(where.key, where.name); !errors.Is(err, where.want) {
			t.Errorf(`deleting %s\%s: %v`, where.key, where.name, err)
		}
	}
	if memory[`HKLM\A`]["Text"] != "x" {
		t.Error("what the store was made of has changed")
	}
}

func TestMemoryStoreIsSafeForSeveral(t *testing.T) {
	store := NewStore(Memory{})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			name := fmt.Sprint(i)
			for n := range uint32(100) {
				if err := store.SetNumber(`HKLM\A`, name, n); err != nil {
					t.Error(err)
				}
				if got, err := Number(store, `HKLM\A`, name); err != nil || *got != uint64(n) {
					t.Errorf("%v %v", got, err)
				}
				_, _ = store.Names(`HKLM\A`)
				_ = store.Delete(`HKLM\A`, "none")
			}
		})
	}
	all.Wait()
}
