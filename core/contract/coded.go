package contract

import (
	"encoding/json"
	"fmt"
)

// Unrecognized is the name of a code that the vocabulary does not list.
const Unrecognized = "Unrecognized"

// Vocabulary gives names to the codes of one enumeration.
type Vocabulary interface {
	// Title is the name of the enumeration's schema.
	Title() string
	// Terms lists the names by code.
	Terms() map[int64]string
}

// Coded is a value of an enumeration that Microsoft numbers. In JSON it is
// {"name": "FullyEncrypted", "code": 1}; a code that has no name here is named "Unrecognized"
// and keeps its number, so that nothing is lost and nothing is guessed.
type Coded[V Vocabulary] int64

// String returns the name, or "Unrecognized".
func (c Coded[V]) String() string {
	var v V
	if name, ok := v.Terms()[int64(c)]; ok {
		return name
	}
	return Unrecognized
}

// Recognized reports whether the code has a name.
func (c Coded[V]) Recognized() bool {
	return c.String() != Unrecognized
}

type codedJSON struct {
	Name string `json:"name"`
	Code *int64 `json:"code"`
}

// MarshalJSON writes name and code.
func (c Coded[V]) MarshalJSON() ([]byte, error) {
	code := int64(c)
	return marshal(codedJSON{Name: c.String(), Code: &code})
}

// UnmarshalJSON reads the code; the name follows from it, so a document whose two halves
// contradict each other is refused.
func (c *Coded[V]) UnmarshalJSON(data []byte) error {
	var v V
	var in codedJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("reading a value of %s: %w", v.Title(), err)
	}
	if in.Code == nil {
		return fmt.Errorf("reading a value of %s: the code is missing", v.Title())
	}
	read := Coded[V](*in.Code)
	if in.Name != read.String() {
		return fmt.Errorf("reading a value of %s: code %d is %q, not %q", v.Title(), *in.Code, read, in.Name)
	}
	*c = read
	return nil
}

// Vocabulary is the enumeration that the value is of.
func (c Coded[V]) Vocabulary() Vocabulary {
	var v V
	return v
}

// Ptr returns a pointer to a copy of v: the optional fields of the documents are pointers.
func Ptr[T any](v T) *T {
	return &v
}
