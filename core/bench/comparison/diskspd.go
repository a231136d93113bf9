package comparison

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"diskaudit/core/bench/profile"
	"diskaudit/core/contract"
)

// diskspd's XML is written by XmlResultParser of microsoft/diskspd:XmlResultParser and by GetXml
// of its Common/Common.cpp; the schema of the profile is XmlProfileParser/diskspd.xsd.

const diskspdAdvice = "Run diskspd again with -Rxml -L, and give the file as it was written."

var diskspdRoot = regexp.MustCompile(`(?m)^[ \t]*(?:<\?xml[^>\n]{0,200}\?>[ \t]*)?(<Results>)`)

// isDiskspd knows a result by its root element.
func isDiskspd(text string) bool { return diskspdRoot.MatchString(text) }

// readDiskspd reads what diskspd -Rxml writes: one result, with one or several time spans.
func readDiskspd(file source) (*Result, error) {
	start := diskspdRoot.FindStringSubmatchIndex(file.text)[2]
	// Messages may come before, but a document type is nothing that diskspd writes.
	if at := strings.Index(file.text[:start], "<!DOCTYPE"); at >= 0 {
		return nil, file.errorf(CodeDamaged, file.line(int64(at)), "diskspd writes no document type, and none is read. %s", diskspdAdvice)
	}
	s := file.from(start)
	root, end, err := parseElements(s.text)
	if err != nil {
		return nil, s.badXML(err, end)
	}
	if isDiskspd(s.text[end:]) {
		return nil, s.errorf(CodeSeveral, s.line(end), "a second result of diskspd follows. Give one result in a file.")
	}
	version := root.child("System").child("Tool").value("Version")
	if version == "" || root.child("Profile") == nil {
		return nil, s.errorf(CodeDamaged, s.line(0), "the result has no <Profile>, or no <System> with the version of diskspd, so what was measured is not known. Use diskspd 2.0.15 or later. %s", diskspdAdvice)
	}
	result := &Result{Baseline: contract.Baseline{
		Path: s.path, Format: contract.Ptr(contract.BaselineDiskspd), Version: contract.Ptr(shorten(version)),
	}}
	// RunTime is UTC and says so.
	if at, err := time.Parse("2006/01/02 15:04:05 UTC", root.child("System").value("RunTime")); err == nil {
		result.Baseline.CollectedAt = &at
	}
	result.Notes = append(result.Notes, note("diskspd-figures", "diskspd writes latencies in steps of 1 us (ms with three decimals), those of one run without rounds."))
	planned, spans := root.child("Profile").child("TimeSpans").all("TimeSpan"), root.all("TimeSpan")
	if len(spans) == 0 {
		return nil, s.errorf(CodeNoResult, s.line(0), "the result has no <TimeSpan>: diskspd ended before it measured. Look at its messages, and run it again.")
	}
	if len(planned) != len(spans) {
		return nil, s.errorf(CodeDamaged, s.line(0), "the profile has %d time spans and the result %d. %s", len(planned), len(spans), diskspdAdvice)
	}
	for i, span := range spans {
		if err := s.readTimeSpan(result, i+1, planned[i], span); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// badXML names the place of a fault; a text that ends too early has its end as place.
func (s source) badXML(err error, at int64) *Error {
	switch {
	case errors.Is(err, errTooManyElements):
		return s.errorf(CodeTooLarge, s.line(at), "the result has more than %d elements. Run diskspd with fewer threads, or with fewer time spans.", maxElements)
	case errors.Is(err, io.EOF), strings.Contains(err.Error(), "unexpected EOF"):
		return s.errorf(CodeDamaged, s.line(int64(len(s.text))), "the XML ends before </Results>: diskspd was stopped while it wrote, or the file was cut off. %s", diskspdAdvice)
	}
	return s.errorf(CodeDamaged, s.line(at), "not readable as XML: %v. %s", err, diskspdAdvice)
}

// readTimeSpan reads one time span as one test, or refuses it. The error is for what diskspd
// cannot have written.
func (s source) readTimeSpan(result *Result, number int, planned, span *element) error {
	name := fmt.Sprintf("time span %d", number)
	test, wrong := diskspdTest(planned)
	if text := span.value("Error"); text != "" {
		wrong = faultf("job-failed", "diskspd says %q. Run it again.", shorten(text))
	}
	if wrong == nil {
		var broken string
		if broken, wrong = measureDiskspd(test, planned, span); broken != "" {
			place := fmt.Sprintf("line %d", s.before+span.line)
			return s.errorf(CodeDamaged, place, "in %s, %s. %s", name, broken, diskspdAdvice)
		}
	}
	if wrong != nil {
		id := name
		if test != nil {
			id = test.ID
		}
		result.refuse(wrong.code, id, "The baseline's %s is not compared: %s", name, wrong.reason)
		return nil
	}
	if test.Operation == contract.OperationWrite && diskspdTarget(planned).child("WriteBufferContent").value("Pattern") == "sequential" {
		result.noteOnce("data-compressible", "The baseline wrote diskspd's default pattern, which a disk can compress, and ours cannot be compressed. With -Z64M diskspd writes such data.")
	}
	result.Tests = append(result.Tests, *test)
	return nil
}

func diskspdTarget(planned *element) *element {
	return planned.child("Targets").child("Target")
}

// diskspdUnlike are settings of a target with which it is none of our tests.
var diskspdUnlike = []struct {
	name         string
	unlike       func(value string) bool
	code, reason string
}{
	{"RandomRatio", not("100"), "options-differ", "it mixes random and sequential I/O (-rs). Run it with -r, or without."},
	{"Distribution", not(""), "options-differ", "its blocks are not evenly random (-rd). Run it with -r."},
	{"Throughput", not("0"), "rate-limited", "its rate is limited (-g). Run it without that."},
	{"MemoryMappedIo", not("false"), "cached", "it worked on mapped memory (-Sm), so its figures are not the disk's. Run it with -Su or -Sh."},
	{"DisableLocalCache", not("false"), "cached", "only the local cache of a share was off (-Sr). Run it with -Su or -Sh on a disk of this computer."},
	{"IOPriority", not("3"), "options-differ", "its I/O had low priority (-I). Run it without that."},
	{"ParallelAsyncIO", not("false"), "options-differ", "its overlapping I/Os went to the same place (-p). Run it without that."},
}

// not makes a rule of the one value that is like ours. A distribution has no text of its own, so
// for it being there is enough.
func not(harmless string) func(string) bool {
	return func(value string) bool { return harmless == "" || value != harmless }
}

// diskspdTest reads what a time span did. The fault is for one that is none of our tests; the
// test is there with it as far as its name is known.
func diskspdTest(planned *element) (*Test, *fault) {
	if count := len(planned.child("Targets").all("Target")); count != 1 {
		return nil, faultf("ran-together", "it has %d targets, which were measured at the same time. Run diskspd with one target.", count)
	}
	target := diskspdTarget(planned)
	// DisableAllCache is what versions before 2.0.16 wrote for -h, which is now -Sh.
	all := target.is("DisableAllCache")
	t, wrong := diskspdShape(target, planned, all || target.is("WriteThrough"))
	if wrong != nil {
		return nil, wrong
	}
	t.ID = profile.ID(t.spec())
	for _, unlike := range diskspdUnlike {
		if at := target.child(unlike.name); at != nil && unlike.unlike(at.text) {
			return t, &fault{unlike.code, unlike.reason}
		}
	}
	if !all && !target.is("DisableOSCache") {
		return t, faultf("cached", "it ran through the system's cache, as diskspd does by default, so its figures are not the disk's. Run it with -Su, or with -Sh for write-through.")
	}
	if t.Operation == contract.OperationWrite && target.child("WriteBufferContent").value("Pattern") == "zero" {
		return t, faultf("data-differs", "it wrote zeros, which a disk may not store at all (-Z). Run it with -Z64M.")
	}
	return t, diskspdOrder(t, target)
}

// diskspdShape reads what names a test.
func diskspdShape(target, planned *element, through bool) (*Test, *fault) {
	t := &Test{ResolutionNs: 1000}
	t.Valid, t.Pattern = true, contract.PatternSequential
	switch ratio, ok := whole(target.value("WriteRatio")); {
	case !ok:
		return nil, faultf("options-unknown", "the profile does not tell its part of writes. Give the file as diskspd wrote it.")
	case ratio == 0:
		t.Operation = contract.OperationRead
	case ratio == 100:
		t.Operation, t.Durability = contract.OperationWrite, contract.Ptr(contract.DurabilityDeviceCache)
		if through {
			t.Durability = contract.Ptr(contract.DurabilityWriteThrough)
		}
	default:
		return nil, faultf("mixed-operation", "%d %% of its I/Os are writes. Run it with -w0 and with -w100.", ratio)
	}
	if target.child("Random") != nil {
		t.Pattern = contract.PatternRandom
	}
	// Threads and requests of the time span (-F, -O) go before those of the target (-t, -o).
	for _, number := range []struct {
		to    *uint64
		texts []string
	}{
		{&t.BlockBytes, []string{target.value("BlockSize")}},
		{&t.Threads, []string{planned.value("ThreadCount"), target.value("ThreadsPerFile")}},
		{&t.QueueDepth, []string{planned.value("RequestCount"), target.value("RequestCount")}},
	} {
		for _, text := range number.texts {
			if value, ok := whole(text); ok && value > 0 && *number.to == 0 {
				*number.to = value
			}
		}
		if *number.to == 0 {
			return nil, faultf("options-unknown", "the profile does not tell its block size, threads or queue depth. Give the file as diskspd wrote it.")
		}
	}
	if pause, ok := whole(target.value("ThinkTime")); ok {
		t.SpacingMs = float64(pause)
	}
	return t, nil
}

// diskspdOrder tells what is wrong with the order in which a target's blocks were used.
func diskspdOrder(t *Test, target *element) *fault {
	if burst, _ := whole(target.value("BurstSize")); t.SpacingMs > 0 && burst != 1 {
		return faultf("rate-limited", "it pauses between bursts of I/Os (-i, -j). Run it with -i1, or without.")
	}
	if t.Pattern == contract.PatternRandom || target.is("InterlockedSequential") {
		return nil
	}
	if stride, ok := whole(target.value("StrideSize")); !ok || stride != t.BlockBytes {
		return faultf("options-differ", "it steps by another distance than its block (-s). Run it with -s alone, or with -r.")
	}
	if apart, _ := whole(target.value("ThreadStride")); t.Threads > 1 && apart == 0 {
		return faultf("options-differ", "all its threads work on the same blocks in the same order, most of which the disk has in its cache. Run it with -si, or with -T and a distance.")
	}
	return nil
}
