package audit

import (
	"regexp"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

var (
	placeholder    = regexp.MustCompile(`%!|<[a-z]|\bTODO\b|\bFIXME\b|\bXXX\b|\bnil\b|0xc0[0-9a-f]{8}|  |\.\.|, \.|\(\)`)
	ownCommand     = regexp.MustCompile(`diskaudit \w+`)
	page           = regexp.MustCompile(`^https://(learn\.microsoft\.com|msrc\.microsoft\.com|techcommunity\.microsoft\.com|docs\.kernel\.org)/\S+$`)
	crossReference = regexp.MustCompile(`finding ([a-z]+(?:-[a-z]+)+)`)
	percentage     = regexp.MustCompile(`\d+ ?(%|percent)`)

	// A command of this program's with its options, and one option with the value that counts.
	remediateCommand = regexp.MustCompile(`diskaudit remediate(?: --[a-z-]+(?: (?:"[^"]*"|[^\s"-][^\s"]*))?)*`)
	option           = regexp.MustCompile(`--(?:action|override) [a-z-]+|--[a-z-]+`)
)

// remediateOptions are what advice may name of them.
var remediateOptions = map[string]bool{
	"--action prevent": true, "--action pause": true, "--action resume": true, "--action undo": true,
	"--override conversion-running": true, "--apply": true, "--volume": true,
}

// checkTexts holds each finding to what a reader needs; one that names another must have it.
func checkTexts(t *testing.T, findings []contract.Finding) {
	t.Helper()
	for _, finding := range findings {
		checkText(t, finding)
		for _, named := range crossReference.FindAllStringSubmatch(finding.Advice, -1) {
			if find(findings, named[1], finding.Target) == nil {
				t.Errorf("%s refers to %s about %s, which is not there", finding.ID, named[1], finding.Target)
			}
		}
	}
}

// checkText holds a finding to what a reader needs: one line of title, facts, a way out, a page.
func checkText(t *testing.T, finding contract.Finding) {
	t.Helper()
	all := strings.Join([]string{finding.Title, finding.Evidence, finding.Advice, finding.Reference}, "\n")
	for _, r := range all {
		if r != '\n' && (r < ' ' || r > '~') {
			t.Errorf("%s: character %q is not printable ASCII: %s", finding.ID, r, all)
		}
	}
	for name, text := range map[string]string{"title": finding.Title, "evidence": finding.Evidence, "advice": finding.Advice, "reference": finding.Reference, "target": finding.Target} {
		if strings.TrimSpace(text) == "" || strings.TrimSpace(text) != text || strings.Contains(text, "\n") {
			t.Errorf("%s: %s is empty, padded or more than one line: %q", finding.ID, name, text)
		}
		if found := placeholder.FindString(text); found != "" {
			t.Errorf("%s: %s has %q: %s", finding.ID, name, found, text)
		}
	}
	if len(finding.Title) > 140 {
		t.Errorf("%s: title of %d characters: %s", finding.ID, len(finding.Title), finding.Title)
	}
	if !strings.HasSuffix(finding.Advice, ".") || strings.HasSuffix(finding.Title, ".") {
		t.Errorf("%s: advice is sentences, a title is none: %q %q", finding.ID, finding.Title, finding.Advice)
	}
	if strings.Contains(all, "ADV190023") {
		t.Errorf("%s names the advisory about LDAP", finding.ID)
	}
	for _, command := range ownCommand.FindAllString(finding.Advice, -1) {
		if command != "diskaudit status" && command != "diskaudit bench" && command != "diskaudit remediate" {
			t.Errorf("%s: there is no %q", finding.ID, command)
		}
	}
	for _, option := range option.FindAllString(strings.Join(remediateCommand.FindAllString(finding.Advice, -1), " "), -1) {
		if !remediateOptions[option] {
			t.Errorf("%s: diskaudit remediate has no %q: %s", finding.ID, option, finding.Advice)
		}
	}
	if !page.MatchString(finding.Reference) {
		t.Errorf("%s: reference %q", finding.ID, finding.Reference)
	}
	if percentage.MatchString(finding.Advice) {
		t.Errorf("%s promises a percentage: %s", finding.ID, finding.Advice)
	}
	if finding.Severity.Rank() < 0 {
		t.Errorf("%s: severity %q", finding.ID, finding.Severity)
	}
}

func TestTextsOfTheExamples(t *testing.T) {
	variants := map[string]change{
		"as it is":  func(*contract.Status) {},
		"portable":  func(s *contract.Status) { s.Machine.Power.Portable = ptr(true) },
		"managed":   func(s *contract.Status) { s.Machine.Join.Domain = ptr(true) },
		"hard disk": func(s *contract.Status) { s.Disks[0].Media = ptr(contract.MediaHDD) },
		"elsewhere": func(s *contract.Status) { s.Machine = contract.Machine{Source: contract.SourceImage} },
		"no letter": func(s *contract.Status) { s.Volumes[0].MountPoints, s.Volumes[1].MountPoints = nil, nil },
	}
	for _, e := range examples {
		for _, variant := range variants {
			checkTexts(t, Findings(with(e.positive, variant)))
		}
	}
}

func TestCommandsAreQuoted(t *testing.T) {
	f := newFacts(plain())
	for mountPoint, want := range map[string]string{
		`C:`:              "Resume-BitLocker -MountPoint 'C:'",
		`C:\`:             "Resume-BitLocker -MountPoint 'C:'",
		`D:\Data Files\`:  `Resume-BitLocker -MountPoint 'D:\Data Files\'`,
		`D:\Anna's $data`: `Resume-BitLocker -MountPoint 'D:\Anna''s $data'`,
	} {
		v := contract.Volume{ID: volumeC, MountPoints: contract.List[string]{mountPoint}}
		if got := f.cmdlet(v, "Resume-BitLocker", "").String(); got != want {
			t.Errorf("%s: %s, want %s", mountPoint, got, want)
		}
	}
	v := contract.Volume{ID: volumeC, MountPoints: contract.List[string]{`D:\Data Files\`}}
	if got, want := f.manageBDE(v, "-resume").String(), `manage-bde -resume "D:\Data Files"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
