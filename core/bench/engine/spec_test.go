package engine

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"diskaudit/core/contract"
)

// What cannot be measured is refused before anything is opened, by the name of the option (P13,
// P36).
func TestRefusals(t *testing.T) {
	read, write := readSpec("no-such-target", 1<<20), writeSpec("no-such-target", 1<<20)
	for name, c := range map[string]struct {
		base   Spec
		change func(*Spec)
		want   string
	}{
		"no path":            {read, func(s *Spec) { s.Path = "" }, "path"},
		"operation":          {read, func(s *Spec) { s.Operation = "trim" }, "operation"},
		"pattern":            {read, func(s *Spec) { s.Pattern = "zigzag" }, "pattern"},
		"write to read-only": {write, func(s *Spec) { s.ReadOnly = true }, "only read"},
		"no durability":      {write, func(s *Spec) { s.Durability = "" }, "durability"},
		"other durability":   {write, func(s *Spec) { s.Durability = "fsync" }, "durability"},
		"durable read":       {read, func(s *Spec) { s.Durability = contract.DurabilityFlush }, "durability"},
		"deep flush":         {write, func(s *Spec) { s.Durability, s.QueueDepth = contract.DurabilityFlush, 2 }, "queue depth 2"},
		"odd alignment":      {read, func(s *Spec) { s.Alignment = 1536 }, "alignment"},
		"small alignment":    {read, func(s *Spec) { s.Alignment = 256 }, "alignment"},
		"no block":           {read, func(s *Spec) { s.BlockBytes = 0 }, "block size"},
		"huge block":         {read, func(s *Spec) { s.BlockBytes = 2 << 30 }, "block size"},
		"unaligned block":    {read, func(s *Spec) { s.Alignment, s.BlockBytes = 4096, 512 }, "multiple of 4096"},
		"unaligned offset":   {read, func(s *Spec) { s.Offset = 100 }, "offset"},
		"negative offset":    {read, func(s *Spec) { s.Offset = -4096 }, "offset"},
		"no length":          {read, func(s *Spec) { s.Length = 0 }, "length"},
		"length overflows":   {read, func(s *Spec) { s.Offset, s.Length = 4096, math.MaxInt64 }, "length"},
		"too few blocks":     {read, func(s *Spec) { s.Length, s.QueueDepth = 4*testBlock, 8 }, "holds 4 blocks"},
		"no depth":           {read, func(s *Spec) { s.QueueDepth = 0 }, "queue depth"},
		"huge depth":         {read, func(s *Spec) { s.QueueDepth = MaxQueueDepth + 1 }, "queue depth"},
		"no threads":         {read, func(s *Spec) { s.Threads = 0 }, "threads"},
		"many threads":       {read, func(s *Spec) { s.Threads = MaxThreads + 1 }, "threads"},
		"all of both":        {read, func(s *Spec) { s.Threads, s.QueueDepth = MaxThreads, MaxQueueDepth }, "threads"},
		"memory":             {read, func(s *Spec) { s.BlockBytes, s.QueueDepth, s.Length = 64<<20, 128, 1<<40 }, "memory"},
		"spacing":            {read, func(s *Spec) { s.Spacing = -time.Second }, "spacing"},
		"deep spacing":       {read, func(s *Spec) { s.Spacing, s.QueueDepth = time.Second, 2 }, "queue depth"},
		"no data":            {write, func(s *Spec) { s.Data = nil }, "data"},
		"odd data":           {write, func(s *Spec) { s.Data = s.Data[:5000] }, "data"},
	} {
		s := c.base
		c.change(&s)
		if session, err := Open(s); err == nil || session != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A target that ends before the stretch is refused: a write there would extend it (P23).
func TestStretchBehindTheEnd(t *testing.T) {
	needUnbuffered(t)
	path := newFile(t, 10*testBlock)
	for _, s := range []Spec{readSpec(path, 11), writeSpec(path, 11)} {
		if _, err := Open(s); err == nil || !strings.Contains(err.Error(), "ends at byte 40960") {
			t.Errorf("%s: %v", s.Operation, err)
		}
	}
	if _, err := Open(readSpec(path+"-missing", 1)); err == nil || !strings.Contains(err.Error(), path+"-missing") {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := Open(readSpec(filepath.Dir(path), 1)); err == nil {
		t.Error("a folder was opened")
	}
}
