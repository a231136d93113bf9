// Package pattern holds regular expressions that are compiled when they are first used: most
// runs of a short-lived program need none of them, and compiling all at start costs more than
// reading an image.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression that is compiled once, at its first use.
type Pattern struct {
	text    string
	compile func() *regexp.Regexp
}

// New returns the pattern of an expression. An expression that does not compile panics at its
// first use, so each has a test that uses it.
func New(text string) *Pattern {
	return &Pattern{text, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// Regexp compiles the expression, if that is still to be done, and returns it.
func (p *Pattern) Regexp() *regexp.Regexp { return p.compile() }

// String returns the expression's text.
func (p *Pattern) String() string { return p.text }
