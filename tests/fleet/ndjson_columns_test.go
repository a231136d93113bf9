package fleet_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"diskaudit/core/report/flat"
	"diskaudit/tests/require"
)

// flatRecords are the records of NDJSON by the name in their field "record".
var flatRecords = []struct {
	name   string
	record any
}{
	{"computer", flat.Computer{}},
	{"volume", flat.Volume{}},
	{"finding", flat.Finding{}},
	{"test", flat.Test{}},
	{"penalty", flat.Penalty{}},
	{"skipped", flat.Skipped{}},
}

// column is one name of the records.
type column struct {
	name, typeName, meaning string
	records                 []string
}

// columnTypes are the types of columns by their Go types: in words, in DuckDB, in Log Analytics
// (duckdb.org/docs/stable/sql/data_types/overview, learn.microsoft.com/azure/azure-monitor/logs/create-custom-table).
var columnTypes = map[string]struct{ duckdb, kusto string }{
	"text":    {"VARCHAR", "string"},
	"integer": {"BIGINT", "long"},
	"decimal": {"DOUBLE", "real"},
	"boolean": {"BOOLEAN", "boolean"},
	"time":    {"TIMESTAMP", "datetime"},
}

// columns lists the names of all records, in the order in which they first come.
func columns(t *testing.T) []column {
	t.Helper()
	meanings := fieldComments(t)
	var all []column
	index := map[string]int{}
	for _, r := range flatRecords {
		of := reflect.TypeOf(r.record)
		for _, field := range reflect.VisibleFields(of) {
			if field.Anonymous {
				continue
			}
			owner := of
			if len(field.Index) > 1 {
				owner = of.FieldByIndex(field.Index[:len(field.Index)-1]).Type
			}
			found := column{name: field.Tag.Get("json"), typeName: typeName(t, field.Type), meaning: meanings[owner.Name()+"."+field.Name]}
			at, known := index[found.name]
			if !known {
				at = len(all)
				index[found.name] = at
				all = append(all, found)
			}
			if all[at].typeName != found.typeName || all[at].meaning != found.meaning {
				t.Errorf("%s is %q (%s) in one record and %q (%s) in %s", found.name, all[at].meaning, all[at].typeName, found.meaning, found.typeName, r.name)
			}
			all[at].records = append(all[at].records, r.name)
		}
	}
	return all
}

func typeName(t *testing.T, of reflect.Type) string {
	t.Helper()
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch {
	case of.String() == "time.Time":
		return "time"
	case of == reflect.TypeFor[flat.Decimal]():
		return "decimal"
	case of.Kind() == reflect.String:
		return "text"
	case of.Kind() == reflect.Int64:
		return "integer"
	case of.Kind() == reflect.Bool:
		return "boolean"
	}
	t.Fatalf("a record has a field of type %v, which is not flat", of)
	return ""
}

// fieldComments reads what the package says of each field.
func fieldComments(t *testing.T) map[string]string {
	t.Helper()
	comments := map[string]string{}
	for _, file := range []string{"records.go", "measurements.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(require.Root(t), "core", "report", "flat", file), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			spec, ok := node.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if fields, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range fields.Fields.List {
					for _, name := range field.Names {
						comments[spec.Name.Name+"."+name.Name] = strings.TrimSpace(field.Doc.Text())
					}
				}
			}
			return true
		})
	}
	return comments
}

// page is a page of the documentation that ships with the module.
func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(require.Root(t), "module", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// A name means one thing, has one type, and suits every loader: Log Analytics' rules for names, no two
// that differ by case alone (DuckDB), none of the names that Log Analytics and Splunk keep for themselves.
func TestNDJSONColumnsSuitTheirLoaders(t *testing.T) {
	t.Parallel()
	valid := regexp.MustCompile(`^[a-z][A-Za-z0-9]{0,44}$`)
	// learn.microsoft.com/azure/azure-monitor/logs/logs-ingestion-api-overview (note below "Supported
	// tables"); help.splunk.com, "Use default fields".
	kept := []string{"id", "type", "title", "tenantid", "uniqueid", "timegenerated", "source", "sourcetype", "host", "index", "linecount", "punct", "splunk_server", "timestamp", "eventtype"}
	seen := map[string]string{}
	for _, c := range columns(t) {
		lower := strings.ToLower(c.name)
		if !valid.MatchString(c.name) || slices.Contains(kept, lower) {
			t.Errorf("%q does not suit as a column's name", c.name)
		}
		if twin, twice := seen[lower]; twice {
			t.Errorf("%q and %q differ by case alone", twin, c.name)
		}
		seen[lower] = c.name
		if c.meaning == "" {
			t.Errorf("%s is not explained", c.name)
		}
	}
	if len(seen) < 50 {
		t.Errorf("only %d columns were found", len(seen))
	}
}

// The pages' table of columns, their types for DuckDB and those for Log Analytics are those of the records.
func TestNDJSONColumnsAreDocumented(t *testing.T) {
	t.Parallel()
	text := page(t, "fleet.md") + page(t, "fleet-columns.md")
	var table, duckdb, kusto strings.Builder
	for _, c := range columns(t) {
		where := strings.Join(c.records, ", ")
		if len(c.records) == len(flatRecords) {
			where = "all"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", c.name, c.typeName, where, strings.ReplaceAll(c.meaning, "|", `\|`))
		fmt.Fprintf(&duckdb, "  %s: '%s',\n", c.name, columnTypes[c.typeName].duckdb)
		fmt.Fprintf(&kusto, " %s=%s", c.name, columnTypes[c.typeName].kusto)
	}
	for line := range strings.Lines(table.String()) {
		if n := strings.Count(text, line); n != 1 {
			t.Errorf("there %d times: %s", n, line)
		}
	}
	if rows := strings.Count(text, "\n| `"); rows != len(columns(t))+len(flatRecords) {
		t.Errorf("the tables have %d lines", rows)
	}
	for what, want := range map[string]string{
		"the table of columns":        table.String(),
		"the types for DuckDB":        wrapped(strings.TrimSuffix(strings.ReplaceAll(duckdb.String(), "\n", ""), ","), "  ", ", ", ","),
		"the types for Log Analytics": wrapped(kusto.String(), "  ", " ", " `"),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s in module/docs/fleet.md or fleet-columns.md should be:\n%s", what, want)
		}
	}
}

// wrapped breaks a list of items over lines of at most 110 characters, each with an indent before it and
// an end after it, the last without the end.
func wrapped(list, indent, separator, end string) string {
	var lines []string
	line := ""
	for item := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || separator == " " && r == ' ' }) {
		item = strings.Join(strings.Fields(item), " ")
		switch {
		case line == "":
			line = item
		case len(indent)+len(line)+len(separator)+len(item) > 108:
			lines = append(lines, indent+line)
			line = item
		default:
			line += separator + item
		}
	}
	return strings.Join(append(lines, indent+line), end+"\n")
}
