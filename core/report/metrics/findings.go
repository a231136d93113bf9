package metrics

import "diskaudit/core/contract"

func writeFindings(e *exposition, s contract.Status) {
	e.begin("diskaudit_findings", gauge, "Findings of each severity.")
	counts := map[contract.Severity]int{}
	for _, finding := range s.Findings {
		counts[severity(finding)]++
	}
	for _, one := range contract.Severities() {
		e.sample(float64(counts[one]), label{"severity", string(one)})
	}

	places := map[string]label{}
	for _, disk := range nameDisks(s.Disks) {
		places[disk.ID] = label{"disk", disk.name}
	}
	for _, volume := range nameVolumes(s.Volumes) {
		places[volume.ID] = label{"volume", volume.name}
	}
	e.begin("diskaudit_finding", gauge, "One finding, by the id of its rule and what it is about.")
	for _, finding := range s.Findings {
		labels := []label{{"id", finding.ID}, {"severity", string(severity(finding))}}
		if place, known := places[finding.Target]; known {
			labels = append(labels, place)
		}
		e.sample(1, labels...)
	}
}

func severity(finding contract.Finding) contract.Severity {
	if finding.Severity == "" {
		return contract.SeverityInfo
	}
	return finding.Severity
}
