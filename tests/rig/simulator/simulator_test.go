package simulator_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/bitlocker"
	"diskaudit/core/machine/windows/provider"
	"diskaudit/tests/rig/simulator"
)

func encrypted() *simulator.Volume {
	return &simulator.Volume{
		DeviceID: simulator.WineVolume('C'), DriveLetter: "C:", PersistentVolumeID: "{1}", Conversion: simulator.Encrypted,
		Percent: 100, Method: 6, Version: 2, Takes: 100 * time.Second,
		Protectors: []simulator.Protector{{ID: "{A}", Type: simulator.TPM}, {ID: "{B}", Type: simulator.RecoveryPassword, Password: "123456"}},
	}
}

// ask calls a method with its arguments in order; those that are nil are out.
func ask(t *testing.T, m *simulator.Machine, volume, method string, arguments ...simulator.Value) (int32, []simulator.Value) {
	t.Helper()
	returned, outs, err := m.Call(t.Context(), volume, method, arguments)
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	code, fits := returned.(int32)
	if !fits {
		t.Fatalf("%s returned %v", method, returned)
	}
	return code, outs
}

func conversion(t *testing.T, m *simulator.Machine, volume string) []simulator.Value {
	t.Helper()
	code, outs := ask(t, m, volume, "GetConversionStatus", nil, nil, nil, nil, nil, int32(2))
	if code != 0 {
		t.Fatalf("GetConversionStatus returned %d", code)
	}
	return outs[:2]
}

// TestDecryption follows a decryption from Decrypt to its end, paused and resumed on the way.
func TestDecryption(t *testing.T) {
	c := encrypted()
	m := &simulator.Machine{Volumes: []*simulator.Volume{c}}
	steps := []struct {
		call    string
		advance time.Duration
		want    []simulator.Value
	}{
		{"", time.Hour, []simulator.Value{int32(1), int32(10000)}},
		{"Decrypt", 0, []simulator.Value{int32(3), int32(10000)}},
		{"", 40 * time.Second, []simulator.Value{int32(3), int32(6000)}},
		{"PauseConversion", time.Hour, []simulator.Value{int32(5), int32(6000)}},
		{"PauseConversion", 0, []simulator.Value{int32(5), int32(6000)}},
		{"ResumeConversion", 10 * time.Second, []simulator.Value{int32(3), int32(5000)}},
		{"Decrypt", time.Minute, []simulator.Value{int32(0), int32(0)}},
		{"Decrypt", 0, []simulator.Value{int32(0), int32(0)}},
	}
	for i, step := range steps {
		if step.call != "" {
			if code, _ := ask(t, m, c.DeviceID, step.call); code != 0 {
				t.Fatalf("step %d: %s returned %d", i, step.call, code)
			}
		}
		m.Advance(step.advance)
		if diff := cmp.Diff(step.want, conversion(t, m, c.DeviceID)); diff != "" {
			t.Errorf("step %d, %s (-want +got):\n%s", i, step.call, diff)
		}
	}
	if code, _ := ask(t, m, c.DeviceID, "GetKeyProtectors", int32(0), nil); bitlocker.FromInt32(code) != bitlocker.FVE_E_NOT_ACTIVATED {
		t.Errorf("the protectors are still there: %s", bitlocker.FromInt32(code))
	}
}

// TestRefusals are the documented refusals of each method, with the state in which it gives them.
func TestRefusals(t *testing.T) {
	system := func(change func(*simulator.Volume)) *simulator.Volume {
		v := encrypted()
		change(v)
		return v
	}
	data := func(change func(*simulator.Volume)) *simulator.Volume {
		return system(func(v *simulator.Volume) { v.Type = simulator.Fixed; change(v) })
	}
	locked := func(v *simulator.Volume) { v.Locked = true }
	same := func(*simulator.Volume) {}
	bare := func(v *simulator.Volume) { v.Conversion, v.Protectors = simulator.Decrypted, nil }
	for _, test := range []struct {
		volume    *simulator.Volume
		method    string
		arguments []simulator.Value
		want      bitlocker.HResult
	}{
		{data(locked), "GetConversionStatus", nil, bitlocker.FVE_E_LOCKED_VOLUME},
		{data(same), "GetConversionStatus", []simulator.Value{nil, nil, nil, nil, nil, int32(5)}, bitlocker.E_INVALIDARG},
		{data(locked), "Decrypt", nil, bitlocker.FVE_E_LOCKED_VOLUME},
		{system(func(v *simulator.Volume) { v.KeysStored = true }), "Decrypt", nil, bitlocker.FVE_E_AUTOUNLOCK_ENABLED},
		{data(locked), "PauseConversion", nil, bitlocker.FVE_E_LOCKED_VOLUME},
		{data(locked), "ResumeConversion", nil, bitlocker.FVE_E_LOCKED_VOLUME},
		{data(same), "DisableKeyProtectors", []simulator.Value{int32(1)}, bitlocker.E_INVALIDARG},
		{data(locked), "DisableKeyProtectors", nil, bitlocker.FVE_E_LOCKED_VOLUME},
		{system(bare), "EnableKeyProtectors", nil, bitlocker.FVE_E_NOT_ACTIVATED},
		{system(func(v *simulator.Volume) { v.Protectors = nil }), "EnableKeyProtectors", nil, bitlocker.FVE_E_SECURE_KEY_REQUIRED},
		{data(same), "ClearAllAutoUnlockKeys", nil, bitlocker.FVE_E_NOT_OS_VOLUME},
		{system(bare), "ClearAllAutoUnlockKeys", nil, bitlocker.FVE_E_NOT_ACTIVATED},
		{system(same), "DisableAutoUnlock", nil, bitlocker.FVE_E_NOT_DATA_VOLUME},
		{data(same), "DisableAutoUnlock", nil, bitlocker.FVE_E_VOLUME_NOT_BOUND},
		{system(same), "IsAutoUnlockEnabled", []simulator.Value{nil, nil}, bitlocker.FVE_E_NOT_DATA_VOLUME},
		{data(bare), "IsAutoUnlockEnabled", []simulator.Value{nil, nil}, bitlocker.FVE_E_NOT_ACTIVATED},
		{data(same), "IsAutoUnlockKeyStored", []simulator.Value{nil}, bitlocker.FVE_E_NOT_OS_VOLUME},
		{system(same), "GetSuspendCount", []simulator.Value{nil}, bitlocker.ERROR_NOT_SUPPORTED},
		{data(func(v *simulator.Volume) { v.KeyInClear = true }), "GetSuspendCount", []simulator.Value{nil}, bitlocker.ERROR_NOT_SUPPORTED},
		{system(same), "GetKeyProtectors", []simulator.Value{int32(11), nil}, bitlocker.E_INVALIDARG},
		{system(same), "GetKeyProtectorType", []simulator.Value{"{C}", nil}, bitlocker.E_INVALIDARG},
		{system(same), "GetKeyProtectorNumericalPassword", []simulator.Value{"{A}", nil}, bitlocker.E_INVALIDARG},
		{system(same), "GetKeyPackage", []simulator.Value{"{C}", nil}, bitlocker.FVE_E_PROTECTOR_NOT_FOUND},
		{system(same), "GetKeyPackage", []simulator.Value{"{A}", nil}, bitlocker.FVE_E_INVALID_PROTECTOR_TYPE},
		{data(locked), "GetHardwareTestStatus", []simulator.Value{nil, nil}, bitlocker.FVE_E_LOCKED_VOLUME},
		{data(func(v *simulator.Volume) { v.AutoUnlock = "{B}" }), "DeleteKeyProtector", []simulator.Value{"{B}"}, bitlocker.FVE_E_VOLUME_BOUND_ALREADY},
		{data(func(v *simulator.Volume) { v.Protectors = v.Protectors[:1] }), "DeleteKeyProtector", []simulator.Value{"{A}"}, bitlocker.FVE_E_KEY_REQUIRED},
		{data(same), "DeleteKeyProtectors", nil, bitlocker.FVE_E_KEY_REQUIRED},
		{data(func(v *simulator.Volume) { v.BackupRefused = true }), "BackupRecoveryInformationToActiveDirectory", []simulator.Value{"{B}"}, bitlocker.S_FALSE},
		{data(same), "BackupRecoveryInformationToActiveDirectory", []simulator.Value{"{A}"}, bitlocker.FVE_E_INVALID_PROTECTOR_TYPE},
		{data(bare), "Lock", nil, bitlocker.FVE_E_NOT_ENCRYPTED},
		{data(func(v *simulator.Volume) { v.KeyInClear = true }), "Lock", nil, bitlocker.FVE_E_PROTECTION_DISABLED},
		{data(func(v *simulator.Volume) { v.Protectors = v.Protectors[:1] }), "Lock", nil, bitlocker.FVE_E_RECOVERY_KEY_REQUIRED},
		{data(func(v *simulator.Volume) { v.InUse = true }), "Lock", []simulator.Value{false}, 0x80070005},
		{data(func(v *simulator.Volume) { v.InUse = true }), "Lock", []simulator.Value{true}, bitlocker.S_OK},
	} {
		m := &simulator.Machine{Volumes: []*simulator.Volume{test.volume}}
		code, outs := ask(t, m, test.volume.DeviceID, test.method, test.arguments...)
		if got := bitlocker.FromInt32(code); got != test.want {
			t.Errorf("%s of a volume of type %d: %s, want %s", test.method, test.volume.Type, got, test.want)
		}
		for i, out := range outs {
			if test.arguments[i] == nil && out != nil {
				t.Errorf("%s refused, but gave %v", test.method, out)
			}
		}
	}
}

// TestClearingKeys shows what clearing the keys of the operating system's volume does to others.
func TestClearingKeys(t *testing.T) {
	c, d := encrypted(), encrypted()
	c.KeysStored = true
	d.DeviceID, d.Type, d.AutoUnlock = simulator.WineVolume('D'), simulator.Fixed, "{B}"
	m := &simulator.Machine{Volumes: []*simulator.Volume{c, d}}
	if code, _ := ask(t, m, c.DeviceID, "ClearAllAutoUnlockKeys"); code != 0 {
		t.Fatalf("it returned %d", code)
	}
	if _, outs := ask(t, m, d.DeviceID, "IsAutoUnlockEnabled", nil, nil); outs[0] != false {
		t.Errorf("D: still unlocks by itself: %v", outs)
	}
	if code, _ := ask(t, m, c.DeviceID, "Decrypt"); code != 0 {
		t.Errorf("Decrypt returned %s", bitlocker.FromInt32(code))
	}
}

// TestSecretsAreLogged shows that a method which hands out a secret does so, and is remembered.
func TestSecretsAreLogged(t *testing.T) {
	c := encrypted()
	m := &simulator.Machine{Volumes: []*simulator.Volume{c}}
	_, outs := ask(t, m, c.DeviceID, "GetKeyProtectorNumericalPassword", "{B}", nil)
	if outs[1] != "123456" || len(m.Forbidden()) != 1 || !cmp.Equal(m.Secrets(), []string{"123456"}) {
		t.Errorf("outs %v, forbidden %v, secrets %v", outs, m.Forbidden(), m.Secrets())
	}
}

// TestCaller reads through the interface of the product: faults come as its errors, and what hangs
// ends with the caller.
func TestCaller(t *testing.T) {
	c, d := encrypted(), encrypted()
	d.DeviceID, d.DriveLetter = simulator.WineVolume('D'), ""
	m := &simulator.Machine{Volumes: []*simulator.Volume{c, d}, Faults: []*simulator.Fault{
		{Point: simulator.AtNext, DeviceID: d.DeviceID, Times: 1, Raise: bitlocker.WBEM_E_PROVIDER_FAILURE},
		{Point: simulator.AtMethod, Name: "GetLockStatus", Skip: 1, Hang: true},
		{Point: simulator.AtMethod, Name: "GetVersion", Instead: simulator.Empty{}, Outs: map[string]simulator.Value{"Version": "two"}},
	}}
	caller := simulator.NewCaller(m)
	if err := caller.Connect(); err != nil {
		t.Fatal(err)
	}
	rows, err := caller.Volumes()
	var coded *provider.Error
	if len(rows) != 1 || !errors.As(err, &coded) || coded.Code != bitlocker.WBEM_E_PROVIDER_FAILURE {
		t.Errorf("%d rows before %v", len(rows), err)
	}
	m.Update(func(m *simulator.Machine) { m.Faults = m.Faults[1:] })
	if rows, err = caller.Volumes(); len(rows) != 2 || err != nil || rows[1].DriveLetter != nil {
		t.Errorf("then %d rows, %v", len(rows), err)
	}
	version := &provider.Argument{IsOut: true}
	if returned, err := caller.Call(c.DeviceID, "GetVersion", version); returned != nil || err != nil || version.Out != "two" {
		t.Errorf("GetVersion: %v, %v, %v", returned, err, version.Out)
	}
	lock := &provider.Argument{IsOut: true}
	if returned, err := caller.Call(c.DeviceID, "GetLockStatus", lock); returned != int32(0) || err != nil || lock.Out != int32(0) {
		t.Errorf("GetLockStatus: %v, %v, %v", returned, err, lock.Out)
	}
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if _, err := caller.Call(c.DeviceID, "GetLockStatus", lock); err == nil {
			t.Error("what hung came to a good end")
		}
	})
	// The machine answers others meanwhile.
	ask(t, m, d.DeviceID, "GetProtectionStatus", nil)
	caller.Close()
	waiting.Wait()
}

// TestInvalid shows how WMI itself refuses what no provider gets to see.
func TestInvalid(t *testing.T) {
	m := &simulator.Machine{Volumes: []*simulator.Volume{encrypted()}}
	for _, test := range []struct {
		name string
		call func() *simulator.Error
		want bitlocker.HResult
	}{
		{"namespace", func() *simulator.Error { return m.Connect(t.Context(), `root\nowhere`) }, bitlocker.WBEM_E_INVALID_NAMESPACE},
		{"class", func() *simulator.Error {
			_, err := m.Query(t.Context(), provider.Namespace, "SELECT * FROM Win32_Nothing")
			return err
		}, bitlocker.WBEM_E_INVALID_CLASS},
		{"property", func() *simulator.Error {
			_, err := m.Query(t.Context(), provider.Namespace, "SELECT Nothing FROM Win32_EncryptableVolume")
			return err
		}, bitlocker.WBEM_E_INVALID_QUERY},
		{"method", call(t.Context(), m, "Nothing"), simulator.DispatchUnknownName},
		{"too many arguments", call(t.Context(), m, "GetLockStatus", nil, nil), simulator.DispatchBadCount},
		{"type of an argument", call(t.Context(), m, "GetKeyProtectorType", int32(3), nil), bitlocker.WBEM_E_INVALID_METHOD_PARAMETERS},
		{"argument missing", call(t.Context(), m, "GetKeyProtectorType", nil, nil), bitlocker.WBEM_E_INVALID_METHOD_PARAMETERS},
	} {
		if err := test.call(); err == nil || err.Code != test.want {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

func call(ctx context.Context, m *simulator.Machine, method string, arguments ...simulator.Value) func() *simulator.Error {
	return func() *simulator.Error {
		_, _, err := m.Call(ctx, m.Volumes[0].DeviceID, method, arguments)
		return err
	}
}
