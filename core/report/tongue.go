package report

import (
	"fmt"
	"strings"

	"diskaudit/core/language"
)

// tongue is the language that a table's own words are in. What the document says stays as it is:
// names, Microsoft's words for states, evidence, problems.
type tongue language.Language

// english is the tongue of tables that come in no other language, and the zero value's.
const english = tongue(language.English)

// catalogue holds the translations of the tables' words.
var catalogue = language.Catalogue{language.German: german, language.Chinese: chinese}

// say makes a phrase that a table of words holds. Its format has to be a literal, as tongue.say's.
func say(format string) language.Phrase { return language.Say(format) }

// write writes a phrase.
func (t tongue) write(phrase language.Phrase) string {
	return catalogue.Write(language.Language(t), phrase)
}

// say writes words of a table. The format has to be a literal: it is the key of its translations.
func (t tongue) say(format string, arguments ...any) string {
	return t.write(language.Say(format, arguments...))
}

// counted counts things; each format has a place for the number.
func (t tongue) counted(n uint64, one, many string) string {
	if n == 1 {
		return t.write(language.Say(one, n))
	}
	return t.write(language.Say(many, n))
}

// unknown stands for every fact that could not be found out.
func (t tongue) unknown() string { return t.say("unknown") }

// list joins words.
func (t tongue) list(words []string) string {
	if t == tongue(language.Chinese) {
		return strings.Join(words, "、")
	}
	return strings.Join(words, ", ")
}

// plural counts in English things whose plural ends in s, for tables that are in English only.
func plural(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
