package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"diskaudit/core/audit"
	"diskaudit/core/bench/profile"
	"diskaudit/core/bench/validity"
	"diskaudit/core/command"
	"diskaudit/core/contract"
	"diskaudit/core/remediate"
	"diskaudit/tests/require"
)

// What README, help and schemas say is one story.
func TestReadmeTellsWhatTheProgramDoes(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(require.Root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	readme := string(data)
	script, err := os.ReadFile(filepath.Join(require.Root(t), ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"\ngo run ./core status\n", "\ngo test ./...\n"} {
		if !strings.Contains(readme, "```"+line+"```") {
			t.Errorf("README does not name the command %q", line)
		}
	}
	if !strings.Contains(string(script), "\ngo test ./...\n") {
		t.Error("CI does not call the test command that README names")
	}
	var help bytes.Buffer
	if exit := command.Run(context.Background(), []string{"diskaudit", "--help"}, &bytes.Buffer{}, &help); exit != 0 {
		t.Fatalf("help: exit %d", exit)
	}
	codes := regexp.MustCompile(`(?m)^ +(\d+)  (.+)$`).FindAllStringSubmatch(help.String(), -1)
	if len(codes) != 10 {
		t.Fatalf("help lists %d exit codes: %s", len(codes), help.String())
	}
	for _, code := range codes {
		if !strings.Contains(strings.ReplaceAll(readme, "`", ""), "| "+code[1]+" | "+strings.Split(code[2], ";")[0]) {
			t.Errorf("README has no exit code %s: %s", code[1], code[2])
		}
	}
	findings := page(t, "findings.md")
	for _, id := range audit.IDs() {
		if !strings.Contains(findings, "| `"+id+"` |") {
			t.Errorf("findings.md has no row for the finding %s", id)
		}
	}
	for _, kind := range contract.Kinds() {
		if _, err := os.Stat(filepath.Join(require.Root(t), "schemas", string(kind)+".schema.json")); err != nil {
			t.Error(err)
		}
	}
	remediation := page(t, "remediation.md")
	for _, guard := range allGuards() {
		if !strings.Contains(remediation, "`"+guard+"`") {
			t.Errorf("remediation.md does not name the guard %s", guard)
		}
	}
	measuring := page(t, "measuring.md")
	invalidates, notes := validity.Codes()
	for _, code := range append(invalidates, notes...) {
		if !strings.Contains(measuring, "`"+code+"`") {
			t.Errorf("measuring.md does not name the reason %s", code)
		}
	}
	for _, code := range penaltyReasons(t) {
		if !strings.Contains(measuring, "`"+code+"`") {
			t.Errorf("measuring.md does not name the reason %s of a penalty", code)
		}
	}
	for _, name := range profile.Names() {
		if !strings.Contains(measuring, "`"+name+"`") {
			t.Errorf("measuring.md does not name the profile %s", name)
		}
	}
}

// penaltyReasons are the codes of penalty.reason, read from the sources that give them: no list of
// them exists.
func penaltyReasons(t *testing.T) []string {
	t.Helper()
	given := regexp.MustCompile(`because\("([a-z-]+)"|\tcode[A-Z]\w+ += "([a-z-]+)"|\{\s*"([a-z-]+)",\s*func\(v \*contract\.Volume\)`)
	var codes []string
	for _, folder := range []string{"core/bench", "core/bench/penalty"} {
		files, err := filepath.Glob(filepath.Join(require.Root(t), filepath.FromSlash(folder), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range given.FindAllStringSubmatch(string(source), -1) {
				codes = append(codes, found[1]+found[2]+found[3])
			}
		}
	}
	slices.Sort(codes)
	if codes = slices.Compact(codes); len(codes) < 40 {
		t.Fatalf("only %d reasons were found: %v", len(codes), codes)
	}
	return codes
}

// README and the page about the script tell the same of what changed.
func TestReadmeTellsWhatBecameOfTheScript(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(require.Root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	const head = "| the older script | what was wrong with it | now |"
	table := func(text string) string {
		_, after, _ := strings.Cut(text, head)
		rows, _, _ := strings.Cut(after, "\n\n")
		return rows
	}
	if got, want := table(string(readme)), table(page(t, "test-bitlockerdiskspeed.md")); got != want || strings.Count(want, "\n") < 10 {
		t.Errorf("README's table has %d bytes, the page's %d; they must be the same", len(got), len(want))
	}
}

// page reads a page of the documentation.
func page(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(require.Root(t), "module", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Every flag that the pages speak of exists, and every link leads somewhere.
func TestPages(t *testing.T) {
	var usage bytes.Buffer
	for _, verb := range []string{"status", "bench", "remediate", "report", "schema", "version"} {
		command.Run(context.Background(), []string{"diskaudit", verb, "--help"}, &bytes.Buffer{}, &usage)
	}
	root := require.Root(t)
	pages, err := filepath.Glob(filepath.Join(root, "module", "docs", "*.md"))
	if err != nil || len(pages) < 8 {
		t.Fatalf("there are %d pages: %v", len(pages), err)
	}
	for _, path := range append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "SECURITY.md"), filepath.Join(root, "CHANGELOG.md")) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		text := string(data)
		for _, flag := range regexp.MustCompile("diskaudit[^`\n]* --([a-z-]+)|`--([a-z-]+)[ `=]").FindAllStringSubmatch(text, -1) {
			if name := flag[1] + flag[2]; !strings.Contains(usage.String(), "--"+name+" ") && !strings.Contains(usage.String(), "--"+name+",") {
				t.Errorf("%s speaks of --%s, which no help knows", filepath.Base(path), name)
			}
		}
		for _, link := range regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`).FindAllStringSubmatch(text, -1) {
			to := path
			if link[1] != "" {
				to = filepath.Join(filepath.Dir(path), link[1])
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s, which is not there", filepath.Base(path), link[1])
			} else if link[2] != "" && !slices.Contains(anchors(t, to), link[2]) {
				t.Errorf("%s links to %s, which has no heading #%s", filepath.Base(path), filepath.Base(to), link[2])
			}
		}
	}
}

// anchors are the ids of a page's headings, as GitHub and most other viewers make them.
func anchors(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(string(data), -1) {
		id := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		ids = append(ids, strings.ReplaceAll(id, " ", "-"))
	}
	return ids
}

// The changelog counts what there is.
func TestChangelogCounts(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(require.Root(t), "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	profiles := map[int]string{9: "nine", 10: "ten", 11: "eleven", 12: "twelve"}[len(profile.Names())]
	for _, count := range []string{
		fmt.Sprintf("%d rules that", len(audit.IDs())),
		fmt.Sprintf("%d guards, of which all but two", len(allGuards())),
		profiles + " profiles with",
	} {
		if !strings.Contains(string(data), count) {
			t.Errorf("CHANGELOG does not say %q", count)
		}
	}
}

// allGuards are the rules' guards and those that stand beside the rules.
func allGuards() []string {
	return append(remediate.Guards(), "auto-unlock-keys", "plan-changed", "speed-up")
}

// What nobody has tried is told where people look first, and part by part.
func TestReadmeTellsWhatWasNeverTried(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(require.Root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	opening, _, _ := strings.Cut(string(readme), "\n## ")
	_, tried, _ := strings.Cut(string(readme), "\n## What was tried where\n")
	tried, _, _ = strings.Cut(tried, "\n## ")
	for place, text := range map[string]string{"README's opening": opening, "README's section": tried, "tried.md": page(t, "tried.md")} {
		if !regexp.MustCompile(`\*\*Nothing (of this )?has run on real Windows`).MatchString(text) {
			t.Errorf("%s does not say that nothing has run on real Windows", place)
		}
	}
	if !strings.Contains(tried, "(module/docs/tried.md)") {
		t.Error("README's section does not lead to the page that tells it part by part")
	}
}
