package audit

import (
	"testing"

	"diskaudit/core/language/languagetest"
)

// Every phrase of every rule has its translation in each language, with the same arguments, commands
// and numbers, and there is no translation of a phrase that no rule uses.
func TestEveryPhraseIsTranslated(t *testing.T) {
	languagetest.Check(t, catalogue, 200)
}
