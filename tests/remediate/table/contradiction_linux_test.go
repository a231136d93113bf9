package table_test

import (
	"testing"

	"diskaudit/core/contract"
	"diskaudit/tests/rig/simulator"
)

// TestContradiction: answers that cannot all be true are no knowledge (B71: a percentage is no state; C40: neither
// are protectors or protection). Such a volume is left alone, and passes for nothing.
func TestContradiction(t *testing.T) {
	base := inMemory(t)
	for _, kind := range kinds {
		var all []computer
		for _, conversion := range []int32{simulator.Decrypted, simulator.Encrypting, simulator.Decrypting, simulator.EncryptingPaused, simulator.DecryptingPaused} {
			// Protection is on of fully encrypted volumes only.
			all = append(all, around(volume{letter: kind.letter, kind: kind.kind, conversion: conversion, method: software, doubtful: true}))
		}
		percent := around(volume{letter: kind.letter, kind: kind.kind, unread: true})
		percent.faults = []*simulator.Fault{{
			Point: simulator.AtMethod, DeviceID: simulator.WineVolume(kind.letter), Name: "GetConversionStatus", Outs: map[string]simulator.Value{"EncryptionPercentage": int32(1000000)},
		}}
		for _, c := range append(all, percent) {
			t.Run(c.String(), func(t *testing.T) {
				t.Parallel()
				for _, action := range contract.Actions() {
					r := request{action: action}
					if kind.kind == simulator.Removable && action != contract.ActionPrevent && action != contract.ActionUndo {
						r.named = []byte{kind.letter}
					}
					run(t, base, c, r)
				}
			})
		}
	}
}
