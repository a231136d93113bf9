package command

import (
	"strings"

	"github.com/urfave/cli/v2"

	"diskaudit/core/language"
)

// chosenLanguage is the language that --language asks for. One that is not there is an error, not
// English: whoever asked for it would take the English texts for a mistake elsewhere.
func chosenLanguage(c *cli.Context) (language.Language, error) {
	tag := c.String("language")
	chosen, ok := language.Parse(tag)
	if !ok {
		return "", usagef("--language %q: choose %s", tag, languageList())
	}
	return chosen, nil
}

func languageList() string {
	var words []string
	for _, each := range language.Languages() {
		words = append(words, string(each))
	}
	return strings.Join(words, ", ")
}
