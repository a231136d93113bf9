package page

import (
	"fmt"
	"strconv"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/report/fleet"
)

// limits bound what a page about one computer shows, so that it stays small whatever a document says.
type limits struct{ disks, volumes, findings, problems, drawn, tests, text int }

// usualLimits are more than almost any computer has. Of so many measurements the latencies are drawn,
// of so many tests of each.
var usualLimits = limits{disks: 200, volumes: 300, findings: 200, problems: 200, drawn: 4, tests: 64, text: 3000}

// halved are limits for half as much.
func (l limits) halved() limits {
	return limits{l.disks / 2, l.volumes / 2, l.findings / 2, l.problems / 2, l.drawn / 2, l.tests / 2, l.text / 2}
}

func computerPage(r contract.Report, portrait fleet.Portrait, l limits) content {
	c := content{Kicker: "BitLockerDiskAudit: report on one computer", Made: made(r), Alerts: alerts(r)}
	c.Headline = computerHeadline(portrait)
	c.Title = c.Headline
	if !portrait.Named && r.Inputs.Statuses+r.Inputs.Benches > 1 {
		c.Alerts = append(c.Alerts, "These documents do not have the computer's name. They are taken for one computer's, since volume, disk, processor and system are the same; written with --identify they say it for sure.")
	}
	if portrait.Status != nil {
		status := *portrait.Status.Status
		if !status.Complete {
			c.Alerts = append(c.Alerts, "The status document is not complete: some facts could not be read; see What is not known.")
		}
		c.Leads = append(c.Leads, stateSentence(status))
		c.Sections = append(c.Sections,
			section{"findings", "Findings", statusFindings(status, l)},
			section{"volumes", "Volumes", volumeBlocks(status, l)},
		)
	} else {
		c.Leads = append(c.Leads, "There is no status document, so the state of this computer is not known beyond the volume that was measured.")
	}
	c.Leads = append(c.Leads, costSentence(portrait))
	for i, document := range portrait.Benches {
		bench := *document.Bench
		c.Sections = append(c.Sections, section{
			ID: "measured-" + strconv.Itoa(i+1), Title: shown(fmt.Sprintf("Measured: %s, %s, %s", volumeName(bench), bench.Profile.Name, minute(bench.CollectedAt)), 200),
			Blocks: benchBlocks(bench, i < l.drawn, l),
		})
	}
	if len(portrait.Earlier) > 0 {
		c.Sections = append(c.Sections, section{"earlier", "Earlier measurements", earlierBlocks(portrait)})
	}
	if portrait.Status != nil {
		status := *portrait.Status.Status
		c.Sections = append(c.Sections, section{"disks", "Disks", diskBlocks(status, l)}, section{"computer", "The computer", hostBlocks(status)})
	}
	c.Sections = append(c.Sections, section{"unknown", "What is not known", computerUnknown(r, portrait, l)})
	return c
}

func computerHeadline(portrait fleet.Portrait) string {
	name := "One computer"
	if known := computerName(portrait); known != nil {
		name = shown(*known, longestCell)
	}
	if portrait.Status != nil {
		return name + ": " + string(portrait.Status.Status.Summary.State)
	}
	return name + ": measured disks"
}

func computerName(portrait fleet.Portrait) *string {
	if portrait.Status != nil && portrait.Status.Status.Machine.ComputerName != nil {
		return portrait.Status.Status.Machine.ComputerName
	}
	for _, document := range portrait.Benches {
		if host := document.Bench.Context.Machine; host != nil && host.ComputerName != nil {
			return host.ComputerName
		}
	}
	return nil
}

// stateSentence says in words what the summary counts.
func stateSentence(status contract.Status) string {
	summary := status.Summary
	if summary.Volumes == nil {
		return "The list of volumes may lack some, so what is encrypted here is not known as a whole."
	}
	text := fmt.Sprintf("%s on fixed disks", things(*summary.Volumes, "volume", "volumes"))
	var parts []string
	for _, part := range []struct {
		n     *uint64
		words string
	}{
		{summary.SoftwareEncrypted, "encrypted by software"}, {summary.HardwareEncrypted, "encrypted by hardware"}, {summary.NotEncrypted, "not encrypted"},
		{summary.UnknownVolumes, "not known"}, {summary.Converting, "being converted"}, {summary.Unprotected, "encrypted but not protected"},
	} {
		if part.n != nil && *part.n > 0 {
			parts = append(parts, count(*part.n)+" "+part.words)
		}
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text + "."
}

func costSentence(portrait fleet.Portrait) string {
	if len(portrait.Benches) == 0 {
		return "What the encryption costs was not measured: run diskaudit bench on this computer and add its document."
	}
	return shown(portrait.Benches[0].Bench.Verdict.Text, 1000)
}

func statusFindings(status contract.Status, l limits) []block {
	if len(status.Findings) == 0 {
		return []block{{Text: "No rule found anything."}}
	}
	var shownFindings []finding
	for i, found := range status.Findings {
		if i == l.findings {
			break
		}
		shownFindings = append(shownFindings, finding{
			Severity: string(severityOf(found.Severity)), ID: shown(found.ID, longestCell), Title: shown(found.Title, 300), Target: shown(targetName(status, found.Target), 300),
			Evidence: shown(found.Evidence, 1000), Advice: shown(found.Advice, l.text), Reference: shown(found.Reference, 300), Link: address(found.Reference),
		})
	}
	blocks := []block{{Findings: shownFindings}}
	if more := len(status.Findings) - len(shownFindings); more > 0 {
		blocks = append(blocks, block{Note: moreOf(more, "finding", "findings")})
	}
	return blocks
}

// moreOf says that more were left out.
func moreOf(n int, one, many string) string {
	return fmt.Sprintf("%s more are in the document and not shown here.", things(uint64(n), one, many))
}

// targetName is what a finding is about as people call it.
func targetName(status contract.Status, target string) string {
	for _, volume := range status.Volumes {
		if volume.ID == target {
			return mounts(volume)
		}
	}
	if target == "machine" {
		return "the computer"
	}
	return target
}

// mounts are the places where a volume is mounted, or its id.
func mounts(volume contract.Volume) string {
	if len(volume.MountPoints) == 0 {
		return volume.ID
	}
	return strings.Join(volume.MountPoints, ", ")
}

func volumeBlocks(status contract.Status, l limits) []block {
	if len(status.Volumes) == 0 {
		return []block{{Text: "The document lists no volume."}}
	}
	t := table{
		Caption: "Volumes, with the four answers that are independent of each other: how far the data is encrypted, by what, whether the key is protected, and whether the volume is locked", Sortable: true,
		Columns: []column{
			{Name: "Volume"}, {Name: "Label"}, {Name: "Type"}, {Name: "File system"}, numeric("Size"), {Name: "Conversion"}, {Name: "Cipher"}, {Name: "Engine"},
			{Name: "Protection"}, {Name: "Lock"}, {Name: "Protectors"}, {Name: "Disk"},
		},
	}
	for i, volume := range status.Volumes {
		if i == l.volumes {
			break
		}
		e := volume.Encryption
		t.Rows = append(t.Rows, []cell{
			{Text: shown(mounts(volume), 200), Head: true, Class: "name"}, optional(volume.Label), word(volume.Type), optional(volume.FileSystem), sized(volume.SizeBytes),
			conversionCell(e), word(e.Method), word(e.Engine), protectionCell(e), word(e.Lock), roomy(protectorNames(e)), roomy(diskNames(status, volume)),
		})
	}
	blocks := []block{{Table: &t}}
	if more := len(status.Volumes) - len(t.Rows); more > 0 {
		blocks = append(blocks, block{Note: moreOf(more, "volume", "volumes")})
	}
	return blocks
}

// word writes a value by its name.
func word[T any](value *T) cell {
	if value == nil {
		return cell{Text: unknown, Class: "soft"}
	}
	return text(fmt.Sprint(*value))
}

func sized(bytes *uint64) cell {
	c := cell{Text: size(bytes), Class: "num", HasValue: true}
	if bytes != nil {
		c.Value = strconv.FormatUint(*bytes, 10)
	}
	return c
}

func conversionCell(e contract.Encryption) cell {
	c := word(e.Conversion)
	var besides []string
	if e.Percent != nil {
		besides = append(besides, shortNumber(percentage(*e.Percent))+" encrypted")
	}
	if e.UsedSpaceOnly != nil && *e.UsedSpaceOnly {
		besides = append(besides, "used space only")
	}
	c.Small = strings.Join(besides, ", ")
	return c
}

func protectionCell(e contract.Encryption) cell {
	c := word(e.Protection)
	if e.ProtectionReason != nil {
		c.Small = shown(string(*e.ProtectionReason), longestCell)
	}
	return c
}

func protectorNames(e contract.Encryption) string {
	if e.Protectors == nil {
		return unknown
	}
	var names []string
	for _, protector := range e.Protectors {
		names = append(names, protector.Type.String())
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// diskNames are the models of the disks that a volume lies on.
func diskNames(status contract.Status, volume contract.Volume) string {
	var names []string
	for _, extent := range volume.Extents {
		name := extent.DiskID
		for _, disk := range status.Disks {
			if disk.ID == extent.DiskID && disk.Model != nil {
				name = strings.TrimSpace(*disk.Model)
			}
		}
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
		if len(names) > 8 {
			break
		}
	}
	if len(names) == 0 {
		return unknown
	}
	return strings.Join(names, ", ")
}

func diskBlocks(status contract.Status, l limits) []block {
	if len(status.Disks) == 0 {
		return []block{{Text: "The document lists no disk."}}
	}
	t := table{
		Caption: "Disks of this computer", Sortable: true,
		Columns: []column{
			{Name: "Disk"}, {Name: "Model"}, {Name: "Firmware"}, {Name: "Bus"}, {Name: "NVMe"}, {Name: "Medium"}, numeric("Size"), {Name: "Sectors"},
			{Name: "Driver"}, {Name: "Write cache"}, {Name: "Encrypts itself"}, {Name: "Health"},
		},
	}
	for i, disk := range status.Disks {
		if i == l.disks {
			break
		}
		t.Rows = append(t.Rows, []cell{
			head(disk.ID), modelCell(disk.Model), optional(disk.Firmware), word(disk.Bus), yesNo(disk.NVMe), word(disk.Media), sized(disk.SizeBytes),
			text(sectors(disk)), roomy(driver(disk.Driver)), text(cache(disk.WriteCache)), yesNo(disk.SelfEncrypting.Supported), roomy(health(disk.Health)),
		})
	}
	blocks := []block{{Table: &t}}
	if more := len(status.Disks) - len(t.Rows); more > 0 {
		blocks = append(blocks, block{Note: moreOf(more, "disk", "disks")})
	}
	return blocks
}

func yesNo(value *bool) cell {
	switch {
	case value == nil:
		return cell{Text: unknown, Class: "soft"}
	case *value:
		return cell{Text: "yes"}
	}
	return cell{Text: "no"}
}

func sectors(disk contract.Disk) string {
	part := func(bytes *uint64) string {
		if bytes == nil {
			return unknown
		}
		return strconv.FormatUint(*bytes, 10)
	}
	return part(disk.LogicalSectorBytes) + "/" + part(disk.PhysicalSectorBytes) + thin + "B"
}

func driver(d contract.Driver) string {
	if d.Name == nil {
		return unknown
	}
	if d.Version == nil {
		return *d.Name
	}
	return *d.Name + " " + *d.Version
}

func cache(c contract.WriteCache) string {
	kind := unknown
	if c.Type != nil {
		kind = c.Type.String()
	}
	switch {
	case c.Enabled == nil:
		return kind + ", unknown whether on"
	case *c.Enabled:
		return kind + ", on"
	}
	return kind + ", off"
}

func health(h contract.Health) string {
	var parts []string
	switch {
	case h.OK == nil:
		parts = append(parts, unknown)
	case *h.OK:
		parts = append(parts, "no warning")
	default:
		parts = append(parts, "warns of failure")
	}
	if h.PercentUsed != nil {
		parts = append(parts, shortNumber(percentage(*h.PercentUsed))+" of its endurance used")
	}
	return strings.Join(parts, ", ")
}

func hostBlocks(status contract.Status) []block {
	host := status.Machine
	facts := []fact{
		{"System", orUnknown(host.OS)}, {"Build", orUnknown(host.Build)}, {"Edition", orUnknown(host.Edition)}, {"Architecture", orUnknown(host.Architecture)},
		{"Processor", orUnknown(host.CPU.Name)}, {"AES instructions", yesNo(host.CPU.AES).Text}, {"TPM present", yesNo(host.TPM.Present).Text},
		{"Secure Boot", yesNo(host.SecureBoot).Text}, {"Virtual machine", yesNo(host.VirtualMachine.Detected).Text}, {"Portable", yesNo(host.Power.Portable).Text},
		{"Joined to a domain", yesNo(host.Join.Domain).Text}, {"Joined to Entra ID", yesNo(host.Join.Entra).Text}, {"Managed by MDM", yesNo(host.Join.MDM).Text},
		{"Run with administrator rights", yesNo(host.Elevated).Text}, {"Facts come from", string(host.Source)},
		{"BitLocker could be asked", yesNo(status.BitLocker.Available).Text}, {"Device encryption prevented", yesNo(status.Policy.PreventDeviceEncryption).Text},
		{"Written", minute(status.CollectedAt)}, {"Written by", status.Tool.Name + " " + status.Tool.Version},
	}
	for i := range facts {
		facts[i].Value = shown(facts[i].Value, 200)
	}
	return []block{{Facts: facts}}
}

func orUnknown(s *string) string {
	if s == nil || strings.TrimSpace(*s) == "" {
		return unknown
	}
	return *s
}

func computerUnknown(r contract.Report, portrait fleet.Portrait, l limits) []block {
	t := table{
		Caption: "Problems that the documents tell of",
		Columns: []column{{Name: "Document"}, {Name: "Level"}, {Name: "Code"}, {Name: "About"}, {Name: "What it says", Class: "wide"}},
	}
	more := 0
	add := func(document string, problems []contract.Problem) {
		for _, problem := range problems {
			if len(t.Rows) == l.problems {
				more++
				continue
			}
			t.Rows = append(t.Rows, []cell{
				{Text: document, Head: true, Class: "whole"}, {Text: string(problem.Level.OrError()), Class: "whole"}, text(problem.Code), text(problem.Target), {Text: shown(problem.Text, 500), Class: "wide"},
			})
		}
	}
	if portrait.Status != nil {
		add("status", portrait.Status.Status.Problems)
	}
	for i, document := range portrait.Benches {
		add(fmt.Sprintf("measurement %d", i+1), document.Bench.Problems)
	}
	var blocks []block
	if len(t.Rows) > 0 {
		blocks = append(blocks, block{Table: &t})
	}
	if more > 0 {
		blocks = append(blocks, block{Note: moreOf(more, "problem", "problems")})
	}
	if skipped := skippedTable(r); skipped != nil {
		blocks = append(blocks, block{Heading: "Files and documents that were passed over", Table: skipped})
	}
	if len(blocks) == 0 {
		blocks = []block{{Text: "Every fact that was asked for could be read."}}
	}
	return blocks
}
