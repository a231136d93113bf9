package rig_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"diskaudit/core/audit"
	"diskaudit/core/bitlocker"
	"diskaudit/core/bitlocker/ondisk/ondisktest"
	"diskaudit/core/contract"
	"diskaudit/core/disk/disktest"
	"diskaudit/core/machine"
	"diskaudit/core/machine/windows"
	"diskaudit/core/machine/windows/shell"
	"diskaudit/core/machine/windows/storage"
	"diskaudit/tests/rig/simulator"
)

// still is a Windows computer around a simulated provider whose own part never changes.
type still struct {
	machine contract.Machine
	volumes []contract.Volume
	// disks are what can be read of disks; hung ones never answer.
	disks map[string]content
	hung  string
}

type content interface {
	ReadAt([]byte, int64) (int, error)
}

type openDisk struct{ content }

func (openDisk) Close() error { return nil }

// diskBytes is the size of each disk.
const diskBytes = 64 << 20

func (s *still) Machine(context.Context, bool) (contract.Machine, []contract.Problem) {
	return s.machine, nil
}

func (s *still) Policy(context.Context) (contract.Policy, []contract.Problem) {
	return contract.Policy{}, nil
}

func (s *still) Disks(context.Context, *machine.Report, bool) {}

func (s *still) Volumes(context.Context) ([]contract.Volume, []contract.Problem) {
	return append([]contract.Volume(nil), s.volumes...), nil
}

func (s *still) OpenDisk(id string) (storage.RawDisk, int64, error) {
	if id == s.hung {
		select {}
	}
	if disk := s.disks[id]; disk != nil {
		return openDisk{disk}, diskBytes, nil
	}
	return nil, 0, fmt.Errorf("opening %s: %w", id, fs.ErrPermission)
}

// stillComputer has C: on the disk "system" and D: on the disk "data", and is asked as an administrator.
func stillComputer() *still {
	at := func(letter byte, disk string) contract.Volume {
		return contract.Volume{
			ID: simulator.WineVolume(letter), MountPoints: contract.List[string]{string(letter) + ":"},
			Extents: contract.List[contract.Extent]{{DiskID: disk, LengthBytes: diskBytes}},
		}
	}
	return &still{
		machine: contract.Machine{OS: contract.Ptr("Windows 11 Pro"), Elevated: contract.Ptr(true)},
		volumes: []contract.Volume{at('C', "system"), at('D', "data")},
		disks:   map[string]content{"system": ondisktest.Build(ondisktest.Default()), "data": disktest.NTFS(diskBytes, "")},
	}
}

func (s *still) collect(t *testing.T, simulated *simulator.Machine, limit time.Duration) contract.Status {
	t.Helper()
	defer simulated.Release()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	status := machine.Collect(ctx, windows.New(windows.Options{
		Host: s, Storage: s, Provider: simulator.NewCaller(simulated), Shell: func() shell.Property { return nil },
	}), nil)
	status.Findings = audit.Findings(status)
	return status
}

func find(volumes []contract.Volume, letter byte) *contract.Volume {
	for i := range volumes {
		if strings.EqualFold(volumes[i].ID, simulator.WineVolume(letter)) {
			return &volumes[i]
		}
	}
	return nil
}

// A volume that BitLocker is busy with costs its own facts. Every other volume is in the document
// when the time limit ends the run: one that is not there looks like one that does not exist, and
// --volume says so.
func TestBusyVolumeKeepsOthersListed(t *testing.T) {
	m, c, _ := ordinary()
	busy := bitlocker.FVE_E_TRANSIENT_STATE
	m.Faults = []*simulator.Fault{{Point: simulator.AtMethod, DeviceID: c.DeviceID, Instead: int32(busy)}}
	status := stillComputer().collect(t, m, 2*time.Second)
	for _, letter := range []byte("CD") {
		if find(status.Volumes, letter) == nil {
			t.Errorf("%c: is not in the document, which has %d volumes", letter, len(status.Volumes))
		}
	}
}

// A locked volume holds encrypted data, says the page of GetLockStatus, whatever seems to lie on
// the disk where Windows places it.
func TestLockedIsNeverDecrypted(t *testing.T) {
	m, _, d := ordinary()
	encryptedData(d)
	d.Locked = true
	status := stillComputer().collect(t, m, time.Minute)
	volume := find(status.Volumes, 'D')
	if e := volume.Encryption; e.Conversion != nil && *e.Conversion == contract.FullyDecrypted {
		t.Errorf("locked, and called %s: %s", e.Conversion, describe(e))
	}
	if status.Complete {
		t.Error("complete, although the answers contradict each other")
	}
}

// A volume with BitLocker's metadata that the provider leaves out of its list is no volume that
// cannot be encrypted: something is wrong, and its lock is not known.
func TestUnlistedEncryptedVolume(t *testing.T) {
	m, _, _ := ordinary()
	m.Volumes = m.Volumes[:1]
	s := stillComputer()
	s.disks["data"] = ondisktest.Build(ondisktest.Default())
	status := s.collect(t, m, time.Minute)
	volume := find(status.Volumes, 'D')
	worst := contract.LevelInfo
	for _, problem := range volume.Problems {
		if problem.Code == "not-encryptable" {
			t.Errorf("%s of %s: %s", problem.Code, describe(volume.Encryption), problem.Text)
		}
		if problem.Level != contract.LevelInfo {
			worst = problem.Level
		}
	}
	if worst == contract.LevelInfo {
		t.Error("no problem above level info says that its lock is unknown")
	}
}

// A disk that hangs costs the facts of the volumes on it, not those of others, and is waited for once.
func TestHungDiskCostsItsOwnVolumes(t *testing.T) {
	m, _, _ := ordinary()
	s := stillComputer()
	s.hung = "bad"
	var first []contract.Volume
	for letter := byte('E'); letter < 'K'; letter++ {
		v := &simulator.Volume{DeviceID: simulator.WineVolume(letter), DriveLetter: string(letter) + ":", Type: simulator.Fixed, Version: 2}
		encryptedData(v)
		m.Volumes = append(m.Volumes, v)
		first = append(first, contract.Volume{ID: v.DeviceID, Extents: contract.List[contract.Extent]{{DiskID: s.hung, LengthBytes: diskBytes}}})
	}
	s.volumes = append(first, s.volumes...)
	status := s.collect(t, m, 4*time.Second)
	for _, letter := range []byte("CD") {
		if volume := find(status.Volumes, letter); volume == nil || volume.Encryption.Conversion == nil {
			t.Errorf("%c:, which lies on another disk, is not known", letter)
		}
	}
}

// Windows encrypts neither removable volumes nor those of servers by itself, so signing in with an
// account protects none of them.
func TestWaitingForActivationFitsTheVolume(t *testing.T) {
	for name, change := range map[string]func(*still, *simulator.Volume){
		"removable volume": func(_ *still, d *simulator.Volume) { d.Type = simulator.Removable },
		"server": func(s *still, _ *simulator.Volume) {
			s.machine.OS, s.machine.Edition = contract.Ptr("Windows Server 2022 Standard"), contract.Ptr("ServerStandard")
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, _, d := ordinary()
			encryptedData(d)
			d.Protectors, d.KeyInClear = nil, true
			s := stillComputer()
			change(s, d)
			for _, finding := range s.collect(t, m, time.Minute).Findings {
				if strings.Contains(finding.Advice, "encrypted it by itself") || strings.Contains(finding.Advice, "sign in") {
					t.Errorf("%s: %s", finding.ID, finding.Advice)
				}
			}
		})
	}
}

// A volume of an encrypting drive that Windows calls decrypted is always unlocked: nothing protects
// it, and there is nothing to decrypt.
func TestUnlockedDriveHasNothingToDecrypt(t *testing.T) {
	m, _, d := ordinary()
	d.Method, d.DriveMethod, d.Hardware = 5, "2.16.840.1.101.3.4.1.42", 1
	for _, finding := range stillComputer().collect(t, m, time.Minute).Findings {
		if finding.Target == d.DeviceID && (strings.Contains(finding.Advice, "Disable-BitLocker") || strings.Contains(finding.Title, "relies on")) {
			t.Errorf("%s: %s. %s", finding.ID, finding.Title, finding.Advice)
		}
	}
}

// The verdict of a measurement refers to the problems for why it is not known whether the volume is
// encrypted; they have to say it.
func TestBenchSaysWhyBitLockerIsUnknown(t *testing.T) {
	r := windowsComputer(t)
	m, _, _ := ordinary()
	m.NoBitLocker = true
	r.Simulate(m)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	result := r.Run(ctx, "bench", "--format", "json", "--target", `D:\`, "--profile", "custom", "--operation", "read", "--pattern", "random",
		"--block", "4K", "--queue-depth", "1", "--threads", "1", "--rounds", "6", "--size", "4M", "--duration", "600ms")
	var document contract.Bench
	if err := json.Unmarshal(bytes.TrimSpace(result.Stdout), &document); err != nil {
		t.Fatalf("%v\n%s%s", err, result.Stdout, result.Stderr)
	}
	if document.Penalty.Reason == nil || !strings.Contains(document.Penalty.Reason.Text, "the problems say why") {
		t.Fatalf("the reason is %+v", document.Penalty.Reason)
	}
	for _, problem := range document.Problems {
		if problem.Code == "bitlocker-not-included" {
			return
		}
	}
	t.Errorf("none of %d problems says that BitLocker's provider is not there", len(document.Problems))
}
