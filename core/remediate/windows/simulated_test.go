package windows_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/provider"
	"diskaudit/core/machine/windows/registry"
	"diskaudit/core/remediate"
	"diskaudit/core/remediate/windows"
	"diskaudit/tests/rig/simulator"
)

// The volumes of the simulated computer: that of the operating system, and one with data.
var (
	volumeC = simulator.WineVolume('C')
	volumeD = simulator.WineVolume('D')
)

// The secrets of the simulated computer.
const (
	password = "111111-222222-333333-444444-555555-666666-777777-888888"
	secret   = "a key that nobody may see"
)

// volume is an encrypted volume with secrets.
func volume(letter byte, changes ...func(*simulator.Volume)) *simulator.Volume {
	v := &simulator.Volume{
		DeviceID: simulator.WineVolume(letter), DriveLetter: string(letter) + ":", PersistentVolumeID: "{BBBBBBBB-0000-4000-8000-0000000000" + string(letter) + "0}",
		Conversion: simulator.Encrypted, Percent: 100, Method: 7, Version: 2, Takes: 100 * time.Second,
		Protectors: []simulator.Protector{
			{ID: "{AAAAAAAA-0000-4000-8000-000000000001}", Type: simulator.TPM},
			{ID: "{AAAAAAAA-0000-4000-8000-000000000002}", Type: simulator.RecoveryPassword, Password: password, Package: []byte(secret)},
			{ID: "{AAAAAAAA-0000-4000-8000-000000000003}", Type: simulator.ExternalKey, Key: []byte(secret)},
		},
	}
	if letter != 'C' {
		v.Type = simulator.Fixed
		v.Protectors = v.Protectors[1:]
	}
	for _, change := range changes {
		change(v)
	}
	return v
}

// is is a volume with this conversion.
func is(conversion int32, percent float64) func(*simulator.Volume) {
	return func(v *simulator.Volume) {
		v.Conversion, v.Percent = conversion, percent
		if conversion == simulator.Decrypted {
			v.Method, v.Protectors, v.PersistentVolumeID, v.Version = 0, nil, "", 0
		}
	}
}

func isLocked(v *simulator.Volume) { v.Locked = true }

func storesKeys(v *simulator.Volume) { v.KeysStored = true }

// simulated is a computer with these volumes.
func simulated(volumes ...*simulator.Volume) *simulator.Machine {
	return &simulator.Machine{Volumes: volumes}
}

// on is a computer that asks this machine.
func on(t *testing.T, machine *simulator.Machine) *windows.Computer {
	t.Helper()
	computer := windows.New(windows.Sources{
		Provider: func() provider.Caller { return simulator.NewCaller(machine) },
		Registry: registry.NewStore(nil),
	})
	t.Cleanup(func() {
		machine.Release()
		computer.Close()
	})
	return computer
}

// failureOf is the failure that an error must be.
func failureOf(t *testing.T, err error) *remediate.Failure {
	t.Helper()
	var failure *remediate.Failure
	if !errors.As(err, &failure) {
		t.Fatalf("%v (%T) is no *remediate.Failure", err, err)
	}
	if failure.Problem.Code == "" || failure.Problem.Text == "" || failure.Problem.Level.OrError() != contract.LevelError {
		t.Errorf("a failure that explains nothing: %+v", failure.Problem)
	}
	return failure
}

// called are the methods that a machine was called by, without those that only tell a state.
func called(machine *simulator.Machine) []string {
	var names []string
	for _, call := range machine.Calls() {
		if !slices.Contains(simulator.StateMethods(), call.Name) && !slices.Contains([]string{"ConnectServer", "ExecQuery"}, call.Name) {
			names = append(names, call.Name)
		}
	}
	return names
}

// keepsSecrets fails when a secret is in what was told. Cases B72, C27.
func keepsSecrets(t *testing.T, told ...any) {
	t.Helper()
	for _, what := range told {
		data, err := json.Marshal(what)
		if err != nil {
			t.Fatal(err)
		}
		if failed, ok := what.(error); ok {
			data = append(data, failed.Error()...)
		}
		for _, hidden := range []string{password, password[:6], secret} {
			if strings.Contains(string(data), hidden) {
				t.Errorf("%q is in %s", hidden, data)
			}
		}
	}
}
