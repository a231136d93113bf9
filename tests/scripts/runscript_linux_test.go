package scripts_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"diskaudit/tests/require"
)

// testRunScript runs the script of Run Scripts with its other actions and with parameters that are of no
// use: one flat object below 4,000 bytes, and nothing is changed (case C32).
func testRunScript(t *testing.T, f *fleet, h *host) {
	t.Helper()
	bench, err := os.ReadFile(filepath.Join(require.Root(t), "tests", "module", "documents", "bench-material.json"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(f.here[faulty], "bench.txt"), strings.ReplaceAll(string(bench), "\n", " ")+"\n")
	measured := computer{module: faulty, environment: map[string]string{"FAKECORE_STDOUT": "bench.txt"}}
	many := named(t, "26 volumes")
	for _, test := range []struct {
		name      string
		computer  computer
		arguments map[string]any
		code      int
		want      map[string]any
	}{
		{"plan", named(t, "XTS-AES 128, protected"), map[string]any{"Action": "plan"}, 0, map[string]any{"Result": "refused", "Refusing": "managed disk-health file-system"}},
		{"plan of 26 volumes", many, map[string]any{"Action": "plan"}, 0, map[string]any{"Result": "refused", "Action": "plan"}},
		{"plan where nothing is to be done", named(t, "decrypted"), map[string]any{"Action": "plan"}, 0, map[string]any{"Result": "done", "Steps": json.Number("0")}},
		{"bench", measured, map[string]any{"Action": "bench", "Volume": "C"}, 0, map[string]any{"Result": "done", "Verdict": "material"}},
		{"volume that is none", many, map[string]any{"Action": "bench", "Volume": "C:; Remove-Item"}, 1, map[string]any{"Result": "invalid-parameter"}},
		{"time limit that is none", many, map[string]any{"TimeoutSeconds": 0}, 1, map[string]any{"Result": "invalid-parameter"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			machine := test.computer.machine()
			j := job{Environment: f.environment(test.computer, simulate(t, machine)), Location: f.elsewhere}
			j.Runs = []run{{Script: f.script("configmgr/Invoke-BitLockerDiskAudit.ps1"), Arguments: test.arguments, AsJSON: true}}
			d := h.run(t, j)[0]
			values, wrong := flat(d, test.code)
			if wrong != "" {
				t.Errorf("%s\nit wrote:\n%s", wrong, d.text())
			}
			for name, want := range test.want {
				if got := values[name]; fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s is %v, want %v\n%s", name, got, want, d.text())
				}
			}
			for _, wrong := range flaws(d) {
				t.Errorf("it %s:\n%s", wrong, d.text())
			}
			if len(d.last()) >= 4000 {
				t.Errorf("%d bytes", len(d.last()))
			}
			if calls := machine.Forbidden(); len(calls) > 0 {
				t.Errorf("something was changed, or a secret was asked for: %+v", calls)
			}
		})
	}
}
