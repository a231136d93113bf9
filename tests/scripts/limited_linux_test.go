package scripts_test

import (
	"testing"

	"diskaudit/core/bitlocker"
	"diskaudit/tests/rig/simulator"
)

// testLimited runs the scripts as a standard user, who may not ask BitLocker: nothing is known, and that is
// what they say (cases C22 and B71).
func testLimited(t *testing.T, f *fleet) {
	t.Helper()
	h := startLimitedHost(t, f.Rig)
	c := named(t, "XTS-AES 128, protected")
	machine := c.machine()
	// As Windows answers such a user: not at all, but for what Explorer shows.
	machine.Faults = []*simulator.Fault{{Point: simulator.AtConnect, Raise: bitlocker.WBEM_E_ACCESS_DENIED}}
	machine.Shell = map[string]simulator.Value{`C:\`: int32(1), `D:\`: int32(2), `Z:\`: int32(2)}
	j := job{Environment: f.environment(c, simulate(t, machine)), Location: f.elsewhere}
	answers := []answer{
		{0, "UNKNOWN: state=unknown " + goesOn}, {1, "UNKNOWN: state=unknown reasons=NeedsElevation | Not everything is known of the fixed volumes. Nothing was changed."}, {0, `{"ModuleInstalled":true,"State":"unknown","Complete":false,` + goesOn},
		{0, "Unknown: NeedsElevation"}, {1, "NotChanged: NeedsElevation. " + goesOn}, {0, `{"Action":"summary","Result":"done",` + goesOn},
	}
	for _, s := range hostedScripts {
		j.Runs = append(j.Runs, f.run(t, s, c))
	}
	for i, d := range h.run(t, j) {
		if wrong := answers[i].differs(d); wrong != "" {
			t.Errorf("%s: %s\nit wrote:\n%s", hostedScripts[i].name, wrong, d.text())
		}
		for _, wrong := range flaws(d) {
			t.Errorf("%s %s:\n%s", hostedScripts[i].name, wrong, d.text())
		}
	}
	if calls := machine.Forbidden(); len(calls) > 0 {
		t.Errorf("something was changed, or a secret was asked for: %+v", calls)
	}
}
