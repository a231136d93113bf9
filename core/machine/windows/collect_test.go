package windows_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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

// computer is a computer around a simulated provider.
type computer struct {
	elevated bool
	volumes  []contract.Volume
	// disks are what can be read of disks; others refuse.
	disks map[string]*ondisktest.Image
	// plain is what lies on each disk that is not among disks; nil refuses.
	plain io.ReaderAt
	// opened counts how often a disk was opened.
	opened int
	shell  map[string]int32
}

func (c *computer) Machine(context.Context, bool) (contract.Machine, []contract.Problem) {
	return contract.Machine{Elevated: &c.elevated}, nil
}

func (c *computer) Policy(context.Context) (contract.Policy, []contract.Problem) {
	return contract.Policy{}, nil
}

func (c *computer) Disks(context.Context, *machine.Report, bool) {}

func (c *computer) Volumes(context.Context) ([]contract.Volume, []contract.Problem) {
	return append([]contract.Volume(nil), c.volumes...), nil
}

func (c *computer) OpenDisk(id string) (storage.RawDisk, int64, error) {
	c.opened++
	if image := c.disks[id]; image != nil {
		return rawDisk{image}, image.Size, nil
	}
	if c.plain != nil {
		return plainDisk{c.plain}, 64 << 20, nil
	}
	return nil, 0, fmt.Errorf("opening %s: %w", id, fs.ErrPermission)
}

type plainDisk struct{ io.ReaderAt }

func (plainDisk) Close() error { return nil }

type rawDisk struct{ *ondisktest.Image }

func (rawDisk) Close() error { return nil }

func (c *computer) BitLocker(_ context.Context, root string) (*int32, error) {
	if value, shown := c.shell[root]; shown {
		return &value, nil
	}
	return nil, nil
}

func (c *computer) Close() {}

func collect(t *testing.T, c *computer, simulated *simulator.Machine, limit time.Duration) contract.Status {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), limit, context.DeadlineExceeded)
	defer cancel()
	return machine.Collect(ctx, windows.New(windows.Options{
		Host: c, Storage: c, Provider: simulator.NewCaller(simulated), Shell: func() shell.Property { return c },
	}), nil)
}

const (
	volumeC = `\\?\Volume{00000000-0000-0000-0000-000000000043}\`
	volumeD = `\\?\Volume{00000000-0000-0000-0000-000000000044}\`
)

func mounted(id string, points ...string) contract.Volume {
	return contract.Volume{ID: id, MountPoints: points}
}

func protected(id, letter string) *simulator.Volume {
	return &simulator.Volume{
		DeviceID: id, DriveLetter: letter, PersistentVolumeID: "{6F1D2E3C-0000-4000-8000-000000000001}",
		Conversion: simulator.Encrypted, Percent: 100, Method: 6, Version: 2,
		Protectors: []simulator.Protector{{ID: "{11111111-0000-4000-8000-000000000001}", Type: 1}},
	}
}

func codes(problems []contract.Problem) string {
	var all []string
	for _, problem := range problems {
		all = append(all, fmt.Sprintf("%s=%s", problem.Code, problem.Level))
	}
	return strings.Join(all, " ")
}

func conversion(v contract.Volume) string {
	if v.Encryption.Conversion == nil {
		return "unknown"
	}
	return v.Encryption.Conversion.String()
}

// The provider's rows and Windows' own list are brought together by the volumes' GUID paths, however
// they are written, never by their letters. Cases B9, B25, B26, B27.
func TestVolumesAreMatchedByTheirPath(t *testing.T) {
	const gone = `\\?\Volume{00000000-0000-0000-0000-0000000000aa}\`
	c := &computer{elevated: true, volumes: []contract.Volume{
		// The letters are exchanged in the provider's stale instances.
		mounted(strings.ToUpper(volumeC), "D:"),
		mounted(volumeD),
		mounted(`\\?\Volume{00000000-0000-0000-0000-0000000000ee}\`),
	}}
	plain := &simulator.Volume{DeviceID: volumeD, DriveLetter: "D:", Type: 1, Version: 2}
	status := collect(t, c, &simulator.Machine{Volumes: []*simulator.Volume{protected(volumeC, "C:"), plain, protected(gone, "X:")}}, time.Minute)
	want := map[string]string{
		strings.ToUpper(volumeC): "FullyEncrypted", volumeD: "FullyDecrypted", gone: "FullyEncrypted",
		`\\?\Volume{00000000-0000-0000-0000-0000000000ee}\`: "unknown",
	}
	if len(status.Volumes) != len(want) {
		t.Fatalf("%d volumes, want %d", len(status.Volumes), len(want))
	}
	for _, volume := range status.Volumes {
		if conversion(volume) != want[volume.ID] {
			t.Errorf("%s: %s, want %s", volume.ID, conversion(volume), want[volume.ID])
		}
	}
	if last := status.Volumes[3]; last.ID != gone || len(last.MountPoints) != 1 || last.MountPoints[0] != "X:" || !strings.Contains(codes(last.Problems), "volume-not-listed=warning") {
		t.Errorf("the volume that only BitLocker knows: %v %v %s", last.ID, last.MountPoints, codes(last.Problems))
	}
	if third := status.Volumes[2]; !strings.Contains(codes(third.Problems), "not-listed-by-bitlocker=error") {
		t.Errorf("the volume that BitLocker does not know: %s", codes(third.Problems))
	}
	if status.Complete {
		t.Error("complete, although the state of a volume is unknown")
	}
}

// Cases B4, B10: a provider that is not there leaves every volume unknown; only what is seen in the
// clear on the disk itself is called decrypted.
func TestProviderIsMissing(t *testing.T) {
	plain := contract.Volume{ID: volumeC, MountPoints: contract.List[string]{"C:"}, Extents: contract.List[contract.Extent]{{DiskID: "PhysicalDrive0", LengthBytes: 1 << 20}}}
	c := &computer{elevated: true, volumes: []contract.Volume{plain, mounted(volumeD, "D:")}, disks: map[string]*ondisktest.Image{}}
	status := collect(t, c, &simulator.Machine{NoBitLocker: true}, time.Minute)
	if status.BitLocker.Available == nil || *status.BitLocker.Available || status.BitLocker.Reason == nil || status.Complete {
		t.Errorf("provider %+v, complete %v", status.BitLocker, status.Complete)
	}
	if len(status.Volumes) != 2 {
		t.Fatalf("%d volumes: none is not the same as none encrypted", len(status.Volumes))
	}
	for _, volume := range status.Volumes {
		if e := volume.Encryption; e.Conversion != nil || e.Protection != nil || e.Engine != nil || e.Protectors != nil {
			t.Errorf("%s: %+v", volume.ID, e)
		}
	}
}

// What only the metadata on the disk holds is read from there, and a locked volume tells its
// method from there too; what BitLocker has answered stands.
func TestMetadataBelowTheVolume(t *testing.T) {
	image := ondisktest.Build(ondisktest.Default())
	extents := contract.List[contract.Extent]{{DiskID: "PhysicalDrive0", LengthBytes: uint64(image.Size)}}
	for name, test := range map[string]struct {
		change func(*simulator.Volume)
		method contract.Method
		conv   string
	}{
		"unlocked": {func(v *simulator.Volume) { v.Method = 7 }, contract.XtsAes256, "FullyEncrypted"},
		"locked":   {func(v *simulator.Volume) { v.Locked = true }, contract.XtsAes128, "FullyEncrypted"},
	} {
		t.Run(name, func(t *testing.T) {
			volume := protected(volumeD, "D:")
			volume.Type = 1
			test.change(volume)
			c := &computer{elevated: true, disks: map[string]*ondisktest.Image{"PhysicalDrive0": image}}
			c.volumes = []contract.Volume{{ID: volumeD, Extents: extents}}
			status := collect(t, c, &simulator.Machine{Volumes: []*simulator.Volume{volume}}, time.Minute)
			e := status.Volumes[0].Encryption
			if e.Description == nil || e.CreatedAt == nil || e.SectorBytes == nil {
				t.Errorf("description %v, created %v, sector %v", e.Description, e.CreatedAt, e.SectorBytes)
			}
			if locked := e.Lock != nil && *e.Lock == contract.Locked; !status.Complete || locked != (name == "locked") {
				t.Errorf("lock %v, complete %v, problems %s", e.Lock, status.Complete, codes(status.Problems))
			}
			if e.Method == nil || *e.Method != test.method || conversion(status.Volumes[0]) != test.conv {
				t.Errorf("method %v, conversion %s", e.Method, conversion(status.Volumes[0]))
			}
		})
	}
}

// A standard user gets what Explorer shows, and is told what it takes to know the rest.
func TestStandardUser(t *testing.T) {
	c := &computer{volumes: []contract.Volume{mounted(volumeC, "C:"), mounted(volumeD, `C:\mnt\data`), mounted(`\\?\Volume{00000000-0000-0000-0000-0000000000ee}\`)}, shell: map[string]int32{`C:\`: 3, `C:\mnt\data\`: 6}}
	denied := &simulator.Machine{Faults: []*simulator.Fault{{Point: simulator.AtConnect, Raise: bitlocker.WBEM_E_ACCESS_DENIED}}}
	status := collect(t, c, denied, time.Minute)
	if b := status.BitLocker; b.Available == nil || !*b.Available || b.Provider == nil || *b.Provider != windows.ByShell {
		t.Errorf("provider %+v", b)
	}
	if got := conversion(status.Volumes[0]); got != "EncryptionInProgress" {
		t.Errorf("C: %s", got)
	}
	if lock := status.Volumes[1].Encryption.Lock; lock == nil || *lock != contract.Locked {
		t.Errorf("the folder's volume is locked, the answer is %v", lock)
	}
	if got := status.Volumes[2]; conversion(got) != "unknown" || !strings.Contains(codes(got.Problems), "needs-elevation=error") {
		t.Errorf("the volume that is mounted nowhere: %s, %s", conversion(got), codes(got.Problems))
	}
	if c.opened > 0 || status.Complete {
		t.Errorf("disks were opened %d times; complete %v", c.opened, status.Complete)
	}
}

// An administrator who is refused is not told to become one.
func TestDeniedToAnAdministrator(t *testing.T) {
	c := &computer{elevated: true, volumes: []contract.Volume{mounted(volumeC, "C:")}}
	denied := &simulator.Machine{Faults: []*simulator.Fault{{Point: simulator.AtConnect, Raise: bitlocker.WBEM_E_ACCESS_DENIED}}}
	status := collect(t, c, denied, time.Minute)
	if b := status.BitLocker; b.Available == nil || *b.Available || !strings.Contains(codes(status.Problems), "access-denied=error") || strings.Contains(codes(status.Problems), "needs-elevation") {
		t.Errorf("provider %+v, problems %s", b, codes(status.Problems))
	}
}

// Cases C38, C43: a provider that hangs costs what it alone could tell, within the time limit, and
// in a later collection of the same process nothing more.
func TestProviderHangs(t *testing.T) {
	for _, point := range []simulator.Point{simulator.AtConnect, simulator.AtQuery, simulator.AtMethod} {
		t.Run(string(point), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				simulated := &simulator.Machine{
					Volumes: []*simulator.Volume{protected(volumeC, "C:"), protected(volumeD, "D:")},
					Faults:  []*simulator.Fault{{Point: point, Hang: true}},
				}
				defer simulated.Release()
				c := &computer{elevated: true, volumes: []contract.Volume{mounted(volumeC, "C:"), mounted(volumeD, "D:")}}
				begun := time.Now()
				status := collect(t, c, simulated, 2*time.Second)
				if took := time.Since(begun); took > 2*time.Second {
					t.Errorf("it took %v", took)
				}
				if status.Complete || len(status.Volumes) != 2 {
					t.Errorf("complete %v, %d volumes, problems %s", status.Complete, len(status.Volumes), codes(status.Problems))
				}
				for _, volume := range status.Volumes {
					if conversion(volume) != "unknown" || volume.Encryption.Protection != nil {
						t.Errorf("%s: %+v", volume.ID, volume.Encryption)
					}
				}
			})
		})
	}
}

// No secret is asked for, and nothing is changed.
func TestAsksForNoSecret(t *testing.T) {
	simulated := &simulator.Machine{Volumes: []*simulator.Volume{protected(volumeC, "C:"), protected(volumeD, "D:")}}
	collect(t, &computer{elevated: true}, simulated, time.Minute)
	if forbidden := simulated.Forbidden(); len(forbidden) > 0 {
		t.Errorf("called %v", forbidden)
	}
	if len(simulated.Calls()) == 0 {
		t.Error("nothing was asked at all")
	}
}

// Case B6: the state is that of now, also for a machine that is asked again.
func TestAskedAgain(t *testing.T) {
	volume := protected(volumeC, "C:")
	simulated := &simulator.Machine{Volumes: []*simulator.Volume{volume}}
	c := &computer{elevated: true, volumes: []contract.Volume{mounted(volumeC, "C:")}}
	asked := windows.New(windows.Options{Host: c, Storage: c, Provider: simulator.NewCaller(simulated), Shell: func() shell.Property { return c }})
	for _, want := range []string{"FullyEncrypted", "FullyDecrypted"} {
		status := machine.Collect(t.Context(), asked, nil)
		if got := conversion(status.Volumes[0]); got != want {
			t.Errorf("%s, want %s; problems %s", got, want, codes(status.Problems))
		}
		simulated.Update(func(*simulator.Machine) {
			*volume = simulator.Volume{DeviceID: volumeC, DriveLetter: "C:", Version: 2}
		})
	}
}

// Case B63: a computer whose BitLocker driver somebody switched off is told by its code.
func TestDriverIsNotThere(t *testing.T) {
	simulated := &simulator.Machine{
		Volumes: []*simulator.Volume{protected(volumeC, "C:")},
		Faults:  []*simulator.Fault{{Point: simulator.AtMethod, Raise: bitlocker.FVE_E_NOT_ON_STACK}},
	}
	c := &computer{elevated: true, volumes: []contract.Volume{mounted(volumeC, "C:")}}
	status := collect(t, c, simulated, time.Minute)
	if conversion(status.Volumes[0]) != "unknown" || status.Complete {
		t.Errorf("conversion %s, complete %v", conversion(status.Volumes[0]), status.Complete)
	}
	named := false
	for _, problem := range status.Volumes[0].Problems {
		named = named || problem.HResultName != nil && *problem.HResultName == "FVE_E_NOT_ON_STACK"
	}
	if !named {
		t.Errorf("problems %s", codes(status.Volumes[0].Problems))
	}
}

// Case B14: a volume that refuses an administrator costs its own state only, and nobody is told to
// become what he is.
func TestOneVolumeRefuses(t *testing.T) {
	for elevated, want := range map[bool]string{true: "access-denied", false: "needs-elevation"} {
		simulated := &simulator.Machine{
			Volumes: []*simulator.Volume{protected(volumeC, "C:"), protected(volumeD, "D:")},
			Faults:  []*simulator.Fault{{Point: simulator.AtMethod, DeviceID: volumeD, Raise: bitlocker.WBEM_E_ACCESS_DENIED}},
		}
		c := &computer{elevated: elevated, volumes: []contract.Volume{mounted(volumeC, "C:"), mounted(volumeD, "D:")}}
		status := collect(t, c, simulated, time.Minute)
		if conversion(status.Volumes[0]) != "FullyEncrypted" || conversion(status.Volumes[1]) != "unknown" {
			t.Errorf("elevated %v: %s and %s", elevated, conversion(status.Volumes[0]), conversion(status.Volumes[1]))
		}
		if got := codes(status.Volumes[1].Problems); !strings.Contains(got, want+"=error") {
			t.Errorf("elevated %v: problems %s", elevated, got)
		}
		for _, problem := range status.Volumes[1].Problems {
			if problem.Code == want && !strings.Contains(problem.Text, "(D:)") {
				t.Errorf("elevated %v: the text does not name D: but %s", elevated, problem.Text)
			}
		}
	}
}

// A provider that falls silent in the middle of a volume has told something of it. Plain data where
// Windows places the volume does not complete that to "decrypted".
func TestSilenceInTheMiddleIsNotDecrypted(t *testing.T) {
	for name, test := range map[string]struct {
		locked bool
		hangs  string
	}{
		"locked":                    {true, "GetEncryptionMethod"},
		"encrypted, cipher unknown": {false, "GetEncryptionMethod"},
		"encrypted by software":     {false, "GetProtectionStatus"},
	} {
		t.Run(name, func(t *testing.T) {
			volume := protected(volumeD, "D:")
			volume.Type, volume.Locked = 1, test.locked
			simulated := &simulator.Machine{
				Volumes: []*simulator.Volume{volume},
				Faults:  []*simulator.Fault{{Point: simulator.AtMethod, Name: test.hangs, Hang: true}},
			}
			defer simulated.Release()
			const size = 64 << 20
			c := &computer{elevated: true, plain: disktest.NTFS(size, "")}
			c.volumes = []contract.Volume{{ID: volumeD, Extents: contract.List[contract.Extent]{{DiskID: "PhysicalDrive0", LengthBytes: size}}}}
			status := collect(t, c, simulated, 2*time.Second)
			e := status.Volumes[0].Encryption
			if got := conversion(status.Volumes[0]); got == "FullyDecrypted" || e.Engine != nil && *e.Engine == contract.EngineNone || status.Complete {
				t.Errorf("conversion %s, engine %v, complete %v, problems %s", got, e.Engine, status.Complete, codes(status.Problems))
			}
			if c.opened == 0 {
				t.Error("the disk was not read, so nothing is shown")
			}
		})
	}
}
