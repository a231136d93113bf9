package bench

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"diskaudit/core/bench/engine"
	"diskaudit/core/contract"
)

const (
	plainID     = `\\?\Volume{00000000-0000-4000-8000-000000000044}\`
	encryptedID = `\\?\Volume{00000000-0000-4000-8000-000000000043}\`
	namespace   = `root\CIMV2\Security\MicrosoftVolumeEncryption`
)

// neighbours are C: and D: on one disk of Windows, with E: on another; change does the rest.
func neighbours(change func(c, d, e *contract.Encryption)) contract.Status {
	on := func(id, mount, disk string) contract.Volume {
		return contract.Volume{ID: id, MountPoints: []string{mount}, Extents: []contract.Extent{{DiskID: disk}}}
	}
	status := contract.Status{
		Machine: contract.Machine{Source: contract.SourceWindows, Elevated: ptr(true)},
		Disks:   []contract.Disk{{ID: "PhysicalDrive0"}, {ID: "PhysicalDrive1"}},
		Volumes: []contract.Volume{
			on(encryptedID, "C:", "PhysicalDrive0"), on(plainID, "D:", "PhysicalDrive0"),
			on(`\\?\Volume{00000000-0000-4000-8000-000000000045}\`, "E:", "PhysicalDrive1"),
		},
	}
	if change != nil {
		change(&status.Volumes[0].Encryption, &status.Volumes[1].Encryption, &status.Volumes[2].Encryption)
	}
	return status
}

// observed measures D: on a computer that is before the first test and after the last.
func observed(t *testing.T, before, after contract.Status, change func(*rig)) contract.Bench {
	t.Helper()
	r := newRig(t)
	r.opened.Device = plainID
	if change != nil {
		change(r)
	}
	asked := 0
	return r.run(t.Context(), Options{Profile: only(find(t, "quick"), "RND4K-Q1T1-read"), Observe: func(context.Context) contract.Status {
		asked++
		if asked == 1 {
			return before
		}
		return after
	}})
}

// A disk that BitLocker keeps busy is not in its usual state, whichever of its volumes that is
// for; what is not known of a volume, or is done on another disk, is no reason.
func TestActivityOnTheDiskInvalidates(t *testing.T) {
	const ofD, ofC = "encrypting the volume,", "C: on the same disk,"
	encrypting, decrypting, paused := contract.EncryptionInProgress, contract.DecryptionInProgress, contract.EncryptionPaused
	wiping, wipePaused := contract.WipeInProgress, contract.WipePaused
	quiet := neighbours(nil)
	for _, test := range []struct {
		name          string
		before, after contract.Status
		change        func(*rig)
		want          string
	}{
		{"nothing known", quiet, quiet, nil, ""},
		{"the target converts", neighbours(func(_, d, _ *contract.Encryption) { d.Conversion = &encrypting }), quiet, nil, ofD},
		{"its neighbour converts", neighbours(func(c, _, _ *contract.Encryption) { c.Conversion = &decrypting }), quiet, nil, "decrypting " + ofC},
		{"its neighbour converts at the end", quiet, neighbours(func(c, _, _ *contract.Encryption) { c.Conversion = &encrypting }), nil, "encrypting " + ofC},
		{"the target's free space is wiped", neighbours(func(_, d, _ *contract.Encryption) { d.Wiping = &wiping }), quiet, nil, "wiping the free space of the volume,"},
		{"its neighbour's free space is wiped at the end", quiet, neighbours(func(c, _, _ *contract.Encryption) { c.Wiping = &wiping }), nil, "wiping the free space of " + ofC},
		{"paused", neighbours(func(c, d, _ *contract.Encryption) { c.Conversion, d.Wiping = &paused, &wipePaused }), quiet, nil, ""},
		{"on another disk", neighbours(func(_, _, e *contract.Encryption) { e.Conversion, e.Wiping = &encrypting, &wiping }), quiet, nil, ""},
		{
			"the whole disk is measured", neighbours(func(c, _, _ *contract.Encryption) { c.Conversion = &encrypting }), quiet,
			func(r *rig) { r.opened.Device, r.opened.Kind = `\\.\PhysicalDrive0`, contract.TargetDevice }, "encrypting " + ofC,
		},
	} {
		document := observed(t, test.before, test.after, test.change)
		result := document.Tests[0]
		at := slices.IndexFunc(result.InvalidReasons, func(reason contract.InvalidReason) bool { return reason.Code == "conversion-running" })
		switch {
		case test.want == "":
			if at >= 0 || !result.Valid {
				t.Errorf("%s: %+v", test.name, result.InvalidReasons)
			}
		case at < 0 || result.Valid || !strings.Contains(result.InvalidReasons[at].Text, test.want):
			t.Errorf("%s: valid %v, %+v; want %q", test.name, result.Valid, result.InvalidReasons, test.want)
		}
	}
}

// A volume that spans two disks is slowed by what is done on either.
func TestActivityOnAnyDiskOfASpannedTarget(t *testing.T) {
	busy := neighbours(func(_, _, e *contract.Encryption) { e.Conversion = ptr(contract.EncryptionInProgress) })
	busy.Volumes[1].Extents = append(busy.Volumes[1].Extents, contract.Extent{DiskID: "PhysicalDrive1"})
	result := observed(t, busy, busy, nil).Tests[0]
	if len(result.InvalidReasons) != 1 || !strings.Contains(result.InvalidReasons[0].Text, "encrypting E: on the same disk,") {
		t.Errorf("%+v", result.InvalidReasons)
	}
}

// The conversion in the state is that of the target's own volume: that of a neighbour is none.
func TestStateIsThatOfTheTargetsOwnVolume(t *testing.T) {
	status := neighbours(func(c, d, _ *contract.Encryption) {
		c.Conversion, c.Percent = ptr(contract.EncryptionInProgress), ptr(40.0)
		d.Conversion, d.Percent = ptr(contract.FullyDecrypted), ptr(0.0)
	})
	for _, state := range []contract.BenchState{observed(t, status, status, nil).Context.Before, observed(t, status, status, nil).Context.After} {
		if state.Conversion == nil || *state.Conversion != contract.FullyDecrypted || *state.ConversionPercent != 0 {
			t.Errorf("%+v", state)
		}
	}
}

// Why BitLocker's state is unknown is told, also where the reason lies with the provider, and it
// makes the measurement no less complete.
func TestProblemsOfTheStatusThatAreTakenOver(t *testing.T) {
	const err = contract.LevelError
	for _, test := range []struct {
		name    string
		problem contract.Problem
		taken   bool
	}{
		{"no provider", contract.Problem{Code: "bitlocker-not-included", Level: err, Stage: "host", Target: namespace}, true},
		{"a provider that hangs", contract.Problem{Code: "timeout", Level: err, Stage: "host", Target: namespace}, true},
		{"a provider that hangs over the target", contract.Problem{Code: "timeout", Level: err, Stage: "volumes", Target: plainID}, true},
		{"about the machine", contract.Problem{Code: "host-fact-unreadable", Level: contract.LevelWarning, Stage: "host", Target: "power"}, true},
		{"about the whole status", contract.Problem{Code: "volumes-not-listed", Level: err, Stage: "volumes"}, true},
		{"about the target's disk", contract.Problem{Code: "access-denied", Level: err, Stage: "disks", Target: "PhysicalDrive0"}, true},
		{"about another volume", contract.Problem{Code: "access-denied", Level: err, Stage: "volumes", Target: encryptedID}, false},
		{"about another volume, told early", contract.Problem{Code: "access-denied", Level: err, Stage: "host", Target: encryptedID}, false},
		{"about another disk, told early", contract.Problem{Code: "access-denied", Level: err, Stage: "host", Target: "PhysicalDrive1"}, false},
		{"about a disk that is not listed", contract.Problem{Code: "access-denied", Level: err, Stage: "disks", Target: "PhysicalDrive7"}, false},
		{"about a policy", contract.Problem{Code: "policy-unreadable", Level: err, Stage: "policy", Target: "EncryptionMethod"}, false},
		{"about all policies", contract.Problem{Code: "policy-unreadable", Level: err, Stage: "policy"}, false},
		{"asking ended by its limit", contract.Problem{Code: "timeout", Level: err, Stage: "volumes"}, false},
		{"asking was interrupted", contract.Problem{Code: "interrupted", Level: err, Stage: "host", Target: namespace}, false},
	} {
		status := neighbours(nil)
		// A volume mounted at the root holds every path, but is not what every problem is about.
		status.Volumes = append(status.Volumes, contract.Volume{ID: "/dev/sdb1", MountPoints: []string{"/"}})
		status.Problems = []contract.Problem{test.problem}
		document := observed(t, status, status, nil)
		want := test.problem
		want.Level = contract.LevelInfo
		if taken := len(document.Problems) == 1 && document.Problems[0] == want; taken != test.taken || !taken && len(document.Problems) > 0 {
			t.Errorf("%s: %+v", test.name, document.Problems)
		}
		if !document.Complete {
			t.Errorf("%s: the document is not complete", test.name)
		}
	}
}

// That the provider gave no answer in time does not hide that the run itself was ended.
func TestEndOfTheRunIsToldBesideAHungProvider(t *testing.T) {
	r := newRig(t)
	r.opened.Device = plainID
	status := neighbours(nil)
	status.Problems = []contract.Problem{{Code: "timeout", Level: contract.LevelError, Stage: "host", Target: namespace}}
	ctx, cancel := context.WithCancelCause(t.Context())
	r.answer = func(_ string, number int, limit engine.Limit) (engine.Round, error) {
		if number == 3 {
			cancel(errors.New("the time is over"))
		}
		return r.steady(limit, 50_000, 1000), nil
	}
	r.endCode = "timeout"
	document := r.run(ctx, Options{Profile: only(find(t, "quick"), "RND4K-Q1T1-read"), Observe: func(context.Context) contract.Status { return status }})
	if problemCodes(document) != "timeout timeout" || document.Problems[1].Level != contract.LevelError || document.Complete {
		t.Errorf("complete %v, %+v", document.Complete, document.Problems)
	}
}
