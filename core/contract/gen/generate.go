package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"diskaudit/core/contract"
)

// documents are the roots that get a schema each.
var documents = []struct {
	kind  contract.Kind
	title string
	value any
}{
	{contract.KindStatus, "What is encrypted on a computer, how, by whom, and what to do about it", contract.Status{}},
	{contract.KindBench, "How fast a disk is, what its encryption adds, and the evidence for both", contract.Bench{}},
	{contract.KindRemediate, "What would undo BitLocker's software encryption, what stands against it, and what became of it", contract.Remediation{}},
	{contract.KindReport, "What many status and bench documents say together: who is encrypted how, who pays how much, what is not known", contract.Report{}},
	{contract.KindProfiles, "Which tests diskaudit bench can run, with every option", contract.ProfilesDocument{}},
	{contract.KindVersion, "Which build of diskaudit this is", contract.VersionDocument{}},
}

// enums are the closed sets of words that are not coded values.
var enums = map[reflect.Type][]any{
	reflect.TypeFor[contract.Level]():            {contract.LevelInfo, contract.LevelWarning, contract.LevelError},
	reflect.TypeFor[contract.Severity]():         {contract.SeverityInfo, contract.SeverityNotice, contract.SeverityWarning, contract.SeverityCritical},
	reflect.TypeFor[contract.Source]():           {contract.SourceWindows, contract.SourceLinux, contract.SourceImage, contract.SourceRecording, contract.SourceNone},
	reflect.TypeFor[contract.PowerSource]():      {contract.PowerAC, contract.PowerBattery},
	reflect.TypeFor[contract.ComputerState]():    words(contract.ComputerStates()),
	reflect.TypeFor[contract.Engine]():           {contract.EngineNone, contract.EngineSoftware, contract.EngineDrive, contract.EngineSoC},
	reflect.TypeFor[contract.ProtectionReason](): {contract.ReasonProtected, contract.ReasonSuspended, contract.ReasonWaitingForActivation, contract.ReasonConverting, contract.ReasonLocked, contract.ReasonDecrypted},
	reflect.TypeFor[contract.TargetKind]():       {contract.TargetFile, contract.TargetExistingFile, contract.TargetDevice},
	reflect.TypeFor[contract.Operation]():        {contract.OperationRead, contract.OperationWrite},
	reflect.TypeFor[contract.AccessPattern]():    {contract.PatternRandom, contract.PatternSequential},
	reflect.TypeFor[contract.Durability]():       {contract.DurabilityDeviceCache, contract.DurabilityWriteThrough, contract.DurabilityFlush},
	reflect.TypeFor[contract.EvidenceKind]():     {contract.EvidencePaired, contract.EvidenceTwin, contract.EvidenceBeforeAfter, contract.EvidenceNone},
	reflect.TypeFor[contract.VerdictResult]():    {contract.VerdictMaterial, contract.VerdictNegligible, contract.VerdictUndecided},
	reflect.TypeFor[contract.BaselineFormat]():   {contract.BaselineDiskaudit, contract.BaselineCrystalDiskMark, contract.BaselineDiskspd, contract.BaselineFio},
	reflect.TypeFor[contract.Action]():           words(contract.Actions()),
	reflect.TypeFor[contract.Change]():           words(contract.Changes()),
	reflect.TypeFor[contract.EstimateBasis]():    {contract.BasisMeasured, contract.BasisAssumed},
	reflect.TypeFor[contract.GuardResult]():      words(contract.GuardResults()),
	reflect.TypeFor[contract.StepOutcome]():      words(contract.StepOutcomes()),
	reflect.TypeFor[contract.ReportFormat]():     words(contract.ReportFormats()),
	reflect.TypeFor[contract.PageKind]():         {contract.PageFleet, contract.PageComputer},
	reflect.TypeFor[contract.UnknownKind]():      {contract.UnknownFact, contract.UnknownPenalty, contract.UnknownTest},
	reflect.TypeFor[contract.ChangeResult]():     {contract.ChangeFaster, contract.ChangeSlower, contract.ChangeSame, contract.ChangeUndecided},
}

func words[T ~string](list []T) []any {
	var words []any
	for _, word := range list {
		words = append(words, word)
	}
	return words
}

// generate returns the schema files by name. Descriptions come from the doc comments of the
// sources below root.
func generate(root string) (map[string][]byte, error) {
	comments, err := fieldComments(root)
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte, len(documents))
	for _, document := range documents {
		schema := reflectSchema(document.value, comments)
		schema.ID = jsonschema.ID(fmt.Sprintf("urn:diskaudit:schema:%s:%s", document.kind, contract.SchemaVersion))
		schema.Title = document.title
		if kind, ok := schema.Properties.Get("kind"); ok {
			kind.Const = document.kind
			kind.Ref = ""
			kind.Type = "string"
		}
		data, err := json.MarshalIndent(schema, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("encoding the schema of %s: %w", document.kind, err)
		}
		files[string(document.kind)+".schema.json"] = append(contract.ASCII(data), '\n')
	}
	return files, nil
}

func reflectSchema(value any, comments map[string]string) *jsonschema.Schema {
	reflector := jsonschema.Reflector{
		ExpandedStruct:            true,
		AllowAdditionalProperties: true,
		CommentMap:                comments,
		Mapper:                    codedSchema,
	}
	schema := reflector.Reflect(value)
	finishStructs(reflect.TypeOf(value), schema, schema.Definitions, map[reflect.Type]bool{})
	for name := range schema.Definitions {
		if strings.HasPrefix(name, listPrefix) {
			delete(schema.Definitions, name)
		}
	}
	return schema
}

// listPrefix begins the reflector's names of contract.List types, which are written in place.
const listPrefix = "List["

// codedSchema describes a coded value by a reference to the definition of its vocabulary. Other
// types are left to the reflector.
func codedSchema(t reflect.Type) *jsonschema.Schema {
	vocabulary, ok := vocabularyOf(t)
	if !ok {
		return nil
	}
	return &jsonschema.Schema{Ref: "#/$defs/" + vocabulary.Title()}
}

func vocabularyOf(t reflect.Type) (contract.Vocabulary, bool) {
	coded, ok := reflect.Zero(t).Interface().(interface{ Vocabulary() contract.Vocabulary })
	if !ok {
		return nil, false
	}
	return coded.Vocabulary(), true
}

// define describes a vocabulary: an object with the name, one of the vocabulary's or
// "Unrecognized", and the code.
func define(vocabulary contract.Vocabulary) *jsonschema.Schema {
	terms := vocabulary.Terms()
	var names []any
	for _, code := range slices.Sorted(maps.Keys(terms)) {
		if !slices.Contains(names, any(terms[code])) {
			names = append(names, terms[code])
		}
	}
	properties := jsonschema.NewProperties()
	properties.Set("name", &jsonschema.Schema{Type: "string", Enum: append(names, contract.Unrecognized)})
	properties.Set("code", &jsonschema.Schema{Type: "integer"})
	return &jsonschema.Schema{Type: "object", Properties: properties, Required: []string{"name", "code"}}
}

// finishStructs adds what Go types say and the reflector does not: a pointer can be null, an
// unsigned number has a minimum, a word of a closed set is one of the set. Go writes a nil
// pointer as null, so a schema without this would refuse the program's own documents.
func finishStructs(t reflect.Type, schema *jsonschema.Schema, definitions jsonschema.Definitions, seen map[reflect.Type]bool) {
	for field := range structFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		property, ok := schema.Properties.Get(name)
		if !ok {
			panic(fmt.Sprintf("no property %q in the schema of %s", name, t))
		}
		if list, ok := definitions[strings.TrimPrefix(property.Ref, "#/$defs/")]; ok && strings.Contains(property.Ref, listPrefix) {
			property.Ref, property.Type, property.Items = "", list.Type, list.Items
		}
		target := field.Type
		// A plain slice can be unknown, a contract.List cannot.
		nullable := target.Kind() == reflect.Pointer || target.Kind() == reflect.Slice && target.Name() == ""
		if target.Kind() == reflect.Pointer {
			target = target.Elem()
		}
		if vocabulary, ok := vocabularyOf(target); ok {
			definitions[vocabulary.Title()] = define(vocabulary)
		}
		if words, ok := enums[target]; ok {
			property.Enum = words
		}
		if kind := target.Kind(); kind >= reflect.Uint && kind <= reflect.Uint64 {
			property.Minimum = "0"
		}
		if nullable && !strings.Contains(options, "omitempty") {
			makeNullable(property)
		}
		if target.Kind() == reflect.Slice {
			target = target.Elem()
		}
		if target.Kind() == reflect.Struct && target.PkgPath() == reflect.TypeFor[contract.Status]().PkgPath() && !seen[target] {
			seen[target] = true
			definition, ok := definitions[target.Name()]
			if !ok {
				panic(fmt.Sprintf("no definition of %s", target))
			}
			finishStructs(target, definition, definitions, seen)
		}
	}
}

// structFields yields the fields that become properties, those of embedded structs included.
func structFields(t reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for _, field := range reflect.VisibleFields(t) {
			if !field.Anonymous && !yield(field) {
				return
			}
		}
	}
}

// makeNullable turns a property into "the value or null", keeping its description outside.
func makeNullable(property *jsonschema.Schema) {
	if property.Type != "" {
		property.Extras = map[string]any{"type": []string{property.Type, "null"}}
		property.Type = ""
		if property.Enum != nil {
			property.Enum = append(slices.Clone(property.Enum), nil)
		}
		return
	}
	value := *property
	value.Description = ""
	*property = jsonschema.Schema{
		OneOf:       []*jsonschema.Schema{&value, {Type: "null"}},
		Description: property.Description,
	}
}

// fieldComments reads the doc comments of package contract, each on one line, without comments
// on Go types that would read odd in a schema.
func fieldComments(root string) (map[string]string, error) {
	const module = "diskaudit"
	dir := filepath.Join(root, "core", "contract")
	if _, err := os.Stat(filepath.Join(dir, "status.go")); err != nil {
		return nil, fmt.Errorf("looking for the sources of package contract: %w", err)
	}
	working, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	// The reflector takes import paths from the file paths that it walks.
	if err := os.Chdir(root); err != nil {
		return nil, err
	}
	var reflector jsonschema.Reflector
	err = reflector.AddGoComments(module, "core/contract", jsonschema.WithFullComment())
	if err := errors.Join(err, os.Chdir(working)); err != nil {
		return nil, fmt.Errorf("reading doc comments below %s: %w", dir, err)
	}
	space := regexp.MustCompile(`\s+`)
	comments := make(map[string]string, len(reflector.CommentMap))
	for key, comment := range reflector.CommentMap {
		// On Windows the reflector leaves the backslashes of the file paths in the import paths.
		comments[strings.ReplaceAll(key, `\`, "/")] = strings.TrimSpace(space.ReplaceAllString(comment, " "))
	}
	return comments, nil
}
