package penalty

import (
	"math"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

// ofRounds is a valid test with these medians, in us.
func ofRounds(medians ...float64) contract.BenchTest {
	test := benchTest(medians[len(medians)/2]*1000, 1e6/medians[0])
	for _, m := range medians {
		test.Rounds = append(test.Rounds, contract.BenchRound{P50Ns: contract.Ptr(m * 1000)})
	}
	return test
}

var (
	ciphered   = ofRounds(52, 51.5, 52.2, 51.8, 52.1, 51.9)
	unciphered = ofRounds(40, 40.4, 39.8, 40.1, 39.9, 40.2)
)

func altered(test contract.BenchTest, change func(*contract.BenchTest)) contract.BenchTest {
	change(&test)
	return test
}

func TestTwin(t *testing.T) {
	p := Twin(ciphered, unciphered)
	if !p.Valid || p.Evidence != contract.EvidenceTwin || p.Reason != nil {
		t.Fatalf("%+v, reason %+v", p, p.Reason)
	}
	if p.AddedNs.Low > 11_900 || p.AddedNs.High < 11_900 || math.Abs(p.AddedNs.Estimate-11_900) > 300 || p.AddedNs.Low < 10_000 || p.AddedNs.High > 14_000 {
		t.Errorf("added %+v, the medians differ by 11.9 us", *p.AddedNs)
	}
	if math.Abs(*p.BareNs-40_050) > 1 || math.Abs(*p.LayeredNs-51_950) > 1 {
		t.Errorf("bare %v, layered %v", *p.BareNs, *p.LayeredNs)
	}
	if math.Abs(p.AddedPercent.Estimate-100*11_900/40_050.) > 1 {
		t.Errorf("%+v %%", *p.AddedPercent)
	}
	if v := Judge(p, 10); v.Result != contract.VerdictMaterial {
		t.Errorf("%+v", v)
	}
	if p.Control != nil || p.Proof != nil || p.Ended != nil || p.Pairs != 0 {
		t.Errorf("rounds have no pairs, control, proof or end: %+v", p)
	}
}

func TestTwinRefuses(t *testing.T) {
	flush, cache := contract.DurabilityFlush, contract.DurabilityDeviceCache
	for _, c := range []struct {
		name             string
		encrypted, plain contract.BenchTest
		code, says       string
	}{
		{"other blocks", ciphered, altered(unciphered, func(b *contract.BenchTest) { b.BlockBytes = 8192 }), codeUnlike, "block size (4 KiB and 8 KiB)"},
		{"another depth", ciphered, altered(unciphered, func(b *contract.BenchTest) { b.QueueDepth = 32 }), codeUnlike, "queue depth (1 and 32)"},
		{"other threads", ciphered, altered(unciphered, func(b *contract.BenchTest) { b.Threads = 4 }), codeUnlike, "threads (1 and 4)"},
		{"another direction", ciphered, altered(unciphered, func(b *contract.BenchTest) { b.Operation = contract.OperationWrite }), codeUnlike, "operation (read and write)"},
		{"another pattern", ciphered, altered(unciphered, func(b *contract.BenchTest) { b.Pattern = contract.PatternSequential }), codeUnlike, "pattern"},
		{"another durability", altered(ciphered, func(b *contract.BenchTest) { b.Durability = &flush }), altered(unciphered, func(b *contract.BenchTest) { b.Durability = &cache }), codeUnlike, "durability (flush and device-cache)"},
		{"other calls", altered(ciphered, func(b *contract.BenchTest) { b.API = contract.Ptr("io_uring") }), altered(unciphered, func(b *contract.BenchTest) { b.API = contract.Ptr("pread/pwrite") }), codeUnlike, "io_uring"},
		{"a test that is not valid", ciphered, altered(unciphered, func(b *contract.BenchTest) {
			b.Valid = false
			b.InvalidReasons = contract.List[contract.InvalidReason]{{Code: "sparse", Text: "The file has holes."}}
		}), codeTest, "The file has holes."},
		{"too few rounds", ciphered, ofRounds(40, 41, 39), codeFewRounds, "3 without"},
		{"rounds without figures", ciphered, altered(unciphered, func(b *contract.BenchTest) { b.Rounds = make([]contract.BenchRound, 6) }), codeFewRounds, "0 without"},
		{"P65: faster with encryption", unciphered, ciphered, codeFaster, "faster"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Twin(c.encrypted, c.plain)
			if p.Valid || p.Reason == nil || p.Reason.Code != c.code || !strings.Contains(p.Reason.Text, c.says) {
				t.Errorf("valid %v, reason %+v", p.Valid, p.Reason)
			}
		})
	}
}

// result is a document of a volume in a state.
func result(conversion contract.Conversion, engine contract.Engine, tests ...contract.BenchTest) contract.Bench {
	b := contract.Bench{Tests: tests}
	b.Context.Volume = &contract.Volume{Encryption: contract.Encryption{Conversion: &conversion, Engine: &engine}}
	b.Context.Disk = &contract.Disk{ID: "PhysicalDrive0", Model: contract.Ptr("Fast 1000"), Firmware: contract.Ptr("1.0"),
		Driver: contract.Driver{Name: contract.Ptr("stornvme"), Version: contract.Ptr("10.0.26100")}}
	return b
}

func TestBeforeAfter(t *testing.T) {
	encrypted := result(contract.FullyEncrypted, contract.EngineSoftware, ciphered)
	plain := result(contract.FullyDecrypted, contract.EngineNone, unciphered)
	for name, p := range map[string]contract.Penalty{
		"encrypted now": BeforeAfter(encrypted, plain), "decrypted now": BeforeAfter(plain, encrypted),
	} {
		if !p.Valid || p.Evidence != contract.EvidenceBeforeAfter || math.Abs(p.AddedNs.Estimate-11_900) > 300 {
			t.Errorf("%s: %+v, reason %+v", name, p, p.Reason)
		}
	}
}

// A file system on a device that encrypts is plain to BitLocker only.
func TestBeforeAfterOfACryptLayer(t *testing.T) {
	onLUKS := result(contract.FullyDecrypted, contract.EngineNone, ciphered)
	onLUKS.Context.Volume.Layers = contract.List[contract.Layer]{{Device: "/dev/mapper/data", Kind: "crypt"}, {Device: "/dev/sda3", Kind: "partition"}}
	plain := result(contract.FullyDecrypted, contract.EngineNone, unciphered)
	if p := BeforeAfter(onLUKS, plain); !p.Valid || math.Abs(p.AddedNs.Estimate-11_900) > 300 {
		t.Errorf("%+v, reason %+v", p, p.Reason)
	}
	if p := BeforeAfter(onLUKS, result(contract.FullyEncrypted, contract.EngineSoftware, ciphered)); p.Valid || p.Reason.Code != codeSameState {
		t.Errorf("two that are encrypted: %+v, reason %+v", p, p.Reason)
	}
}

func TestBeforeAfterTakesTheSingleReads(t *testing.T) {
	write := func(test contract.BenchTest) contract.BenchTest {
		test.ID, test.Operation = "RND4K-Q1T1-write", contract.OperationWrite
		return test
	}
	deep := altered(ciphered, func(b *contract.BenchTest) { b.ID, b.QueueDepth = "RND4K-Q32T1-read", 32 })
	encrypted := result(contract.FullyEncrypted, contract.EngineSoftware, deep, write(ciphered), ciphered)
	plain := result(contract.FullyDecrypted, contract.EngineNone, deep, write(unciphered), unciphered)
	if p := BeforeAfter(encrypted, plain); !p.Valid || *p.Operation != contract.OperationRead {
		t.Errorf("%+v, reason %+v", p.Operation, p.Reason)
	}
	plain.Tests = plain.Tests[:2]
	if p := BeforeAfter(encrypted, plain); !p.Valid || *p.Operation != contract.OperationWrite {
		t.Errorf("%+v, reason %+v", p.Operation, p.Reason)
	}
	plain.Tests = plain.Tests[:1]
	if p := BeforeAfter(encrypted, plain); p.Valid || p.Reason.Code != codeNoTest {
		t.Errorf("valid %v, reason %+v", p.Valid, p.Reason)
	}
}

// No penalty rests on a flush: profile legacy has nothing else.
func TestBeforeAfterPassesOverFlushes(t *testing.T) {
	flush := func(test contract.BenchTest) contract.BenchTest {
		return altered(test, func(b *contract.BenchTest) {
			b.ID, b.Operation, b.Durability = "SEQ4K-Q1T1-write-flush", contract.OperationWrite, contract.Ptr(contract.DurabilityFlush)
		})
	}
	named := func(test contract.BenchTest) contract.BenchTest {
		return altered(test, func(b *contract.BenchTest) { b.ID = "SEQ4K-Q1T1-read" })
	}
	p := BeforeAfter(result(contract.FullyEncrypted, contract.EngineSoftware, flush(ciphered)), result(contract.FullyDecrypted, contract.EngineNone, flush(unciphered)))
	if p.Valid || p.AddedNs != nil || p.Reason == nil || p.Reason.Code != codeNoTest {
		t.Errorf("only flushes: valid %v, added %+v, reason %+v", p.Valid, p.AddedNs, p.Reason)
	}
	p = BeforeAfter(result(contract.FullyEncrypted, contract.EngineSoftware, flush(ciphered), named(ciphered)),
		result(contract.FullyDecrypted, contract.EngineNone, flush(unciphered), named(unciphered)))
	if !p.Valid || *p.Operation != contract.OperationRead {
		t.Errorf("a flush before a read: valid %v, reason %+v", p.Valid, p.Reason)
	}
}

// Unknown is never decrypted, and never encrypted either.
func TestBeforeAfterRefuses(t *testing.T) {
	plain := result(contract.FullyDecrypted, contract.EngineNone, unciphered)
	elsewhere := result(contract.FullyDecrypted, contract.EngineNone, unciphered)
	elsewhere.Context.Volume.ID = `\\?\Volume{22222222-2222-4222-8222-222222222222}\`
	changed := func(change func(*contract.Bench)) contract.Bench {
		b := result(contract.FullyEncrypted, contract.EngineSoftware, ciphered)
		change(&b)
		return b
	}
	for _, c := range []struct {
		name       string
		now, saved contract.Bench
		code       string
	}{
		{"no volume", changed(func(b *contract.Bench) { b.Context.Volume = nil }), plain, codeState},
		{"no state", changed(func(b *contract.Bench) { b.Context.Volume.Encryption = contract.Encryption{} }), plain, codeState},
		{"no state in the saved result", plain, changed(func(b *contract.Bench) { b.Context.Volume.Encryption = contract.Encryption{} }), codeState},
		{"a state without a name", changed(func(b *contract.Bench) { *b.Context.Volume.Encryption.Conversion = 77 }), plain, codeState},
		{"encrypted by the drive", changed(func(b *contract.Bench) { *b.Context.Volume.Encryption.Engine = contract.EngineDrive }), plain, codeState},
		{"encrypted by what is not known", changed(func(b *contract.Bench) { b.Context.Volume.Encryption.Engine = nil }), plain, codeState},
		{"encrypted by nothing", changed(func(b *contract.Bench) { *b.Context.Volume.Encryption.Engine = contract.EngineNone }), plain, codeState},
		{"another volume of a disk of the same model", changed(func(b *contract.Bench) {
			b.Context.Volume.ID = `\\?\Volume{11111111-1111-4111-8111-111111111111}\`
		}), elsewhere, codeElsewhere},
		{"being encrypted", changed(func(b *contract.Bench) {
			*b.Context.Volume.Encryption.Conversion = contract.EncryptionInProgress
		}), plain, codeConverting},
		{"conversion begun in the course of the run", changed(func(b *contract.Bench) {
			b.Context.After.Conversion = contract.Ptr(contract.DecryptionInProgress)
		}), plain, codeConverting},
		{"decrypted in the course of the run", changed(func(b *contract.Bench) {
			b.Context.After.Conversion = contract.Ptr(contract.FullyDecrypted)
		}), plain, codeState},
		{"both decrypted", plain, plain, codeSameState},
		{"both encrypted", changed(func(*contract.Bench) {}), changed(func(*contract.Bench) {}), codeSameState},
		{"no disk", changed(func(b *contract.Bench) { b.Context.Disk = nil }), plain, codeElsewhere},
		{"another model", changed(func(b *contract.Bench) { *b.Context.Disk.Model = "Slow 1" }), plain, codeElsewhere},
		{"other firmware", changed(func(b *contract.Bench) { *b.Context.Disk.Firmware = "2.0" }), plain, codeElsewhere},
		{"no model and another id", changed(func(b *contract.Bench) { b.Context.Disk.Model, b.Context.Disk.ID = nil, "PhysicalDrive1" }), plain, codeElsewhere},
		{"P50: another driver", changed(func(b *contract.Bench) { *b.Context.Disk.Driver.Name = "nvmedisk" }), plain, codeDriver},
		{"P50: another version of the driver", changed(func(b *contract.Bench) { *b.Context.Disk.Driver.Version = "10.0.22621" }), plain, codeDriver},
		{"P54: other blocks under the same name", changed(func(b *contract.Bench) { b.Tests[0].BlockBytes = 8192 }), plain, codeUnlike},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := BeforeAfter(c.now, c.saved)
			if p.Valid || p.Reason == nil || p.Reason.Code != c.code || p.AddedNs != nil {
				t.Errorf("valid %v, added %+v, reason %+v", p.Valid, p.AddedNs, p.Reason)
			}
		})
	}
}
