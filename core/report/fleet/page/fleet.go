package page

import (
	"fmt"
	"strings"

	"diskaudit/core/contract"
)

func fleetPage(r contract.Report) content {
	c := content{
		Kicker: "BitLockerDiskAudit: fleet report", Headline: fleetHeadline(r), Leads: fleetLeads(r), Alerts: alerts(r),
		Tiles: fleetTiles(r), Made: made(r),
	}
	c.Title = "Fleet report: " + c.Headline
	c.Sections = []section{
		{"states", "State of the computers", statesBlocks(r)},
		{"cost", "What encryption costs", costBlocks(r)},
		{"worst", "Volumes that pay most", worstBlocks(r)},
		{"latency", "Latency by test", latencyBlocks(r)},
		{"models", "By disk model", groupBlocks(r.Models, "Disk model", "Disks", "Disks that are not removable, by model")},
		{"methods", "By cipher", groupBlocks(r.Methods, "Cipher", "Volumes", "Volumes on fixed disks, by cipher")},
		{"engines", "By what encrypts", groupBlocks(r.Engines, "Engine", "Volumes", "Volumes on fixed disks, by what encrypts them")},
		{"findings", "Findings", findingBlocks(r)},
		{"attention", "Computers that need attention", attentionBlocks(r)},
		{"unknown", "What is not known", unknownBlocks(r)},
		{"reading", "How to read this", readingBlocks()},
	}
	return c
}

// Sentences say the same as the top of the page, in a few lines of plain ASCII.
func Sentences(r contract.Report) []string {
	sentences := append([]string{fleetHeadline(r) + "."}, fleetLeads(r)...)
	sentences = append(sentences, alerts(r)...)
	plain := strings.NewReplacer(thin, " ", "µs", "us", none, "-", "\u2212", "-", "; see What is not known", "")
	for i := range sentences {
		sentences[i] = plain.Replace(sentences[i])
	}
	return sentences
}

func fleetHeadline(r contract.Report) string {
	total := r.Computers.Total
	if total == 0 {
		return things(r.Penalty.Measured, "measured volume", "measured volumes") + ", and no status document"
	}
	hold := "hold"
	if r.Computers.SoftwareEncrypted == 1 {
		hold = "holds"
	}
	return fmt.Sprintf("%s of %s %s data encrypted by software (%s)", count(r.Computers.SoftwareEncrypted), things(total, "computer", "computers"), hold, share(r.Computers.SoftwareEncrypted, total))
}

func fleetLeads(r contract.Report) []string {
	penalty, software := r.Penalty, r.SoftwarePenalty
	var leads []string
	switch {
	case penalty.Measured == 0:
		leads = append(leads, "Nothing was measured: there is no bench document, so what the encryption costs is not known.")
	case penalty.Valid == 0:
		leads = append(leads, fmt.Sprintf("%s measured, none with valid evidence of what encryption adds, so what it costs is not known.", was(penalty.Measured)))
	case software.Valid == 0:
		leads = append(leads, fmt.Sprintf("%s measured, %s with valid evidence, none of them known to be encrypted by software.", was(penalty.Measured), count(penalty.Valid)))
	default:
		lead := fmt.Sprintf("%s measured. Of %s encrypted by software and measured with valid evidence, %s (%s). ",
			was(penalty.Measured), things(software.Valid, "volume", "volumes"), pay(software.Material), share(software.Material, software.Valid))
		lead += fmt.Sprintf("There the median added latency is %s a read", micros(software.AddedNs.P50))
		if software.AddedPercent != nil {
			lead += fmt.Sprintf(", %s of the latency without encryption", percentage(software.AddedPercent.P50))
		}
		leads = append(leads, lead+fmt.Sprintf(" (n = %s).", count(software.Valid)))
	}
	if n := r.Computers.States[0].Computers; n > 0 {
		leads = append(leads, fmt.Sprintf("The state of %s is not known.", things(n, "computer", "computers")))
	}
	return leads
}

func pay(n uint64) string {
	if n == 1 {
		return "1 pays a material penalty"
	}
	return count(n) + " pay a material penalty"
}

func was(n uint64) string {
	if n == 1 {
		return "1 volume was"
	}
	return count(n) + " volumes were"
}

// alerts say what the whole page lacks.
func alerts(r contract.Report) []string {
	var alerts []string
	if r.Inputs.Skipped > 0 {
		alerts = append(alerts, fmt.Sprintf("%s passed over and not counted here; see What is not known.", wereDocuments(r.Inputs.Skipped)))
	}
	return alerts
}

func wereDocuments(n uint64) string {
	if n == 1 {
		return "1 file or document was"
	}
	return count(n) + " files or documents were"
}

func fleetTiles(r contract.Report) []tile {
	total, penalty, software := r.Computers.Total, r.Penalty, r.SoftwarePenalty
	tiles := []tile{
		{"Computers", count(total), "with a status document"},
		{"Software-encrypted", count(r.Computers.SoftwareEncrypted), share(r.Computers.SoftwareEncrypted, total) + " of the computers"},
		{"Encrypted, not protected", count(r.Computers.Unprotected), share(r.Computers.Unprotected, total) + " of the computers"},
		{"State not known", count(r.Computers.States[0].Computers), share(r.Computers.States[0].Computers, total) + " of the computers"},
		{"Measured volumes", count(penalty.Measured), count(penalty.Valid) + " with valid evidence"},
		{"Material penalty", count(software.Material), "of " + count(software.Valid) + " software-encrypted with valid evidence"},
	}
	return tiles
}

// made says what the page was made of, when and by what.
func made(r contract.Report) string {
	text := fmt.Sprintf("Made %s by %s %s of %s in %s", minute(r.CollectedAt), shown(r.Tool.Name, longestCell), shown(r.Tool.Version, longestCell),
		things(r.Inputs.Statuses+r.Inputs.Benches, "document", "documents"), things(r.Inputs.Files, "file", "files"))
	if r.Inputs.Oldest != nil && r.Inputs.Newest != nil {
		if first, last := day(*r.Inputs.Oldest), day(*r.Inputs.Newest); first == last {
			text += ", written " + first
		} else {
			text += ", written from " + first + " to " + last
		}
	}
	text += "."
	if r.Inputs.Superseded > 0 {
		text += fmt.Sprintf(" %s newer ones of the same computer.", isOlder(r.Inputs.Superseded))
	}
	if r.Inputs.Duplicates > 0 {
		text += fmt.Sprintf(" %s of another, counted once.", areCopies(r.Inputs.Duplicates))
	}
	return text
}

func isOlder(n uint64) string {
	if n == 1 {
		return "1 more is superseded by"
	}
	return count(n) + " more are superseded by"
}

func areCopies(n uint64) string {
	if n == 1 {
		return "1 more is a copy"
	}
	return count(n) + " more are copies"
}

// stateLooks say how states are drawn: never by colour alone.
var stateLooks = map[contract.ComputerState]swatch{
	contract.ComputerUnknown:           {Class: "s-unknown", Fill: "url(#stripes)", Text: "the state of a volume is not known, or a volume is locked"},
	contract.ComputerDecrypting:        {Class: "s-decrypting", Fill: "url(#dots)", Text: "a volume is being decrypted"},
	contract.ComputerEncrypting:        {Class: "s-encrypting", Fill: "url(#uprights)", Text: "a volume is being encrypted"},
	contract.ComputerPaused:            {Class: "s-paused", Fill: "url(#levels)", Text: "a conversion is paused"},
	contract.ComputerSoftwareEncrypted: {Class: "s-software-encrypted", Text: "a volume is encrypted by software"},
	contract.ComputerHardwareEncrypted: {Class: "s-hardware-encrypted", Fill: "url(#counter)", Text: "encrypted by the drive or a processor's engine alone"},
	contract.ComputerNotEncrypted:      {Class: "s-not-encrypted", Fill: "url(#grid)", Text: "every volume is known not to be encrypted"},
}

func statesBlocks(r contract.Report) []block {
	if r.Computers.Total == 0 {
		return []block{{Text: "There is no status document, so the state of no computer is known."}}
	}
	t := table{Caption: "Computers by state; the first that fits is a computer's", Columns: []column{{Name: "State"}, numeric("Computers"), numeric("Share"), {Name: "Meaning"}}}
	bar := figure{Width: 880, Height: 28, Wide: true, Label: stateLabel(r)}
	x := 0.0
	for _, state := range r.Computers.States {
		look := stateLooks[state.State]
		t.Rows = append(t.Rows, []cell{
			{Text: string(state.State), Head: true, Class: "whole", Swatch: &look}, counted(state.Computers),
			{Text: share(state.Computers, r.Computers.Total), Class: "num"}, text(look.Text),
		})
		wide := 880 * float64(state.Computers) / float64(r.Computers.Total)
		if state.Computers == 0 {
			continue
		}
		bar.rect(look.Class, look.Fill, x, 2, max(wide-1.5, 1), 24)
		x += wide
	}
	return []block{{Figure: &bar}, {Table: &t}}
}

func stateLabel(r contract.Report) string {
	var parts []string
	for _, state := range r.Computers.States {
		if state.Computers > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", state.State, count(state.Computers)))
		}
	}
	return "Computers by state: " + strings.Join(parts, ", ")
}

// groupBlocks is a table of models, ciphers or engines.
func groupBlocks(groups []contract.ReportGroup, name, things, caption string) []block {
	if len(groups) == 0 {
		return []block{{Text: "No document tells of any."}}
	}
	t := table{
		Caption: caption + "; added latency as median [quartiles] of valid measurements", Sortable: true,
		Columns: []column{
			{Name: name}, numeric(things), numeric("Computers"), numeric("Software-encrypted computers"),
			numeric("Measured, valid"), numeric("Material"), numeric("Added latency"), numeric("Added"),
		},
	}
	for _, group := range groups {
		t.Rows = append(t.Rows, append([]cell{
			groupName(group.Name, group.Rest), counted(group.Count), counted(group.Computers), counted(group.SoftwareEncrypted),
		}, penaltyCells(group.Penalty)...))
	}
	return []block{{Table: &t}}
}

func groupName(name *string, rest bool) cell {
	switch {
	case rest:
		return cell{Text: "all others together", Head: true, Class: "name soft"}
	case name == nil:
		return cell{Text: unknown, Head: true, Class: "name soft"}
	}
	return head(*name)
}

// penaltyCells are the number of valid measurements, of material ones, and what was added.
func penaltyCells(p contract.ReportPenalty) []cell {
	material := counted(p.Material)
	if p.Valid == 0 {
		material = cell{Text: none, Class: "num soft", HasValue: true}
	}
	return []cell{counted(p.Valid), material, quartiles(p.AddedNs, micros), quartiles(p.AddedPercent, percentage)}
}

// quartiles writes a median with the quartiles, sorted by the median.
func quartiles(q *contract.Quantiles, format func(float64) string) cell {
	if q == nil {
		return cell{Text: none, Class: "num soft", HasValue: true}
	}
	c := number(&q.P50, format)
	if q.Count > 1 {
		c.Small = "[" + trimUnit(format(q.P25)) + ", " + trimUnit(format(q.P75)) + "]"
	}
	return c
}

func trimUnit(s string) string {
	number, _, _ := strings.Cut(s, thin)
	return number
}

func findingBlocks(r contract.Report) []block {
	if len(r.Findings) == 0 {
		return []block{{Text: "The documents have no findings."}}
	}
	t := table{
		Caption: "Findings by rule, worst first; the title is that of one of them", Sortable: true,
		Columns: []column{{Name: "Severity"}, {Name: "Finding"}, {Name: "Example", Class: "wide"}, numeric("Findings"), numeric("Computers"), numeric("Share of computers")},
	}
	for _, finding := range r.Findings {
		severity := badge(string(severityOf(finding.Severity)))
		severity.HasValue, severity.Value = true, fmt.Sprint(-finding.Severity.Rank())
		id := cell{Text: shown(finding.ID, longestCell), Head: true, Class: "name"}
		if finding.ID == "" {
			id = groupName(nil, true)
		}
		part := cell{Text: share(finding.Computers, r.Computers.Total), Class: "num", HasValue: true, Value: fmt.Sprint(finding.Computers)}
		t.Rows = append(t.Rows, []cell{severity, id, {Text: shown(finding.Title, 200), Class: "wide"}, counted(finding.Count), counted(finding.Computers), part})
	}
	return []block{{Table: &t}}
}

// severityOf is the severity, or info for the zero value.
func severityOf(severity contract.Severity) contract.Severity {
	if severity == "" {
		return contract.SeverityInfo
	}
	return severity
}

func attentionBlocks(r contract.Report) []block {
	if len(r.Attention) == 0 {
		return []block{{Text: "There is no status document."}}
	}
	t := table{
		Caption:  fmt.Sprintf("%s of %s, those with the worst findings first", count(uint64(len(r.Attention))), things(r.Computers.Total, "computer", "computers")),
		Sortable: true, Search: "Search these computers",
		Columns: []column{
			{Name: "Computer or file"}, {Name: "State"}, numeric("Critical findings"), numeric("Warnings"), {Name: "Worst finding"},
			{Name: "System disk"}, {Name: "Cipher"}, {Name: "Engine"}, {Name: "Protection"}, {Name: "Written"},
		},
	}
	for _, computer := range r.Attention {
		worst := optional(computer.WorstFinding)
		if computer.WorstFinding == nil {
			worst = cell{Text: "none", Class: "soft"}
		}
		t.Rows = append(t.Rows, []cell{
			place(computer.Place), stateCell(computer.State), counted(computer.Critical), counted(computer.Warnings), worst,
			modelCell(computer.Model), whole(optional(computer.Method)), whole(optional(computer.Engine)), whole(optional(computer.Protection)),
			{Text: day(computer.Place.CollectedAt), Class: "whole"},
		})
	}
	return []block{{Table: &t}}
}

// place is the computer's name, or where its document was found.
func place(p contract.ReportPlace) cell {
	where := p.Path
	if p.Line > 1 {
		where = fmt.Sprintf("%s, line %d", where, p.Line)
	}
	if p.ComputerName != nil {
		return head(*p.ComputerName)
	}
	return cell{Text: shown(where, 220), Head: true, Class: "name"}
}

func stateCell(state contract.ComputerState) cell {
	look := stateLooks[state]
	return cell{Text: string(state), Class: "whole state", Swatch: &look}
}

func unknownBlocks(r contract.Report) []block {
	var blocks []block
	heads := map[contract.UnknownKind]string{
		contract.UnknownFact: "Facts that could not be read", contract.UnknownPenalty: "Penalties that are not valid", contract.UnknownTest: "Tests that do not tell the speed of the disk",
	}
	for _, kind := range []contract.UnknownKind{contract.UnknownFact, contract.UnknownPenalty, contract.UnknownTest} {
		t := table{
			Caption: heads[kind] + ", by reason; the text is that of one of them", Sortable: true,
			Columns: []column{{Name: "Reason"}, numeric("Documents"), {Name: "Example", Class: "wide"}},
		}
		for _, reason := range r.Unknowns {
			if reason.Kind != kind {
				continue
			}
			code := cell{Text: shown(reason.Code, longestCell), Head: true, Class: "name"}
			if reason.Code == "" {
				code = groupName(nil, true)
			}
			t.Rows = append(t.Rows, []cell{code, counted(reason.Documents), {Text: shown(reason.Text, 500), Class: "wide"}})
		}
		if len(t.Rows) > 0 {
			blocks = append(blocks, block{Heading: heads[kind], Table: &t})
		}
	}
	if skipped := skippedTable(r); skipped != nil {
		blocks = append(blocks, block{Heading: "Files and documents that were passed over", Table: skipped})
	}
	if len(blocks) == 0 {
		blocks = []block{{Text: "Every fact that was asked for could be read, and every measurement is valid."}}
	}
	return blocks
}

// skippedTable lists the report's own problems.
func skippedTable(r contract.Report) *table {
	if len(r.Problems) == 0 {
		return nil
	}
	named := uint64(0)
	for _, problem := range r.Problems {
		if problem.Target != "" {
			named++
		}
	}
	t := table{
		Caption: fmt.Sprintf("%s of %s", count(named), count(max(r.Inputs.Skipped, named))),
		Columns: []column{{Name: "File"}, {Name: "Reason"}, {Name: "What is wrong", Class: "wide"}},
	}
	for _, problem := range r.Problems {
		t.Rows = append(t.Rows, []cell{
			{Text: shown(problem.Target, 220), Head: true, Class: "name"}, {Text: shown(problem.Code, longestCell), Class: "whole"}, {Text: shown(problem.Text, 500), Class: "wide"},
		})
	}
	return &t
}

func readingBlocks() []block {
	return []block{
		{Text: "A computer counts once. Documents that were written with --identify have the computer's name, and of several of one computer the newest status document counts, and the newest bench document of each volume. A document without a name counts as a computer of its own."},
		{Text: "What encryption adds is measured on each computer between the volume and the disk below it, or by the next best evidence that there was, and comes with a 95 % interval. It is material when the whole interval lies above the threshold, negligible when it lies below, and undecided in between. Only valid measurements are in medians, quartiles and pictures; the others are counted, and their reasons are told."},
		{Text: "Medians and quartiles are over measured volumes, each counted once, and right to half a percent. n is always the number of valid measurements. Two groups with different disks differ by their disks too: only the added latency says what encryption costs."},
	}
}
