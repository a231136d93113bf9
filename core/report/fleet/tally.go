package fleet

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
	"diskaudit/core/report/fleet/documents"
)

// tally counts documents. Each that is given to it counts: a status document for a computer, a bench
// document for a measured volume.
type tally struct {
	computers contract.ReportComputers
	states    map[contract.ComputerState]uint64

	models, methods, engines *groups[string, group]
	findings                 *groups[string, contract.ReportFinding]
	unknowns                 *groups[unknownKey, contract.ReportUnknown]

	// penalty is of all measured volumes, software of those that are encrypted by software, as are the
	// classes.
	penalty, software penalties
	ns, percent       *classes
	combinations      *groups[combination, penalties]
	tests             *groups[testKey, testSpread]

	measured  *worst[contract.ReportMeasurement]
	attention *worst[contract.ReportAttention]
}

// group counts what has one disk model, cipher or engine.
type group struct {
	computers, count, software uint64
	penalty                    penalties
}

func (g *group) merge(from *group) {
	g.computers += from.computers
	g.count += from.count
	g.software += from.software
	g.penalty.merge(&from.penalty)
}

// next begins with another document.
func (t *tally) next() {
	t.models.next()
	t.methods.next()
	t.engines.next()
	t.findings.next()
	t.unknowns.next()
	t.combinations.next()
	t.tests.next()
}

type unknownKey struct {
	kind contract.UnknownKind
	code string
}

// combination is a disk model with a cipher; "" is unknown.
type combination struct{ model, method, engine string }

func newTally() *tally {
	return &tally{
		states: map[contract.ComputerState]uint64{},
		models: newGroups[string]((*group).merge, nil), methods: newGroups[string]((*group).merge, nil), engines: newGroups[string]((*group).merge, nil),
		findings: newGroups(mergeFindings, isRule), unknowns: newGroups[unknownKey](mergeUnknowns, nil),
		ns: newClasses(nsEnds), percent: newClasses(percentEnds),
		combinations: newGroups[combination]((*penalties).merge, nil), tests: newGroups((*testSpread).merge, isProfileTest),
		measured:  &worst[contract.ReportMeasurement]{before: paysMore},
		attention: &worst[contract.ReportAttention]{before: needsMore},
	}
}

// longestName bounds the names that are kept; longestText the texts.
const (
	longestName = 80
	longestText = 500
)

// clip shortens a text of a document.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for i, count := 0, 0; i < len(text); count++ {
		if count == most {
			return text[:i] + "\u2026"
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return text
}

// named is a name by which things are grouped; "" is unknown.
func named(name *string) string {
	if name == nil {
		return ""
	}
	return clip(strings.TrimSpace(*name), longestName)
}

// known turns a group's name back; "" is unknown.
func known(name string) *string {
	if name == "" {
		return nil
	}
	return &name
}

// status counts a computer.
func (t *tally) status(document documents.Document) {
	t.next()
	status := document.Status
	summary := status.Summary
	t.computers.Total++
	if nameOf(document) != nil {
		t.computers.Named++
	}
	t.states[stateOf(summary.State)]++
	if positive(summary.SoftwareEncrypted) {
		t.computers.SoftwareEncrypted++
	}
	if positive(summary.Unprotected) {
		t.computers.Unprotected++
	}
	if summary.Critical > 0 {
		t.computers.Critical++
	}
	t.disks(status)
	t.volumes(status)
	t.found(status)
	t.missing(contract.UnknownFact, status.Problems)
	t.attention.add(attentionOf(document))
}

func positive(count *uint64) bool { return count != nil && *count > 0 }

// stateOf is the state; the zero value is unknown.
func stateOf(state contract.ComputerState) contract.ComputerState {
	return cmp.Or(state, contract.ComputerUnknown)
}

// disks counts the disks by model, removable ones left out.
func (t *tally) disks(status *contract.Status) {
	software := map[string]bool{}
	for _, volume := range status.Volumes {
		if bySoftware(volume) {
			for _, extent := range volume.Extents {
				software[extent.DiskID] = true
			}
		}
	}
	once := map[*group]bool{}
	encrypted := map[*group]bool{}
	for _, disk := range status.Disks {
		if disk.Removable != nil && *disk.Removable {
			continue
		}
		model := t.models.get(named(disk.Model))
		model.count++
		once[model] = true
		encrypted[model] = encrypted[model] || software[disk.ID]
	}
	countOnce(once, encrypted)
}

// countOnce counts a computer once in each of its groups.
func countOnce(groups, encrypted map[*group]bool) {
	for group := range groups {
		group.computers++
		if encrypted[group] {
			group.software++
		}
	}
}

// bySoftware tells whether a volume is known to hold data that is encrypted by software.
func bySoftware(volume contract.Volume) bool {
	e := volume.Encryption
	return e.Engine != nil && *e.Engine == contract.EngineSoftware && e.Conversion != nil && *e.Conversion != contract.FullyDecrypted
}

// volumes counts the volumes by cipher and engine: those that a summary judges.
func (t *tally) volumes(status *contract.Status) {
	once, encrypted := map[*group]bool{}, map[*group]bool{}
	for _, volume := range status.Volumes {
		if volume.Type != nil && *volume.Type == contract.Removable || bitlocker.Outside(volume) {
			continue
		}
		for _, group := range []*group{t.methods.get(methodOf(volume.Encryption)), t.engines.get(engineOf(volume.Encryption))} {
			group.count++
			once[group] = true
			encrypted[group] = encrypted[group] || bySoftware(volume)
		}
	}
	countOnce(once, encrypted)
}

// methodOf is the cipher's name; "" when it is not known.
func methodOf(encryption contract.Encryption) string {
	if encryption.Method == nil || *encryption.Method == contract.MethodUnknown {
		return ""
	}
	return encryption.Method.String()
}

func engineOf(encryption contract.Encryption) string {
	if encryption.Engine == nil {
		return ""
	}
	return string(*encryption.Engine)
}

// found counts the findings.
func (t *tally) found(status *contract.Status) {
	once := map[*contract.ReportFinding]bool{}
	for _, finding := range status.Findings {
		count := t.findings.get(clip(finding.ID, longestName))
		if count.Count == 0 {
			count.ID, count.Title = clip(finding.ID, longestName), clip(finding.Title, longestText)
		}
		if finding.Severity.Rank() > count.Severity.Rank() {
			count.Severity = finding.Severity
		}
		count.Count++
		if !once[count] {
			once[count] = true
			count.Computers++
		}
	}
}

// missing counts the problems because of which a fact is missing.
func (t *tally) missing(kind contract.UnknownKind, problems []contract.Problem) {
	once := map[*contract.ReportUnknown]bool{}
	for _, problem := range problems {
		if problem.Level.OrError() == contract.LevelError {
			t.unknown(once, kind, problem.Code, problem.Text)
		}
	}
}

// unknown counts a reason once for each document.
func (t *tally) unknown(once map[*contract.ReportUnknown]bool, kind contract.UnknownKind, code, text string) {
	code = clip(code, longestName)
	count := t.unknowns.get(unknownKey{kind, code})
	if once[count] {
		return
	}
	once[count] = true
	if count.Documents == 0 {
		count.Kind, count.Code, count.Text = kind, code, clip(text, longestText)
	}
	count.Documents++
}

// report gives the counts.
func (t *tally) report() contract.Report {
	report := contract.Report{Computers: t.computers}
	for _, state := range contract.ComputerStates() {
		report.Computers.States = append(report.Computers.States, contract.ReportState{State: state, Computers: t.states[state]})
	}
	report.Models, report.Methods, report.Engines = groupList(t.models, t.computers.Total), groupList(t.methods, t.computers.Total), groupList(t.engines, t.computers.Total)
	report.Findings = t.findingList()
	// Figures of volumes with and without encryption are not put together.
	report.Penalty = t.penalty.counts
	report.SoftwarePenalty = t.software.report()
	report.AddedNs, report.AddedPercent = t.ns.counts, t.percent.counts
	report.Combinations, report.Tests = t.combinationList(), t.testList()
	report.Worst, report.Attention = t.measured.sorted(), t.attention.sorted()
	report.Unknowns = t.unknownList()
	return report
}
