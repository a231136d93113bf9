package language

import (
	"fmt"
	"strconv"
	"strings"
)

// Phrase is what is to be said, before a language is chosen: an English format with its arguments,
// or several phrases one after the other. The zero value says nothing.
type Phrase struct {
	format    string
	arguments []any
	parts     []Phrase
	verbatim  bool
}

// Say makes a phrase. The format is its key in a catalogue and has a %s for each argument: a text,
// which is the same in every language (a command, a name), a number, or another phrase.
func Say(format string, arguments ...any) Phrase {
	return Phrase{format: format, arguments: arguments}
}

// Verbatim makes a phrase of a text that is the same in every language.
func Verbatim(text string) Phrase {
	return Phrase{format: text, verbatim: true}
}

// Sentences makes one text of several sentences; those that say nothing are left out.
func Sentences(parts ...Phrase) Phrase {
	return Phrase{parts: parts}
}

// Silent reports whether the phrase says nothing.
func (p Phrase) Silent() bool {
	for _, part := range p.parts {
		if !part.Silent() {
			return false
		}
	}
	return p.format == ""
}

// String says the phrase in English.
func (p Phrase) String() string {
	return Catalogue(nil).Write(English, p)
}

// Catalogue holds the translations of formats: by language, then by the English format. A translation
// names its arguments by their place, %[1]s, because languages order them differently.
type Catalogue map[Language]map[string]string

// Write says a phrase in a language; what the catalogue lacks is said in English.
func (c Catalogue) Write(l Language, p Phrase) string {
	if p.verbatim {
		return p.format
	}
	if p.parts != nil {
		return c.sentences(l, p.parts)
	}
	format, found := c[l][p.format]
	if !found {
		format = p.format
	}
	words := make([]any, len(p.arguments))
	for i, argument := range p.arguments {
		words[i] = c.word(l, argument)
	}
	return fmt.Sprintf(format, words...)
}

func (c Catalogue) sentences(l Language, parts []Phrase) string {
	var said []string
	for _, part := range parts {
		if !part.Silent() {
			said = append(said, c.Write(l, part))
		}
	}
	// A Chinese full stop has its own room behind it.
	separator := " "
	if l == Chinese {
		separator = ""
	}
	return strings.Join(said, separator)
}

func (c Catalogue) word(l Language, argument any) string {
	switch argument := argument.(type) {
	case Phrase:
		return c.Write(l, argument)
	case float64:
		return Number(l, argument)
	}
	return fmt.Sprint(argument)
}

// Number writes a number with at most one decimal.
func Number(l Language, value float64) string {
	number := strings.TrimSuffix(strconv.FormatFloat(value, 'f', 1, 64), ".0")
	if l == German {
		number = strings.Replace(number, ".", ",", 1)
	}
	return number
}
