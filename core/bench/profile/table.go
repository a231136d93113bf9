package profile

import (
	"time"

	"diskaudit/core/contract"
)

// plan is how long and how often tests are measured.
type plan struct {
	rounds  uint64
	round   time.Duration
	ops     uint64
	warmup  time.Duration
	written int64
	spacing time.Duration
}

// shape is the I/O of a test.
type shape struct {
	pattern        contract.AccessPattern
	block          int64
	depth, threads uint64
	span           int64
}

func random(block int64, depth, threads uint64) shape {
	return shape{pattern: contract.PatternRandom, block: block, depth: depth, threads: threads}
}

func sequential(block int64, depth, threads uint64) shape {
	return shape{pattern: contract.PatternSequential, block: block, depth: depth, threads: threads}
}

func (s shape) test(p plan, operation contract.Operation, durability contract.Durability) contract.TestSpec {
	test := contract.TestSpec{
		Operation: operation, BlockBytes: uint64(s.block), Pattern: s.pattern, QueueDepth: s.depth, Threads: s.threads,
		SpanBytes: uint64(s.span), SpacingMs: milliseconds(p.spacing), Rounds: p.rounds, RoundMs: milliseconds(p.round),
		RoundOps: p.ops, WarmupMs: milliseconds(p.warmup),
	}
	if operation == contract.OperationWrite {
		test.Durability = &durability
		test.MaxWrittenBytes = uint64(p.written)
	}
	return test
}

func (s shape) read(p plan) contract.TestSpec {
	return s.test(p, contract.OperationRead, "")
}

func (s shape) write(p plan, durability contract.Durability) contract.TestSpec {
	return s.test(p, contract.OperationWrite, durability)
}

// both is the test in both directions, which take turns.
func (s shape) both(p plan) []contract.TestSpec {
	return []contract.TestSpec{s.read(p), s.write(p, contract.DurabilityDeviceCache)}
}

func join(groups ...[]contract.TestSpec) []contract.TestSpec {
	var tests []contract.TestSpec
	for _, group := range groups {
		tests = append(tests, group...)
	}
	return tests
}

// quick writes at most 2 GiB: 1 GiB to make the file, 832 MiB by its tests.
func quick() Profile {
	deep := plan{rounds: 6, round: 200 * time.Millisecond, warmup: 150 * time.Millisecond, written: 256 * mib}
	large := deep
	large.written = 320 * mib
	single := plan{rounds: 8, round: 300 * time.Millisecond, warmup: 300 * time.Millisecond, written: 256 * mib}
	return Profile{
		Name: "quick", Purpose: "latency and speed at a glance, in about 20 s, with at most 2 GiB written",
		SizeBytes: gib, PrepareFor: 4 * time.Second, Limit: 26 * time.Second, PenaltyFor: 5 * time.Second,
		Tests: join(random(4*kib, 1, 1).both(single), random(4*kib, 32, 1).both(deep), sequential(mib, 8, 1).both(large)),
	}
}

// crystal is the length of CrystalDiskMark's tests: as long as three of its passes of 5 s.
func crystal() plan {
	return plan{rounds: 6, round: 2500 * time.Millisecond, warmup: time.Second, written: 4 * gib}
}

func cdm() Profile {
	return Profile{
		Name: "cdm", Purpose: "the tests of CrystalDiskMark's default preset, with medians instead of the best of some passes",
		SizeBytes: gib, PrepareFor: time.Minute, PenaltyFor: 20 * time.Second,
		Tests: join(sequential(mib, 8, 1).both(crystal()), sequential(mib, 1, 1).both(crystal()),
			random(4*kib, 32, 1).both(crystal()), random(4*kib, 1, 1).both(crystal())),
	}
}

func cdmNVMe() Profile {
	return Profile{
		Name: "cdm-nvme", Purpose: "the tests of CrystalDiskMark's NVMe preset, with medians instead of the best of some passes",
		SizeBytes: gib, PrepareFor: time.Minute, PenaltyFor: 20 * time.Second,
		Tests: join(sequential(mib, 8, 1).both(crystal()), sequential(128*kib, 32, 1).both(crystal()),
			random(4*kib, 32, 16).both(crystal()), random(4*kib, 1, 1).both(crystal())),
	}
}

// atto sweeps the block size as ATTO Disk Benchmark does: sequential, queue depth 4, 256 MiB.
func atto() Profile {
	p := plan{rounds: 6, round: 150 * time.Millisecond, warmup: 100 * time.Millisecond, written: 512 * mib}
	var tests []contract.TestSpec
	for block := int64(512); block <= 64*mib; block *= 2 {
		tests = append(tests, sequential(block, 4, 1).both(p)...)
	}
	return Profile{
		Name: "atto", Purpose: "block sizes from 512 B to 64 MiB one after the other, as ATTO Disk Benchmark shows them",
		SizeBytes: 256 * mib, PrepareFor: time.Minute, PenaltyFor: 20 * time.Second, Tests: tests,
	}
}

func databases() plan {
	return plan{rounds: 6, round: 5 * time.Second, warmup: 5 * time.Second, written: 16 * gib}
}

func oltp() Profile {
	return Profile{
		Name: "oltp", Purpose: "a database's data files: 8 KiB at random, 8 threads with 8 I/Os each, as diskspd is run for SQL Server",
		SizeBytes: 4 * gib, PrepareFor: 3 * time.Minute, PenaltyFor: 20 * time.Second,
		Tests: random(8*kib, 8, 8).both(databases()),
	}
}

func server() Profile {
	log := plan{rounds: 6, round: 2 * time.Second, warmup: time.Second, written: 4 * gib}
	return Profile{
		Name: "server", Purpose: "a database server: oltp, 64 KiB scans and backups, and a transaction log that is written through",
		SizeBytes: 4 * gib, PrepareFor: 3 * time.Minute, PenaltyFor: 20 * time.Second,
		Tests: join(random(8*kib, 8, 8).both(databases()), sequential(64*kib, 8, 1).both(databases()),
			[]contract.TestSpec{sequential(64*kib, 1, 1).write(log, contract.DurabilityWriteThrough)}),
	}
}

func flush() Profile {
	p := plan{rounds: 6, round: 1500 * time.Millisecond, warmup: 500 * time.Millisecond, written: gib}
	s := random(4*kib, 1, 1)
	return Profile{
		Name: "flush", Purpose: "what it costs to be sure that a write is stored: in the device's cache, written through, and flushed, each by itself",
		SizeBytes: gib, PrepareFor: 20 * time.Second, PenaltyFor: 10 * time.Second,
		Tests: []contract.TestSpec{
			s.write(p, contract.DurabilityDeviceCache), s.write(p, contract.DurabilityWriteThrough), s.write(p, contract.DurabilityFlush),
		},
	}
}

// legacy is what Test-BitLockerDiskSpeed.ps1 timed: 1,000 writes of 4 KiB to one place, each
// with a flush. The flush is most of it, so it says little about encryption.
func legacy() Profile {
	s := sequential(4*kib, 1, 1)
	s.span = 4 * kib
	return Profile{
		Name: "legacy", Purpose: "what Test-BitLockerDiskSpeed.ps1 measured, to compare with its old results; it times the drive's flush, not encryption",
		SizeBytes: 16 * mib, PrepareFor: 20 * time.Second, PenaltyFor: 10 * time.Second,
		Tests: []contract.TestSpec{s.write(plan{rounds: 6, round: 10 * time.Second, ops: 1000, warmup: 100 * time.Millisecond, written: 64 * mib}, contract.DurabilityFlush)},
	}
}

// spaced waits half a second between I/Os, longer than the idle time-outs of StorNVMe
// (learn.microsoft.com/windows-hardware/design/component-guidelines/power-management-for-storage-hardware-devices-nvme).
func spaced() Profile {
	s := random(4*kib, 1, 1)
	apart := plan{rounds: 6, round: 2500 * time.Millisecond, ops: 5, written: 16 * mib, spacing: 500 * time.Millisecond}
	beside := plan{rounds: 6, round: 300 * time.Millisecond, warmup: 200 * time.Millisecond, written: 256 * mib}
	return Profile{
		Name: "spaced", Purpose: "one I/O every half second beside back-to-back I/O: what it costs that the disk and the processor go to sleep",
		SizeBytes: gib, PrepareFor: 20 * time.Second, PenaltyFor: 10 * time.Second,
		Tests: join(s.both(apart), s.both(beside)),
	}
}

// custom has one test; its options replace these.
func custom() Profile {
	p := plan{rounds: 6, round: time.Second, warmup: 500 * time.Millisecond, written: 16 * gib}
	return Profile{
		Name: Custom, Purpose: "one test with the options that you give",
		SizeBytes: gib, PrepareFor: time.Minute, PenaltyFor: 10 * time.Second,
		Tests: []contract.TestSpec{random(4*kib, 1, 1).read(p)},
	}
}
