package fleet

import (
	"cmp"
	"slices"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/report/fleet/documents"
)

// mostBenches bounds the measurements of one computer that are shown in full; mostEarlier those that
// are listed besides.
const (
	mostBenches = 12
	mostEarlier = 200
)

// Portrait is what is known of one computer.
type Portrait struct {
	// Status is the newest status document; nil when there is none.
	Status *documents.Document
	// Benches are the newest bench documents, newest first, at most 12.
	Benches []documents.Document
	// Earlier are the measurements before them, newest first, at most 200, and MoreEarlier how many
	// there are besides.
	Earlier     []Earlier
	MoreEarlier uint64
	// Named tells that all documents have the computer's name. Without it they are taken for one
	// computer's since volume, disk and processor are the same.
	Named bool

	count   int
	unnamed bool
	several bool
}

// Earlier is one earlier measurement.
type Earlier struct {
	Place   contract.ReportPlace
	Volume  string
	Profile string
	Penalty contract.Penalty
	Verdict contract.Verdict
}

// offer takes a document, as long as all are of one computer.
func (p *Portrait) offer(document documents.Document) {
	if p.several {
		return
	}
	if !p.fits(document) {
		// Nothing is kept of what will not be shown.
		*p = Portrait{several: true}
		return
	}
	p.count++
	p.unnamed = p.unnamed || nameOf(document) == nil
	if document.Status != nil {
		status, known := document.Status, p.Status
		if known == nil || supersedes(status.CollectedAt.UnixNano(), status.Summary.State, known.Status.CollectedAt.UnixNano(), known.Status.Summary.State) {
			p.Status = &document
		}
		return
	}
	p.Benches = append(p.Benches, document)
	slices.SortStableFunc(p.Benches, func(a, b documents.Document) int { return b.Bench.CollectedAt.Compare(a.Bench.CollectedAt) })
	if len(p.Benches) > mostBenches {
		p.earlier(p.Benches[mostBenches])
		p.Benches = p.Benches[:mostBenches]
	}
}

func (p *Portrait) earlier(document documents.Document) {
	bench := document.Bench
	p.Earlier = append(p.Earlier, Earlier{
		Place: placeOf(document), Volume: clip(volumeOf(*bench), longestName), Profile: clip(bench.Profile.Name, longestName),
		Penalty: contract.Penalty{
			Evidence: bench.Penalty.Evidence, Valid: bench.Penalty.Valid, AddedNs: bench.Penalty.AddedNs, AddedPercent: bench.Penalty.AddedPercent,
		},
		Verdict: contract.Verdict{Result: bench.Verdict.Result, ThresholdPercent: bench.Verdict.ThresholdPercent},
	})
	slices.SortStableFunc(p.Earlier, func(a, b Earlier) int {
		return cmp.Or(b.Place.CollectedAt.Compare(a.Place.CollectedAt), comparePlaces(a.Place, b.Place))
	})
	if len(p.Earlier) > mostEarlier {
		p.Earlier = p.Earlier[:mostEarlier]
		p.MoreEarlier++
	}
}

// finished returns the portrait; nil when it is of no computer or of several.
func (p *Portrait) finished() *Portrait {
	if p.several || p.count == 0 {
		return nil
	}
	p.Named = !p.unnamed
	return p
}

// fits tells whether a document is of the same computer as those before it. Two computers' documents
// must not be mixed: what is not known to be the same is another.
func (p *Portrait) fits(document documents.Document) bool {
	others := p.Benches
	if p.Status != nil {
		others = append([]documents.Document{*p.Status}, others...)
	}
	for _, other := range others {
		name, known := nameOf(document), nameOf(other)
		if name != nil && known != nil {
			if !strings.EqualFold(*name, *known) {
				return false
			}
			continue
		}
		if document.Status != nil && other.Status != nil || !alike(document, other) {
			return false
		}
	}
	return true
}

// alike tells whether two documents speak of the same volume, known by its GUID, on a disk of the same
// make, in computers with the same processor and system.
func alike(a, b documents.Document) bool {
	hostA, volumesA, disksA := facts(a)
	hostB, volumesB, disksB := facts(b)
	if hostA == nil || hostB == nil || !same(hostA.CPU.Name, hostB.CPU.Name) || !same(hostA.OS, hostB.OS) {
		return false
	}
	return slices.ContainsFunc(volumesA, func(volume contract.Volume) bool {
		return strings.Contains(volume.ID, "Volume{") && slices.ContainsFunc(volumesB, func(other contract.Volume) bool { return other.ID == volume.ID })
	}) && slices.ContainsFunc(disksA, func(disk contract.Disk) bool {
		return slices.ContainsFunc(disksB, func(other contract.Disk) bool {
			return same(disk.Model, other.Model) && same(disk.SizeBytes, other.SizeBytes)
		})
	})
}

// same tells whether two facts are known and equal.
func same[T comparable](a, b *T) bool {
	return a != nil && b != nil && *a == *b
}

func facts(document documents.Document) (*contract.Machine, []contract.Volume, []contract.Disk) {
	if status := document.Status; status != nil {
		return &status.Machine, status.Volumes, status.Disks
	}
	context := document.Bench.Context
	var volumes []contract.Volume
	if context.Volume != nil {
		volumes = append(volumes, *context.Volume)
	}
	var disks []contract.Disk
	if context.Disk != nil {
		disks = append(disks, *context.Disk)
	}
	return context.Machine, volumes, disks
}
