package table_test

import (
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"testing"

	"diskaudit/core/contract"
	"diskaudit/tests/rig/simulator"
)

func TestMain(m *testing.M) {
	// The runtime has one goroutine for signals. It must not begin in a bubble, which would wait for its end.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	signal.Stop(signals)
	// Each row leaves much behind, and little of it lasts.
	debug.SetGCPercent(400)
	code := m.Run()
	fmt.Printf("%d rows of the table\n", rows.Load())
	os.Exit(code)
}

// inMemory is a folder for journals. Thousands are flushed, which on a disk would take minutes.
func inMemory(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("/dev/shm", "diskaudit-table-") //nolint:usetesting // It has to lie in memory.
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}

// around is a computer with one volume that matters. Where that is no volume of an operating system, there is
// one beside it, which is not encrypted unless it holds keys for the other.
func around(one volume) computer {
	c := computer{volumes: []volume{one}}
	switch {
	case one.kind == simulator.OperatingSystem:
		c.volumes = append(c.volumes, volume{letter: 'D', kind: simulator.Fixed})
	case one.bound:
		c.volumes = append([]volume{{letter: 'C', kind: simulator.OperatingSystem, conversion: simulator.Encrypted, method: software, bound: true}}, one)
	default:
		c.volumes = append([]volume{{letter: 'C', kind: simulator.OperatingSystem}}, one)
	}
	return c
}

var kinds = []struct {
	name   string
	kind   int32
	letter byte
}{{"system", simulator.OperatingSystem, 'C'}, {"fixed", simulator.Fixed, 'D'}, {"removable", simulator.Removable, 'E'}}

// states are the states of a volume of a kind.
func states(kind int32, letter byte) []volume {
	all := []volume{{letter: letter, kind: kind}}
	for conversion := int32(simulator.Encrypted); conversion <= simulator.DecryptingPaused; conversion++ {
		for _, method := range []int32{software, drive, obscure} {
			for wiping := int32(simulator.NotWiped); wiping <= simulator.WipePaused; wiping++ {
				for _, kept := range []keys{protected, suspended, waiting} {
					for _, bound := range []bool{false, true} {
						for _, locked := range []bool{false, true} {
							one := volume{letter: letter, kind: kind, conversion: conversion, method: method, wiping: wiping, keys: kept, bound: bound, locked: locked}
							if one.possible() {
								all = append(all, one)
							}
						}
					}
				}
			}
		}
	}
	return all
}

// possible tells whether Windows has such a volume, and one whose difference from others matters.
func (v volume) possible() bool {
	usual := v.keys == protected && v.wiping == simulator.NotWiped
	switch {
	case v.conversion != simulator.Encrypted && v.wiping != simulator.NotWiped:
		// Free space is wiped once all else is encrypted.
		return false
	case v.locked && (v.keys != protected || v.kind == simulator.OperatingSystem):
		// What has its key in the clear does not lock, nor does the system that runs.
		return false
	case v.bound && (v.keys == waiting || v.kind == simulator.Removable):
		return false
	case v.bound && v.kind == simulator.OperatingSystem && v.conversion == simulator.Decrypting:
		// Windows refuses to begin.
		return false
	case v.locked || v.method != software || v.bound:
		return usual
	}
	return true
}

// requests are what is asked of a computer: each action, with and without names.
func requests(one volume) []request {
	var all []request
	for _, action := range contract.Actions() {
		turns := action == contract.ActionPause || action == contract.ActionResume
		named := one.kind == simulator.Removable || one.method == drive
		if !turns || !named {
			all = append(all, request{action: action})
		}
		if turns && named || named && action == contract.ActionDecrypt {
			all = append(all, request{action: action, named: []byte{one.letter}})
		}
	}
	return all
}

// run runs a request to a computer as a plan, with consent, and with consent and all overrides that the rules
// have for it.
func run(t *testing.T, base string, c computer, r request) {
	t.Helper()
	row{computer: c, request: r}.run(t, base)
	row{computer: c, request: r, apply: true}.run(t, base)
	for {
		// Clearing keys can be what makes the next guard stand.
		refuse := judge(c, r).refuse
		if len(refuse) == 0 {
			break
		}
		before := len(r.overrides)
		for _, id := range append(refuse, judge(c, r).open...) {
			if !r.overridden(id) && !fixed(c, id) {
				r.overrides = append(r.overrides, id)
			}
		}
		if len(r.overrides) == before {
			break
		}
	}
	if len(r.overrides) > 0 {
		row{computer: c, request: r, apply: true}.run(t, base)
		row{computer: c, request: r}.run(t, base)
	}
}

// fixed tells of a guard that stands whatever is overridden.
func fixed(c computer, id string) bool { return c.prevention == unreadable && id == "state-unknown" }

// TestStates: each state of a volume against each action.
func TestStates(t *testing.T) {
	base := inMemory(t)
	before := rows.Load()
	t.Cleanup(func() { t.Logf("%d rows", rows.Load()-before) })
	for _, kind := range kinds {
		for _, one := range states(kind.kind, kind.letter) {
			t.Run(one.name(), func(t *testing.T) {
				t.Parallel()
				for _, r := range requests(one) {
					run(t, base, around(one), r)
				}
			})
		}
	}
}

// name is a name for a test, with the public reports that it covers.
func (v volume) name() string {
	cases := ""
	switch {
	case v.conversion == simulator.Decrypted:
		cases = "B37 C40 "
	case v.keys == waiting:
		cases = "B33 B39 "
	case v.method == drive:
		cases = "B36 "
	case v.conversion == simulator.DecryptingPaused || v.conversion == simulator.EncryptingPaused:
		cases = "B53 "
	case v.method == obscure:
		cases = "B4 "
	}
	return cases + v.String()
}
