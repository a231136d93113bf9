package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	validator "github.com/google/jsonschema-go/jsonschema"

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

// Validate checks a document against the published schema of its kind. Formats, such as that of
// a date, are annotations to it, as they are to most validators.
func Validate(kind Kind, document []byte) error {
	schema, err := resolved(kind)
	if err != nil {
		return err
	}
	var instance any
	if err := json.Unmarshal(document, &instance); err != nil {
		return fmt.Errorf("reading the %s document as JSON: %w", kind, err)
	}
	if err := schema.Validate(instance); err != nil {
		return fmt.Errorf("the %s document does not follow its schema: %w", kind, err)
	}
	return nil
}

var (
	resolveMu       sync.Mutex
	resolvedSchemas = map[Kind]*validator.Resolved{}
)

func resolved(kind Kind) (*validator.Resolved, error) {
	resolveMu.Lock()
	defer resolveMu.Unlock()
	if schema, ok := resolvedSchemas[kind]; ok {
		return schema, nil
	}
	data, err := Schema(kind)
	if err != nil {
		return nil, err
	}
	var schema validator.Schema
	if err := json.Unmarshal(data, &schema); err != nil {
		return nil, fmt.Errorf("reading the embedded schema of %s: %w", kind, err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("resolving the embedded schema of %s: %w", kind, err)
	}
	resolvedSchemas[kind] = resolved
	return resolved, nil
}
