package report

import (
	"strings"

	"diskaudit/core/contract"
)

// writeProjected writes what the volumes are to be like after the plan, and the findings that
// remain. Where there is nothing to do that is how they are.
func writeProjected(p *page, document contract.Remediation, names map[string]string) {
	status := document.Projected
	if status == nil {
		return
	}
	title := "After the plan"
	if len(document.Plan.Steps) == 0 {
		title = "As it is"
	}
	p.heading(title)
	if len(status.Volumes) == 0 {
		p.paragraph(span{text: english.nothingListed(*status)}, 0, 0)
	} else {
		p.grid(projectedGrid(*status))
	}
	if len(status.Findings) > 0 {
		p.heading("Findings that remain")
	}
	for _, finding := range status.Findings {
		p.labelled(strings.ToUpper(orUnknown((*string)(&finding.Severity), unknown, ""))+":", severityStyles[finding.Severity],
			span{text: strings.TrimSpace(finding.Title) + " [" + english.about(finding.Target, finding.ID, names) + "]"}, 0, indent)
	}
}

func projectedGrid(status contract.Status) grid {
	g := grid{columns: []column{{name: "Volume"}, {name: "Conversion"}, {name: "Engine", spare: true}, {name: "Protection"}}}
	for _, volume := range status.Volumes {
		e := volume.Encryption
		g.rows = append(g.rows, []span{
			{text: english.volumeName(volume)},
			ofBitLocker(status, e, e.Conversion == nil && !isFormat(e, "luks"), english.conversion(e)),
			ofBitLocker(status, e, e.Engine == nil, span{text: english.engine(e.Engine)}),
			ofBitLocker(status, e, e.Protection == nil && e.ProtectionReason == nil && !isLocked(e), english.protection(volume)),
		})
	}
	return g
}
