package comparison

import (
	"encoding/xml"
	"errors"
	"strings"
)

// element is one XML element of a diskspd result with what is below it.
type element struct {
	name     string
	text     string
	line     int
	children []*element
}

const (
	// maxElements bounds what is kept of a file: a result with latencies has some 600 elements, and
	// ten more for each thread.
	maxElements = 100_000
	// maxDepth bounds nesting; diskspd's deepest element is at 8.
	maxDepth = 32
	// maxText bounds the text of one element; only paths are longer than a number.
	maxText = 1024
)

// skipped are elements that can be very long and tell nothing that is compared.
var skipped = map[string]bool{
	"Iops": true, "CpuUtilization": true, "ETW": true, "ETWSessionInfo": true, "WaitStatistics": true,
	"ProcessorTopology": true, "Affinity": true,
}

var (
	errTooManyElements = errors.New("too many elements")
	errTooDeep         = errors.New("elements are nested too deep")
)

// parseElements reads the element that the text begins with, and returns the offset behind it. A
// declaration of the encoding comes before it and does not matter: the text is UTF-8 by now. The
// decoder expands no entities but XML's own five.
func parseElements(text string) (root *element, end int64, err error) {
	decoder := xml.NewDecoder(strings.NewReader(text))
	var open []*element
	count := 0
	for {
		token, err := decoder.Token()
		if err != nil {
			return root, decoder.InputOffset(), err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if skipped[token.Name.Local] {
				if err := decoder.Skip(); err != nil {
					return root, decoder.InputOffset(), err
				}
				continue
			}
			line, _ := decoder.InputPos()
			child := &element{name: token.Name.Local, line: line}
			if count++; count > maxElements {
				return root, decoder.InputOffset(), errTooManyElements
			}
			if len(open) == 0 {
				root = child
			} else {
				parent := open[len(open)-1]
				parent.children = append(parent.children, child)
			}
			if open = append(open, child); len(open) > maxDepth {
				return root, decoder.InputOffset(), errTooDeep
			}
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].add(string(token))
			}
		case xml.EndElement:
			if open = open[:len(open)-1]; len(open) == 0 {
				return root, decoder.InputOffset(), nil
			}
		}
	}
}

// add appends a piece of text.
func (e *element) add(piece string) {
	if piece = strings.TrimSpace(piece); len(e.text)+len(piece) <= maxText {
		e.text += piece
	}
}

// child returns the first element of a name below e, or nil; e may be nil.
func (e *element) child(name string) *element {
	if e == nil {
		return nil
	}
	for _, child := range e.children {
		if child.name == name {
			return child
		}
	}
	return nil
}

// all returns the elements of a name below e.
func (e *element) all(name string) []*element {
	if e == nil {
		return nil
	}
	var found []*element
	for _, child := range e.children {
		if child.name == name {
			found = append(found, child)
		}
	}
	return found
}

// value is the text of the first element of a name below e; "" when there is none.
func (e *element) value(name string) string {
	if child := e.child(name); child != nil {
		return child.text
	}
	return ""
}

// is tells whether a flag below e is set; diskspd leaves out or writes "false" what is not.
func (e *element) is(name string) bool {
	return e.value(name) == "true"
}
