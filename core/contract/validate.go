package contract

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"diskaudit/schemas"
)

// Kinds lists the kinds of documents that have a schema.
func Kinds() []Kind {
	return []Kind{KindStatus, KindVersion}
}

// ErrNoSchema means that there is no schema for a kind.
var ErrNoSchema = errors.New("no schema for this kind of document")

// Schema returns the published schema of a kind of document, as committed.
func Schema(kind Kind) ([]byte, error) {
	data, err := schemas.Files.ReadFile(string(kind) + ".schema.json")
	if err != nil {
		return nil, fmt.Errorf("%q: %w", kind, ErrNoSchema)
	}
	return data, nil
}

// Validate checks a document against the published schema of its kind, date formats included.
func Validate(kind Kind, document []byte) error {
	schema, err := compiled(kind)
	if err != nil {
		return err
	}
	instance, err := validator.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return fmt.Errorf("reading the %s document as JSON: %w", kind, err)
	}
	if err := schema.Validate(instance); err != nil {
		return fmt.Errorf("the %s document does not follow its schema: %w", kind, err)
	}
	return nil
}

var (
	compileMu       sync.Mutex
	compiledSchemas = map[Kind]*validator.Schema{}
)

func compiled(kind Kind) (*validator.Schema, error) {
	compileMu.Lock()
	defer compileMu.Unlock()
	if schema, ok := compiledSchemas[kind]; ok {
		return schema, nil
	}
	data, err := Schema(kind)
	if err != nil {
		return nil, err
	}
	parsed, err := validator.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("reading the embedded schema of %s: %w", kind, err)
	}
	compiler := validator.NewCompiler()
	compiler.AssertFormat()
	url := string(kind) + ".schema.json"
	if err := compiler.AddResource(url, parsed); err != nil {
		return nil, fmt.Errorf("loading the embedded schema of %s: %w", kind, err)
	}
	schema, err := compiler.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("compiling the embedded schema of %s: %w", kind, err)
	}
	compiledSchemas[kind] = schema
	return schema, nil
}
