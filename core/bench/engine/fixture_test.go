package engine

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"diskaudit/core/contract"
	"diskaudit/tests/require"
)

const testBlock = 4096

// content fills a block so that it tells where it lies.
func content(offset int64, bytes int) []byte {
	block := make([]byte, bytes)
	for at := 0; at < bytes; at += 8 {
		binary.LittleEndian.PutUint64(block[at:], (uint64(offset)+uint64(at))*0x9e3779b97f4a7c15+1)
	}
	return block
}

// newFile makes a file of blocks whose content tells their place.
func newFile(t testing.TB, bytes int64) string {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "target")
	t.Cleanup(func() {
		// RemoveAll, which is to come, fails under Wine 8 with what is not an empty folder.
		os.Remove(path)
		os.Remove(folder)
	})
	if err := os.WriteFile(path, content(0, int(bytes)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// newPool makes data whose pages tell their number and have no two equal words in a row.
func newPool(pages int) []byte {
	pool := make([]byte, pages*dataPage)
	for at := 0; at < len(pool); at += 8 {
		binary.LittleEndian.PutUint64(pool[at:], ^uint64(at)*0xbf58476d1ce4e5b9)
	}
	return pool
}

// readSpec reads a whole file of blocks in random order.
func readSpec(path string, blocks int64) Spec {
	return Spec{Path: path, ReadOnly: true, Operation: contract.OperationRead, Pattern: contract.PatternRandom,
		BlockBytes: testBlock, QueueDepth: 1, Threads: 1, Length: blocks * testBlock, Seed: 7}
}

// writeSpec writes a whole file of blocks in random order.
func writeSpec(path string, blocks int64) Spec {
	s := readSpec(path, blocks)
	s.ReadOnly, s.Operation, s.Durability, s.Data = false, contract.OperationWrite, contract.DurabilityDeviceCache, newPool(64)
	return s
}

// open opens a session that the test closes.
func open(t testing.TB, s Spec) *Session {
	t.Helper()
	session, err := Open(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return session
}

// runRound runs a round that has to reach its limit, and checks what holds for every round.
func runRound(t testing.TB, s *Session, limit Limit) Round {
	t.Helper()
	round, err := s.Round(context.Background(), limit)
	if err != nil {
		t.Fatal(err)
	}
	checkRound(t, s, round)
	return round
}

func checkRound(t testing.TB, s *Session, r Round) {
	t.Helper()
	if int64(len(r.LatenciesNs))+int64(r.Backwards) != r.Ops {
		t.Errorf("%d latencies and %d backwards of %d I/Os", len(r.LatenciesNs), r.Backwards, r.Ops)
	}
	if r.Bytes != r.Ops*int64(s.spec.BlockBytes) {
		t.Errorf("%d bytes of %d I/Os of %d", r.Bytes, r.Ops, s.spec.BlockBytes)
	}
	sum := int64(0)
	for _, ns := range r.LatenciesNs {
		sum += ns
		if ns < 0 || ns > r.ElapsedNs {
			t.Errorf("a latency of %d ns in a round of %d ns", ns, r.ElapsedNs)
		}
	}
	if sum != r.InFlightNs {
		t.Errorf("%d ns in flight, and latencies of %d ns", r.InFlightNs, sum)
	}
	if most := r.ElapsedNs * int64(s.spec.inFlight()); sum > most {
		t.Errorf("%d ns in flight in a round of %d ns at depth %d", sum, r.ElapsedNs, s.spec.inFlight())
	}
	want := int64(0)
	if s.spec.flushes() {
		want = r.Ops
	}
	if r.Flushes != want {
		t.Errorf("%d flushes with %d I/Os and durability %q, want %d", r.Flushes, r.Ops, s.spec.Durability, want)
	}
}

// needUnbuffered skips a test where the folder for tests cannot be used unbuffered.
func needUnbuffered(t testing.TB) {
	t.Helper()
	path := newFile(t, testBlock)
	file, err := openFile(readSpec(path, 1).complete())
	if err != nil {
		require.Missing(t, "unbuffered-io", err.Error())
	}
	if err := file.close(); err != nil {
		t.Fatal(err)
	}
}

// variant is a way to do I/O.
type variant struct {
	name    string
	depth   int
	threads int
}

var variants = []variant{
	{"one at a time", 1, 1},
	{"three threads", 1, 3},
	{"queue", 8, 1},
	{"two queues", 4, 2},
}

func (v variant) of(s Spec) Spec {
	s.QueueDepth, s.Threads = v.depth, v.threads
	return s
}
