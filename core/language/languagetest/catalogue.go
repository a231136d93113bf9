// Package languagetest holds catalogues to what their packages say.
package languagetest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"diskaudit/core/language"
)

// spoken are the functions whose literals are phrases: for each name the first argument that is a
// format, how many formats there are, and the arguments of each; -1 for all that follow.
var spoken = map[string]struct{ first, formats, arguments int }{
	"say":     {0, 1, -1},
	"counted": {1, 2, 1},
}

// phrase is one format in the sources of a package.
type phrase struct {
	format    string
	arguments int
	place     token.Position
}

// Check reports each phrase in the sources of the package in the working directory that a catalogue
// does not translate, or not with the same arguments, commands, options, numbers and names, and each
// translation of what the package does not say. At least as many phrases must be found.
func Check(t *testing.T, catalogue language.Catalogue, least int) {
	t.Helper()
	used := map[string]bool{}
	for _, phrase := range phrases(t) {
		used[phrase.format] = true
		bare := strings.ReplaceAll(phrase.format, "%%", "")
		if places := strings.Count(bare, "%s"); places != phrase.arguments || strings.Count(bare, "%") != places {
			t.Errorf("%s: %d places for %d arguments: %s", phrase.place, places, phrase.arguments, phrase.format)
		}
		for _, in := range language.Languages()[1:] {
			translation, ok := catalogue[in][phrase.format]
			if !ok {
				t.Errorf("%s: not in the catalogue of %s: %s", phrase.place, in, phrase.format)
				continue
			}
			checkTranslation(t, in, phrase, translation)
		}
	}
	if len(used) < least {
		t.Errorf("only %d phrases were found", len(used))
	}
	for in, translations := range catalogue {
		for _, format := range slices.Sorted(maps.Keys(translations)) {
			if !used[format] {
				t.Errorf("the catalogue of %s translates what is never said: %s", in, format)
			}
		}
	}
}

// phrases finds every phrase of the package.
func phrases(t *testing.T) []phrase {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var all []phrase
	set := token.NewFileSet()
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok {
				all = append(all, phrasesOf(t, call, set.Position(call.Pos()))...)
			}
			return true
		})
	}
	return all
}

func phrasesOf(t *testing.T, call *ast.CallExpr, place token.Position) []phrase {
	t.Helper()
	name := ""
	switch function := call.Fun.(type) {
	case *ast.Ident:
		name = function.Name
	case *ast.SelectorExpr:
		name = function.Sel.Name
	}
	function, ok := spoken[name]
	if !ok {
		return nil
	}
	var all []phrase
	for _, argument := range call.Args[function.first : function.first+function.formats] {
		literal, ok := argument.(*ast.BasicLit)
		if !ok {
			// Without a literal nobody can look for its translations.
			t.Errorf("%s: %s with a format that is no literal", place, name)
			continue
		}
		format, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		arguments := function.arguments
		if arguments < 0 {
			arguments = len(call.Args) - function.first - 1
		}
		all = append(all, phrase{format, arguments, place})
	}
	return all
}

var indexed = regexp.MustCompile(`%\[(\d)\]s`)

func checkTranslation(t *testing.T, in language.Language, phrase phrase, translation string) {
	t.Helper()
	var places, want []string
	for _, found := range indexed.FindAllStringSubmatch(translation, -1) {
		places = append(places, found[1])
	}
	slices.Sort(places)
	for i := range phrase.arguments {
		want = append(want, strconv.Itoa(i+1))
	}
	rest := strings.ReplaceAll(indexed.ReplaceAllString(translation, "_"), "%%", "")
	if !slices.Equal(places, want) || strings.Contains(rest, "%") {
		t.Errorf("%s: arguments %v, want each of %v once: %s", in, places, want, translation)
	}
	english := strings.NewReplacer("%s", "_", "%%", "").Replace(phrase.format)
	if got, want := Names(rest), Names(english); !slices.Equal(got, want) {
		t.Errorf("%s names %q, the English %q: %s", in, got, want, translation)
	}
	if strings.HasSuffix(phrase.format, ".") != (strings.HasSuffix(translation, ".") || strings.HasSuffix(translation, "。")) {
		t.Errorf("%s: only one of them is a sentence: %q %q", in, translation, phrase.format)
	}
}
