package rig_test

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/registry"
	"diskaudit/tests/rig/simulator"
)

// simulated is one computer of the table, and what the documents say that status has to answer.
type simulated struct {
	name string
	// change makes it from the computer that ordinary describes.
	change func(m *simulator.Machine, c, d *simulator.Volume)
	// registry is set in Windows' registry.
	registry registry.Memory
	// standardUser runs without elevation.
	standardUser bool
	// timeout is that of the run; empty for the default.
	timeout string
	// c, d and others are the answers for C:, D: and volumes by their id, as describe writes them;
	// empty for those of the ordinary computer.
	c, d   string
	others map[string]string
	// provider is who answered; reason is a part of why nobody did.
	provider, reason string
	// problems are codes that the document must have, beside any of level info.
	problems []string
	code     int
}

// The answers for the ordinary computer: C: encrypted and protected, D: never encrypted. That
// BitLocker is not activated on a volume (FVE_E_NOT_ACTIVATED) means that nothing unlocks it and
// that it holds no keys of others.
const (
	protected = "FullyEncrypted 100% all NotWiped | XtsAes128 software | On protected suspend=? | Unlocked | Tpm,RecoveryPassword | clear=no auto=? stored=no"
	plain     = "FullyDecrypted 0% all NotWiped | None none | Off decrypted suspend=? | Unlocked | - | clear=no auto=no stored=?"
	nothing   = "? ? ? ? | ? ? | ? ? suspend=? | ? | ? | clear=? auto=? stored=?"
	// offline is a volume without a letter.
	offline = `\\?\Volume{a0b1c2d3-1111-2222-3333-444455556666}\`
)

// ordinary is a computer with C: encrypted and protected, and D: never encrypted. Every secret that
// its methods could hand out is planted.
func ordinary() (m *simulator.Machine, c, d *simulator.Volume) {
	c = &simulator.Volume{
		DeviceID: simulator.WineVolume('C'), DriveLetter: "C:", PersistentVolumeID: "{5D2C9E0A-7B11-4C7E-9F6A-0A1B2C3D4E5F}",
		Type: simulator.OperatingSystem, Conversion: simulator.Encrypted, Percent: 100, Method: 6, Version: 2,
		Protectors: []simulator.Protector{tpm(), recovery()},
	}
	d = &simulator.Volume{DeviceID: simulator.WineVolume('D'), DriveLetter: "D:", Type: simulator.Fixed, Version: 2}
	return &simulator.Machine{Volumes: []*simulator.Volume{c, d}}, c, d
}

func tpm() simulator.Protector {
	return simulator.Protector{ID: "{10000000-0000-0000-0000-00000000000A}", Type: simulator.TPM, Name: "TPM"}
}

func recovery() simulator.Protector {
	return simulator.Protector{
		ID: "{20000000-0000-0000-0000-00000000000B}", Type: simulator.RecoveryPassword, Name: "Recovery",
		Password: "111111-222222-333333-444444-555555-666666-777777-888888", Package: []byte("the key package of the volume"),
	}
}

func external() simulator.Protector {
	return simulator.Protector{
		ID: "{30000000-0000-0000-0000-00000000000C}", Type: simulator.ExternalKey, Name: "ExternalKey",
		Key: []byte("an external key of 32 bytes here"), File: "30000000-0000-0000-0000-00000000000C.BEK",
	}
}

func kind(number int32) simulator.Protector {
	return simulator.Protector{ID: fmt.Sprintf("{40000000-0000-0000-0000-%012d}", number), Type: number, Name: "P"}
}

// encryptedData makes a data volume encrypted with a recovery password.
func encryptedData(v *simulator.Volume, protectors ...simulator.Protector) {
	v.Conversion, v.Percent, v.Method, v.PersistentVolumeID = simulator.Encrypted, 100, 7, "{6E3DAF1B-8C22-4D8F-A07B-1B2C3D4E5F60}"
	v.Protectors = append(protectors, recovery())
}

func strike(f simulator.Fault) func(*simulator.Machine, *simulator.Volume, *simulator.Volume) {
	return func(m *simulator.Machine, _, _ *simulator.Volume) { m.Faults = append(m.Faults, &f) }
}

// describe writes an encryption in one line; "?" is what is null.
func describe(e contract.Encryption) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s%% %s %s | ", named(e.Conversion), text(e.Percent), choice(e.UsedSpaceOnly, "used", "all"), named(e.Wiping))
	fmt.Fprintf(&b, "%s %s | ", named(e.Method), text(e.Engine))
	fmt.Fprintf(&b, "%s %s suspend=%s | ", named(e.Protection), text(e.ProtectionReason), text(e.SuspendCount))
	fmt.Fprintf(&b, "%s | %s | ", named(e.Lock), protectors(e.Protectors))
	fmt.Fprintf(&b, "clear=%s auto=%s stored=%s", choice(e.ClearKey, "yes", "no"), choice(e.AutoUnlock, "yes", "no"), choice(e.AutoUnlockKeysStored, "yes", "no"))
	return strings.ReplaceAll(b.String(), "?%", "?")
}

func protectors(list []contract.Protector) string {
	switch {
	case list == nil:
		return "?"
	case len(list) == 0:
		return "-"
	}
	var names []string
	for _, protector := range list {
		names = append(names, named(&protector.Type))
	}
	return strings.Join(names, ",")
}

// named is a coded value's name, with its number when it has none.
func named[T interface{ MarshalJSON() ([]byte, error) }](value *T) string {
	if value == nil {
		return "?"
	}
	encoded, err := (*value).MarshalJSON()
	if err != nil {
		return err.Error()
	}
	_, after, _ := bytes.Cut(encoded, []byte(`"name":"`))
	name, _, _ := bytes.Cut(after, []byte(`"`))
	if string(name) == "Unrecognized" {
		_, number, _ := bytes.Cut(encoded, []byte(`"code":`))
		return "Unrecognized" + strings.TrimSuffix(string(number), "}")
	}
	return string(name)
}

func text[T any](value *T) string {
	if value == nil {
		return "?"
	}
	return fmt.Sprint(*value)
}

func choice(value *bool, yes, no string) string {
	switch {
	case value == nil:
		return "?"
	case *value:
		return yes
	}
	return no
}

// simulatedMachines are the computers. Each answer follows from the page of the methods that give
// it (learn.microsoft.com/windows/win32/secprov/win32-encryptablevolume) and the contract.
var simulatedMachines = []simulated{
	{name: "encrypted and protected, beside a plain volume", change: nil},
	{name: "fully decrypted", change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
		*c = simulator.Volume{DeviceID: c.DeviceID, DriveLetter: "C:", Type: simulator.OperatingSystem, Version: 2}
	}, c: strings.Replace(plain, "auto=no stored=?", "auto=? stored=no", 1)},
	{name: "B5 suspended for two restarts", change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
		c.KeyInClear, c.Suspensions = true, 2
	}, c: "FullyEncrypted 100% all NotWiped | XtsAes128 software | Off suspended suspend=2 | Unlocked | Tpm,RecoveryPassword | clear=yes auto=? stored=no"},
	{name: "suspended until resumed", change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
		c.KeyInClear = true
	}, c: "FullyEncrypted 100% all NotWiped | XtsAes128 software | Off suspended suspend=0 | Unlocked | Tpm,RecoveryPassword | clear=yes auto=? stored=no"},
	{name: "B33 waiting for activation, clear key only, used space", change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
		c.KeyInClear, c.Protectors, c.Flags = true, nil, 1
	}, c: "FullyEncrypted 100% used NotWiped | XtsAes128 software | Off waiting-for-activation suspend=? | Unlocked | - | clear=yes auto=? stored=no"},
	{name: "B7 encrypting at 37.5 percent", change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
		c.Conversion, c.Percent = simulator.Encrypting, 37.5
	}, c: "EncryptionInProgress 37.5% all NotWiped | XtsAes128 software | Off converting suspend=? | Unlocked | Tpm,RecoveryPassword | clear=? auto=? stored=no"},
	{name: "decrypting", change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
		c.Conversion, c.Percent = simulator.Decrypting, 62.25
	}, c: "DecryptionInProgress 62.25% all NotWiped | XtsAes128 software | Off converting suspend=? | Unlocked | Tpm,RecoveryPassword | clear=? auto=? stored=no"},
	{name: "B53 encryption paused", change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
		c.Conversion, c.Percent = simulator.EncryptingPaused, 10
	}, c: "EncryptionPaused 10% all NotWiped | XtsAes128 software | Off converting suspend=? | Unlocked | Tpm,RecoveryPassword | clear=? auto=? stored=no"},
	{name: "decryption paused", change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
		c.Conversion, c.Percent = simulator.DecryptingPaused, 90
	}, c: "DecryptionPaused 90% all NotWiped | XtsAes128 software | Off converting suspend=? | Unlocked | Tpm,RecoveryPassword | clear=? auto=? stored=no"},
	{name: "B31 locked data volume", change: func(_ *simulator.Machine, _, d *simulator.Volume) {
		encryptedData(d)
		d.Locked = true
	}, d: "? ? ? ? | XtsAes256 software | Unknown locked suspend=? | Locked | RecoveryPassword | clear=? auto=no stored=?", problems: []string{"volume-locked"}, code: 3},
	{name: "data volume unlocks by keys on the operating system's", change: func(_ *simulator.Machine, c, d *simulator.Volume) {
		encryptedData(d, external())
		d.AutoUnlock, c.KeysStored = external().ID, true
	}, c: strings.Replace(protected, "stored=no", "stored=yes", 1),
		d: "FullyEncrypted 100% all NotWiped | XtsAes256 software | On protected suspend=? | Unlocked | ExternalKey,RecoveryPassword | clear=no auto=yes stored=?"},
	{name: "B36 eDrive", change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
		c.Method, c.DriveMethod, c.Hardware = 5, "2.16.840.1.101.3.4.1.42", 3
	}, c: strings.Replace(protected, "XtsAes128 software", "Hardware drive", 1)},
	{name: "B15 unknown method, which is -1 here", change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
		c.Method = -1
	}, c: strings.Replace(protected, "XtsAes128 software", "Unknown ?", 1), problems: []string{"method-unknown"}, code: 3},
	{name: "method that no page lists", change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
		c.Method = 42
	}, c: strings.Replace(protected, "XtsAes128 software", "Unrecognized42 ?", 1), problems: []string{"method-unrecognized"}, code: 3},
	{name: "used space only", change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
		c.Flags = 1
	}, c: strings.Replace(protected, " all ", " used ", 1)},
	{name: "wiping", change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
		c.Flags, c.Wiping, c.WipePercent = 3, simulator.Wiping, 25
	}, c: strings.Replace(protected, "all NotWiped", "used WipeInProgress", 1)},
	{name: "wipe paused", change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
		c.Flags, c.Wiping, c.WipePercent = 3, simulator.WipePaused, 25
	}, c: strings.Replace(protected, "all NotWiped", "used WipePaused", 1)},
	{name: "smart card", change: func(_ *simulator.Machine, _, d *simulator.Volume) {
		encryptedData(d, kind(simulator.PublicKey))
	}, d: "FullyEncrypted 100% all NotWiped | XtsAes256 software | On protected suspend=? | Unlocked | PublicKey,RecoveryPassword | clear=no auto=no stored=?"},
	{name: "B19 To Go on a removable drive", change: func(_ *simulator.Machine, _, d *simulator.Volume) {
		encryptedData(d, kind(simulator.Passphrase))
		d.Type, d.Method = simulator.Removable, 3
	}, d: "FullyEncrypted 100% all NotWiped | Aes128 software | On protected suspend=? | Unlocked | Password,RecoveryPassword | clear=no auto=no stored=?"},
	{name: "TPM and PIN", change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
		c.Protectors[0] = kind(simulator.TPMAndPIN)
	}, c: strings.Replace(protected, "Tpm,", "TpmPin,", 1)},
	{name: "B3 network unlock, and a type that no page lists", change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
		c.Protectors = []simulator.Protector{kind(simulator.TPMNetworkKey), kind(23), tpm()}
	}, c: strings.Replace(protected, "Tpm,RecoveryPassword", "TpmNetworkKey,Unrecognized23,Tpm", 1), problems: []string{"protector-unrecognized"}},
	{name: "account of Active Directory", change: func(_ *simulator.Machine, _, d *simulator.Volume) {
		encryptedData(d, kind(simulator.AccountSID))
	}, d: "FullyEncrypted 100% all NotWiped | XtsAes256 software | On protected suspend=? | Unlocked | AdAccountOrGroup,RecoveryPassword | clear=no auto=no stored=?"},
	{name: "B5 recovery password only", change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
		c.Protectors = []simulator.Protector{recovery()}
	}, c: strings.Replace(protected, "Tpm,", "", 1)},
	{name: "B9 encrypted volume without letter", change: func(m *simulator.Machine, _, _ *simulator.Volume) {
		v := &simulator.Volume{DeviceID: offline, Type: simulator.Fixed, Version: 2}
		encryptedData(v)
		m.Volumes = append(m.Volumes, v)
	}, others: map[string]string{
		offline: "FullyEncrypted 100% all NotWiped | XtsAes256 software | On protected suspend=? | Unlocked | RecoveryPassword | clear=no auto=no stored=?",
	}, problems: []string{"volume-not-listed"}},
	{name: "B10 server without the feature", change: func(m *simulator.Machine, _, _ *simulator.Volume) {
		m.NoBitLocker, m.Features = true, map[string]int32{"BitLocker": 2}
	}, c: nothing, d: nothing, reason: "not installed", problems: []string{"feature-not-installed"}, code: 6},
	{name: "B11 feature waits for a restart", change: func(m *simulator.Machine, _, _ *simulator.Volume) {
		m.NoBitLocker, m.Features = true, map[string]int32{"BitLocker": 1}
	}, c: nothing, d: nothing, registry: restartPending, reason: "restart is pending", problems: []string{"restart-required"}, code: 6},
	{name: "standard user", standardUser: true, change: func(m *simulator.Machine, c, d *simulator.Volume) {
		m.Faults = []*simulator.Fault{{Point: simulator.AtConnect, Raise: bitlocker.WBEM_E_ACCESS_DENIED}}
		m.Shell = map[string]simulator.Value{`C:\`: int32(5), `D:\`: int32(2)}
	}, provider: "shell",
		c:        "? ? ? ? | ? ? | Off suspended suspend=? | ? | ? | clear=? auto=? stored=?",
		d:        "? ? ? ? | ? ? | Off ? suspend=? | ? | ? | clear=? auto=? stored=?",
		problems: []string{"needs-elevation"}, code: 4},
	{name: "B13 standard user, and the shell has no value", standardUser: true, change: func(m *simulator.Machine, c, d *simulator.Volume) {
		m.Faults = []*simulator.Fault{{Point: simulator.AtQuery, Raise: bitlocker.WBEM_E_ACCESS_DENIED}}
		m.Shell = map[string]simulator.Value{`C:\`: int32(8)}
	}, provider: "shell",
		c: "? ? ? ? | ? ? | Off waiting-for-activation suspend=? | ? | ? | clear=yes auto=? stored=?",
		d: nothing, problems: []string{"needs-elevation"}, code: 4},
	{name: "access denied to an administrator", change: strike(simulator.Fault{Point: simulator.AtConnect, Raise: bitlocker.WBEM_E_ACCESS_DENIED}),
		c: nothing, d: nothing, reason: "refuses", problems: []string{"access-denied"}, code: 6},
	{name: "provider hangs before it connects", timeout: "6s", change: strike(simulator.Fault{Point: simulator.AtConnect, Hang: true}),
		c: nothing, d: nothing, reason: "no answer", problems: []string{"timeout"}, code: 6},
	{name: "provider hangs in the query", timeout: "6s", change: strike(simulator.Fault{Point: simulator.AtQuery, Hang: true}),
		c: nothing, d: nothing, reason: "no answer", problems: []string{"timeout"}, code: 6},
	{name: "provider hangs in one method", timeout: "6s", change: func(m *simulator.Machine, c, d *simulator.Volume) {
		m.Faults = []*simulator.Fault{{Point: simulator.AtMethod, DeviceID: d.DeviceID, Name: "GetConversionStatus", Hang: true}}
	}, d: "any", problems: []string{"timeout"}, code: 3},
	{name: "service disabled", change: strike(simulator.Fault{Point: simulator.AtCreate, Fail: bitlocker.ERROR_SERVICE_DISABLED}),
		c: nothing, d: nothing, reason: "0x80070422", problems: []string{"provider-unavailable"}, code: 6},
	{name: "service does not answer", change: strike(simulator.Fault{Point: simulator.AtConnect, Raise: bitlocker.RPC_S_SERVER_UNAVAILABLE}),
		c: nothing, d: nothing, reason: "0x800706BA", problems: []string{"wmi-interrupted"}, code: 6},
	{name: "class missing", change: strike(simulator.Fault{Point: simulator.AtQuery, Raise: bitlocker.WBEM_E_INVALID_CLASS}),
		c: nothing, d: nothing, reason: "0x80041010", problems: []string{"provider-unavailable"}, code: 6},
	{name: "B28 a failure that passes", change: strike(simulator.Fault{Point: simulator.AtQuery, Raise: bitlocker.RPC_S_SERVER_UNAVAILABLE, Times: 1})},
	{name: "error in the middle of the enumeration", change: strike(simulator.Fault{Point: simulator.AtNext, Skip: 1, Raise: bitlocker.WBEM_E_PROVIDER_FAILURE}),
		d: nothing, problems: []string{"enumeration-incomplete", "not-listed-by-bitlocker"}, code: 3},
	{name: "B25 one volume vanishes between two calls", change: func(m *simulator.Machine, _, d *simulator.Volume) {
		encryptedData(d)
		m.Faults = []*simulator.Fault{{Point: simulator.AtMethod, DeviceID: d.DeviceID, Vanish: true}}
	}, d: nothing, problems: []string{"volume-vanished"}, code: 3},
	{name: "B14 access denied to one volume", change: func(m *simulator.Machine, _, d *simulator.Volume) {
		encryptedData(d)
		m.Faults = []*simulator.Fault{{Point: simulator.AtMethod, DeviceID: d.DeviceID, Raise: bitlocker.WBEM_E_ACCESS_DENIED}}
	}, d: nothing, problems: []string{"access-denied"}, code: 3},
	{name: "B4 protection is empty", change: func(m *simulator.Machine, c, _ *simulator.Volume) {
		m.Faults = []*simulator.Fault{{Point: simulator.AtMethod, DeviceID: c.DeviceID, Name: "GetProtectionStatus", Outs: map[string]simulator.Value{"ProtectionStatus": simulator.Empty{}}}}
	}, c: "FullyEncrypted 100% all NotWiped | XtsAes128 software | ? ? suspend=? | Unlocked | Tpm,RecoveryPassword | clear=? auto=? stored=no", problems: []string{"answer-malformed"}, code: 3},
	{name: "B1 stale properties on a decrypted volume", change: func(_ *simulator.Machine, _, d *simulator.Volume) {
		d.Properties = map[string]simulator.Value{"ProtectionStatus": int32(1), "ConversionStatus": int32(1), "EncryptionMethod": int32(6)}
	}},
	{name: "B16 properties missing and NULL", change: func(m *simulator.Machine, c, d *simulator.Volume) {
		m.Faults = []*simulator.Fault{
			{Point: simulator.AtProperty, Name: "EncryptionMethod", Missing: true},
			{Point: simulator.AtProperty, Name: "PersistentVolumeID", Instead: simulator.Null{}},
		}
	}},
	{name: "an older Windows lacks methods", change: func(m *simulator.Machine, c, d *simulator.Volume) {
		for _, name := range []string{"GetSuspendCount", "GetHardwareEncryptionStatus"} {
			m.Faults = append(m.Faults, &simulator.Fault{Point: simulator.AtMethod, Name: name, Missing: true})
		}
	}},
	{name: "hardware test pending", change: func(_ *simulator.Machine, c, _ *simulator.Volume) {
		c.Conversion, c.Percent, c.Method, c.HardwareTest, c.PersistentVolumeID = simulator.Decrypted, 0, 0, 2, ""
	}, c: "FullyDecrypted 0% all NotWiped | None none | Off decrypted suspend=? | Unlocked | Tpm,RecoveryPassword | clear=no auto=? stored=no"},
	{name: "26 volumes", change: func(m *simulator.Machine, _, _ *simulator.Volume) {
		for letter := byte('E'); letter <= 'Z'; letter++ {
			v := &simulator.Volume{DeviceID: simulator.WineVolume(letter), DriveLetter: string(letter) + ":", Type: simulator.Fixed, Version: 2}
			encryptedData(v)
			m.Volumes = append(m.Volumes, v)
		}
		m.Volumes = append(m.Volumes,
			&simulator.Volume{DeviceID: simulator.WineVolume('A'), DriveLetter: "A:", Type: simulator.Removable},
			&simulator.Volume{DeviceID: simulator.WineVolume('B'), DriveLetter: "B:", Type: simulator.Removable})
	}, others: func() map[string]string {
		others := map[string]string{"A:": plain, "B:": plain}
		for letter := 'E'; letter <= 'Z'; letter++ {
			others[string(letter)+":"] = "FullyEncrypted 100% all NotWiped | XtsAes256 software | On protected suspend=? | Unlocked | RecoveryPassword | clear=no auto=no stored=?"
		}
		return others
	}(), problems: []string{"volume-not-listed"}},
}

// restartPending is how Windows remembers that a feature waits for a restart.
var restartPending = registry.Memory{`HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing\RebootPending`: {}}

// hurry is how long one run may take beyond its time limit.
const hurry = 20 * time.Second
