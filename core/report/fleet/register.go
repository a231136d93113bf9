package fleet

import (
	"hash/maphash"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/report/fleet/documents"
)

// register knows which document of a named computer is the newest. It keeps some tens of bytes for
// each computer and each of its targets.
type register struct {
	seed     maphash.Seed
	statuses map[uint64]statusEntry
	benches  map[uint64]entry
	// findings are the ids of worst findings, and their numbers in the entries.
	findings []string
	numbers  map[string]int32
}

// entry is the newest document so far.
type entry struct {
	// collected is when it was written, in ns since 1970.
	collected int64
	sum       uint64
}

type statusEntry struct {
	entry
	standing standing
}

// standing is what the newest status document of a computer says, for those who read of its disks.
type standing struct {
	state              contract.ComputerState
	critical, warnings uint32
	// worst is the number of the worst finding, 0 for none.
	worst int32
}

func newRegister() *register {
	return &register{
		seed: maphash.MakeSeed(), statuses: map[uint64]statusEntry{}, benches: map[uint64]entry{},
		findings: []string{""}, numbers: map[string]int32{"": 0},
	}
}

func (r *register) any() bool {
	return len(r.statuses)+len(r.benches) > 0
}

// nameOf is the name of the computer that a document is of; nil when the document does not have it.
func nameOf(document documents.Document) *string {
	var name *string
	switch {
	case document.Status != nil:
		name = document.Status.Machine.ComputerName
	case document.Bench.Context.Machine != nil:
		name = document.Bench.Context.Machine.ComputerName
	}
	if name == nil || strings.TrimSpace(*name) == "" {
		return nil
	}
	return name
}

// key is a computer's. Names of computers have no case
// (learn.microsoft.com/troubleshoot/windows-server/active-directory/naming-conventions-for-computer-domain-site-ou).
func (r *register) key(name string) uint64 {
	return maphash.String(r.seed, strings.ToLower(name))
}

// note takes a document of a named computer, and tells whether one of the two is superseded by it or
// supersedes it. Of two of the same moment that counts whose state comes first by priority, or else the
// one that was read first.
func (r *register) note(document documents.Document) bool {
	name := *nameOf(document)
	if status := document.Status; status != nil {
		key := r.key(name)
		known, again := r.statuses[key]
		at := status.CollectedAt.UnixNano()
		if !again || supersedes(at, status.Summary.State, known.collected, known.standing.state) {
			r.statuses[key] = statusEntry{entry{at, document.Sum}, r.stands(status)}
		}
		return again
	}
	bench := document.Bench
	key := r.key(name + "\x00" + targetOf(*bench))
	known, again := r.benches[key]
	if at := bench.CollectedAt.UnixNano(); !again || at > known.collected {
		r.benches[key] = entry{at, document.Sum}
	}
	return again
}

// supersedes tells whether a status document supersedes one that was read before it.
func supersedes(at int64, state contract.ComputerState, knownAt int64, known contract.ComputerState) bool {
	return at > knownAt || at == knownAt && priority(stateOf(state)) < priority(stateOf(known))
}

// targetOf is what was measured: the volume where it is known, since each run makes a file of its own.
func targetOf(bench contract.Bench) string {
	if bench.Target.VolumeID != nil {
		return *bench.Target.VolumeID
	}
	return bench.Target.Path
}

func (r *register) stands(status *contract.Status) standing {
	summary := status.Summary
	stands := standing{state: summary.State, critical: uint32(summary.Critical), warnings: uint32(summary.Warnings)}
	if summary.WorstFinding != nil {
		id := clip(*summary.WorstFinding, longestName)
		number, known := r.numbers[id]
		if !known && (len(r.findings) < mostKept || isRule(id)) {
			number = int32(len(r.findings))
			r.findings = append(r.findings, id)
			r.numbers[id] = number
		}
		stands.worst = number
	}
	return stands
}

// newest are the checksums of the documents that count, with their kinds.
func (r *register) newest() map[uint64]contract.Kind {
	newest := make(map[uint64]contract.Kind, len(r.statuses)+len(r.benches))
	for _, known := range r.statuses {
		newest[known.sum] = contract.KindStatus
	}
	for _, known := range r.benches {
		newest[known.sum] = contract.KindBench
	}
	return newest
}

// linked is what is known of a computer by its status document.
type linked struct {
	state              contract.ComputerState
	critical, warnings uint64
	worst              *string
}

// standing tells what the status document of a named computer says; nil when there is none.
func (r *register) standing(name *string) *linked {
	if name == nil {
		return nil
	}
	known, ok := r.statuses[r.key(*name)]
	if !ok {
		return nil
	}
	stands := known.standing
	about := &linked{state: stands.state, critical: uint64(stands.critical), warnings: uint64(stands.warnings)}
	if stands.worst != 0 {
		about.worst = &r.findings[stands.worst]
	}
	return about
}
