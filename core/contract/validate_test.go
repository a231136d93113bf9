package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	strict "github.com/santhosh-tekuri/jsonschema/v6"

	"diskaudit/tests/require"
)

// zeroDocuments are the documents with nothing known: case C19d.
func zeroDocuments() map[Kind]any {
	return map[Kind]any{
		KindStatus: Status{
			Header:   Header{Kind: KindStatus, Problems: List[Problem]{{}}},
			Disks:    List[Disk]{{}},
			Volumes:  List[Volume]{{Extents: List[Extent]{{}}, Layers: List[Layer]{{}}, Problems: List[Problem]{{}}, Encryption: Encryption{Protectors: []Protector{{}}}}, {}},
			Findings: List[Finding]{{}},
		},
		KindRemediate: Remediation{
			Header: Header{Kind: KindRemediate, Problems: List[Problem]{{}}},
			Plan:   Plan{Steps: List[PlanStep]{{}, {Estimate: &Estimate{}}}, Guards: List[Guard]{{}}},
			Projected: &Status{
				Header: Header{Kind: KindStatus}, Disks: List[Disk]{{}}, Volumes: List[Volume]{{}}, Findings: List[Finding]{{}},
			},
			Steps:   List[StepResult]{{}, {Problem: &Problem{}}},
			Running: List[Running]{{}},
		},
		KindBench: Bench{
			Header:  Header{Kind: KindBench, Problems: List[Problem]{{}}},
			Target:  BenchTarget{Proof: &TargetProof{}},
			Profile: BenchProfile{Tests: List[TestSpec]{{}}},
			Context: BenchContext{Machine: &Machine{}, Volume: &Volume{}, Disk: &Disk{}},
			Tests: List[BenchTest]{{}, {
				Processors: List[uint64]{0}, Rounds: List[BenchRound]{{}}, Histogram: List[HistogramClass]{{}}, Interval: &TestInterval{}, Drift: &Drift{},
				InvalidReasons: List[InvalidReason]{{}}, Notes: List[InvalidReason]{{}},
			}},
			Penalty:    Penalty{Reason: &InvalidReason{}, Paths: &PenaltyPaths{}, AddedNs: &Range{}, AddedPercent: &Range{}, Control: &PenaltyControl{}, Proof: &PathProof{}},
			Headroom:   List[Headroom]{{}},
			Comparison: &Comparison{Refusals: List[Refusal]{{}}, Notes: List[InvalidReason]{{}}, Tests: List[TestComparison]{{}}},
		},
		KindReport: Report{
			Header: Header{Kind: KindReport, Problems: List[Problem]{{}}}, Output: &ReportOutput{}, Computers: ReportComputers{States: List[ReportState]{{}}},
			Models: List[ReportGroup]{{}}, Methods: List[ReportGroup]{{}}, Engines: List[ReportGroup]{{}}, Findings: List[ReportFinding]{{}},
			Penalty: ReportPenalty{AddedNs: &Quantiles{}, AddedPercent: &Quantiles{}}, AddedNs: List[ReportClass]{{}}, AddedPercent: List[ReportClass]{{}},
			Combinations: List[ReportCombination]{{}}, Tests: List[ReportTest]{{}, {P50Ns: &Quantiles{}}},
			Worst: List[ReportMeasurement]{{}}, Attention: List[ReportAttention]{{}}, Unknowns: List[ReportUnknown]{{}},
		},
		KindProfiles: ProfilesDocument{Header: Header{Kind: KindProfiles}, Profiles: List[BenchProfile]{{Tests: List[TestSpec]{{}}}}},
		KindVersion:  VersionDocument{Header: Header{Kind: KindVersion}},
	}
}

func TestZeroValuesFollowTheirSchema(t *testing.T) {
	documents := zeroDocuments()
	for _, kind := range Kinds() {
		data, err := Encode(documents[kind])
		if err != nil {
			t.Fatal(err)
		}
		if err := Validate(kind, data); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if err := strictly(t, kind, data); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// strictly validates with a second validator, which checks the schema itself and formats too.
func strictly(t *testing.T, kind Kind, document []byte) error {
	t.Helper()
	schema := librarySchema(t, kind, true)
	instance, err := strict.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(instance)
}

func TestForgottenLevelIsAnError(t *testing.T) {
	data, err := Encode(Problem{})
	if err != nil || !strings.Contains(string(data), `"level":"error"`) {
		t.Errorf("%s %v", data, err)
	}
}

func TestValidateRefuses(t *testing.T) {
	// Formats are checked in tests alone: Go writes no time that is none.
	const formatCase = "a time that is none"
	sound := func() Status {
		return Status{Header: Header{SchemaVersion: SchemaVersion, Kind: KindStatus, CollectedAt: time.Unix(0, 0).UTC()}}
	}
	data, err := Encode(sound())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Validate(KindStatus, data), strictly(t, KindStatus, data)); err != nil {
		t.Fatalf("a sound document is refused: %v", err)
	}
	for name, change := range map[string][2]string{
		"null in a list's place": {`"volumes":[]`, `"volumes":null`},
		"another kind":           {`"kind":"status"`, `"kind":"bench"`},
		"a missing property":     {`"complete":false,`, ``},
		"a number as text":       {`"complete":false`, `"complete":"false"`},
		formatCase:               {`1970-01-01T00:00:00Z`, `yesterday`},
		"a level that is none":   {`"problems":[]`, `"problems":[{"code":"a","level":"fatal","stage":"","target":"","text":"","hresult":null,"hresultName":null,"retryable":false}]`},
		"a negative size":        {`"disks":[]`, `"disks":[{"sizeBytes":-1}]`},
	} {
		changed := strings.Replace(string(data), change[0], change[1], 1)
		if changed == string(data) {
			t.Fatalf("%s: nothing to change in %s", name, data)
		}
		if err := Validate(KindStatus, []byte(changed)); err == nil && name != formatCase {
			t.Errorf("%s: accepted", name)
		}
		if err := strictly(t, KindStatus, []byte(changed)); err == nil {
			t.Errorf("%s: accepted by the strict validator", name)
		}
	}
	// A later minor version adds fields; an older consumer's schema must not mind.
	if err := Validate(KindStatus, []byte(strings.Replace(string(data), `"volumes"`, `"added":{"x":1},"volumes"`, 1))); err != nil {
		t.Errorf("an added field is refused: %v", err)
	}
	if _, err := Schema("nonsense"); !errors.Is(err, ErrNoSchema) {
		t.Errorf("schema of a kind that does not exist: %v", err)
	}
}

// Case C19e: PowerShell refuses an object whose property names differ by case alone.
// Case C19c: PowerShell 7.4 wants this exact address of the draft.
func TestSchemasSuitPowerShell(t *testing.T) {
	for _, kind := range Kinds() {
		data, err := Schema(kind)
		if err != nil {
			t.Fatal(err)
		}
		var schema map[string]any
		if err := json.Unmarshal(data, &schema); err != nil {
			t.Fatal(err)
		}
		if schema["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
			t.Errorf("%s: $schema is %v", kind, schema["$schema"])
		}
		properties := 0
		walk(schema, func(object map[string]any) {
			seen := map[string]bool{}
			names, _ := object["properties"].(map[string]any)
			for name := range names {
				properties++
				if name == "" || seen[strings.ToLower(name)] {
					t.Errorf("%s: property %q is there twice, ignoring case, or has no name", kind, name)
				}
				if name[0] >= 'A' && name[0] <= 'Z' || strings.ContainsAny(name, "_- ") {
					t.Errorf("%s: property %q is not camelCase", kind, name)
				}
				seen[strings.ToLower(name)] = true
			}
		})
		if properties == 0 {
			t.Errorf("%s: no properties found", kind)
		}
	}
}

func walk(value any, visit func(map[string]any)) {
	switch value := value.(type) {
	case map[string]any:
		visit(value)
		for _, inner := range value {
			walk(inner, visit)
		}
	case []any:
		for _, inner := range value {
			walk(inner, visit)
		}
	}
}

func TestEveryPropertyIsDescribed(t *testing.T) {
	data, err := Schema(KindStatus)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Definitions map[string]struct {
			Properties map[string]struct{ Description string }
		} `json:"$defs"`
		Properties map[string]struct{ Description string }
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	for name, property := range schema.Properties {
		if property.Description == "" {
			t.Errorf("%s is not described", name)
		}
	}
	for definition, fields := range schema.Definitions {
		for name, property := range fields.Properties {
			coded := name == "name" || name == "code"
			if property.Description == "" && !coded {
				t.Errorf("%s.%s is not described", definition, name)
			}
		}
	}
}

// The documents are also checked by a validator of another language's ecosystem.
func TestIndependentValidatorAgrees(t *testing.T) {
	python := pythonWithJSONSchema(t)
	for kind, document := range zeroDocuments() {
		data, err := Encode(document)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "document.json")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		schema := filepath.Join(require.Root(t), "schemas", string(kind)+".schema.json")
		if out, err := exec.Command(python, "-m", "jsonschema", "-i", file, schema).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", kind, err, out)
		}
		broken := strings.Replace(string(data), `"complete":false`, `"complete":1`, 1)
		if err := os.WriteFile(file, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		if exec.Command(python, "-m", "jsonschema", "-i", file, schema).Run() == nil {
			t.Errorf("%s: the independent validator accepts a broken document", kind)
		}
	}
}

func pythonWithJSONSchema(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import jsonschema; jsonschema.Draft202012Validator").Run() == nil {
			return python
		}
	}
	require.Missing(t, "python-jsonschema", "no python3 with the package jsonschema was found")
	return ""
}
