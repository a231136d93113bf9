package windows_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"diskaudit/core/machine/windows/registry"
	"diskaudit/core/remediate"
	"diskaudit/core/remediate/windows"
)

// The value by its documented place, not by what the code takes it for.
const (
	controlKey = `HKLM\SYSTEM\CurrentControlSet\Control\BitLocker`
	prevent    = "PreventDeviceEncryption"
)

func holding(value any) registry.Memory { return registry.Memory{controlKey: {prevent: value}} }

func TestPrevention(t *testing.T) {
	for name, test := range map[string]struct {
		memory registry.Memory
		want   string
		code   string
	}{
		"no key":              {memory: registry.Memory{}, want: "absent"},
		"no value":            {memory: registry.Memory{controlKey: {"Other": 1}}, want: "absent"},
		"not prevented":       {memory: holding(0), want: "0"},
		"prevented":           {memory: holding(1), want: "1"},
		"another number":      {memory: holding(7), want: "7"},
		"the largest":         {memory: holding(0xFFFFFFFF), want: "4294967295"},
		"a long number":       {memory: holding(uint64(1)), code: "value-unusable"},
		"a text":              {memory: holding("1"), code: "value-unusable"},
		"bytes":               {memory: holding([]byte{1, 0, 0, 0}), code: "value-unusable"},
		"a number of 2 bytes": {memory: holding(registry.Value{Type: registry.TypeDWord, Data: []byte{1, 0}}), code: "value-unusable"},
		"denied":              {memory: holding(fs.ErrPermission), code: "access-denied"},
		"the key is denied":   {memory: registry.Memory{controlKey: {"*": fs.ErrPermission}}, code: "access-denied"},
		"broken":              {memory: holding(errors.New("the hive is corrupt")), code: "registry-failed"},
	} {
		store := registry.NewStore(test.memory)
		computer := windows.New(windows.Sources{Registry: store})
		got, err := computer.Prevention(t.Context())
		if test.code == "" {
			if err != nil || got != test.want {
				t.Errorf("%s: %q %v, want %q", name, got, err, test.want)
			}
			continue
		}
		failure := failureOf(t, err)
		if failure.Problem.Code != test.code || failure.Problem.Target != remediate.PreventionTarget || got != "" || !strings.Contains(failure.Problem.Text, prevent) {
			t.Errorf("%s: %q %+v", name, got, failure)
		}
		// What could not be read, and so not be put back, is not overwritten.
		before, _ := store.Value(controlKey, prevent)
		if failure := failureOf(t, computer.SetPrevention(t.Context(), "1")); failure.Problem.Code != test.code || failure.Unsure {
			t.Errorf("%s: set: %+v", name, failure)
		}
		if after, _ := store.Value(controlKey, prevent); after.Type != before.Type || string(after.Data) != string(before.Data) {
			t.Errorf("%s: %v has become %v", name, before, after)
		}
	}
}

func TestSetPrevention(t *testing.T) {
	memories := map[string]registry.Memory{"absent": {}, "0": holding(0), "1": holding(1), "4294967295": holding(0xFFFFFFFF)}
	for from, memory := range memories {
		for to := range memories {
			store := registry.NewStore(memory)
			computer := windows.New(windows.Sources{Registry: store})
			if err := computer.SetPrevention(t.Context(), to); err != nil {
				t.Errorf("from %s to %s: %v", from, to, err)
			}
			if got, err := computer.Prevention(t.Context()); err != nil || got != to {
				t.Errorf("from %s to %s: it is %s, %v", from, to, got, err)
			}
			value, err := store.Value(controlKey, prevent)
			if to == "absent" != errors.Is(err, fs.ErrNotExist) || err == nil && value.Type != registry.TypeDWord {
				t.Errorf("from %s to %s: %+v %v", from, to, value, err)
			}
		}
	}
	for _, wrong := range []string{"", "-1", "4294967296", "01", "+1", "0x1", "1 ", "on", "Absent"} {
		store := registry.NewStore(holding(0))
		failure := failureOf(t, windows.New(windows.Sources{Registry: store}).SetPrevention(t.Context(), wrong))
		if number, _ := registry.Number(store, controlKey, prevent); failure.Problem.Code != "value-unusable" || failure.Unsure || *number != 0 {
			t.Errorf("%q: %+v, then %v", wrong, failure, *number)
		}
	}
}

// stubborn is a registry that does something else than it is told.
type stubborn struct {
	*registry.MemoryStore
	write error
	// drops tells that nothing is written, whatever the answer is.
	drops bool
	// unreadable is the error of reading after the first time.
	unreadable error
	reads      int
}

func (s *stubborn) Value(key, name string) (registry.Value, error) {
	if s.reads++; s.reads > 1 && s.unreadable != nil {
		return registry.Value{}, s.unreadable
	}
	return s.MemoryStore.Value(key, name)
}

func (s *stubborn) SetNumber(key, name string, value uint32) error {
	if s.drops {
		return s.write
	}
	return errors.Join(s.MemoryStore.SetNumber(key, name, value), s.write)
}

func (s *stubborn) Delete(key, name string) error {
	if s.drops {
		return s.write
	}
	return errors.Join(s.MemoryStore.Delete(key, name), s.write)
}

// A registry that does not do as it is told is found out, and whether the value has to be read first
// is told.
func TestSetPreventionFails(t *testing.T) {
	for name, test := range map[string]struct {
		store  *stubborn
		code   string
		unsure bool
	}{
		"denied":                  {&stubborn{write: fs.ErrPermission, drops: true}, "access-denied", false},
		"not brought to the disk": {&stubborn{write: errors.New("flushing failed")}, "registry-failed", true},
		"not kept":                {&stubborn{drops: true}, "write-not-kept", true},
		"not to be read back":     {&stubborn{unreadable: errors.New("gone")}, "registry-failed", true},
	} {
		for from, to := range map[int]string{0: "1", 1: "absent"} {
			store := *test.store
			store.MemoryStore = registry.NewStore(holding(from))
			failure := failureOf(t, windows.New(windows.Sources{Registry: &store}).SetPrevention(t.Context(), to))
			if failure.Problem.Code != test.code || failure.Unsure != test.unsure || failure.Fatal {
				t.Errorf("%s, to %s: %+v", name, to, failure)
			}
		}
	}
	// Deleted by somebody else in between is deleted.
	store := &stubborn{MemoryStore: registry.NewStore(holding(1)), write: fs.ErrNotExist}
	if err := windows.New(windows.Sources{Registry: store}).SetPrevention(t.Context(), remediate.Absent); err != nil {
		t.Errorf("deleted by somebody else: %v", err)
	}
}
