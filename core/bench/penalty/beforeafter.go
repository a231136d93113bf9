package penalty

import (
	"fmt"
	"slices"
	"strings"

	"diskaudit/core/contract"
)

// BeforeAfter takes the penalty from two results of one volume, one with it encrypted and one
// without, whichever came first. What is not known to be encrypted by software, or to be
// decrypted, is neither.
func BeforeAfter(now, saved contract.Bench) contract.Penalty {
	result := contract.Penalty{Evidence: contract.EvidenceBeforeAfter}
	states := [2]state{stateOf(now), stateOf(saved)}
	names := [2]string{"this run", "the saved result"}
	for i, s := range states {
		if s.name == "" {
			result.Reason = because(codeState, "Of %s it is not known whether the volume was encrypted: %s. Save results with diskaudit bench --output, run as administrator or root.", names[i], s.why)
			if s.converting {
				result.Reason = because(codeConverting, "In %s the volume was %s, so parts of it were in either state. Measure when that is done.", names[i], s.why)
			}
			return result
		}
	}
	if states[0].name == states[1].name {
		result.Reason = because(codeSameState, "The volume was %s in both results, so they do not show what encryption costs. A result from the other state is needed.", states[0].name)
		return result
	}
	if result.Reason = elsewhere(now.Context, saved.Context); result.Reason != nil {
		return result
	}
	if result.Reason = another(*now.Context.Volume, *saved.Context.Volume); result.Reason != nil {
		return result
	}
	encrypted, plain := now, saved
	if states[0].name == stateDecrypted {
		encrypted, plain = saved, now
	}
	test, ok := common(encrypted.Tests, plain.Tests)
	if !ok {
		result.Reason = because(codeNoTest, "The two results have no test in common that does one I/O at a time and does not flush, such as RND4K-Q1T1-read. Compare runs of the same profile, and of another than legacy, which times flushes.")
		return result
	}
	return fromRounds(contract.EvidenceBeforeAfter, test[0], test[1])
}

// The states that can be compared.
const (
	stateEncrypted = "encrypted"
	stateDecrypted = "decrypted"
)

// state is what a result says of its volume; without a name it is unknown, and why says more.
type state struct {
	name, why  string
	converting bool
}

func stateOf(b contract.Bench) state {
	if b.Context.Volume == nil {
		return state{why: "the volume was not recognised"}
	}
	for _, moment := range []contract.BenchState{b.Context.Before, b.Context.After} {
		if moment.Conversion != nil && conversionNames[*moment.Conversion].converting {
			return conversionNames[*moment.Conversion]
		}
	}
	e := b.Context.Volume.Encryption
	if CryptLayer(b.Context.Volume) {
		return state{name: stateEncrypted}
	}
	for _, moment := range []contract.BenchState{b.Context.Before, b.Context.After} {
		if moment.Conversion != nil && e.Conversion != nil && *moment.Conversion != *e.Conversion {
			return state{why: fmt.Sprintf("it was %s and %s in the course of the run", e.Conversion, moment.Conversion)}
		}
	}
	if e.Engine != nil && *e.Engine != contract.EngineSoftware && *e.Engine != contract.EngineNone {
		return state{why: fmt.Sprintf("it is encrypted, but not by software (%s)", *e.Engine)}
	}
	if e.Conversion != nil {
		found, listed := conversionNames[*e.Conversion]
		switch {
		case !listed:
			return state{why: fmt.Sprintf("its conversion state is %s", e.Conversion)}
		case found.name == stateDecrypted && e.Engine != nil && *e.Engine == contract.EngineSoftware:
			// Decrypted by BitLocker's account, but encrypted by something else, such as LUKS.
			return state{name: stateEncrypted}
		case found.name == stateEncrypted && e.Engine == nil:
			return state{why: "it is encrypted, but what encrypts it is not known"}
		case found.name == stateEncrypted && *e.Engine == contract.EngineNone:
			return state{why: "its answers contradict each other: it is encrypted, and nothing encrypts it"}
		}
		return found
	}
	if e.Engine == nil {
		return state{why: "neither its conversion state nor what encrypts it is known"}
	}
	if *e.Engine == contract.EngineNone {
		return state{name: stateDecrypted}
	}
	return state{name: stateEncrypted}
}

// CryptLayer tells whether a device below a volume encrypts, as that of LUKS does: what lies on it looks
// plain to BitLocker.
func CryptLayer(volume *contract.Volume) bool {
	return slices.ContainsFunc(volume.Layers, func(layer contract.Layer) bool { return layer.Kind == "crypt" })
}

var conversionNames = map[contract.Conversion]state{
	contract.FullyEncrypted:       {name: stateEncrypted},
	contract.FullyDecrypted:       {name: stateDecrypted},
	contract.EncryptionInProgress: {why: "being encrypted", converting: true},
	contract.DecryptionInProgress: {why: "being decrypted", converting: true},
	contract.EncryptionPaused:     {why: "encrypted in part, and paused", converting: true},
	contract.DecryptionPaused:     {why: "decrypted in part, and paused", converting: true},
}

// elsewhere refuses results that differ in the disk, its driver or the power supply, and those of
// which it is not known that the disk is one.
func elsewhere(now, saved contract.BenchContext) *contract.InvalidReason {
	a, b := now.Disk, saved.Disk
	if a == nil || b == nil {
		return because(codeElsewhere, "That both results are of the same disk is not known, so a difference could be that of the disks. Run as administrator or root.")
	}
	for _, property := range []struct {
		code, name string
		a, b       string
	}{
		{codeElsewhere, "the disk's model", known(a.Model), known(b.Model)},
		{codeElsewhere, "the disk's serial number", known(a.Serial), known(b.Serial)},
		{codeElsewhere, "the disk's size in bytes", known(a.SizeBytes), known(b.SizeBytes)},
		{codeElsewhere, "the disk's firmware", known(a.Firmware), known(b.Firmware)},
		{codeDriver, "the driver", known(a.Driver.Name), known(b.Driver.Name)},
		{codeDriver, "the driver's version", known(a.Driver.Version), known(b.Driver.Version)},
		{codePower, "the power supply", known(now.Before.PowerSource), known(saved.Before.PowerSource)},
	} {
		if property.a != property.b && property.a != "" && property.b != "" {
			return because(property.code, "The results differ in more than encryption: %s is %s in this run and %s in the saved result. Compare results that have it in common.", property.name, property.a, property.b)
		}
	}
	if a.ID != b.ID && (a.Model == nil || b.Model == nil) {
		return because(codeElsewhere, "That both results are of the same disk is not known: it is %s in this run and %s in the saved result, and its model is not known in both. Run as administrator or root.", a.ID, b.ID)
	}
	return nil
}

// another refuses results of two volumes. Windows gives each volume a path of its own, which stays when
// it is encrypted or decrypted; the same model of disk alone can be that of another computer. On Linux
// the device of a volume that is unlocked is another than the one that holds it, so nothing follows.
func another(now, saved contract.Volume) *contract.InvalidReason {
	const own = `\\?\Volume{`
	if strings.EqualFold(now.ID, saved.ID) || !strings.HasPrefix(now.ID, own) || !strings.HasPrefix(saved.ID, own) {
		return nil
	}
	return because(codeElsewhere, "The results are of two volumes, %s in this run and %s in the saved result, so a difference could be that of the disks or the computers. Compare results of one volume; for two volumes of one disk there is --twin.", now.ID, saved.ID)
}

// known is a fact as text; empty when it is not known.
func known[T any](fact *T) string {
	if fact == nil {
		return ""
	}
	return fmt.Sprint(*fact)
}

// common returns the test to compare, of either result: random single 4 KiB reads, or else the
// first that does one I/O at a time. A flush takes many times as long as what encryption adds to the
// write before it, and other times each time: no penalty rests on one.
func common(encrypted, plain []contract.BenchTest) (pair [2]contract.BenchTest, ok bool) {
	for _, a := range encrypted {
		if a.QueueDepth != 1 || a.Threads != 1 || a.Durability != nil && *a.Durability == contract.DurabilityFlush {
			continue
		}
		for _, b := range plain {
			if a.ID != b.ID {
				continue
			}
			if a.ID == preferredTest {
				return [2]contract.BenchTest{a, b}, true
			}
			if !ok {
				pair, ok = [2]contract.BenchTest{a, b}, true
			}
		}
	}
	return pair, ok
}

const preferredTest = "RND4K-Q1T1-read"
