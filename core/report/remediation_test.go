package report

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"

	"diskaudit/core/contract"
)

func remediationText(t *testing.T, document contract.Remediation, options Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := Remediation(&out, document, options); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The files are written by hand.
func TestRemediationGolden(t *testing.T) {
	called := []string{"remediate", "--override", "portable", "--expect-plan=old"}
	for _, c := range []struct {
		name    string
		columns int
	}{
		{"nothing", 40}, {"nothing", 80}, {"plan", 160}, {"refused", 160}, {"done", 160}, {"running", 160},
		{"failed", 160}, {"stopped", 160}, {"elevation", 40}, {"recorded", 40},
	} {
		t.Run(fmt.Sprintf("%s-%d", c.name, c.columns), func(t *testing.T) {
			compare(t, fmt.Sprintf("remediation-%s-%d", c.name, c.columns),
				remediationText(t, remediations()[c.name], Options{Width: c.columns, Arguments: called}))
		})
	}
}

// everyRemediation renders every document at widths from narrow to wide.
func everyRemediation(t *testing.T, check func(t *testing.T, name string, document contract.Remediation, options Options, page string)) {
	t.Helper()
	for name, document := range remediations() {
		for _, columns := range []int{25, 40, 59, 66, 80, 97, 120, 160, 200} {
			for _, ascii := range []bool{false, true} {
				options := Options{Width: columns, ASCII: ascii, Arguments: []string{"remediate", "--volume", `C:\mnt\my data`}}
				t.Run(fmt.Sprintf("%s/%d/ascii=%v", name, columns, ascii), func(t *testing.T) {
					check(t, name, document, options, remediationText(t, document, options))
				})
			}
		}
	}
}

func TestNoRemediationLineIsTooWide(t *testing.T) {
	everyRemediation(t, func(t *testing.T, _ string, _ contract.Remediation, options Options, page string) {
		t.Helper()
		for line := range strings.Lines(page) {
			line = strings.TrimRight(line, "\n")
			// A single word may be wider: it has to stay whole.
			if text.StringWidthWithoutEscSequences(line) > options.Width && len(strings.Fields(line)) > 1 {
				t.Errorf("%d columns: %q", text.StringWidthWithoutEscSequences(line), line)
			}
			if strings.HasSuffix(line, " ") {
				t.Errorf("spaces at the end: %q", line)
			}
		}
	})
}

// No text of a document commands the terminal or looks like a line of the report.
func TestRemediationIsLegible(t *testing.T) {
	everyRemediation(t, func(t *testing.T, name string, _ contract.Remediation, options Options, page string) {
		t.Helper()
		for _, r := range page {
			if r != '\n' && (r < ' ' || r > '~') && (options.ASCII || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || !unicode.IsPrint(r)) {
				t.Fatalf("%U on the page", r)
			}
		}
		for line := range strings.Lines(page) {
			if options.Width >= 25 && name == "hostile" && strings.HasPrefix(line, "DONE:") {
				t.Errorf("forged line %q", line)
			}
		}
	})
}

func TestNothingOfARemediationIsLeftOut(t *testing.T) {
	squeeze := func(s string) string {
		return strings.ReplaceAll(strings.Join(strings.Fields(s), ""), "?", "")
	}
	everyRemediation(t, func(t *testing.T, _ string, document contract.Remediation, options Options, page string) {
		t.Helper()
		page = squeeze(page)
		var want []string
		for _, step := range document.Plan.Steps {
			want = append(want, step.Undo)
			// A table breaks its cells; each word of them is there.
			want = append(want, strings.Fields(step.Text+" "+step.Before+" "+step.After)...)
		}
		for _, guard := range document.Plan.Guards {
			if guard.Result != contract.GuardAllow {
				want = append(want, guard.Text, guard.ID)
			}
			if guard.Result.Refuses() && guard.Override != nil {
				want = append(want, *guard.Override)
			}
		}
		for _, problem := range document.Problems {
			want = append(want, problem.Text, problem.Code)
		}
		for _, step := range document.Steps {
			if step.Problem != nil {
				want = append(want, step.Problem.Text, step.Problem.Code)
			}
		}
		for _, running := range document.Running {
			want = append(want, running.Watch)
		}
		if document.Journal != nil {
			want = append(want, *document.Journal)
		}
		for _, fact := range want {
			if fact = squeeze(legible(fact, options.ASCII)); !strings.Contains(page, fact) {
				t.Errorf("%q is not on the page", fact)
			}
		}
	})
}

func TestRemediationColorOnlyAdds(t *testing.T) {
	escape := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for name, document := range remediations() {
		for _, columns := range widths {
			plain := remediationText(t, document, Options{Width: columns})
			color := remediationText(t, document, Options{Width: columns, Color: true})
			if color == plain || strings.Contains(plain, "\x1b") || escape.ReplaceAllString(color, "") != plain {
				t.Errorf("%s at %d: the colours change the text, or there are none", name, columns)
			}
		}
	}
}

// Case B37: whoever is about to rewrite data, or has begun to, reads what must not be done before
// anything else, and no longer than it is true.
func TestWarningBeforeDataIsRewritten(t *testing.T) {
	const warning, forbidden = "WARNING:", "do not reinstall or reset Windows, do not repartition or format the disk"
	for name, want := range map[string]string{
		"plan": "Once it has begun", "refused": "Once it has begun", "stopped": "Once it has begun", "recorded": "Once it has begun",
		"running": `the data of D: is being rewritten`, "failed": `the data of D: may be half rewritten`,
		"nothing": "", "done": "", "elevation": "",
	} {
		page := strings.Join(strings.Fields(remediationText(t, remediations()[name], Options{Width: 100})), " ")
		if want == "" {
			if strings.Contains(page, forbidden) {
				t.Errorf("%s: nothing is being rewritten:\n%s", name, page)
			}
			continue
		}
		at := strings.Index(page, warning)
		if !strings.Contains(page, forbidden) || !strings.Contains(page, want) || at < 0 || at > strings.Index(page, " Steps ") {
			t.Errorf("%s: want %q and what must not be done before the steps:\n%s", name, want, page)
		}
	}
}

// A run of which one step failed or goes on never reads as done, whatever else there is.
func TestOnlyWhatIsDoneReadsDone(t *testing.T) {
	outcomes := append(contract.StepOutcomes(), "", "of-a-later-version")
	for _, first := range outcomes {
		for _, second := range outcomes {
			document := recordedPlan()
			document.Plan.Steps = append(document.Plan.Steps, contract.PlanStep{ID: "2-verify", Target: "machine", Change: contract.ChangeVerify})
			document = withResults(document, first, second)
			ended := func(o contract.StepOutcome) bool { return o == contract.StepDone || o == contract.StepAlready }
			page := remediationText(t, document, Options{Width: 100})
			if strings.HasPrefix(page, "DONE:") != (ended(first) && ended(second)) {
				t.Errorf("%q, %q: %s", first, second, page)
			}
			if failed := first == contract.StepFailed || second == contract.StepFailed; strings.HasPrefix(page, "FAILED:") != failed {
				t.Errorf("%q, %q: %s", first, second, page)
			}
		}
	}
	document := donePlan()
	document.Steps = nil
	if page := remediationText(t, document, Options{}); !strings.HasPrefix(page, "STOPPED: before step 1 of 6") {
		t.Error(page)
	}
}

// Only a plan that nothing stands against comes with a command that carries it out, and the command
// means the same in every shell or is not there.
func TestCommandThatCarriesOut(t *testing.T) {
	document := wholePlan()
	for _, c := range []struct {
		arguments []string
		want      string
	}{
		{nil, ""},
		{[]string{"remediate"}, "diskaudit remediate --apply --expect-plan 3f9a1c22"},
		{[]string{"remediate", "--apply=false", "-expect-plan", "old", "--volume", "C:"}, "diskaudit remediate --volume C: --apply --expect-plan 3f9a1c22"},
		{[]string{"remediate", "--expect-plan=old", "--apply"}, "diskaudit remediate --apply --expect-plan 3f9a1c22"},
		{[]string{"remediate", "--volume", `\\?\Volume{11111111-0000-0000-0000-000000000001}\`},
			`diskaudit remediate --volume "\\?\Volume{11111111-0000-0000-0000-000000000001}\\" --apply --expect-plan 3f9a1c22`},
		{[]string{"remediate", "--volume", `D:\my data`}, `diskaudit remediate --volume "D:\my data" --apply --expect-plan 3f9a1c22`},
		// Words that a shell would read something into.
		{[]string{"remediate", "--volume", `D:\$(reboot)`}, ""},
		{[]string{"remediate", "--volume", `D:\%PATH%`}, ""},
		{[]string{"remediate", "--volume", `D:\"x`}, ""},
		{[]string{"remediate", "--volume", "D:\\a\nb"}, ""},
		{[]string{"remediate", "--volume", `D:\Größe`}, ""},
		{[]string{"remediate", "--volume", ""}, ""},
	} {
		page := remediationText(t, document, Options{Width: 200, Arguments: c.arguments})
		_, command, found := strings.Cut(page, "To carry it out:\n  ")
		command, _, _ = strings.Cut(command, "\n")
		if found != (c.want != "") || command != c.want {
			t.Errorf("%q: %q, want %q", c.arguments, command, c.want)
		}
		if c.want == "" && !strings.Contains(page, "run the same command again with --apply --expect-plan 3f9a1c22 added") {
			t.Errorf("%q: the way on is missing:\n%s", c.arguments, page)
		}
	}
	for _, name := range []string{"nothing", "refused", "done", "running", "failed", "stopped", "elevation", "recorded"} {
		if page := remediationText(t, remediations()[name], Options{Width: 100, Arguments: []string{"remediate"}}); strings.Contains(page, "--apply") {
			t.Errorf("%s: nothing is to be carried out:\n%s", name, page)
		}
	}
}

func TestDurationWords(t *testing.T) {
	for _, c := range []struct {
		seconds float64
		want    string
	}{
		{0, "less than 1 s"}, {1, "1 s"}, {59.2, "60 s"}, {61, "2 min"}, {3599, "60 min"}, {3601, "1 h 01 min"}, {7200, "2 h 00 min"},
		{172_799, "48 h 00 min"}, {172_801, "2 d 1 h"}, {1e300, "unknown"},
		{-1, "unknown"}, {math.NaN(), "unknown"}, {math.Inf(1), "unknown"},
	} {
		if got := duration(&c.seconds); got != c.want {
			t.Errorf("%v s is %q, want %q", c.seconds, got, c.want)
		}
	}
	if got := duration(nil); got != "unknown" {
		t.Errorf("no time is %q", got)
	}
}

// What is not known about a conversion that goes on reads unknown.
func TestRunningUnknown(t *testing.T) {
	impossible := contract.Running{Conversion: p(contract.DecryptionInProgress), Percent: p(math.NaN()), PercentPerHour: p(1e300), ETASeconds: p(math.Inf(1))}
	if got := runningLine(impossible); got != "DecryptionInProgress, percentage unknown, rate unknown, time left unknown" {
		t.Errorf("%q", got)
	}
	if got := runningLine(contract.Running{}); got != "unknown, rate unknown, time left unknown" {
		t.Errorf("%q", got)
	}
}

// A volume with a letter is never shown by its id, in sentences neither; the document stays as it is.
func TestVolumesAreKnownByLetter(t *testing.T) {
	document := failedPlan()
	document.Problems[0].Text = idD + " is locked."
	document.Steps[1].Problem.Text = document.Problems[0].Text
	document.Plan.Steps[3].Text = "Decrypt " + idC + "."
	document.Plan.Guards[2].Text = idD + " and " + idE
	document.Running = contract.List[contract.Running]{{VolumeID: idD, Watch: "diskaudit status --volume " + idD}, {VolumeID: idE, Watch: "diskaudit status --volume " + idE}}
	page := remediationText(t, document, Options{Width: 200})
	for _, want := range []string{"D: is locked.", "Decrypt C:.", "D: and " + idE, "diskaudit status --volume D:",
		// Braces mean something to PowerShell.
		`diskaudit status --volume "` + idE + `\"`} {
		if !strings.Contains(strings.Join(strings.Fields(page), " "), want) {
			t.Errorf("%q is missing:\n%s", want, page)
		}
	}
	if strings.Count(page, "D: is locked.") != 2 {
		t.Errorf("a problem is told by the verdict and once below:\n%s", page)
	}
	if document.Problems[0].Text != idD+" is locked." || document.Steps[1].Problem.Text != idD+" is locked." || document.Plan.Steps[3].Text != "Decrypt "+idC+"." {
		t.Error("the document was changed")
	}
	for name, document := range remediations() {
		page := remediationText(t, document, Options{Width: 200})
		if strings.Contains(page, idC) || strings.Contains(page, idD) {
			t.Errorf("%s:\n%s", name, page)
		}
	}
}

// What a run puts right before it plans is never told as nothing.
func TestNothingChangedIsTrue(t *testing.T) {
	for _, name := range []string{"nothing", "plan", "refused", "elevation"} {
		document := remediations()[name]
		document.Journal = p("journal.jsonl")
		if page := remediationText(t, document, Options{Width: 100}); strings.Contains(page, "Nothing was changed") {
			t.Errorf("%s: there is a journal:\n%s", name, page)
		}
	}
}

// An empty document is not known to be one of nothing to do.
func TestNothingKnownIsNotNothingToDo(t *testing.T) {
	for _, document := range []contract.Remediation{
		{},
		{Header: contract.Header{Problems: contract.List[contract.Problem]{{Code: "odd", Text: "A problem whose level was forgotten."}}}},
		{Plan: contract.Plan{Guards: contract.List[contract.Guard]{{ID: "state-unknown"}}}, Header: contract.Header{Complete: true}},
	} {
		if page := remediationText(t, document, Options{}); strings.Contains(page, "NOTHING TO DO") {
			t.Error(page)
		}
	}
}

// Somebody else paused it: that is not going on.
func TestPausedMeanwhile(t *testing.T) {
	document := runningPlan()
	document.Steps[2].Problem = &contract.Problem{Code: "conversion-paused", Level: contract.LevelWarning, Target: idD, Text: "It was paused by somebody else."}
	document.Running[0].Conversion = p(contract.DecryptionPaused)
	page := remediationText(t, document, Options{Width: 120})
	if !strings.HasPrefix(page, "STILL IN PROGRESS: It was paused by somebody else.") || !strings.Contains(page, "DecryptionPaused, 43.5% encrypted") {
		t.Error(page)
	}
}

// A resumption has no step that waits: the data is being rewritten after the run.
func TestResumedIsBeingRewritten(t *testing.T) {
	page := remediationText(t, withResults(recordedPlan(), contract.StepDone), Options{Width: 120})
	if !strings.HasPrefix(page, "DONE: 1 step.") || !strings.Contains(page, "the data of C: is being rewritten") {
		t.Error(page)
	}
}

func TestRemediationWriterErrorIsReturned(t *testing.T) {
	if err := Remediation(brokenWriter{}, contract.Remediation{}, Options{}); !errors.Is(err, errBroken) {
		t.Errorf("error %v, want the writer's", err)
	}
}
