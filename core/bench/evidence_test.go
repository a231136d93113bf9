package bench

import (
	"context"
	"testing"

	"diskaudit/core/bench/engine"
	"diskaudit/core/bench/target"
	"diskaudit/core/contract"
)

func crypted(volume contract.Volume) contract.Volume {
	volume.Layers = []contract.Layer{{Device: volume.ID, Kind: "crypt"}}
	return volume
}

func converted(volume contract.Volume, conversion contract.Conversion) contract.Volume {
	volume.Encryption.Conversion = &conversion
	return volume
}

// What was measured while the disk or the computer was not in its usual state is no penalty, whichever
// evidence it has; how it was after the tests is known only then.
func TestPenaltyFallsWithTheState(t *testing.T) {
	software, none, battery := contract.EngineSoftware, contract.EngineNone, contract.PowerBattery
	facts := func(change func(*contract.Status)) contract.Status {
		on := func(id, disk string, engine contract.Engine) contract.Volume {
			return contract.Volume{ID: id, Extents: []contract.Extent{{DiskID: disk}}, Encryption: contract.Encryption{Engine: &engine}}
		}
		status := contract.Status{Disks: []contract.Disk{{ID: "/dev/sda"}}, Volumes: []contract.Volume{on("/dev/sda3", "/dev/sda", software), on("/dev/sda4", "/dev/sda", none), on("/dev/sda5", "/dev/sda", none)}}
		if change != nil {
			change(&status)
		}
		return status
	}
	converting := func(number int) func(*contract.Status) {
		return func(s *contract.Status) {
			s.Volumes[number] = converted(s.Volumes[number], contract.EncryptionInProgress)
		}
	}
	for _, test := range []struct {
		name          string
		before, after func(*contract.Status)
		reason        string
	}{
		{"nothing happened", nil, nil, ""},
		{"a neighbour is converted", converting(2), converting(2), "conversion-running"},
		{"a conversion began meanwhile", nil, converting(0), "conversion-running"},
		{"a conversion of the twin began meanwhile", nil, converting(1), "conversion-running"},
		{"it was unplugged meanwhile", nil, func(s *contract.Status) { s.Machine.Power.Source = &battery }, "on-battery"},
	} {
		r := newRig(t)
		r.opened.Device, r.twin = "/dev/sda3", "/dev/sda4"
		r.answer = func(_ string, number int, limit engine.Limit) (engine.Round, error) {
			latency := int64(60_000)
			if r.asked.Path == "/twin" {
				latency = 50_000
			}
			return r.steady(limit, latency+int64(number)*10, 1000), nil
		}
		asked := 0
		document := r.run(t.Context(), Options{Profile: only(find(t, "quick"), "RND4K-Q1T1-read"), Penalty: PenaltyOptions{Twin: "/twin"}, Observe: func(context.Context) contract.Status {
			if asked++; asked == 1 {
				return facts(test.before)
			}
			return facts(test.after)
		}})
		reason := ""
		if document.Penalty.Reason != nil {
			reason = document.Penalty.Reason.Code
		}
		if test.before != nil && reason == "test-not-valid" {
			// Seen before the twin was compared.
			reason = document.Tests[0].InvalidReasons[0].Code
		}
		if reason != test.reason || document.Penalty.Valid != (test.reason == "") || (document.Verdict.Result == contract.VerdictUndecided) != (test.reason != "") {
			t.Errorf("%s: valid %v, reason %+v, verdict %+v", test.name, document.Penalty.Valid, document.Penalty.Reason, document.Verdict)
		}
	}
}

// A cache below the target answers the lower of the two paths, too; below paths that were given by hand
// nothing is known of it.
func TestPairedPenaltyOfACachedTarget(t *testing.T) {
	for upper, valid := range map[string]bool{"": false, "/dev/mapper/data": true} {
		r := run{options: Options{Penalty: PenaltyOptions{Upper: upper}}, facts: target.Facts{Cached: contract.Ptr(true)}}
		r.document.Penalty = contract.Penalty{Evidence: contract.EvidencePaired, Valid: true}
		if r.withdraw(); r.document.Penalty.Valid != valid || !valid && r.document.Penalty.Reason.Code != "cached" {
			t.Errorf("with --upper %q: %+v", upper, r.document.Penalty)
		}
	}
}

// A plain volume of the same disk is evidence; one of another disk, or one that is not known to be
// plain, is none.
func TestTwin(t *testing.T) {
	software, none := contract.EngineSoftware, contract.EngineNone
	volume := func(id, disk string, engine *contract.Engine) contract.Volume {
		return contract.Volume{ID: id, Extents: []contract.Extent{{DiskID: disk}}, Encryption: contract.Encryption{Engine: engine}}
	}
	for _, test := range []struct {
		name   string
		twin   contract.Volume
		valid  bool
		reason string
	}{
		{"plain, same disk", volume("/dev/sda4", "/dev/sda", &none), true, ""},
		{"plain, other disk", volume("/dev/sda4", "/dev/sdb", &none), false, "twin-elsewhere"},
		{"encrypted too", volume("/dev/sda4", "/dev/sda", &software), false, "twin-alike"},
		{"unknown is not plain", volume("/dev/sda4", "/dev/sda", nil), false, "twin-alike"},
		{"decrypted by BitLocker's account, encrypted by something else", converted(volume("/dev/sda4", "/dev/sda", &software), contract.FullyDecrypted), false, "twin-alike"},
		{"plain on a device that encrypts", crypted(volume("/dev/sda4", "/dev/sda", &none)), false, "twin-alike"},
		{"decrypted in part", converted(volume("/dev/sda4", "/dev/sda", &none), contract.DecryptionPaused), false, "twin-alike"},
	} {
		r := newRig(t)
		r.opened.Device, r.twin = "/dev/sda3", "/dev/sda4"
		status := contract.Status{Disks: []contract.Disk{{ID: "/dev/sda"}, {ID: "/dev/sdb"}}, Volumes: []contract.Volume{volume("/dev/sda3", "/dev/sda", &software), test.twin}}
		r.answer = func(_ string, number int, limit engine.Limit) (engine.Round, error) {
			latency := int64(60_000)
			if r.asked.Path == "/twin" {
				latency = 50_000
			}
			return r.steady(limit, latency+int64(number)*10, 1000), nil
		}
		p := only(find(t, "quick"), "RND4K-Q1T1-read")
		p.Limit = 0
		document := r.run(t.Context(), Options{Profile: p, Observe: func(context.Context) contract.Status { return status }, Penalty: PenaltyOptions{Twin: "/twin"}})
		penalty := document.Penalty
		if penalty.Valid != test.valid || test.reason != "" && penalty.Reason.Code != test.reason {
			t.Errorf("%s: valid %v, reason %+v", test.name, penalty.Valid, penalty.Reason)
			continue
		}
		if test.valid && (penalty.Evidence != contract.EvidenceTwin || penalty.AddedNs.Estimate < 9_900 || penalty.AddedNs.Estimate > 10_100 || document.Verdict.Result != contract.VerdictMaterial) {
			t.Errorf("%s: %+v, added %+v, verdict %+v", test.name, penalty, penalty.AddedNs, document.Verdict)
		}
	}
}
