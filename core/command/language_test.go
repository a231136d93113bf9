package command

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

// recorded runs status on a recorded computer that has several findings.
func recorded(t *testing.T, more ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errors writer
	arguments := append([]string{"diskaudit", "status", "--recording", filepath.Join("..", "..", "tests", "testdata", "recordings", "laptop-24h2-waiting.json")}, more...)
	code = Run(t.Context(), arguments, &out, &errors)
	return code, string(out.data), string(errors.data)
}

// A language adds texts to the document: all that scripts read stays, to the byte.
func TestLanguageAddsToTheDocument(t *testing.T) {
	read := func(more ...string) contract.List[contract.Finding] {
		t.Helper()
		code, stdout, stderr := recorded(t, more...)
		if code != int(ExitDone) || stderr != "" {
			t.Fatalf("%v: exit code %d, stderr %q", more, code, stderr)
		}
		if err := contract.Validate(contract.KindStatus, []byte(stdout)); err != nil {
			t.Fatalf("%v: %v", more, err)
		}
		if beyond := strings.IndexFunc(stdout, func(r rune) bool { return r > '~' }); beyond >= 0 {
			t.Fatalf("%v: not ASCII at %d", more, beyond)
		}
		var document struct {
			Findings contract.List[contract.Finding] `json:"findings"`
		}
		if err := json.Unmarshal([]byte(stdout), &document); err != nil {
			t.Fatal(err)
		}
		return document.Findings
	}
	english := read()
	for _, finding := range english {
		if finding.Localized != nil {
			t.Errorf("in English %s has %+v", finding.ID, finding.Localized)
		}
	}
	for tag, title := range map[string]string{
		"de":         "Volume C: ist verschlüsselt, wartet aber auf Aktivierung und ist nicht geschützt",
		"de-DE":      "Volume C: ist verschlüsselt, wartet aber auf Aktivierung und ist nicht geschützt",
		"zh":         "卷 C: 已加密，但正在等待激活，未受保护",
		"zh-CN":      "卷 C: 已加密，但正在等待激活，未受保护",
		"zh-Hans-CN": "卷 C: 已加密，但正在等待激活，未受保护",
	} {
		local := read("--language", tag)
		if len(local) == 0 || local[0].Localized == nil || local[0].Localized.Title != title || local[0].Localized.Language != tag[:2] {
			t.Fatalf("%s: %+v", tag, local)
		}
		if len(local) != len(english) {
			t.Fatalf("%s: %d findings, in English %d", tag, len(local), len(english))
		}
		for i := range local {
			local[i].Localized = nil
			if local[i] != english[i] {
				t.Errorf("%s: %+v, in English %+v", tag, local[i], english[i])
			}
		}
	}
	if explicit := read("--language", "en-US"); explicit[0] != english[0] {
		t.Errorf("en-US: %+v", explicit[0])
	}
}

func TestUnknownLanguageIsAUsageError(t *testing.T) {
	for _, tag := range []string{"fr", "zh-TW", "", "german"} {
		code, stdout, stderr := recorded(t, "--language", tag)
		if code != int(ExitUsage) || stdout != "" || !strings.Contains(stderr, "en, de, zh") {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", tag, code, stdout, stderr)
		}
	}
}

func TestTableInALanguage(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	_, table, _ := recorded(t, "--language", "de", "--format", "table")
	if !strings.Contains(table, "\nBefunde\n") || !strings.Contains(table, "WARNUNG: Volume C: ist verschlüsselt") {
		t.Error(table)
	}
}
