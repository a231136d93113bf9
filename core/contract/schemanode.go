package contract

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// schemaNode is a JSON schema of the kind that this project generates: the keywords of draft
// 2020-12 that occur in it, and no others. Every run validates its document, and the libraries
// that know the whole draft need more time to get ready for that than the rest of the run takes.
// Tests hold this one against such a library.
type schemaNode struct {
	Definitions map[string]*schemaNode `json:"$defs"`
	Ref         string                 `json:"$ref"`
	Types       schemaTypes            `json:"type"`
	Properties  map[string]*schemaNode `json:"properties"`
	Required    []string               `json:"required"`
	Items       *schemaNode            `json:"items"`
	OneOf       []*schemaNode          `json:"oneOf"`
	Enum        []any                  `json:"enum"`
	Const       any                    `json:"const"`
	Minimum     *json.Number           `json:"minimum"`

	Draft       annotation `json:"$schema"`
	ID          annotation `json:"$id"`
	Title       annotation `json:"title"`
	Description annotation `json:"description"`
	Format      annotation `json:"format"`
}

// annotation is a keyword that decides nothing.
type annotation struct{}

func (*annotation) UnmarshalJSON([]byte) error { return nil }

// schemaTypes are the types that a value may have; none means any.
type schemaTypes []string

func (t *schemaTypes) UnmarshalJSON(data []byte) error {
	if data[0] == '[' {
		return json.Unmarshal(data, (*[]string)(t))
	}
	var one string
	err := json.Unmarshal(data, &one)
	*t = schemaTypes{one}
	return err
}

// readSchema reads a schema. Keywords that it does not know are passed over; a test makes sure
// that the published schemas have none.
func readSchema(data []byte) (*schemaNode, error) {
	var schema schemaNode
	if err := json.Unmarshal(data, &schema); err != nil {
		return nil, err
	}
	return &schema, nil
}

// check compares a value, decoded with json.Number, with the schema. The error names the place.
func (s *schemaNode) check(root *schemaNode, place string, value any) error {
	if s.Ref != "" {
		target, ok := root.Definitions[strings.TrimPrefix(s.Ref, "#/$defs/")]
		if !ok {
			return fmt.Errorf("%s: the schema has no %s", place, s.Ref)
		}
		if err := target.check(root, place, value); err != nil {
			return err
		}
	}
	if len(s.Types) > 0 && !slices.ContainsFunc(s.Types, func(name string) bool { return hasType(value, name) }) {
		return fmt.Errorf("%s is not of type %s", orRoot(place), strings.Join(s.Types, " or "))
	}
	if s.Enum != nil && !slices.Contains(s.Enum, value) {
		return fmt.Errorf("%s is none of %v", orRoot(place), s.Enum)
	}
	if s.Const != nil && value != s.Const {
		return fmt.Errorf("%s is not %v", orRoot(place), s.Const)
	}
	if err := s.checkOneOf(root, place, value); err != nil {
		return err
	}
	switch value := value.(type) {
	case json.Number:
		if s.Minimum != nil && compare(value, *s.Minimum) < 0 {
			return fmt.Errorf("%s is less than %s", orRoot(place), *s.Minimum)
		}
	case []any:
		for i, item := range value {
			if s.Items != nil {
				if err := s.Items.check(root, fmt.Sprintf("%s[%d]", place, i), item); err != nil {
					return err
				}
			}
		}
	case map[string]any:
		return s.checkObject(root, place, value)
	}
	return nil
}

func (s *schemaNode) checkObject(root *schemaNode, place string, object map[string]any) error {
	for _, name := range s.Required {
		if _, ok := object[name]; !ok {
			return fmt.Errorf("%s lacks %s", orRoot(place), name)
		}
	}
	for name, value := range object {
		if property, ok := s.Properties[name]; ok {
			if err := property.check(root, place+"."+name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkOneOf wants exactly one of the alternatives to fit.
func (s *schemaNode) checkOneOf(root *schemaNode, place string, value any) error {
	if len(s.OneOf) == 0 {
		return nil
	}
	fitting := 0
	var reason error
	for _, alternative := range s.OneOf {
		err := alternative.check(root, place, value)
		if err == nil {
			fitting++
		} else if reason == nil {
			reason = err
		}
	}
	switch fitting {
	case 0:
		return reason
	case 1:
		return nil
	}
	return fmt.Errorf("%s fits %d alternatives instead of one", orRoot(place), fitting)
}

func orRoot(place string) string {
	if place == "" {
		return "the document"
	}
	return strings.TrimPrefix(place, ".")
}

func hasType(value any, name string) bool {
	switch value := value.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	case json.Number:
		return name == "number" || name == "integer" && isInteger(value)
	}
	return false
}

// isInteger tells whether a number has no fraction; 1.0 and 1e3 have none.
func isInteger(number json.Number) bool {
	if !strings.ContainsAny(number.String(), ".eE") {
		return true
	}
	value, ok := rational(number)
	return ok && value.IsInt()
}

// compare orders two numbers exactly; a number too large to compute counts as equal.
func compare(a, b json.Number) int {
	// Almost all are whole and small.
	if x, err := a.Int64(); err == nil {
		if y, err := b.Int64(); err == nil {
			return cmp.Compare(x, y)
		}
	}
	x, okX := rational(a)
	y, okY := rational(b)
	if !okX || !okY {
		return 0
	}
	return x.Cmp(y)
}

// rational is a number's exact value. Exponents that would need much memory are refused.
func rational(number json.Number) (*big.Rat, bool) {
	const maxExponentDigits = 4
	if at := strings.IndexAny(number.String(), "eE"); at >= 0 && len(number)-at > 1+1+maxExponentDigits {
		return nil, false
	}
	return new(big.Rat).SetString(number.String())
}
