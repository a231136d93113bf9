package audit

import "diskaudit/core/language"

// phrase is a text of a finding before a language is chosen.
type phrase = language.Phrase

// say makes a phrase. Its format has to be a literal: it is the key of its translations.
func say(format string, arguments ...any) phrase { return language.Say(format, arguments...) }

// verbatim makes a phrase of a command or a name.
func verbatim(text string) phrase { return language.Verbatim(text) }

// sentences makes one text of sentences; those that say nothing are left out.
func sentences(parts ...phrase) phrase { return language.Sentences(parts...) }

// catalogue holds the translations of all formats.
var catalogue = language.Catalogue{language.German: german, language.Chinese: chinese}
