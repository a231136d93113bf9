package contract

import (
	"fmt"
	"slices"
	"sync"
)

// ValidateRead checks a document that was read back, decoded with json.Number, against the published
// schema of its kind. An older minor version lacks what was added since: a property that may be null
// may be missing too, since what a version did not know is unknown.
func ValidateRead(kind Kind, document any) error {
	schema, err := relaxed(kind)
	if err != nil {
		return err
	}
	if err := schema.check(schema, "", document); err != nil {
		return fmt.Errorf("the %s document does not follow its schema: %w", kind, err)
	}
	return nil
}

var (
	relaxMu        sync.Mutex
	relaxedSchemas = map[Kind]*schemaNode{}
)

// relaxed reads a kind's schema once and takes the demand for what can be unknown out of it.
func relaxed(kind Kind) (*schemaNode, error) {
	relaxMu.Lock()
	defer relaxMu.Unlock()
	if schema, ok := relaxedSchemas[kind]; ok {
		return schema, nil
	}
	data, err := Schema(kind)
	if err != nil {
		return nil, err
	}
	schema, err := readSchema(data)
	if err != nil {
		return nil, fmt.Errorf("reading the embedded schema of %s: %w", kind, err)
	}
	schema.relax()
	for _, definition := range schema.Definitions {
		definition.relax()
	}
	relaxedSchemas[kind] = schema
	return schema, nil
}

// relax takes out of the required properties of an object those that may be null.
func (s *schemaNode) relax() {
	s.Required = slices.DeleteFunc(s.Required, func(name string) bool {
		property, ok := s.Properties[name]
		return ok && property.nullable()
	})
}

func (s *schemaNode) nullable() bool {
	return slices.Contains(s.Types, "null") || slices.ContainsFunc(s.OneOf, (*schemaNode).nullable)
}
