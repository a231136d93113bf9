package audit

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/contract"
	"diskaudit/core/language"
	"diskaudit/core/language/languagetest"
)

var (
	// Words that no German or Chinese text has.
	englishWords = regexp.MustCompile(`\b(?:the|and|which|with|that|its|not|by|from|until|run|volume|drive|data)\b`)
	policyNames  = regexp.MustCompile(`Configure use of hardware-based encryption|Choose drive encryption method and cipher strength|Turn off Windows write-cache buffer flushing`)
	// What is one command in any language: the program and its options, and PowerShell's with theirs.
	commandLine = regexp.MustCompile(`(?:diskaudit (?:status|bench|remediate)|manage-bde|powercfg|cpupower|smartctl|(?:Add|Backup|BackupToAAD|Disable|Enable|Format|Get|Install|Resume)-[A-Z][A-Za-z]+)(?: (?:/\w+|--?[a-z-]+|-[A-Z]\w+|'[^']*'|"[^"]*"|[A-Z]:|XtsAes256|conversion-running|prevent|undo|pause|resume))*`)
)

// everyComputer calls visit with the computers of all rules' examples, each in several variants.
func everyComputer(visit func(contract.Status)) {
	variants := []change{
		func(*contract.Status) {},
		func(s *contract.Status) { s.Machine.Power.Portable = ptr(true) },
		func(s *contract.Status) { s.Machine.Join.Domain = ptr(true) },
		func(s *contract.Status) { s.Disks[0].Media = ptr(contract.MediaHDD) },
		func(s *contract.Status) { s.Machine = contract.Machine{Source: contract.SourceImage} },
		func(s *contract.Status) { s.Machine = contract.Machine{Source: contract.SourceLinux} },
		func(s *contract.Status) { s.Volumes[0].MountPoints, s.Volumes[1].MountPoints = nil, nil },
	}
	for _, e := range examples {
		for _, variant := range variants {
			visit(with(e.positive, variant))
		}
	}
}

// Whatever a rule says, it says in every language, with the same commands, numbers and names.
func TestFindingsInEveryLanguage(t *testing.T) {
	for in := range catalogue {
		seen := map[string]bool{}
		everyComputer(func(status contract.Status) {
			for _, finding := range FindingsIn(status, in) {
				seen[finding.ID] = true
				checkLocalized(t, in, finding)
			}
		})
		for _, id := range IDs() {
			if !seen[id] {
				t.Errorf("%s: nothing was shown about %s", in, id)
			}
		}
	}
}

func checkLocalized(t *testing.T, in language.Language, finding contract.Finding) {
	t.Helper()
	local := finding.Localized
	if local == nil || local.Language != string(in) {
		t.Errorf("%s: %s is not localized: %+v", in, finding.ID, local)
		return
	}
	for _, text := range []struct{ english, local string }{{finding.Title, local.Title}, {finding.Advice, local.Advice}} {
		if bad := placeholder.FindString(text.local); bad != "" {
			t.Errorf("%s: %s has %q: %s", in, finding.ID, bad, text.local)
		}
		prose := commandLine.ReplaceAllString(policyNames.ReplaceAllString(text.local, ""), "")
		if word := englishWords.FindString(prose); word != "" {
			t.Errorf("%s: %s has the English word %q: %s", in, finding.ID, word, text.local)
		}
		if got, want := languagetest.Names(text.local), languagetest.Names(text.english); !slices.Equal(got, want) {
			t.Errorf("%s: %s names %q, in English %q: %s", in, finding.ID, got, want, text.local)
		}
		got, want := commandLine.FindAllString(text.local, -1), commandLine.FindAllString(text.english, -1)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %s has the commands %q, in English %q", in, finding.ID, got, want)
		}
		if in == language.Chinese && !strings.ContainsFunc(text.local, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			t.Errorf("%s: %s is not Chinese: %s", in, finding.ID, text.local)
		}
	}
}

// A language adds texts, and changes nothing of what scripts read.
func TestLanguagesChangeNothingElse(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		var status contract.Status
		fill(random, reflect.ValueOf(&status).Elem(), "")
		for i := range status.Volumes {
			status.Volumes[i].ID = fmt.Sprintf("/dev/sd%c", 'a'+i)
			status.Disks[i].ID = candidates["DiskID"][i]
		}
		want := Findings(status)
		for in := range catalogue {
			got := FindingsIn(status, in)
			for i := range got {
				checkLocalized(t, in, got[i])
				got[i].Localized = nil
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s: %s", in, diff)
			}
		}
	}
}

// What a computer calls its things stays as it is in every language.
func TestNamesInEveryLanguage(t *testing.T) {
	const folder = `D:\Größe, 100%s\`
	status := with(func(s *contract.Status) { encrypt(volC(s)); volC(s).MountPoints = contract.List[string]{folder} })
	for in, title := range map[language.Language]string{
		language.German:  `Volume ` + folder + ` ist durch Software verschlüsselt`,
		language.Chinese: `卷 ` + folder + ` 由软件加密`,
	} {
		finding := find(FindingsIn(status, in), "software-encryption", volumeC)
		if finding == nil || finding.Localized.Title != title || !strings.Contains(finding.Localized.Advice, `"`+folder) {
			t.Errorf("%s: %+v", in, finding)
		}
	}
	running := with(func(s *contract.Status) {
		encrypt(volC(s))
		encC(s).Conversion, encC(s).Percent = ptr(contract.EncryptionInProgress), ptr(12.54)
	})
	for in, number := range map[language.Language]string{language.German: "12,5 %", language.Chinese: "12.5%"} {
		finding := find(FindingsIn(running, in), "conversion-running", volumeC)
		if finding == nil || !strings.Contains(finding.Localized.Title, number) || !strings.Contains(finding.Title, "12.5 %") {
			t.Errorf("%s: %+v", in, finding)
		}
	}
}
