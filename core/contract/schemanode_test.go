package contract

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	strict "github.com/santhosh-tekuri/jsonschema/v6"

	"diskaudit/tests/require"
)

// The project's validator and a library that knows the whole draft give the same verdict on
// sound documents and on many that are broken at random places.
func TestValidatorAgreesWithALibrary(t *testing.T) {
	library := librarySchema(t, KindStatus, false)
	documents := [][]byte{}
	zero, err := Encode(zeroDocuments()[KindStatus])
	if err != nil {
		t.Fatal(err)
	}
	documents = append(documents, zero)
	recordings, err := filepath.Glob(filepath.Join(require.Root(t), "tests", "testdata", "recordings", "*.json"))
	if err != nil || len(recordings) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, path := range recordings {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, data)
	}
	random := rand.New(rand.NewPCG(1, 2))
	sound, broken := 0, 0
	for _, document := range documents {
		for round := range 700 {
			changed := document
			if round > 0 {
				changed = mutate(t, random, document)
			}
			instance, err := strict.UnmarshalJSON(bytes.NewReader(changed))
			if err != nil {
				t.Fatal(err)
			}
			want, got := library.Validate(instance), Validate(KindStatus, changed)
			if (want == nil) != (got == nil) {
				t.Fatalf("the library says %v, this validator %v, of %s", want, got, changed)
			}
			if got == nil {
				sound++
			} else {
				broken++
			}
		}
	}
	if sound < 100 || broken < 500 {
		t.Errorf("%d sound and %d broken documents are too few of one kind", sound, broken)
	}
}

// librarySchema is the published schema as the library reads it.
func librarySchema(t *testing.T, kind Kind, formats bool) *strict.Schema {
	t.Helper()
	data, err := Schema(kind)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := strict.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	compiler := strict.NewCompiler()
	if formats {
		compiler.AssertFormat()
	}
	if err := compiler.AddResource("schema.json", parsed); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// oddValues take the place of what a document had.
var oddValues = []any{
	nil, true, "", "status", "error", "Unrecognized", json.Number("0"), json.Number("-1"), json.Number("1.0"), json.Number("1.5"),
	json.Number("1e3"), json.Number("18446744073709551615"), json.Number("-0"), []any{}, map[string]any{},
	map[string]any{"name": "FullyEncrypted", "code": json.Number("1")}, map[string]any{"name": "Nonsense", "code": json.Number("1")},
}

// mutate replaces, drops or adds one value at a random place.
func mutate(t *testing.T, random *rand.Rand, document []byte) []byte {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var root any
	if err := decoder.Decode(&root); err != nil {
		t.Fatal(err)
	}
	type place struct {
		object map[string]any
		list   []any
		name   string
		index  int
	}
	var places []place
	var walk func(any)
	walk = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(value)) {
				places = append(places, place{object: value, name: name})
				walk(value[name])
			}
		case []any:
			for i := range value {
				places = append(places, place{list: value, index: i})
				walk(value[i])
			}
		}
	}
	walk(root)
	at := places[random.IntN(len(places))]
	odd := oddValues[random.IntN(len(oddValues))]
	switch {
	case at.list != nil:
		at.list[at.index] = odd
	case random.IntN(5) == 0:
		delete(at.object, at.name)
	case random.IntN(10) == 0:
		at.object["added"] = odd
	default:
		at.object[at.name] = odd
	}
	data, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Every keyword of the published schemas is one that the validator knows: none is overlooked.
func TestEveryKeywordIsKnown(t *testing.T) {
	strictly := func(data []byte) error {
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.DisallowUnknownFields()
		return decoder.Decode(new(schemaNode))
	}
	for _, kind := range Kinds() {
		data, err := Schema(kind)
		if err != nil {
			t.Fatal(err)
		}
		if err := strictly(data); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	for _, schema := range []string{`{"pattern":"x"}`, `{"properties":{"a":{"maximum":3}}}`, `{"type":"string","minLength":1}`} {
		if strictly([]byte(schema)) == nil {
			t.Errorf("the test does not see the keyword in %s", schema)
		}
	}
}

func TestNumbers(t *testing.T) {
	schema, err := readSchema([]byte(`{"type":"integer","minimum":0}`))
	if err != nil {
		t.Fatal(err)
	}
	for number, ok := range map[json.Number]bool{
		"0": true, "18446744073709551615": true, "1.0": true, "1e3": true, "10e-1": true, "-0": true,
		"-1": false, "0.5": false, "1e-3": false, "1e99999999999": false,
	} {
		if err := schema.check(schema, "", number); (err == nil) != ok {
			t.Errorf("%s: %v", number, err)
		}
	}
}

func TestErrorsNameThePlace(t *testing.T) {
	data, err := Encode(zeroDocuments()[KindStatus])
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(data), `"layers":[{"device":""`, `"layers":[{"device":null`, 1)
	if err := Validate(KindStatus, []byte(changed)); err == nil || !strings.Contains(err.Error(), "volumes[0].layers[0].device is not of type string") {
		t.Errorf("got %v", err)
	}
}
