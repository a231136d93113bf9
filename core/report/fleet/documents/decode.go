package documents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"diskaudit/core/contract"
)

// decode reads a document and checks that it is one from end to end.
func decode(text []byte) (Document, error) {
	document := Document{Sum: maphash.Bytes(pathSeed, text)}
	if !utf8.Valid(text) {
		return document, refusef(CodeNotText, "It is neither UTF-8 nor UTF-16. Save it as UTF-8.")
	}
	tree, err := parse(text)
	if err != nil {
		return document, err
	}
	kind, err := checkHeader(tree)
	if err != nil {
		return document, err
	}
	if err := contract.ValidateRead(kind, tree); err != nil {
		return document, refusef(CodeSchema, "It is not as diskaudit writes it: %s. It was changed, or comes from a newer diskaudit; give the file as it was written, or use the newer one.", cut(err.Error()))
	}
	return document, fill(&document, kind, text)
}

// decodeAgain reads a document whose text was checked before.
func decodeAgain(text []byte, kind contract.Kind) (Document, error) {
	document := Document{Sum: maphash.Bytes(pathSeed, text)}
	return document, fill(&document, kind, text)
}

// fill reads the text into the type of its kind, and settles what the document says of itself.
func fill(document *Document, kind contract.Kind, text []byte) (err error) {
	switch kind {
	case contract.KindStatus:
		document.Status = &contract.Status{}
		err = json.Unmarshal(text, document.Status)
	case contract.KindBench:
		document.Bench = &contract.Bench{}
		err = json.Unmarshal(text, document.Bench)
	}
	if err != nil {
		return refusef(CodeSchema, "It is not as diskaudit writes it: %s. It was changed after it was written; give the file as it was.", cut(err.Error()))
	}
	if bench := document.Bench; bench != nil {
		settlePenalty(bench)
		return checkTime(bench.CollectedAt)
	}
	if err := checkTime(document.Status.CollectedAt); err != nil {
		return err
	}
	return settleStatus(document.Status)
}

// parse reads JSON into maps and refuses names that are there twice, or that Go would take for
// those of the contract though they differ by case: readers disagree about what such a document says.
func parse(text []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var tree map[string]any
	if err := decoder.Decode(&tree); err != nil {
		return nil, describe(err)
	}
	if err := checkNames(tree); err != nil {
		return nil, err
	}
	if names := countNames(text); names != sizeOf(tree) {
		return nil, refusef(CodeNotJSON, "A name is there twice in one object, so that it is not clear what the document says. Give the file as diskaudit wrote it.")
	}
	return tree, nil
}

// checkNames refuses names that differ from the contract's by case alone.
func checkNames(value any) error {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			if err := checkNames(element); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, element := range value {
			if _, ours := contractNames[name]; !ours {
				if meant, alike := foldedNames[strings.ToLower(name)]; alike {
					return refusef(CodeSchema, "It has the name %q where diskaudit writes %q. Give the file as diskaudit wrote it.", cut(name), meant)
				}
			}
			if err := checkNames(element); err != nil {
				return err
			}
		}
	}
	return nil
}

// contractNames are the names of all fields of the two documents, foldedNames the same by their
// lower-case form.
var contractNames, foldedNames = fieldNames(reflect.TypeFor[contract.Status](), reflect.TypeFor[contract.Bench]())

func fieldNames(types ...reflect.Type) (names map[string]struct{}, folded map[string]string) {
	names, folded = map[string]struct{}{"name": {}, "code": {}}, map[string]string{"name": "name", "code": "code"}
	seen := map[reflect.Type]bool{}
	var add func(reflect.Type)
	add = func(t reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || seen[t] {
			return
		}
		seen[t] = true
		for i := range t.NumField() {
			field := t.Field(i)
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
				names[name], folded[strings.ToLower(name)] = struct{}{}, name
			}
			add(field.Type)
		}
	}
	for _, t := range types {
		add(t)
	}
	return names, folded
}

// countNames counts the names in a JSON text: colons outside of texts.
func countNames(text []byte) int {
	names, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			quoted = !quoted
		case ':':
			if !quoted {
				names++
			}
		}
	}
	return names
}

// sizeOf counts the names in a tree.
func sizeOf(value any) int {
	names := 0
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			names += sizeOf(element)
		}
	case map[string]any:
		names = len(value)
		for _, element := range value {
			names += sizeOf(element)
		}
	}
	return names
}

// checkHeader tells the kind of a document and refuses those that are not reported on.
func checkHeader(tree map[string]any) (contract.Kind, error) {
	kind, isKind := tree["kind"].(string)
	version, isVersion := tree["schemaVersion"].(string)
	if _, flat := tree["record"].(string); flat && !isVersion {
		return "", refusef(CodeOtherKind, "It is a line of diskaudit report --format ndjson, not a document. Name the documents that the report was made of.")
	}
	if !isKind || !isVersion {
		return "", refusef(CodeNoDocument, `It is JSON, but no document of diskaudit: it has no "kind" and "schemaVersion". Give what diskaudit status or bench wrote.`)
	}
	major, minor, _ := strings.Cut(version, ".")
	_, majorErr := strconv.ParseUint(major, 10, 31)
	_, minorErr := strconv.ParseUint(minor, 10, 31)
	ours, _, _ := strings.Cut(contract.SchemaVersion, ".")
	switch {
	case majorErr != nil || minorErr != nil:
		return "", refusef(CodeVersion, "Its schema version %q is not of the form major.minor. Give the file as diskaudit wrote it.", cut(version))
	case major != ours:
		return "", refusef(CodeVersion, "It follows version %s of the schema, and this diskaudit reads %s.x. Make the report with the diskaudit that wrote it.", version, ours)
	}
	switch contract.Kind(kind) {
	case contract.KindStatus, contract.KindBench:
		return contract.Kind(kind), nil
	}
	return "", refusef(CodeOtherKind, "It is a document of kind %q, and not a status or bench document, which are what is reported on. Nothing is lost by passing it over.", cut(kind))
}

// longestQuote bounds what a message repeats of a document.
const longestQuote = 300

// cut shortens text of a document that a message repeats.
func cut(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= longestQuote {
		return text
	}
	end := longestQuote
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}

// describe says where JSON is wrong.
func describe(err error) error {
	var syntax *json.SyntaxError
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errCutOff
	}
	if errors.As(err, &syntax) {
		return refusef(CodeNotJSON, "It is not JSON: %s. Give the file as diskaudit wrote it.", syntax.Error())
	}
	return refusef(CodeNotJSON, "It is not JSON: %s. Give the file as diskaudit wrote it.", fmt.Sprint(err))
}
