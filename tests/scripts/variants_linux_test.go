package scripts_test

import (
	"maps"
	"testing"
)

// variant is a host of scripts that is not a 64-bit one in full language. The answers are the same.
type variant struct {
	name        string
	constrained bool
	// environment changes what a 64-bit host finds.
	environment map[string]string
	// computers are those on which its scripts find another way than those of other hosts.
	computers []string
}

// variants are those of which Microsoft's pages tell: 32-bit processes and their environment
// (learn.microsoft.com/windows/win32/winprog64/wow64-implementation-details), Constrained Language Mode.
var variants = []variant{
	{name: "C30 B47 32-bit process on x64", environment: map[string]string{
		"PROCESSOR_ARCHITECTURE": "x86", "PROCESSOR_ARCHITEW6432": "AMD64", "ProgramFiles": `C:\Program Files (x86)`,
	}, computers: []string{"XTS-AES 128, protected", "module missing"}},
	{name: "C30 64-bit process without ProgramW6432", environment: map[string]string{"ProgramW6432": ""}, computers: []string{"XTS-AES 128, protected"}},
	{name: "C52 Constrained Language Mode", constrained: true, computers: []string{"XTS-AES 128, protected", "decrypted beside a locked data volume", "module missing"}},
}

// testVariants runs the scripts in each variant.
func testVariants(t *testing.T, f *fleet, hosts chan *host) {
	t.Helper()
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			h := <-hosts
			defer func() { hosts <- h }()
			for _, name := range v.computers {
				c := named(t, name)
				machine := c.machine()
				j := job{Environment: f.environment(c, simulate(t, machine)), Location: f.elsewhere, Constrained: v.constrained}
				maps.Copy(j.Environment, v.environment)
				for _, s := range hostedScripts {
					j.Runs = append(j.Runs, f.run(t, s, c))
				}
				results := h.run(t, j)
				for i, s := range hostedScripts {
					inspect(t, s, c, results[i])
				}
				if calls := machine.Forbidden(); len(calls) > 0 {
					t.Errorf("%s: something was changed, or a secret was asked for: %+v", name, calls)
				}
			}
		})
	}
}

// named is the computer of that name.
func named(t *testing.T, name string) computer {
	t.Helper()
	for _, c := range computers {
		if c.name == name {
			return c
		}
	}
	t.Fatalf("there is no computer %q", name)
	return computer{}
}
