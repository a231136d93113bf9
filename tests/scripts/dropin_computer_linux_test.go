package scripts_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"testing"

	"diskaudit/core/command"
	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/windows"
	"diskaudit/core/machine/windows/shell"
	"diskaudit/core/machine/windows/storage"
	"diskaudit/tests/rig/simulator"
)

// speedFacts are what Windows says of a simulated computer beside BitLocker: it has these volumes, and
// the caller is an administrator.
type speedFacts struct{ machine *simulator.Machine }

func (f speedFacts) Machine(context.Context, bool) (contract.Machine, []contract.Problem) {
	return contract.Machine{OS: contract.Ptr("Windows 11 Pro"), Elevated: contract.Ptr(true)}, nil
}

func (f speedFacts) Policy(context.Context) (contract.Policy, []contract.Problem) {
	return contract.Policy{}, nil
}

func (f speedFacts) Disks(context.Context, *machine.Report, bool) {}

func (f speedFacts) Volumes(context.Context) ([]contract.Volume, []contract.Problem) {
	var volumes []contract.Volume
	for _, each := range f.machine.Volumes {
		volume := contract.Volume{ID: each.DeviceID}
		if each.DriveLetter != "" {
			volume.MountPoints = contract.List[string]{each.DriveLetter}
		}
		volumes = append(volumes, volume)
	}
	return volumes, nil
}

func (f speedFacts) OpenDisk(id string) (storage.RawDisk, int64, error) {
	return nil, 0, fmt.Errorf("opening %s: %w", id, fs.ErrPermission)
}

// speedStatus is what the executable says of a simulated computer.
func speedStatus(t *testing.T, simulated *simulator.Machine) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	facts := speedFacts{simulated}
	command.RunWith(t.Context(), []string{"diskaudit", "status", "--format", "json"}, &stdout, &stderr, command.Sources{
		Computer: func(identify bool) machine.Machine {
			return windows.New(windows.Options{
				Identify: identify, Host: facts, Storage: facts, Provider: simulator.NewCaller(simulated), Shell: func() shell.Property { return nil },
			})
		},
	})
	if stdout.Len() == 0 || stderr.Len() > 0 {
		t.Fatalf("the executable wrote %d bytes, and on stderr: %s", stdout.Len(), stderr.Bytes())
	}
	return stdout.String()
}
