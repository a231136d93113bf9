package scripts_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"diskaudit/tests/rig/simulator"
	"diskaudit/tests/rig/simulator/serve"
)

// toolVersion is that of an executable that build.ps1 did not stamp.
const toolVersion = "0.0.0-dev"

// password is what a recovery password looks like.
var password = regexp.MustCompile(`(\d{6}-){7}\d{6}`)

// TestScripts runs the scripts of module/scripts/intune and module/scripts/configmgr. Two PowerShells serve
// all parts, since each takes seconds to start.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: it takes minutes")
	}
	f := newFleet(t)
	hosts := startHosts(t, f, 2)
	t.Run("without overrides", func(t *testing.T) {
		testComputers(t, f, hosts)
		testVariants(t, f, hosts)
	})
	first, second := <-hosts, <-hosts
	t.Run("beside each other", func(t *testing.T) {
		t.Run("with overrides", func(t *testing.T) {
			t.Parallel()
			testOverrides(t, f, first)
		})
		t.Run("as their hosts do", func(t *testing.T) {
			t.Parallel()
			testProcesses(t, f)
		})
		t.Run("others", func(t *testing.T) {
			t.Parallel()
			t.Run("as applications", func(t *testing.T) { testApplications(t, f, second) })
			t.Run("by Run Scripts", func(t *testing.T) { testRunScript(t, f, second) })
			t.Run("without elevation", func(t *testing.T) { testLimited(t, f) })
		})
	})
}

// testComputers runs every script that asks for a computer's state on every computer:
// exit code and line are those of the tables, nothing else is written, no secret comes out, and nothing
// is changed, by remediations neither: the computers are managed, and no guard is overridden (cases C20
// to C24, C27, C29, C32, B59, B70 to B73).
func testComputers(t *testing.T, f *fleet, hosts chan *host) {
	t.Helper()
	for _, c := range computers {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := <-hosts
			defer func() { hosts <- h }()
			machine := c.machine()
			j := job{Environment: f.environment(c, simulate(t, machine)), Location: f.elsewhere}
			scripts := slices.Concat(hostedScripts, hostedScripts[:c.twice])
			for _, s := range scripts {
				j.Runs = append(j.Runs, f.run(t, s, c))
			}
			results := h.run(t, j)
			slowest := 0.0
			for i, s := range scripts {
				inspect(t, s, c, results[i])
				slowest = max(slowest, results[i].Seconds)
			}
			t.Logf("the slowest took %.1f s", slowest)
			// The figures of a conversion have changed meanwhile; the line stays.
			for i, again := range results[len(hostedScripts):] {
				if results[i].last() != again.last() {
					t.Errorf("%s says something else the second time:\n%s\n%s", scripts[i].name, results[i].last(), again.last())
				}
			}
			if calls := machine.Forbidden(); len(calls) > 0 {
				t.Errorf("something was changed, or a secret was asked for: %+v", calls)
			}
		})
	}
}

// startHosts starts PowerShells that tests borrow.
func startHosts(t *testing.T, f *fleet, number int) chan *host {
	t.Helper()
	hosts := make(chan *host, number)
	for range number {
		hosts <- startHost(t, f.Rig)
	}
	return hosts
}

// simulate serves a machine until the test ends, and returns its address.
func simulate(t *testing.T, machine *simulator.Machine) string {
	t.Helper()
	server, err := serve.Start(machine)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Close()
		for _, fault := range server.Faults() {
			t.Errorf("the COM bridge sent what the simulator does not understand: %v", fault)
		}
	})
	return server.Address()
}

// timeLimit is how a script says for how long the executable may ask.
var timeLimit = regexp.MustCompile(`(\$?TimeoutSeconds(?: =)?) \d+`)

// run is a run of a script on a computer. Where nothing answers, it is a copy that waits for less time.
func (f *fleet) run(t *testing.T, s hostedScript, c computer) run {
	t.Helper()
	r := run{Script: f.script(s.name), Arguments: s.arguments, AsJSON: s.asJSON}
	if c.hangs {
		r.Script = f.edited(t, s.name, "hurried", func(text string) string {
			return timeLimit.ReplaceAllString(text, "$1 10")
		})
	}
	return r
}

// edited is the path of a changed copy of a script.
func (f *fleet) edited(t *testing.T, name, folder string, edit func(string) string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(f.scriptsHere, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	changed := edit(string(text))
	if changed == string(text) {
		t.Fatalf("%s has nothing to change for %s", name, folder)
	}
	write(t, filepath.Join(f.scriptsHere, folder, filepath.FromSlash(name)), changed)
	return f.script(folder + "/" + name)
}

// inspect looks at what came of one run.
func inspect(t *testing.T, s hostedScript, c computer, d done) {
	t.Helper()
	wrong := ""
	if s.check != nil {
		wrong = s.check(c, d)
	} else {
		wrong = s.answer(c).differs(d)
	}
	if wrong != "" {
		t.Errorf("%s: %s\nit wrote:\n%s", s.name, wrong, d.text())
	}
	for _, wrong := range flaws(d) {
		t.Errorf("%s %s:\n%s", s.name, wrong, d.text())
	}
	// Intune keeps 2,048 characters (learn.microsoft.com/intune/device-management/tools/deploy-remediations).
	if len(d.last()) > 2000 && strings.HasPrefix(s.name, "intune/") {
		t.Errorf("%s: %d characters", s.name, len(d.last()))
	}
}

// flaws are what no run may show, whatever it is about.
func flaws(d done) []string {
	var found []string
	if len(d.Errors) > 0 {
		found = append(found, "writes errors")
	}
	if len(d.Others) > 0 {
		found = append(found, "writes more than its output")
	}
	if password.MatchString(d.text()) {
		found = append(found, "writes a recovery password")
	}
	for _, line := range d.Output {
		if len(line) > 4000 || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r > '~' }) {
			found = append(found, "writes a line that is too long or not of printable ASCII")
		}
	}
	return found
}
