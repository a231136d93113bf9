package rig_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/bitlocker"
	"diskaudit/tests/rig"
	"diskaudit/tests/rig/simulator"
)

// probed is what the program probe prints.
type probed struct {
	Rows []struct {
		DeviceID, PersistentVolumeID, DriveLetter, OfLaterWindows *string
		VolumeType, ProtectionStatus                              *int32
	}
	RowsError, Code, Refusal, Shell string
	Lock, Conversion, Protectors    []string
	Drives                          map[string]uint32
	Features                        []struct {
		Name         *string
		InstallState *int32
	}
}

func probe(t *testing.T, machine *simulator.Machine, rounds ...string) probed {
	t.Helper()
	r := rig.New(t)
	server := r.Simulate(machine)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	result := r.Program(ctx, r.Build("./tests/rig/probe", "probe.exe"), rounds...)
	var p probed
	if err := json.Unmarshal(result.Stdout, &p); err != nil || result.Code != 0 {
		t.Fatalf("probe: code %d, %v\n%s%s", result.Code, err, result.Stdout, result.Stderr)
	}
	if _, most := server.Objects(); most > 20 {
		t.Errorf("the program held %d objects at once: it lets go of what it no longer uses, so the bridge keeps them", most)
	}
	return p
}

func twoVolumes() *simulator.Machine {
	return &simulator.Machine{
		Volumes: []*simulator.Volume{
			{
				DeviceID: simulator.WineVolume('C'), DriveLetter: "C:", PersistentVolumeID: "{11111111-2222-3333-4444-555555555555}",
				Type: simulator.OperatingSystem, Conversion: simulator.Encrypting, Percent: 37.5, Flags: 1, Method: 6, Version: 2,
				Protectors: []simulator.Protector{{ID: "{AAAAAAAA-0000-0000-0000-000000000001}", Type: simulator.TPM}, {ID: "{AAAAAAAA-0000-0000-0000-000000000002}", Type: simulator.RecoveryPassword}},
				Properties: map[string]simulator.Value{"ProtectionStatus": int32(1)},
			},
			{DeviceID: `\\?\Volume{12345678-0000-0000-0000-000000000000}\`, Type: simulator.Fixed, Conversion: simulator.Encrypted, Percent: 100, Method: -1, Locked: true},
		},
		Features: map[string]int32{"BitLocker": 1},
		Shell:    map[string]simulator.Value{`C:\`: int32(3)},
	}
}

// TestBridge shows that what a Windows program gets through the libraries that the product uses is
// what the simulated machine holds.
func TestBridge(t *testing.T) {
	machine := twoVolumes()
	p := probe(t, machine)
	if p.RowsError != "" || p.Code != "" || len(p.Rows) != 2 {
		t.Fatalf("the query failed: %+v", p)
	}
	first, second := p.Rows[0], p.Rows[1]
	if *first.DeviceID != simulator.WineVolume('C') || *first.DriveLetter != "C:" || *first.VolumeType != 0 || *first.ProtectionStatus != 1 {
		t.Errorf("first row: %+v", first)
	}
	if second.DriveLetter != nil || *second.VolumeType != 1 || *second.PersistentVolumeID != "" || second.OfLaterWindows != nil {
		t.Errorf("second row: %+v", second)
	}
	for _, check := range []struct {
		what      string
		got, want any
	}{
		// VT_I4 is 3; a locked volume refuses with 0x80310000, which scripting shows as -2144272384, and
		// leaves its out parameters NULL (VT_NULL is 1).
		{"lock", p.Lock, []string{"3:0 3:0", "3:0 3:1"}},
		{"conversion", p.Conversion, []string{"3:0 3:2 3:375000 3:1 3:0 3:0", "3:-2144272384 1:<nil> 1:<nil> 1:<nil> 1:<nil> 1:<nil>"}},
		{"protectors", p.Protectors, []string{
			"3:0 {AAAAAAAA-0000-0000-0000-000000000001}=3:0:1 {AAAAAAAA-0000-0000-0000-000000000002}=3:0:3", "3:0",
		}},
		{"suspend count of a data volume", p.Refusal, "3:-2147024846"},
		{"shell", p.Shell, "3:3"},
		{"feature", len(p.Features), 1},
	} {
		if diff := cmp.Diff(check.want, check.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", check.what, diff)
		}
	}
	if calls := machine.Called("GetLockStatus"); calls != 2 {
		t.Errorf("GetLockStatus was logged %d times, not twice", calls)
	}
}

// TestBridgeCodes shows that a failure reaches the program as WMI and COM would pass it.
func TestBridgeCodes(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*simulator.Machine)
		want   string
	}{
		{"no namespace", func(m *simulator.Machine) { m.NoBitLocker = true }, "raised 0x8004100E"},
		{"access denied on connecting", fault(simulator.Fault{Point: simulator.AtConnect, Name: `root\CIMV2\Security\MicrosoftVolumeEncryption`, Raise: bitlocker.WBEM_E_ACCESS_DENIED}), "raised 0x80041003"},
		{"access denied in the query", fault(simulator.Fault{Point: simulator.AtQuery, Raise: bitlocker.WBEM_E_ACCESS_DENIED}), "raised 0x80041003"},
		{"class missing when counted", fault(simulator.Fault{Point: simulator.AtCount, Raise: bitlocker.WBEM_E_INVALID_CLASS}), "raised 0x80041010"},
		{"service stopped", fault(simulator.Fault{Point: simulator.AtCreate, Fail: bitlocker.ERROR_SERVICE_DISABLED}), "0x80070422"},
	} {
		t.Run(test.name, func(t *testing.T) {
			machine := twoVolumes()
			test.change(machine)
			if p := probe(t, machine); p.Code != test.want || len(p.Rows) != 0 {
				t.Errorf("got code %q with %d rows, want %q and none", p.Code, len(p.Rows), test.want)
			}
		})
	}
}

func fault(f simulator.Fault) func(*simulator.Machine) {
	return func(m *simulator.Machine) { m.Faults = append(m.Faults, &f) }
}
