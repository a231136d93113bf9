package fleet_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"diskaudit/core/command"
	"diskaudit/core/contract"
)

// report makes a report and returns the document that stdout gets.
func report(t *testing.T, arguments ...string) contract.Report {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := command.Run(context.Background(), append([]string{"diskaudit", "report"}, arguments...), &stdout, &stderr)
	var document contract.Report
	if err := json.Unmarshal(stdout.Bytes(), &document); err != nil || code != 0 && code != 3 || stderr.Len() > 0 {
		t.Fatalf("exit %d, %v\n%s\n%s", code, err, stdout.String(), stderr.String())
	}
	return document
}

// The pages work in a real browser. One browser shows them all, since it takes seconds to start.
func TestPagesInBrowser(t *testing.T) {
	t.Parallel()
	b := openBrowser(t)
	t.Run("computer", func(t *testing.T) { checkComputerPage(t, b.of(t)) })
	t.Run("hostile", func(t *testing.T) { checkHostilePages(t, b.of(t)) })
	// Last, since it turns scripts off.
	t.Run("fleet", func(t *testing.T) { checkFleetPage(t, b.of(t)) })
}

// checkFleetPage uses the page of a fleet with mouse and keyboard, and without scripts.
func checkFleetPage(t *testing.T, b *browser) {
	t.Helper()
	folder := writeGenerated(t, 700)
	path := filepath.Join(t.TempDir(), "fleet.html")
	if document := report(t, folder, "--output", path); *document.Output.Page != contract.PageFleet {
		t.Fatalf("%+v", document.Output)
	}
	b.open(path)
	b.harmless(path)
	for _, width := range []int{1280, 400} {
		b.fits(width)
	}
	b.scheme("dark")
	b.picture("fleet-dark", 1280)
	b.scheme("light")
	b.picture("fleet-light", 1280)
	b.picture("fleet-narrow", 400)

	checkSorting(t, b)
	checkSearch(t, b)
	for _, message := range b.log("browser") {
		t.Errorf("the console says: %s", message)
	}

	b.devtools("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	b.open(path)
	var plain struct{ Result struct{ Value string } }
	b.devtools("Runtime.evaluate", map[string]any{"expression": `JSON.stringify([document.querySelectorAll("button, input").length, document.querySelectorAll("tbody tr").length])`, "returnByValue": true}, &plain)
	var counts []int
	if err := json.Unmarshal([]byte(plain.Result.Value), &counts); err != nil {
		t.Fatalf("%v: %q", err, plain.Result.Value)
	}
	if counts[0] != 0 || counts[1] < 500 {
		t.Errorf("without scripts there are %d controls and %d rows", counts[0], counts[1])
	}
}

func checkSorting(t *testing.T, b *browser) {
	t.Helper()
	column := func() (values []string, order string) {
		t.Helper()
		var state struct {
			Values []string
			Order  string
		}
		b.evaluate(`var table = document.getElementById("worst").parentNode.querySelector("table");
var heads = Array.from(table.tHead.rows[0].cells), at = heads.findIndex(function (h) { return h.textContent.trim() === "Added latency"; });
return {values: Array.from(table.tBodies[0].rows).map(function (r) { return r.cells[at].getAttribute("data-v"); }), order: heads[at].getAttribute("aria-sort") || ""};`, &state)
		return state.Values, state.Order
	}
	numbers := func(values []string) []float64 {
		var numbers []float64
		for _, value := range values {
			var x float64
			if err := json.Unmarshal([]byte(value), &x); err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, x)
		}
		return numbers
	}
	before, order := column()
	if len(before) < 100 || order != "" {
		t.Fatalf("%d rows, sorted %q", len(before), order)
	}
	// By click: the first makes the largest come first, the second the smallest.
	var button map[string]string
	b.send(http.MethodPost, "/element", map[string]string{"using": "xpath", "value": `//h2[@id="worst"]/..//th[button="Added latency"]/button`}, &button)
	var id string
	for _, id = range button {
	}
	b.send(http.MethodPost, "/element/"+id+"/click", map[string]any{}, nil)
	values, order := column()
	falling := numbers(values)
	slices.Reverse(falling)
	if order != "descending" || !slices.IsSorted(falling) || len(values) != len(before) {
		t.Errorf("after a click: %d rows, %q, %v", len(values), order, values[:5])
	}
	// By keyboard: focus and Enter.
	b.evaluate("arguments[0].focus()", nil, button)
	b.keys("\ue007")
	values, order = column()
	if order != "ascending" || !slices.IsSorted(numbers(values)) {
		t.Errorf("after Enter: %q, %v", order, values[:5])
	}
	b.keys(" ")
	if _, order = column(); order != "descending" {
		t.Errorf("after a space: %q", order)
	}
	// Only one column says that the table is sorted by it.
	var sorted int
	b.evaluate(`return document.getElementById("worst").parentNode.querySelectorAll("th[aria-sort]").length`, &sorted)
	if sorted != 1 {
		t.Errorf("%d columns say that the table is sorted by them", sorted)
	}
}

func checkSearch(t *testing.T, b *browser) {
	t.Helper()
	shown := func() (rows int, told string) {
		t.Helper()
		var state struct {
			Rows int
			Told string
		}
		b.evaluate(`var part = document.getElementById("attention").parentNode;
return {rows: Array.from(part.querySelectorAll("tbody tr")).filter(function (r) { return r.getClientRects().length > 0; }).length, told: part.querySelector("output").textContent};`, &state)
		return state.Rows, state.Told
	}
	all, told := shown()
	b.evaluate(`document.getElementById("attention").parentNode.querySelector("input").focus()`, nil)
	b.keys(strings.Split("pc-00012", "")...)
	rows, narrowed := shown()
	if all < 100 || rows != 1 || !strings.HasPrefix(narrowed, "1 of ") || told == narrowed {
		t.Errorf("search shows %d of %d rows and says %q", rows, all, narrowed)
	}
	// The label belongs to the box.
	var label string
	b.evaluate(`return document.activeElement.labels[0].textContent`, &label)
	if label != "Search these computers" {
		t.Errorf("the box is called %q", label)
	}
}

// checkComputerPage looks at the page of one computer and its pictures.
func checkComputerPage(t *testing.T, b *browser) {
	t.Helper()
	folder := t.TempDir()
	g := generate(3)
	writeDocument(t, filepath.Join(folder, "status.json"), g.status())
	writeDocument(t, filepath.Join(folder, "bench.json"), g.bench())
	path := filepath.Join(t.TempDir(), "computer.html")
	if document := report(t, folder, "--output", path); *document.Output.Page != contract.PageComputer {
		t.Fatalf("%+v", document.Output)
	}
	b.open(path)
	b.harmless(path)
	b.fits(1280)
	b.fits(400)
	b.picture("computer-light", 1280)
	b.picture("computer-narrow", 400)
	b.scheme("dark")
	b.picture("computer-dark", 1280)
	var drawings int
	b.evaluate(`return document.querySelectorAll("svg path.area").length`, &drawings)
	if drawings != 4 {
		t.Errorf("%d histograms for 4 tests", drawings)
	}
}
