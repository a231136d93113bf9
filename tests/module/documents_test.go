package module_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/contract"
)

// TestDocumentFollowsTheContract keeps the document that the Pester tests start from a real one:
// every field of it is known to the contract, and no field of the contract is missing in it.
func TestDocumentFollowsTheContract(t *testing.T) {
	data, err := os.ReadFile("documents/windows.json")
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var status contract.Status
	if err := decoder.Decode(&status); err != nil {
		t.Fatal(err)
	}
	if err := contract.Validate(contract.KindStatus, data); err != nil {
		t.Error(err)
	}
	encoded, err := contract.Encode(status)
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
}
