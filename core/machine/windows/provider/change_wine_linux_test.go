package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/bitlocker"
	"diskaudit/core/machine/windows/provider"
	"diskaudit/tests/rig"
	"diskaudit/tests/rig/simulator"
)

// changeable is a computer whose volumes can be changed, some with a fault in it.
func changeable() *simulator.Machine {
	volume := func(letter byte, kind, conversion int32, percent float64) *simulator.Volume {
		return &simulator.Volume{
			DeviceID: simulator.WineVolume(letter), DriveLetter: string(letter) + ":", Type: kind, Conversion: conversion, Percent: percent,
			PersistentVolumeID: "{BBBBBBBB-0000-4000-8000-000000000001}", Method: 7, Version: 2, Takes: time.Hour,
			Protectors: []simulator.Protector{{ID: idTPM, Type: simulator.RecoveryPassword, Password: "123456"}},
		}
	}
	locked, keys := volume('E', simulator.Fixed, simulator.Encrypted, 100), volume('C', simulator.OperatingSystem, simulator.Encrypted, 100)
	locked.Locked, keys.KeysStored = true, true
	at := func(letter byte, fault simulator.Fault) *simulator.Fault {
		fault.Point, fault.Name, fault.DeviceID = simulator.AtMethod, "Decrypt", simulator.WineVolume(letter)
		return &fault
	}
	return &simulator.Machine{
		Volumes: []*simulator.Volume{
			keys, volume('D', simulator.Fixed, simulator.Encrypting, 12.5), locked, volume('F', simulator.Fixed, simulator.DecryptingPaused, 70),
			volume('G', simulator.Fixed, simulator.Encrypted, 100), volume('H', simulator.Fixed, simulator.Encrypted, 100),
			volume('I', simulator.Fixed, simulator.Encrypted, 100), volume('J', simulator.Fixed, simulator.Encrypted, 100),
			volume('K', simulator.Fixed, simulator.Encrypted, 100), volume('L', simulator.Fixed, simulator.Encrypted, 100),
		},
		Faults: []*simulator.Fault{
			at('G', simulator.Fault{Instead: int32(1)}),
			at('H', simulator.Fault{Instead: simulator.Null{}}),
			at('I', simulator.Fault{Instead: int32(1117)}),
			at('J', simulator.Fault{Raise: bitlocker.WBEM_E_PROVIDER_FAILURE}),
			at('K', simulator.Fault{Fail: bitlocker.RPC_S_CALL_FAILED}),
			at('L', simulator.Fault{Vanish: true}),
		},
	}
}

// Changes through COM come to the same as without it, each method called once, and none that
// deletes a protector or hands out a secret. Cases B48, B49, B50.
func TestLiveChanges(t *testing.T) {
	r := rig.New(t)
	machine := changeable()
	r.Simulate(machine)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := r.Command(ctx, r.BuildTests("./core/machine/windows/provider", "provider.test.exe"), "-test.run=^TestChanges$")
	command.Env = append(command.Env, "DISKAUDIT_CHANGES=1")
	output, err := command.CombinedOutput()
	if errors.Is(err, exec.ErrWaitDelay) {
		// Something of Wine's holds the output of a program open that ended well.
		err = nil
	}
	_, line, found := strings.Cut(string(output), "CHANGES ")
	line, _, _ = strings.Cut(line, "\n")
	var got []string
	if err != nil || !found || json.Unmarshal([]byte(line), &got) != nil {
		t.Fatalf("the Windows program: %v\n%s", err, output)
	}
	reference := changeable()
	want := changed(ctx, simulator.NewCaller(reference))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("without COM -, through COM +:\n%s", diff)
	}
	if len(want) != 5*len(changeable().Volumes) {
		t.Errorf("%d lines: %q", len(want), want)
	}
	for _, m := range []*simulator.Machine{machine, reference} {
		times := map[string]int{}
		for _, call := range m.Forbidden() {
			times[call.DeviceID+call.Name]++
			// COM spells a name as it likes.
			if !slices.ContainsFunc([]string{provider.Decrypt, provider.PauseConversion, provider.ResumeConversion, provider.ClearAllAutoUnlockKeys},
				func(ours string) bool { return strings.EqualFold(ours, call.Name) }) {
				t.Errorf("%s was called", call.Name)
			}
		}
		for call, n := range times {
			if n != 1 {
				t.Errorf("%s: %d times", call, n)
			}
		}
	}
}
