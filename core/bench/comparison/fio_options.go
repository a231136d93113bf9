package comparison

import (
	"strconv"
	"strings"

	"diskaudit/core/bench/profile"
	"diskaudit/core/contract"
)

// fioOptions are a job's options, those of the global section included, by fio's own names.
type fioOptions map[string]string

// fioAliases are the other names that fio takes for options which matter here.
var fioAliases = map[string]string{"readwrite": "rw", "blocksize": "bs"}

func (o fioOptions) merge(options map[string]string) {
	for name, value := range options {
		if canonical, ok := fioAliases[name]; ok {
			name = canonical
		}
		o[name] = value
	}
}

// get is an option's value, or fio's default for it.
func (o fioOptions) get(name, otherwise string) string {
	if value, ok := o[name]; ok {
		return strings.TrimSpace(value)
	}
	return otherwise
}

// fioPatterns are the values of rw that do one thing only.
var fioPatterns = map[string]struct {
	operation contract.Operation
	pattern   contract.AccessPattern
}{
	"read":      {contract.OperationRead, contract.PatternSequential},
	"write":     {contract.OperationWrite, contract.PatternSequential},
	"randread":  {contract.OperationRead, contract.PatternRandom},
	"randwrite": {contract.OperationWrite, contract.PatternRandom},
}

// fioUnlike are options with which a job is none of our tests, whatever they are set to but one
// harmless value.
var fioUnlike = []struct {
	name, code, reason string
	harmless           string
}{
	{"bssplit", "options-differ", "it mixes block sizes (bssplit). Run it with one bs.", ""},
	{"bsrange", "options-differ", "it mixes block sizes (bsrange). Run it with one bs.", ""},
	{"rate", "rate-limited", "its rate is limited (rate). Run it without that.", "0"},
	{"rate_iops", "rate-limited", "its rate is limited (rate_iops). Run it without that.", "0"},
	{"rate_min", "rate-limited", "its rate is limited (rate_min). Run it without that.", "0"},
	{"latency_target", "rate-limited", "fio changed its queue depth while it ran (latency_target). Run it with a fixed iodepth.", "0"},
	{"random_distribution", "options-differ", "its blocks are not evenly random (random_distribution). Run it with the default.", "random"},
	{"percentage_random", "options-differ", "it mixes random and sequential I/O (percentage_random). Run it without that.", "100"},
	{"verify", "mixed-operation", "it reads back what it wrote (verify). Run it without that.", "0"},
	{"zonemode", "options-differ", "it works in zones (zonemode). Run it without that.", "none"},
	{"kb_base", "options-unknown", "it changes what a kilobyte is (kb_base), so its block size is in doubt. Run it without that.", "1024"},
	{"zero_buffers", "data-differs", "it writes zeros, which a disk may not store at all (zero_buffers). Run it without that.", "0"},
	{"thinktime_spin", "rate-limited", "it keeps the processor busy between I/Os (thinktime_spin). Run it without that.", "0"},
	{"iodepth_batch", "options-differ", "it submits I/Os in batches (iodepth_batch). Run it without that.", "1"},
}

// test reads what a job does. The fault is for a job that is none of our tests; the test is there
// with it as far as its name is known.
func (o fioOptions) test() (*Test, *fault) {
	if len(o) == 0 {
		return nil, faultf("options-unknown", "the output does not carry its options, so what was measured is not known. Use fio 2.20 or later.")
	}
	t, wrong := o.shape()
	if wrong != nil {
		return nil, wrong
	}
	t.ID = profile.ID(t.spec())
	for _, unlike := range fioUnlike {
		if value, ok := o[unlike.name]; ok && strings.TrimSpace(value) != unlike.harmless {
			return t, &fault{unlike.code, unlike.reason}
		}
	}
	shared := o.get("filename", "") != ""
	switch {
	case !o.unbuffered():
		return t, faultf("cached", "it ran through the system's cache (direct is not 1), so its figures are not the disk's. Run it with direct=1.")
	case t.Threads > 1 && t.Pattern == contract.PatternSequential && shared && !o.apart():
		return t, faultf("options-differ", "all its threads work on the same blocks in the same order, most of which the disk has in its cache. Run it with offset_increment.")
	}
	if size, ok := fioBytes(o.get("size", "")); ok && size > 0 {
		if !shared || o.apart() {
			size *= t.Threads
		}
		t.SpanBytes = &size
	}
	return t, nil
}

// shape reads what names a test.
func (o fioOptions) shape() (*Test, *fault) {
	direction, ok := fioPatterns[o.get("rw", "read")]
	if !ok {
		return nil, faultf("mixed-operation", "rw=%s mixes operations, or neither reads nor writes. Run reads and writes as jobs of their own.", shorten(o.get("rw", "")))
	}
	t := &Test{}
	t.Operation, t.Pattern, t.Valid = direction.operation, direction.pattern, true
	if t.BlockBytes, ok = fioBlock(o.get("bs", "4k")); !ok {
		return nil, faultf("options-unknown", "its block size %q is not one size. Run it with one, such as bs=4k.", shorten(o.get("bs", "")))
	}
	for _, number := range []struct {
		name string
		to   *uint64
	}{{"iodepth", &t.QueueDepth}, {"numjobs", &t.Threads}} {
		value, err := strconv.ParseUint(o.get(number.name, "1"), 10, 16)
		if err != nil || value == 0 {
			return nil, faultf("options-unknown", "its %s is %q. Run it with a plain number.", number.name, shorten(o.get(number.name, "")))
		}
		*number.to = value
	}
	if t.SpacingMs, ok = o.spacing(); !ok {
		return nil, faultf("options-unknown", "the time between its I/Os (thinktime) is not readable. Run it with thinktime=500ms and thinktime_blocks=1, or without.")
	}
	if t.Operation == contract.OperationWrite {
		durability, ok := o.durability()
		if !ok {
			return nil, faultf("options-differ", "it flushes after some of its writes only, or in a way that is none of ours. Run it with fdatasync=1, with sync=dsync, or with neither.")
		}
		t.Durability = &durability
	}
	return t, nil
}

// apart tells whether each thread has a stretch of its own.
func (o fioOptions) apart() bool { return o.get("offset_increment", "0") != "0" }

// unbuffered tells whether a job bypassed the system's cache; "buffered" is the opposite name of
// the same option, and the engine mmap reads through the cache whatever it says.
func (o fioOptions) unbuffered() bool {
	if o.get("ioengine", "") == "mmap" {
		return false
	}
	if direct, ok := o["direct"]; ok {
		return strings.TrimSpace(direct) == "1"
	}
	return o.get("buffered", "1") == "0"
}

// flushes tells whether each write is followed by a flush.
func (o fioOptions) flushes() bool {
	return o.get("fsync", "0") == "1" || o.get("fdatasync", "0") == "1"
}

// fioSyncs are the values of sync: O_SYNC and O_DSYNC both end a write when it is stored.
var fioSyncs = map[string]contract.Durability{
	"0": contract.DurabilityDeviceCache, "none": contract.DurabilityDeviceCache,
	"1": contract.DurabilityWriteThrough, "sync": contract.DurabilityWriteThrough, "dsync": contract.DurabilityWriteThrough,
}

func (o fioOptions) durability() (contract.Durability, bool) {
	durability, ok := fioSyncs[o.get("sync", "0")]
	if !ok || o.get("sync_file_range", "") != "" || o.get("write_barrier", "0") != "0" {
		return "", false
	}
	if o.flushes() {
		return contract.DurabilityFlush, durability == contract.DurabilityDeviceCache
	}
	return durability, o.get("fsync", "0") == "0" && o.get("fdatasync", "0") == "0"
}

// spacing is the pause between I/Os in ms; fio's thinktime is in us unless it says otherwise.
func (o fioOptions) spacing() (ms float64, ok bool) {
	value := strings.ToLower(o.get("thinktime", "0"))
	perMs := 1000.0
	for _, unit := range []struct {
		suffix string
		perMs  float64
	}{{"us", 1000}, {"ms", 1}, {"s", 0.001}} {
		if rest, found := strings.CutSuffix(value, unit.suffix); found {
			value, perMs = rest, unit.perMs
			break
		}
	}
	number, err := strconv.ParseUint(value, 10, 32)
	if err != nil || number > 0 && o.get("thinktime_blocks", "1") != "1" {
		return 0, false
	}
	return float64(number) / perMs, true
}

// fioBlock reads bs: one size, or the same for reads, writes and trims.
func fioBlock(value string) (uint64, bool) {
	parts := strings.Split(value, ",")
	block, ok := fioBytes(parts[0])
	for _, part := range parts[1:] {
		if other, fine := fioBytes(part); !fine || other != block {
			return 0, false
		}
	}
	return block, ok && block > 0
}

// fioBytes reads a size as fio does with its default kb_base: k, m, g and t are powers of 1024,
// with or without "b" or "ib".
func fioBytes(value string) (uint64, bool) {
	value = strings.ToLower(strings.TrimSpace(value))
	value = strings.TrimSuffix(strings.TrimSuffix(value, "b"), "i")
	shift := 0
	if value != "" {
		if at := strings.IndexByte("kmgt", value[len(value)-1]); at >= 0 {
			value, shift = value[:len(value)-1], 10*(at+1)
		}
	}
	const most = 1 << 50
	number, err := strconv.ParseUint(value, 10, 64)
	if err != nil || number > most>>shift {
		return 0, false
	}
	return number << shift, true
}
