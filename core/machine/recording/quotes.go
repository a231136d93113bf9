package recording

import (
	"strings"

	"diskaudit/core/machine/pattern"
)

// textStandIn is what stands for a text of which nothing is kept.
const textStandIn = "text"

// foreign keeps numbers and object identifiers, and replaces any other text as a whole.
func foreign(text string) string {
	if strings.Trim(text, "0123456789.;,- ") != "" {
		return textStandIn
	}
	return text
}

var (
	quoted      = pattern.New(`"(?:[^"\\]|\\.)*"`)
	driveLetter = pattern.New(`(?s)\(drive letter (.*)\)`)
	oneLetter   = pattern.New(`^[A-Za-z]:?\\?$`)
)

// quoting are the problems whose text quotes what a policy, a provider or a person wrote, which can
// be anything: no form and no other fact of the document shows it.
var quoting = map[string]bool{
	"policy-value-unusable": true, "volume-guid-malformed": true, "volume-name-malformed": true, "volume-unnamed": true,
}

// withoutQuotes replaces what the text of a problem quotes.
func withoutQuotes(code, text string) string {
	if !quoting[code] {
		return text
	}
	if found := driveLetter.Regexp().FindStringSubmatchIndex(text); found != nil && !oneLetter.Regexp().MatchString(text[found[2]:found[3]]) {
		text = text[:found[2]] + textStandIn + text[found[3]:]
	}
	return quoted.Regexp().ReplaceAllStringFunc(text, func(found string) string {
		return `"` + foreign(found[1:len(found)-1]) + `"`
	})
}
