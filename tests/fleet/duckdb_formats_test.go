package fleet_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"diskaudit/core/report/flat"
)

// writeOthers writes hostile records, and the fleet as CSV, into a folder.
func writeOthers(t *testing.T, folder string, fleet []madeUp) {
	t.Helper()
	records, err := os.Create(filepath.Join(folder, "hostile.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer records.Close()
	table, err := os.Create(filepath.Join(folder, "fleet.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	ndjson, csv := flat.NewNDJSON(records), flat.NewCSV(table)
	err = errors.Join(ndjson.Status("hostile.json", hostile()), ndjson.Skipped("a\nb\x00.json", "\x00", "\"},{"))
	for _, m := range fleet {
		err = errors.Join(err, csv.Status(m.name+".status.json", m.status(collected)))
		if m.penalty != nil {
			err = errors.Join(err, csv.Bench(m.name+".bench.json", m.bench(collected)))
		}
	}
	if err := errors.Join(err, csv.Skipped("=HYPERLINK(1).json", "not-json", "It is cut off."), ndjson.Close(), csv.Close()); err != nil {
		t.Fatal(err)
	}
}

// otherBlocks ask about what writeOthers wrote; load is the page's block that loads records.
func otherBlocks(load string) []string {
	return []string{
		"SELECT column_name, column_type FROM (DESCRIBE FROM read_json_auto('fleet.ndjson'));",
		strings.ReplaceAll(strings.ReplaceAll(load, "fleet.ndjson", "hostile.ndjson"), "TABLE records", "TABLE hostile") +
			"SELECT record, count(*) AS n, count(DISTINCT coalesce(volumeId, '')) AS volumes FROM hostile GROUP BY record ORDER BY record;",
		`SELECT document, count(*) AS lines, count(DISTINCT computer) AS computers, round(sum(addedNs) / 1000, 1) AS microseconds, min(computer) AS first
		 FROM read_csv('fleet.csv', header = true) GROUP BY document ORDER BY document;`,
	}
}

// guessed checks the types that DuckDB finds by itself: the declared ones, or none where all is null.
func guessed(t *testing.T, rows []row) {
	t.Helper()
	declared := map[string]string{}
	for _, c := range columns(t) {
		declared[c.name] = columnTypes[c.typeName].duckdb
	}
	if len(rows) != len(declared) {
		t.Errorf("%d columns were found, %d are declared", len(rows), len(declared))
	}
	for _, r := range rows {
		name, found := r["column_name"].(string), r["column_type"]
		if found != declared[name] && found != "JSON" {
			t.Errorf("%s is taken for %v, and is %s", name, found, declared[name])
		}
	}
}

// apart checks that each hostile thing is one record, with the values that it was made of.
func apart(t *testing.T, rows []row) {
	t.Helper()
	s := hostile()
	want := map[string]int{"computer": 1, "volume": len(s.Volumes), "finding": len(s.Findings), "skipped": 1}
	for _, r := range rows {
		if n, known := want[r["record"].(string)]; !known || r["n"] != strconv.Itoa(n) {
			t.Errorf("%v records %v, want %d", r["n"], r["record"], n)
		}
	}
	if len(rows) != len(want) {
		t.Errorf("kinds of records: %v", rows)
	}
}

// spread checks that the CSV reads back as numbers where it holds numbers.
func spread(t *testing.T, rows []row, fleet []madeUp) {
	t.Helper()
	measured, sum := 0, 0.0
	for _, m := range fleet {
		if m.penalty == nil {
			continue
		}
		measured++
		if m.penalty.reason == "" {
			sum += m.penalty.microseconds
		}
	}
	want := []row{
		{"document": "bench", "lines": strconv.Itoa(measured), "computers": strconv.Itoa(measured), "microseconds": rounded(sum), "first": "PC-00"},
		{"document": "skipped", "lines": "1", "computers": "1", "microseconds": nil, "first": "'=HYPERLINK(1)"},
		{"document": "status", "lines": strconv.Itoa(len(fleet)), "computers": strconv.Itoa(len(fleet)), "microseconds": nil, "first": "PC-00"},
	}
	if len(rows) != len(want) {
		t.Fatalf("%v", rows)
	}
	for i := range want {
		for name, value := range want[i] {
			if rows[i][name] != value {
				t.Errorf("%s of %v is %v, want %v", name, want[i]["document"], rows[i][name], value)
			}
		}
	}
}
