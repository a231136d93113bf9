package module_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/contract"
)

// TestDocumentsFollowTheContract keeps the documents that the Pester tests start from real ones:
// every field of them is known to the contract, and no field of the contract is missing in them.
func TestDocumentsFollowTheContract(t *testing.T) {
	documents := map[string]struct {
		kind contract.Kind
		into any
	}{
		"windows.json":           {contract.KindStatus, &contract.Status{}},
		"bench-material.json":    {contract.KindBench, &contract.Bench{}},
		"bench-invalid.json":     {contract.KindBench, &contract.Bench{}},
		"bench-interrupted.json": {contract.KindBench, &contract.Bench{}},
		"bench-no-space.json":    {contract.KindBench, &contract.Bench{}},
		"bench-regression.json":  {contract.KindBench, &contract.Bench{}},
		"bench-profiles.json":    {contract.KindProfiles, &contract.ProfilesDocument{}},
		"remediate-plan.json":    {contract.KindRemediate, &contract.Remediation{}},
		"remediate-failed.json":  {contract.KindRemediate, &contract.Remediation{}},
	}
	files, err := os.ReadDir("documents")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(file.Name(), func(t *testing.T) {
			document, ok := documents[file.Name()]
			if !ok {
				t.Fatal("no kind is told for this document")
			}
			data, err := os.ReadFile(filepath.Join("documents", file.Name()))
			if err != nil {
				t.Fatal(err)
			}
			decoder := json.NewDecoder(bytes.NewReader(data))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(document.into); err != nil {
				t.Fatal(err)
			}
			if err := contract.Validate(document.kind, data); err != nil {
				t.Error(err)
			}
			encoded, err := contract.Encode(document.into)
			if err != nil {
				t.Fatal(err)
			}
			var written, read any
			if err := json.Unmarshal(data, &written); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(encoded, &read); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(read, written); diff != "" {
				t.Errorf("the document and the contract differ (-contract +document):\n%s", diff)
			}
		})
	}
}
