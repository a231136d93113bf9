package compliance_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"diskaudit/core/compliance"
	"diskaudit/tests/require"
)

// rules is Intune's file as its page describes it
// (learn.microsoft.com/intune/device-security/compliance/create-custom-json).
type rules struct {
	Rules []struct {
		SettingName        string
		Operator           string
		DataType           string
		Operand            any
		MoreInfoURL        string `json:"MoreInfoUrl"`
		RemediationStrings []struct{ Language, Title, Description string }
	}
}

// committed reads the committed file strictly: a name in another case would not be Intune's.
func committed(t *testing.T) (rules, []byte) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(require.Root(t), filepath.FromSlash(compliance.Path)))
	if err != nil {
		t.Fatal(err)
	}
	var read rules
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&read); err != nil {
		t.Fatal(err)
	}
	return read, data
}

func TestCommittedRulesAreCurrent(t *testing.T) {
	want, err := compliance.File()
	if err != nil {
		t.Fatal(err)
	}
	if _, got := committed(t); !bytes.Equal(got, want) {
		t.Errorf("%s is not what the types say: run go generate ./core/compliance/...", compliance.Path)
	}
}

// Cases C28 and C29: Intune refuses a name in another case (65008) and another type (65010).
func TestRulesAreAsIntuneTakesThem(t *testing.T) {
	read, data := committed(t)
	for _, name := range []string{"Rules", "SettingName", "Operator", "DataType", "Operand", "MoreInfoUrl", "RemediationStrings", "Language", "Title", "Description"} {
		if !bytes.Contains(data, []byte(`"`+name+`":`)) {
			t.Errorf("no %s in exactly these letters", name)
		}
	}
	if len(data) > 100_000 || len(read.Rules) == 0 || len(read.Rules) > 100 {
		t.Errorf("%d rules in %d bytes", len(read.Rules), len(data))
	}
	if at := bytes.IndexFunc(data, func(r rune) bool { return r > '~' || r < ' ' && r != '\n' }); at >= 0 {
		t.Errorf("byte %d is not printable ASCII", at)
	}
	languages := strings.Fields(`cs_CZ da_DK de_DE el_GR en_US es_ES fi_FI fr_FR hu_HU it_IT ja_JP ko_KR nb_NO nl_NL pl_PL pt_BR ro_RO ru_RU
		sv_SE tr_TR zh_CN zh_TW`)
	for _, rule := range read.Rules {
		if !slices.Contains(strings.Fields("IsEquals NotEquals GreaterThan GreaterEquals LessThan LessEquals"), rule.Operator) {
			t.Errorf("%s: operator %q", rule.SettingName, rule.Operator)
		}
		if !slices.Contains(strings.Fields("Boolean Int64 Double String DateTime Version"), rule.DataType) {
			t.Errorf("%s: type %q", rule.SettingName, rule.DataType)
		}
		if !hasType(rule.Operand, rule.DataType) {
			t.Errorf("%s: operand %v is no %s", rule.SettingName, rule.Operand, rule.DataType)
		}
		if !strings.HasPrefix(rule.MoreInfoURL, "https://learn.microsoft.com/") && !strings.HasPrefix(rule.MoreInfoURL, "https://support.microsoft.com/") {
			t.Errorf("%s: page %q", rule.SettingName, rule.MoreInfoURL)
		}
		var have []string
		for _, text := range rule.RemediationStrings {
			have = append(have, text.Language)
			if text.Title == "" || text.Description == "" || !slices.Contains(languages, text.Language) {
				t.Errorf("%s: texts in %q: %+v", rule.SettingName, text.Language, text)
			}
			shows := strings.Contains(text.Title, "{ActualValue}")
			if says := strings.Count(text.Title+text.Description, "{"); says > 1 || (says == 1) != shows {
				t.Errorf("%s: Intune fills in {ActualValue} in the title alone: %+v", rule.SettingName, text)
			}
		}
		if !slices.Equal(have, []string{"en_US", "de_DE", "zh_CN"}) {
			t.Errorf("%s: texts in %v", rule.SettingName, have)
		}
	}
}

// hasType tells whether a value of JSON is of one of Intune's types.
func hasType(value any, dataType string) bool {
	switch value := value.(type) {
	case bool:
		return dataType == "Boolean"
	case float64:
		return dataType == "Int64" && value == float64(int64(value))
	case string:
		return dataType == "String" || dataType == "Version" && isVersion(value)
	}
	return false
}

// isVersion tells whether .NET reads the text as a version: two to four numbers
// (learn.microsoft.com/dotnet/api/system.version.parse).
func isVersion(text string) bool {
	parts := strings.Split(text, ".")
	return len(parts) >= 2 && len(parts) <= 4 && !slices.ContainsFunc(parts, func(part string) bool {
		return part == "" || len(part) > 9 || strings.Trim(part, "0123456789") != ""
	})
}
