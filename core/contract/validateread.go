package contract

import (
	"fmt"
	"slices"
)

// ValidateRead checks a document that was read back, decoded with json.Number, against the published
// schema of its kind. An older minor version lacks what was added since: a property that may be null
// may be missing too, since what a version did not know is unknown.
func ValidateRead(kind Kind, document any) error {
	schema, err := relaxed.of(kind)
	if err != nil {
		return err
	}
	if err := schema.check(schema, "", document); err != nil {
		return fmt.Errorf("the %s document does not follow its schema: %w", kind, err)
	}
	return nil
}

// relaxed are the schemas without the demand for what can be unknown.
var relaxed = schemaCache{prepare: func(schema *schemaNode) {
	schema.relax()
	for _, definition := range schema.Definitions {
		definition.relax()
	}
}}

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
