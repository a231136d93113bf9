package fleet_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	gocmp "github.com/google/go-cmp/cmp"

	"diskaudit/core/contract"
	"diskaudit/tests/require"
)

// row is a row of a result: each value as text, nil for none.
type row map[string]any

// duckDB runs blocks of SQL in a folder and returns the rows of each.
func duckDB(t *testing.T, folder string, blocks []string) [][]row {
	t.Helper()
	packages := os.Getenv("DISKAUDIT_DUCKDB")
	if packages == "" {
		require.Missing(t, "duckdb", "DISKAUDIT_DUCKDB names no folder with the npm package @duckdb/node-api")
	}
	node := require.Tool(t, "node")
	input, err := json.Marshal(blocks)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), node, filepath.Join(require.Root(t), "tests", "fleet", "duckdb.mjs"), packages)
	command.Dir, command.Stdin = folder, bytes.NewReader(input)
	var output, complaints bytes.Buffer
	command.Stdout, command.Stderr = &output, &complaints
	if err := command.Run(); err != nil {
		t.Fatalf("DuckDB: %v\n%s", err, complaints.String())
	}
	var results [][]row
	if err := json.Unmarshal(output.Bytes(), &results); err != nil {
		t.Fatal(err)
	}
	return results
}

// query is a block of code on a page, under the heading that asks for it.
type query struct{ question, text string }

// blocks are the page's blocks of code in a language, in their order.
func blocks(text, language string) []query {
	var found []query
	question, inside := "", false
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case !inside && strings.HasPrefix(line, "#"):
			question = strings.TrimSpace(strings.TrimLeft(line, "#"))
		case !inside && line == "```"+language:
			inside = true
			found = append(found, query{question: question})
		case inside && line == "```":
			inside = false
		case inside:
			found[len(found)-1].text += line + "\n"
		}
	}
	return found
}

// Every query of the page is run over records whose answers are known from the facts that they were made
// from. Older documents of the same computers, and figures that are not valid, change nothing.
func TestDuckDBAnswersTheQuestions(t *testing.T) {
	t.Parallel()
	folder, fleet := t.TempDir(), theFleet()
	writeFleet(t, folder, fleet)
	queries := blocks(page(t, "fleet.md"), "sql")
	var texts []string
	for _, q := range queries {
		texts = append(texts, q.text)
	}
	writeOthers(t, folder, fleet)
	results := duckDB(t, folder, append(texts, otherBlocks(texts[0])...))
	others := results[len(texts):]
	t.Run("types are guessed right", func(t *testing.T) { guessed(t, others[0]) })
	t.Run("hostile records stay apart", func(t *testing.T) { apart(t, others[1]) })
	t.Run("CSV", func(t *testing.T) { spread(t, others[2], fleet) })
	answers := answersTo(fleet)
	asked := map[string]bool{}
	for i, rows := range results[:len(texts)] {
		question := queries[i].question
		if question == "DuckDB" {
			continue // loading
		}
		want, known := answers[question]
		if !known {
			t.Errorf("no answer is known to %q", question)
		}
		asked[question] = true
		if diff := gocmp.Diff(want, rows, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s\n(-known +DuckDB):\n%s", question, diff)
		}
	}
	for question := range answers {
		if !asked[question] {
			t.Errorf("the page does not ask %q", question)
		}
	}
}

// answersTo are the answers, worked out from the fleet itself.
func answersTo(fleet []madeUp) map[string][]row {
	answers := map[string][]row{
		"Which computers did not answer?": {
			{"computer": "PC-forgotten", "reason": "no document"},
			{"computer": "PC-off", "reason": `WinRM cannot complete the operation, "really".`},
			{"computer": "pc-broken", "reason": "It is cut off. Copy it again."},
		},
		"Which findings are most common?": {
			{"findingId": "disk-health", "severity": "critical", "computers": "1"},
			{"findingId": "software-encryption", "severity": "notice", "computers": strconv.Itoa(len(fleet))},
		},
		"Which measurements are not valid, and why?": {
			{"what": "test RND4K-Q1T1-read", "reason": "on-battery", "measurements": "3", "computers": "3", "example": "On battery. Hot."},
			{"what": "test RND4K-Q1T1-read", "reason": "thermal-throttling", "measurements": "3", "computers": "3", "example": "On battery. Hot."},
			{"what": "penalty", "reason": "needs-elevation", "measurements": "2", "computers": "2", "example": "Why: needs-elevation"},
			{"what": "penalty", "reason": "several-extents", "measurements": "1", "computers": "1", "example": "Why: several-extents"},
		},
	}
	states := map[contract.ComputerState]int{}
	type group struct{ model, method string }
	figures := map[group][]madeUpPenalty{}
	var dearest []madeUp
	for _, m := range fleet {
		states[m.state]++
		if m.state == contract.ComputerUnknown {
			answers["Of which computers is not everything known?"] = append(answers["Of which computers is not everything known?"],
				row{"computer": m.name, "state": "unknown", "errors": "1", "errorCodes": "needs-elevation"})
		}
		if m.critical {
			answers["Which computers have critical findings?"] = append(answers["Which computers have critical findings?"],
				row{"computer": m.name, "findingId": "disk-health", "about": "PhysicalDrive0", "diskModel": m.model, "findingTitle": "The disk is about to fail"})
		}
		if m.conversion != nil && *m.conversion != contract.FullyDecrypted && (m.protection == nil || *m.protection != contract.ProtectionOn) {
			protection := "not known"
			if m.protection != nil {
				protection = m.protection.String()
			}
			answers["Which volumes are encrypted and not protected?"] = append(answers["Which volumes are encrypted and not protected?"],
				row{"computer": m.name, "volume": "C:", "conversion": m.conversion.String(), "method": m.method.String(), "protection": protection, "protectionReason": nil})
		}
		if m.penalty != nil && m.penalty.reason == "" {
			key := group{m.model, m.method.String()}
			figures[key] = append(figures[key], *m.penalty)
			if m.penalty.verdict == contract.VerdictMaterial {
				dearest = append(dearest, m)
			}
		}
	}

	var byState []row
	for state, n := range states {
		byState = append(byState, row{"state": string(state), "computers": strconv.Itoa(n), "percent": rounded(100 * float64(n) / float64(len(fleet)))})
	}
	slices.SortFunc(byState, func(a, b row) int {
		return cmp.Or(-cmp.Compare(states[contract.ComputerState(a["state"].(string))], states[contract.ComputerState(b["state"].(string))]), cmp.Compare(a["state"].(string), b["state"].(string)))
	})
	answers["How many computers are in which state?"] = byState

	var groups []group
	for key := range figures {
		// Quartiles of five figures are the second, third and fourth.
		slices.SortFunc(figures[key], func(a, b madeUpPenalty) int { return cmp.Compare(a.microseconds, b.microseconds) })
		groups = append(groups, key)
	}
	slices.SortFunc(groups, func(a, b group) int { return -cmp.Compare(figures[a][2].microseconds, figures[b][2].microseconds) })
	for _, key := range groups {
		f := figures[key]
		material := 0
		for _, one := range f {
			if one.verdict == contract.VerdictMaterial {
				material++
			}
		}
		answers["Who pays how much, by model and method?"] = append(answers["Who pays how much, by model and method?"], row{
			"diskModel": key.model, "method": key.method, "computers": "5",
			"quarterMicroseconds": rounded(f[1].microseconds), "medianMicroseconds": rounded(f[2].microseconds), "threeQuartersMicroseconds": rounded(f[3].microseconds),
			"medianPercent": rounded(f[2].percent), "material": strconv.Itoa(material),
		})
	}

	slices.SortFunc(dearest, func(a, b madeUp) int { return -cmp.Compare(a.penalty.microseconds, b.penalty.microseconds) })
	for _, m := range dearest {
		answers["Which computers pay most?"] = append(answers["Which computers pay most?"], row{
			"computer": m.name, "volume": "C:", "diskModel": m.model, "method": m.method.String(), "microseconds": rounded(m.penalty.microseconds),
			"percentLow": rounded(m.penalty.percent - 1), "percent": rounded(m.penalty.percent), "percentHigh": rounded(m.penalty.percent + 1),
		})
	}
	return answers
}

// rounded is a number with at most one decimal, as text.
func rounded(value float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0")
}
