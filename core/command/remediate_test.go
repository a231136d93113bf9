package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/remediate"
	"diskaudit/core/remediate/journal"
)

const (
	systemID = `\\?\Volume{00000000-0000-4000-8000-00000000000c}\`
	dataID   = `\\?\Volume{00000000-0000-4000-8000-00000000000d}\`
)

// desktop is a computer whose C: and D: are encrypted by software and against whose decryption nothing
// stands; D: unlocks by itself. It is a machine.Machine, and what remediate changes.
type desktop struct {
	status     contract.Status
	conversion map[string]contract.Conversion
	// looks are counted by volume: a decryption ends with the third.
	looks      map[string]int
	keys       bool
	prevention string
	// flushing is by disk; a disk that is not in it does not answer.
	flushing map[string]string
	changed  []string
	// looked is called at each look at a conversion.
	looked func(*desktop)
}

func newDesktop() *desktop {
	d := &desktop{
		conversion: map[string]contract.Conversion{systemID: contract.FullyEncrypted, dataID: contract.FullyEncrypted},
		looks:      map[string]int{}, prevention: remediate.Absent, keys: true, flushing: map[string]string{"PhysicalDrive0": remediate.On, "PhysicalDrive1": remediate.On},
	}
	d.status = contract.Status{
		Machine: contract.Machine{
			Source: contract.SourceWindows, Elevated: contract.Ptr(true), RebootPending: contract.Ptr(false),
			Power: contract.Power{Source: contract.Ptr(contract.PowerAC), Portable: contract.Ptr(false)},
			Join:  contract.Join{Domain: contract.Ptr(false), Entra: contract.Ptr(false), MDM: contract.Ptr(false)},
		},
		BitLocker: contract.Provider{Available: contract.Ptr(true), Provider: contract.Ptr("wmi")},
		Policy: contract.Policy{
			RequireDeviceEncryption: contract.Ptr(false), DenyWriteFixed: contract.Ptr(false), DenyWriteRemovable: contract.Ptr(false),
			FIPS: contract.Ptr(false), ManagementEnforces: contract.Ptr(false),
		},
	}
	for _, serial := range []string{"A", "B"} {
		d.status.Disks = append(d.status.Disks, contract.Disk{
			ID: "PhysicalDrive" + string(rune('0'+len(d.status.Disks))), Model: contract.Ptr("Disk"), Serial: contract.Ptr(serial), SizeBytes: contract.Ptr(uint64(1 << 40)),
			Media: contract.Ptr(contract.MediaHDD), Health: contract.Health{OK: contract.Ptr(true)},
			WriteCache: contract.WriteCache{Type: contract.Ptr(contract.WriteBack), Enabled: contract.Ptr(true)},
		})
	}
	return d
}

func (d *desktop) Host(_ context.Context, report *machine.Report) {
	report.SetMachine(d.status.Machine)
	report.SetProvider(d.status.BitLocker)
}

func (d *desktop) Policy(_ context.Context, report *machine.Report) {
	policy := d.status.Policy
	policy.PreventDeviceEncryption = contract.Ptr(d.prevention == "1")
	report.SetPolicy(policy)
}

func (d *desktop) Disks(_ context.Context, report *machine.Report) {
	for _, disk := range d.status.Disks {
		disk.WriteCache.PowerProtected = contract.Ptr(d.flushing[disk.ID] == remediate.Off)
		report.AddDisk(disk)
	}
}

func (d *desktop) Volumes(_ context.Context, report *machine.Report) {
	for _, id := range []string{systemID, dataID} {
		volume := contract.Volume{
			ID: id, MountPoints: contract.List[string]{"C:"}, FileSystem: contract.Ptr("NTFS"), FileSystemDirty: contract.Ptr(false), SizeBytes: contract.Ptr(uint64(1 << 39)),
			Type: contract.Ptr(contract.OperatingSystem), Extents: contract.List[contract.Extent]{{DiskID: "PhysicalDrive0", LengthBytes: 1 << 39}},
			Encryption: d.encryption(id),
		}
		if id == dataID {
			volume.MountPoints[0], volume.Type, volume.Extents[0].DiskID = "D:", contract.Ptr(contract.Data), "PhysicalDrive1"
		}
		report.AddVolume(volume)
	}
}

func (d *desktop) encryption(id string) contract.Encryption {
	conversion := d.conversion[id]
	e := contract.Encryption{
		Conversion: &conversion, Percent: contract.Ptr(0.0), UsedSpaceOnly: contract.Ptr(false), Wiping: contract.Ptr(contract.NotWiped), Lock: contract.Ptr(contract.Unlocked),
		Method: contract.Ptr(contract.MethodNone), Engine: contract.Ptr(contract.EngineNone), Protection: contract.Ptr(contract.ProtectionOff),
		ProtectionReason: contract.Ptr(contract.ReasonDecrypted), Protectors: []contract.Protector{}, ClearKey: contract.Ptr(false),
	}
	if conversion != contract.FullyDecrypted {
		e.Percent, e.Method, e.Engine = contract.Ptr(100.0), contract.Ptr(contract.XtsAes128), contract.Ptr(contract.EngineSoftware)
		e.Protection, e.ProtectionReason = contract.Ptr(contract.ProtectionOn), contract.Ptr(contract.ReasonProtected)
		e.Protectors = []contract.Protector{{ID: "a", Type: contract.RecoveryPassword}}
	}
	if id == systemID {
		e.AutoUnlockKeysStored, e.HardwareTest = contract.Ptr(d.keys), contract.Ptr(contract.HardwareTestNone)
	} else {
		e.AutoUnlock = contract.Ptr(d.keys && conversion != contract.FullyDecrypted)
	}
	return e
}

func (d *desktop) Volume(_ context.Context, id string) (contract.Encryption, error) {
	return d.encryption(id), nil
}

func (d *desktop) Conversion(_ context.Context, id string) (contract.Encryption, error) {
	if d.looked != nil {
		d.looked(d)
	}
	e := d.encryption(id)
	if *e.Conversion == contract.DecryptionInProgress {
		if d.looks[id]++; d.looks[id] == 3 {
			d.conversion[id] = contract.FullyDecrypted
		}
	}
	return e, nil
}

func (d *desktop) Change(_ context.Context, id string, change contract.Change) error {
	d.changed = append(d.changed, string(change))
	switch change {
	case contract.ChangeDecrypt:
		d.conversion[id] = contract.DecryptionInProgress
	case contract.ChangeClearAutoUnlock:
		d.keys = false
	}
	return nil
}

func (d *desktop) Prevention(context.Context) (string, error) { return d.prevention, nil }

func (d *desktop) SetPrevention(_ context.Context, value string) error {
	d.changed, d.prevention = append(d.changed, "prevention "+value), value
	return nil
}

func (d *desktop) Flushing(_ context.Context, disk string) (string, error) {
	if value, known := d.flushing[disk]; known {
		return value, nil
	}
	return "", errors.New("the disk does not answer")
}

func (d *desktop) SetFlushing(_ context.Context, disk, value string) error {
	if _, known := d.flushing[disk]; !known {
		return errors.New("the disk does not answer")
	}
	d.changed, d.flushing[disk] = append(d.changed, "flushing "+disk+" "+value), value
	return nil
}

func (d *desktop) Reconnect(context.Context) error { return nil }
func (d *desktop) Close()                          {}

// run remediates the computer, with its journal in folder.
func (d *desktop) run(t *testing.T, folder string, arguments ...string) (int, contract.Remediation) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	arguments = append([]string{"diskaudit", "remediate", "--journal", folder}, arguments...)
	exit := RunWith(t.Context(), arguments, &stdout, &stderr, Sources{
		Computer: func(bool) machine.Machine { return d }, Changes: func() remediate.Computer { return d },
		Poll: time.Microsecond, Pauses: []time.Duration{time.Microsecond},
	})
	var document contract.Remediation
	if err := json.Unmarshal(stdout.Bytes(), &document); err != nil || stderr.Len() != 0 {
		t.Fatalf("%v: %s %s", err, stdout.String(), stderr.String())
	}
	if err := contract.Validate(contract.KindRemediate, stdout.Bytes()); err != nil {
		t.Error(err)
	}
	return exit, document
}

func problemWith(document contract.Remediation, code string) *contract.Problem {
	for _, problem := range document.Problems {
		if problem.Code == code {
			return &problem
		}
	}
	return nil
}

// killedSpeedUp is a folder with the journal of a run that was killed when it had turned the flushing
// of a disk off: that with serial number B, as PhysicalDrive1.
func killedSpeedUp(t *testing.T, identity string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal")
	folder, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	written, err := folder.Create(tool(), contract.Plan{Action: contract.ActionDecrypt})
	if err != nil {
		t.Fatal(err)
	}
	defer written.Close()
	err = written.Write(journal.Line{
		Event: journal.EventStep, Step: "2-set-cache-flushing", Change: contract.ChangeFlushing, Target: "PhysicalDrive1", Identity: identity, Old: remediate.On, New: remediate.Off,
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLeftoverOfAKilledRun(t *testing.T) {
	all := []string{"--clear-auto-unlock"}
	t.Run("is shown, and put right before the plan", func(t *testing.T) {
		d := newDesktop()
		folder := killedSpeedUp(t, remediate.Identity(d.status.Disks[1]))
		d.flushing["PhysicalDrive1"] = remediate.Off
		exit, plan := d.run(t, folder, all...)
		if exit != 0 || plan.Plan.Steps[0].Change != contract.ChangeFlushing || plan.Plan.Steps[0].Target != "PhysicalDrive1" || len(d.changed) != 0 {
			t.Fatalf("exit %d, %+v, changed %v", exit, plan.Plan.Steps, d.changed)
		}
		exit, document := d.run(t, folder, append(all, "--apply", "--expect-plan", plan.Plan.ID)...)
		if exit != 0 || problemWith(document, "flushing-restored") == nil || d.changed[0] != "flushing PhysicalDrive1 on" || d.conversion[systemID] != contract.FullyDecrypted {
			t.Errorf("exit %d, %+v, changed %v", exit, document.Problems, d.changed)
		}
		if _, document = d.run(t, folder, append(all, "--apply")...); problemWith(document, "flushing-restored") != nil {
			t.Error("it is put right again and again")
		}
	})
	t.Run("is found under another number", func(t *testing.T) {
		d := newDesktop()
		folder := killedSpeedUp(t, remediate.Identity(d.status.Disks[1]))
		// After a restart the two disks have changed places.
		d.status.Disks[0].Serial, d.status.Disks[1].Serial = d.status.Disks[1].Serial, d.status.Disks[0].Serial
		d.flushing["PhysicalDrive0"] = remediate.Off
		if exit, document := d.run(t, folder, "--action", "prevent", "--apply"); exit != 0 || d.flushing["PhysicalDrive0"] != remediate.On {
			t.Errorf("exit %d, %+v, %v", exit, document.Problems, d.changed)
		}
	})
	t.Run("on a disk that is gone stops nothing", func(t *testing.T) {
		d := newDesktop()
		folder := killedSpeedUp(t, "0123456789abcdef")
		exit, document := d.run(t, folder, append(all, "--apply")...)
		if exit != 0 || problemWith(document, "flushing-left-off") == nil || d.conversion[systemID] != contract.FullyDecrypted {
			t.Errorf("exit %d, %+v", exit, document.Problems)
		}
	})
	t.Run("that cannot be put right stops the plan", func(t *testing.T) {
		d := newDesktop()
		folder := killedSpeedUp(t, remediate.Identity(d.status.Disks[1]))
		delete(d.flushing, "PhysicalDrive1")
		exit, document := d.run(t, folder, append(all, "--apply")...)
		problem := problemWith(document, "flushing-left-off")
		if exit != 1 || problem == nil || problem.Level != contract.LevelError || problemWith(document, "flushing-restored") != nil || len(d.changed) != 0 {
			t.Errorf("exit %d, %+v, changed %v", exit, document.Problems, d.changed)
		}
	})
	t.Run("is put right although a guard refuses", func(t *testing.T) {
		d := newDesktop()
		folder := killedSpeedUp(t, remediate.Identity(d.status.Disks[1]))
		d.flushing["PhysicalDrive1"] = remediate.Off
		d.status.Machine.Power.Portable = contract.Ptr(true)
		exit, document := d.run(t, folder, append(all, "--apply")...)
		if exit != 5 || document.Applied || !slices.Equal(d.changed, []string{"flushing PhysicalDrive1 on"}) {
			t.Errorf("exit %d, %+v, changed %v", exit, document.Plan.Guards, d.changed)
		}
	})
}

// A guard that came to refuse while D: was waited for keeps C: as it is, and the keys.
func TestGuardsAreAskedAgainAfterAWait(t *testing.T) {
	d := newDesktop()
	d.looked = func(d *desktop) {
		if d.conversion[dataID] == contract.DecryptionInProgress {
			d.status.Machine.Power.Source = contract.Ptr(contract.PowerBattery)
		}
	}
	exit, document := d.run(t, filepath.Join(t.TempDir(), "journal"), "--apply", "--clear-auto-unlock")
	problem := problemWith(document, "refused-meanwhile")
	if exit != 1 || problem == nil || !strings.Contains(problem.Text, "on-battery") || !d.keys || d.conversion[systemID] != contract.FullyEncrypted || d.conversion[dataID] != contract.FullyDecrypted {
		t.Errorf("exit %d, %+v, changed %v", exit, document.Problems, d.changed)
	}
}

// What prevention did without BitLocker's provider is taken back without it.
func TestUndoWithoutProvider(t *testing.T) {
	d, folder := newDesktop(), filepath.Join(t.TempDir(), "journal")
	d.status.BitLocker = contract.Provider{Available: contract.Ptr(false), Reason: contract.Ptr("Not installed.")}
	if exit, document := d.run(t, folder, "--action", "prevent", "--apply"); exit != 0 || d.prevention != "1" {
		t.Fatalf("exit %d, %+v", exit, document.Problems)
	}
	if exit, document := d.run(t, folder, "--action", "undo", "--apply"); exit != 0 || d.prevention != remediate.Absent {
		t.Errorf("exit %d, %+v", exit, document.Problems)
	}
	if exit, document := d.run(t, folder, "--apply"); exit != 6 || problemWith(document, "provider-unavailable") == nil {
		t.Errorf("exit %d, %+v", exit, document.Problems)
	}
}

// A file that cannot be written is known before anything is changed.
func TestOutputThatCannotBeWritten(t *testing.T) {
	d := newDesktop()
	exit, document := d.run(t, filepath.Join(t.TempDir(), "journal"), "--apply", "--output", filepath.Join(t.TempDir(), "missing", "out.json"))
	if exit != 1 || problemWith(document, "output-failed") == nil || len(d.changed) != 0 {
		t.Errorf("exit %d, %+v, changed %v", exit, document.Problems, d.changed)
	}
}

// A plan has one id, whether names are told or not.
func TestPlanIDWithAndWithoutNames(t *testing.T) {
	d, folder := newDesktop(), filepath.Join(t.TempDir(), "journal")
	_, without := d.run(t, folder)
	_, with := d.run(t, folder, "--identify")
	if without.Plan.ID != with.Plan.ID || without.Projected.Disks[0].Serial != nil || with.Projected.Disks[0].Serial == nil {
		t.Errorf("%s, %s", without.Plan.ID, with.Plan.ID)
	}
}
