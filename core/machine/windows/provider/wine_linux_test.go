package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/bitlocker"
	"diskaudit/core/machine/windows/provider"
	"diskaudit/tests/rig"
	"diskaudit/tests/rig/simulator"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

const idTPM = "{AAAAAAAA-0000-4000-8000-000000000001}"

// simulated are computers by what is the matter with them.
var simulated = map[string]func() *simulator.Machine{
	"volumes in many states": func() *simulator.Machine {
		tpm := []simulator.Protector{{ID: idTPM, Type: 1}, {ID: "{AAAAAAAA-0000-4000-8000-000000000002}", Type: 3}}
		volume := func(letter byte, change func(*simulator.Volume)) *simulator.Volume {
			v := &simulator.Volume{
				DeviceID: simulator.WineVolume(letter), DriveLetter: string(letter) + ":", PersistentVolumeID: "{BBBBBBBB-0000-4000-8000-0000000000" + strconv.Itoa(int(letter)) + "}",
				Type: simulator.Fixed, Conversion: simulator.Encrypted, Percent: 100, Flags: 1, Method: 6, Hardware: 2, Version: 2, Protectors: tpm,
			}
			change(v)
			return v
		}
		return &simulator.Machine{
			Volumes: []*simulator.Volume{
				volume('C', func(v *simulator.Volume) {
					v.Type, v.KeysStored, v.KeyInClear, v.Suspensions = simulator.OperatingSystem, true, true, 2
				}),
				volume('D', func(v *simulator.Volume) { v.Locked = true }),
				volume('E', func(v *simulator.Volume) { v.AutoUnlock = idTPM }),
				volume('F', func(v *simulator.Volume) { v.Conversion, v.Percent = simulator.Encrypting, 37.25 }),
				volume('G', func(v *simulator.Volume) {
					v.Conversion, v.Percent, v.Method, v.Protectors, v.PersistentVolumeID, v.Version = simulator.Decrypted, 0, 0, nil, "", 0
				}),
				volume('H', func(v *simulator.Volume) { v.Method, v.DriveMethod, v.Hardware = 5, "2.16.840.1.101.3.4.1.42", 3 }),
				volume('I', func(v *simulator.Volume) { v.Method = -1 }),
				volume('J', func(v *simulator.Volume) { v.Protectors, v.KeyInClear = nil, true }),
				volume('K', func(v *simulator.Volume) { v.Wiping, v.WipePercent, v.DriveLetter = simulator.Wiping, 12.5, "" }),
				volume('L', func(v *simulator.Volume) {
					v.Type, v.Conversion, v.Percent = simulator.Removable, simulator.DecryptingPaused, 3
				}),
			},
			Shell: map[string]simulator.Value{`C:\`: int32(5), `D:\`: "", `E:\`: int32(6)},
		}
	},
	"answers that are none": func() *simulator.Machine {
		m := plain()
		m.Faults = []*simulator.Fault{
			{Point: simulator.AtMethod, Name: "GetEncryptionMethod", Outs: map[string]simulator.Value{"EncryptionMethod": simulator.Empty{}}},
			{Point: simulator.AtMethod, Name: "GetProtectionStatus", Outs: map[string]simulator.Value{"ProtectionStatus": "1"}},
			{Point: simulator.AtMethod, Name: "GetVersion", Missing: true},
			{Point: simulator.AtMethod, Name: "GetLockStatus", Raise: bitlocker.WBEM_E_ACCESS_DENIED},
			{Point: simulator.AtMethod, Name: "GetHardwareTestStatus", Instead: simulator.Null{}},
			{Point: simulator.AtMethod, Name: "GetHardwareEncryptionStatus", Instead: int32(50)},
			{Point: simulator.AtProperty, Name: "VolumeType", Missing: true},
			{Point: simulator.AtProperty, Name: "PersistentVolumeID", Instead: simulator.Null{}},
		}
		return m
	},
	"an error in the middle of the list": func() *simulator.Machine {
		m := plain()
		m.Volumes = append(m.Volumes, &simulator.Volume{DeviceID: simulator.WineVolume('D'), Type: 1})
		m.Faults = []*simulator.Fault{{Point: simulator.AtNext, DeviceID: simulator.WineVolume('D'), Raise: bitlocker.WBEM_E_PROVIDER_FAILURE}}
		return m
	},
	"a volume that vanishes": func() *simulator.Machine {
		m := plain()
		m.Faults = []*simulator.Fault{{Point: simulator.AtMethod, Name: "GetProtectionStatus", Vanish: true}}
		return m
	},
	"what is busy at first": func() *simulator.Machine {
		m := plain()
		m.Faults = []*simulator.Fault{
			{Point: simulator.AtConnect, Raise: bitlocker.RPC_S_SERVER_UNAVAILABLE, Times: 1},
			{Point: simulator.AtMethod, Name: "GetVersion", Raise: bitlocker.RPC_E_DISCONNECTED, Times: 1},
			{Point: simulator.AtMethod, Name: "GetConversionStatus", Instead: int32(-2144272348), Times: 1},
		}
		return m
	},
	"a question that hangs": func() *simulator.Machine {
		m := plain()
		m.Volumes = append(m.Volumes, &simulator.Volume{DeviceID: simulator.WineVolume('D'), Type: 1})
		m.Faults = []*simulator.Fault{{Point: simulator.AtMethod, Name: "GetEncryptionMethod", Hang: true}}
		return m
	},
	"no BitLocker": func() *simulator.Machine { return &simulator.Machine{NoBitLocker: true} },
	"access denied": func() *simulator.Machine {
		m := plain()
		m.Faults = []*simulator.Fault{{Point: simulator.AtConnect, Raise: bitlocker.WBEM_E_ACCESS_DENIED}}
		return m
	},
	"the service is disabled": func() *simulator.Machine {
		m := plain()
		m.Faults = []*simulator.Fault{{Point: simulator.AtCreate, Fail: bitlocker.ERROR_SERVICE_DISABLED}}
		return m
	},
}

func plain() *simulator.Machine {
	return &simulator.Machine{Volumes: []*simulator.Volume{{
		DeviceID: simulator.WineVolume('C'), DriveLetter: "C:", Conversion: simulator.Encrypted, Percent: 100, Method: 7, Version: 2,
		PersistentVolumeID: "{BBBBBBBB-0000-4000-8000-000000000067}", Protectors: []simulator.Protector{{ID: idTPM, Type: 1}},
	}}}
}

// live asks a machine through COM, under Wine, as often as told.
func live(t *testing.T, machine *simulator.Machine, rounds int) (answered, *simulator.Machine) {
	t.Helper()
	r := rig.New(t)
	server := r.Simulate(machine)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := r.Command(ctx, r.BuildTests("./core/machine/windows/provider", "provider.test.exe"), "-test.run=^TestAnswers$")
	command.Env = append(command.Env, "DISKAUDIT_ANSWERS="+strconv.Itoa(rounds))
	output, err := command.CombinedOutput()
	if errors.Is(err, exec.ErrWaitDelay) {
		// The program ended well, but something of Wine's that it started holds its output open.
		err = nil
	}
	_, line, found := strings.Cut(string(output), "ANSWERS ")
	line, _, _ = strings.Cut(line, "\n")
	var a answered
	if err != nil || !found || json.Unmarshal([]byte(line), &a) != nil {
		t.Fatalf("the Windows program: %v\n%s", err, output)
	}
	if now, most := server.Objects(); most > 20 {
		t.Errorf("%d objects are held, %d at most: they are not let go", now, most)
	}
	return a, machine
}

// What Live tells through COM is what the same computer tells without it. Cases B13, B15, B28, B61, C44, C47, C48, C49.
func TestLive(t *testing.T) {
	for name, machine := range simulated {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			reference := machine()
			defer reference.Release()
			direct := make(chan answered, 1)
			go func() { direct <- collect(ctx, simulator.NewCaller(reference)) }()
			got, _ := live(t, machine(), 1)
			want := <-direct
			got.Shell, got.Feature = want.Shell, want.Feature
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("without COM -, through COM +:\n%s", diff)
			}
			if len(want.Volumes) == 0 && want.Unavailable == "" {
				t.Error("the comparison is empty")
			}
		})
	}
}

// The shell's property as it is: a number, the empty text of a property that a thing does not
// have, VT_EMPTY. Case B13.
func TestLiveShell(t *testing.T) {
	machine := plain()
	machine.Shell = map[string]simulator.Value{`C:\`: int32(5), `D:\`: ""}
	got, _ := live(t, machine, 1)
	if want := map[string]string{`C:\`: "5", `D:\`: "unknown", `E:\`: "unknown"}; !cmp.Equal(got.Shell, want) {
		t.Errorf("%v, want %v", got.Shell, want)
	}
}

// Case B11.
func TestLiveFeature(t *testing.T) {
	for want, features := range map[string]map[string]int32{
		"restart-required":       {"BitLocker": 1},
		"feature-not-installed":  {"BitLocker": 2},
		"bitlocker-not-included": {"TelnetClient": 1},
	} {
		got, _ := live(t, &simulator.Machine{NoBitLocker: true, Features: features}, 1)
		if got.Unavailable != provider.NamespaceMissing || got.Feature != want {
			t.Errorf("%s %s, want %s", got.Unavailable, got.Feature, want)
		}
	}
}

// Cases B61, C44: many collections in one process hold no more objects than one, and connect once each.
func TestLiveLetsGo(t *testing.T) {
	const rounds = 30
	got, machine := live(t, plain(), rounds)
	if len(got.Volumes) != 1 {
		t.Fatalf("%+v", got)
	}
	connections := 0
	for _, call := range machine.Calls() {
		if call.Name == "ConnectServer" {
			connections++
		}
	}
	if connections != rounds {
		t.Errorf("%d connections in %d collections", connections, rounds)
	}
}
