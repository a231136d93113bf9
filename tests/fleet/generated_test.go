package fleet_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"diskaudit/core/audit"
	"diskaudit/core/bench/statistics"
	"diskaudit/core/contract"
)

// generated is one made-up computer of a large fleet. The same number gives the same computer.
type generated struct {
	number    int
	name      string
	model     generatedModel
	engine    contract.Engine
	method    contract.Method
	state     contract.Conversion
	protected bool
	// unknown tells that the volume's state could not be read.
	unknown bool
	// addedNs is what encryption adds to a read; bareNs the read without it.
	addedNs, bareNs float64
	// valid tells that there is evidence for it.
	valid   bool
	collect time.Time
	random  *rand.Rand
}

type generatedModel struct {
	name   string
	bareNs float64
}

var generatedModels = []generatedModel{
	{"NVMe SAMSUNG MZVL21T0HCLR-00BL7", 42_000}, {"WD PC SN810 NVMe 1024GB", 55_000}, {"KIOXIA KXG8AZNV1T02", 61_000},
	{"SKHynix_HFS512GEJ9X125N", 70_000}, {"Micron_3400_MTFDKBA1T0TFH", 48_000}, {"Samsung SSD 850 EVO 1TB", 110_000}, {"CT500MX500SSD1", 140_000},
}

func generate(number int) generated {
	random := rand.New(rand.NewPCG(7, uint64(number)))
	g := generated{
		number: number, name: fmt.Sprintf("PC-%05d", number), model: generatedModels[random.IntN(len(generatedModels))],
		engine: contract.EngineSoftware, method: contract.XtsAes128, state: contract.FullyEncrypted, protected: true, valid: true,
		collect: time.Date(2026, 11, 1, 6, 0, number%86400, 0, time.UTC), random: random,
	}
	g.bareNs = g.model.bareNs * math.Exp(0.15*random.NormFloat64())
	g.addedNs = 9000 * math.Exp(0.6*random.NormFloat64())
	switch kind := random.IntN(100); {
	case kind < 8:
		g.engine, g.method, g.state, g.protected, g.addedNs = contract.EngineNone, contract.MethodNone, contract.FullyDecrypted, false, 150*random.NormFloat64()
	case kind < 13:
		g.engine, g.method, g.addedNs = contract.EngineDrive, contract.MethodHardware, 200+300*random.Float64()
	case kind < 16:
		g.unknown = true
	case kind < 20:
		g.protected = false
	case kind < 23:
		g.state = contract.EncryptionInProgress
	case kind < 30:
		g.method = contract.XtsAes256
		g.addedNs *= 1.3
	}
	g.valid = random.IntN(10) > 0 && !g.unknown
	return g
}

func (g generated) volumeID() string {
	return fmt.Sprintf(`\\?\Volume{9f0c1d2e-0000-4000-8000-%012d}\`, g.number)
}

func (g generated) machine() contract.Machine {
	return contract.Machine{
		Source: contract.SourceWindows, ComputerName: &g.name, OS: contract.Ptr("Windows 11 Pro"), Build: contract.Ptr("26100.1742"), Edition: contract.Ptr("Professional"),
		Architecture: contract.Ptr("amd64"), ProgramArchitecture: contract.Ptr("amd64"), RebootPending: contract.Ptr(false), Elevated: contract.Ptr(true),
		VirtualMachine: contract.VirtualMachine{Detected: contract.Ptr(false)},
		Power:          contract.Power{Source: contract.Ptr(contract.PowerAC), Portable: contract.Ptr(true), BatteryPercent: contract.Ptr(88.0), Plan: contract.Ptr("Balanced"), Saver: contract.Ptr(false)},
		CPU:            contract.CPU{Name: contract.Ptr("Example 12-Core"), Cores: contract.Ptr[uint64](12), LogicalProcessors: contract.Ptr[uint64](16), AES: contract.Ptr(true)},
		TPM:            contract.TPM{Present: contract.Ptr(true), Ready: contract.Ptr(true), Version: contract.Ptr("2.0")}, SecureBoot: contract.Ptr(true),
		Join: contract.Join{Domain: contract.Ptr(false), Entra: contract.Ptr(true), MDM: contract.Ptr(true), MDMProvider: contract.Ptr("MS DM Server")},
	}
}

func (g generated) disk() contract.Disk {
	return contract.Disk{
		ID: "PhysicalDrive0", Model: &g.model.name, Firmware: contract.Ptr("GXA7801Q"), Bus: contract.Ptr(contract.BusNVMe), NVMe: contract.Ptr(true), Media: contract.Ptr(contract.MediaSSD),
		Removable: contract.Ptr(false), PartitionTable: contract.Ptr("gpt"), SizeBytes: contract.Ptr[uint64](1_024_209_543_168), LogicalSectorBytes: contract.Ptr[uint64](512), PhysicalSectorBytes: contract.Ptr[uint64](4096),
		Driver:     contract.Driver{Name: contract.Ptr("stornvme"), Version: contract.Ptr("10.0.26100.1742")},
		WriteCache: contract.WriteCache{Type: contract.Ptr(contract.WriteBack), Enabled: contract.Ptr(true), PowerProtected: contract.Ptr(false)},
		Health:     contract.Health{OK: contract.Ptr(true), CriticalWarning: contract.Ptr[uint64](0), PercentUsed: contract.Ptr(3.0)},
	}
}

func (g generated) volume() contract.Volume {
	v := contract.Volume{
		ID: g.volumeID(), MountPoints: contract.List[string]{"C:"}, Label: contract.Ptr("Windows"), FileSystem: contract.Ptr("NTFS"), ClusterBytes: contract.Ptr[uint64](4096),
		SizeBytes: contract.Ptr[uint64](1_023_000_000_000), FreeBytes: contract.Ptr(uint64(g.random.Int64N(900_000_000_000))), FileSystemDirty: contract.Ptr(false), Type: contract.Ptr(contract.OperatingSystem),
		Extents: contract.List[contract.Extent]{{DiskID: "PhysicalDrive0", OffsetBytes: 122_683_392, LengthBytes: 1_023_000_000_000}},
	}
	if g.unknown {
		return v
	}
	v.Encryption = contract.Encryption{
		Format: contract.Ptr("bitlocker"), Conversion: &g.state, Percent: contract.Ptr(100.0), UsedSpaceOnly: contract.Ptr(true), Wiping: contract.Ptr(contract.NotWiped), Method: &g.method, Engine: &g.engine,
		Protection: contract.Ptr(contract.ProtectionOn), ProtectionReason: contract.Ptr(contract.ReasonProtected), SuspendCount: contract.Ptr[uint64](0), Lock: contract.Ptr(contract.Unlocked),
		Protectors: []contract.Protector{{ID: "11111111-0000-4000-8000-000000000001", Type: contract.Tpm}, {ID: "11111111-0000-4000-8000-000000000002", Type: contract.RecoveryPassword}},
		ClearKey:   contract.Ptr(false), HardwareTest: contract.Ptr(contract.HardwareTestNone),
	}
	e := &v.Encryption
	switch {
	case g.engine == contract.EngineNone:
		e.Format, e.Percent, e.Protection, e.ProtectionReason, e.Protectors = contract.Ptr("none"), contract.Ptr(0.0), contract.Ptr(contract.ProtectionOff), contract.Ptr(contract.ReasonDecrypted), []contract.Protector{}
	case g.state == contract.EncryptionInProgress:
		e.Percent, e.Protection, e.ProtectionReason = contract.Ptr(40.0), contract.Ptr(contract.ProtectionOff), contract.Ptr(contract.ReasonConverting)
	case !g.protected:
		e.Protection, e.ProtectionReason, e.ClearKey = contract.Ptr(contract.ProtectionOff), contract.Ptr(contract.ReasonWaitingForActivation), contract.Ptr(true)
	}
	return v
}

func (g generated) header(kind contract.Kind) contract.Header {
	return contract.Header{SchemaVersion: contract.SchemaVersion, Kind: kind, Tool: contract.Tool{Name: "diskaudit", Version: "1.0.0"}, CollectedAt: g.collect, Complete: !g.unknown}
}

func (g generated) status() contract.Status {
	s := contract.Status{
		Header: g.header(contract.KindStatus), Machine: g.machine(), BitLocker: contract.Provider{Available: contract.Ptr(true), Provider: contract.Ptr("wmi")},
		Policy: contract.Policy{PreventDeviceEncryption: contract.Ptr(false), RequireDeviceEncryption: contract.Ptr(false), DenyWriteFixed: contract.Ptr(false), DenyWriteRemovable: contract.Ptr(false), FIPS: contract.Ptr(false)},
		Disks:  contract.List[contract.Disk]{g.disk()}, Volumes: contract.List[contract.Volume]{g.volume()},
	}
	if g.unknown {
		problem := contract.Problem{Code: "volume-unreadable", Level: contract.LevelError, Stage: "volumes", Target: g.volumeID(), Text: "BitLocker did not answer for this volume. Run it again."}
		s.Problems = append(s.Problems, problem)
		s.Volumes[0].Problems = append(s.Volumes[0].Problems, problem)
	}
	s.Findings = audit.Findings(s)
	s.Summary = audit.Summarize(s)
	return s
}

func (g generated) bench() contract.Bench {
	machine, volume, disk := g.machine(), g.volume(), g.disk()
	b := contract.Bench{
		Header:  g.header(contract.KindBench),
		Target:  contract.BenchTarget{Path: `C:\`, Kind: contract.Ptr(contract.TargetFile), VolumeID: contract.Ptr(g.volumeID()), DiskID: contract.Ptr("PhysicalDrive0"), Layer: contract.Ptr("file system"), SizeBytes: contract.Ptr[uint64](1 << 30), BytesWritten: 1 << 30},
		Profile: contract.BenchProfile{Name: "quick", Purpose: "latency and speed at a glance"},
		Engine:  contract.BenchEngine{API: contract.Ptr("ReadFile/WriteFile"), Clock: contract.BenchClock{Source: contract.Ptr("QueryPerformanceCounter"), ResolutionNs: contract.Ptr(100.0), OverheadNs: contract.Ptr(24.5)}, Seed: 1},
		Context: contract.BenchContext{Machine: &machine, Volume: &volume, Disk: &disk},
	}
	b.Complete = true
	b.Penalty, b.Verdict = g.penalty()
	layered := g.bareNs + g.addedNs
	b.Tests = append(b.Tests, g.test("RND4K-Q1T1-read", contract.OperationRead, nil, 4096, 1, layered), g.test("RND4K-Q1T1-write", contract.OperationWrite, contract.Ptr(contract.DurabilityDeviceCache), 4096, 1, layered*0.4),
		g.test("RND4K-Q32T1-read", contract.OperationRead, nil, 4096, 32, layered*2.2), g.test("SEQ1M-Q8T1-read", contract.OperationRead, nil, 1<<20, 8, layered*40))
	if !g.valid {
		for i := range b.Tests {
			b.Tests[i].Valid = false
			b.Tests[i].InvalidReasons = append(b.Tests[i].InvalidReasons, contract.InvalidReason{Code: "on-battery", Text: "The computer ran on battery. Measure on mains power."})
		}
	}
	return b
}

func (g generated) penalty() (contract.Penalty, contract.Verdict) {
	verdict := contract.Verdict{Result: contract.VerdictUndecided, Text: "There is no valid evidence.", ThresholdPercent: 10}
	if !g.valid {
		return contract.Penalty{Evidence: contract.EvidenceNone, Reason: &contract.InvalidReason{Code: "needs-elevation", Text: "Only an administrator can read below the encryption."}}, verdict
	}
	half := 250 + 400*g.random.Float64()
	percent := func(ns float64) float64 { return 100 * ns / g.bareNs }
	ns := contract.Range{Low: g.addedNs - half, Estimate: g.addedNs, High: g.addedNs + half}
	share := contract.Range{Low: percent(ns.Low), Estimate: percent(ns.Estimate), High: percent(ns.High)}
	switch {
	case share.Low > 10:
		verdict.Result = contract.VerdictMaterial
	case share.High < 10:
		verdict.Result = contract.VerdictNegligible
	}
	verdict.Text = fmt.Sprintf("Encryption adds %.1f us to a random read of 4 KiB, %.1f %% of the %.1f us without it.", ns.Estimate/1000, share.Estimate, g.bareNs/1000)
	return contract.Penalty{
		Evidence: contract.EvidencePaired, Valid: true, Operation: contract.Ptr(contract.OperationRead), BlockBytes: contract.Ptr[uint64](4096),
		Paths:  &contract.PenaltyPaths{Upper: `\\.\C:`, Lower: `\\.\PhysicalDrive0`, LowerOffsetBytes: 122_683_392, SpanBytes: 500_000_000_000, Extents: "volume-bitmap"},
		BareNs: &g.bareNs, LayeredNs: contract.Ptr(g.bareNs + g.addedNs), AddedNs: &ns, AddedPercent: &share, Pairs: 12_000, CPUNsPerIO: contract.Ptr(2400.0),
		Control: &contract.PenaltyControl{Kind: "same-path", AddedNs: contract.Range{Low: -90, Estimate: 10, High: 110}, Pairs: 2000},
		Proof:   &contract.PathProof{Blocks: 32, LowerRandom: 32, UpperRandom: 3, Result: "encrypted"}, Ended: contract.Ptr("precise"),
	}, verdict
}

func (g generated) test(id string, operation contract.Operation, durability *contract.Durability, block, depth uint64, medianNs float64) contract.BenchTest {
	sorted := make([]int64, 400)
	for i := range sorted {
		// The quantiles of a log-normal distribution.
		sorted[i] = int64(medianNs * math.Exp(0.25*math.Sqrt2*math.Erfinv(2*(float64(i)+0.5)/float64(len(sorted))-1)))
	}
	t := contract.BenchTest{
		ID: id, Operation: operation, BlockBytes: block, Pattern: contract.PatternRandom, QueueDepth: depth, Threads: 1, Durability: durability, API: contract.Ptr("ReadFile/WriteFile"),
		Ops: 24_000, Bytes: 24_000 * block, IOPS: contract.Ptr(1e9 * float64(depth) / medianNs), MBPerSecond: contract.Ptr(1e3 * float64(depth*block) / medianNs), MiBPerSecond: contract.Ptr(1e9 / 1048576 * float64(depth*block) / medianNs),
		LatencyNs: contract.Latency{Min: contract.Ptr(float64(sorted[0])), Mean: &medianNs, P50: contract.Ptr(float64(sorted[200])), P90: contract.Ptr(float64(sorted[360])), P95: contract.Ptr(float64(sorted[380])), P99: contract.Ptr(float64(sorted[396])), P999: contract.Ptr(float64(sorted[399])), Max: contract.Ptr(float64(sorted[399]))},
		Valid:     true,
	}
	for _, class := range statistics.Histogram(sorted) {
		t.Histogram = append(t.Histogram, contract.HistogramClass{FromNs: class.From, ToNs: class.To, Count: class.Count * 60})
	}
	for i := range 6 {
		t.Rounds = append(t.Rounds, contract.BenchRound{StartedMs: float64(700 * i), ElapsedMs: 300, Ops: 4000, Bytes: 4000 * block, IOPS: *t.IOPS, MBPerSecond: *t.MBPerSecond, MeanNs: &medianNs, P50Ns: t.LatencyNs.P50, P99Ns: t.LatencyNs.P99})
	}
	interval := func(x float64) contract.Range { return contract.Range{Low: 0.98 * x, Estimate: x, High: 1.02 * x} }
	t.Interval = &contract.TestInterval{Confidence: 0.95, P50Ns: interval(*t.LatencyNs.P50), IOPS: interval(*t.IOPS)}
	return t
}

// writeGenerated writes count documents to a new folder: for three computers of four a status and a
// bench document.
func writeGenerated(t testing.TB, count int) string {
	t.Helper()
	folder := t.TempDir()
	for number := 0; count > 0; number++ {
		g := generate(number)
		sub := filepath.Join(folder, fmt.Sprintf("%03d", number/500))
		if err := os.MkdirAll(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		writeDocument(t, filepath.Join(sub, g.name+".status.json"), g.status())
		count--
		if number%4 != 0 && count > 0 {
			writeDocument(t, filepath.Join(sub, g.name+".bench.json"), g.bench())
			count--
		}
	}
	return folder
}

func writeDocument(t testing.TB, path string, document any) {
	t.Helper()
	data, err := contract.Encode(document)
	if err == nil {
		err = os.WriteFile(path, append(data, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
