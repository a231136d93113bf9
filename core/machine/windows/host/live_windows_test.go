package host

import (
	"os"
	"strings"
	"testing"

	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/registry"
)

// What holds on every Windows, and under Wine.
func TestLive(t *testing.T) {
	r := New(Live(), registry.Live())
	machine, problems := r.Machine(t.Context(), true)
	for _, p := range problems {
		if p.Level == contract.LevelError || p.Code == "host-fact-unreadable" {
			t.Errorf("%s %s: %s", p.Code, p.Target, p.Text)
		}
		t.Logf("%s/%s: %s", p.Code, p.Level, p.Text)
	}
	for fact, known := range map[string]bool{
		"name": machine.ComputerName != nil && *machine.ComputerName != "", "system": machine.OS != nil && strings.HasPrefix(*machine.OS, "Windows"),
		"build": machine.Build != nil && *machine.Build >= "1", "architecture": machine.Architecture != nil,
		"elevation": machine.Elevated != nil, "restart": machine.RebootPending != nil,
		"processor": machine.CPU.Name != nil, "AES": machine.CPU.AES != nil,
		"cores":  machine.CPU.Cores != nil && machine.CPU.LogicalProcessors != nil && *machine.CPU.Cores >= 1 && *machine.CPU.LogicalProcessors >= *machine.CPU.Cores,
		"domain": machine.Join.Domain != nil, "Entra": machine.Join.Entra != nil, "MDM": machine.Join.MDM != nil,
	} {
		if !known {
			t.Errorf("%s is not known", fact)
		}
	}
	if policy, problems := r.Policy(t.Context()); policy.PreventDeviceEncryption == nil || policy.RequireDeviceEncryption == nil {
		t.Errorf("%+v %+v", policy, problems)
	}
}

// The firmware's table is one, and what is decoded of it fits into it.
func TestLiveFirmwareTable(t *testing.T) {
	table, err := Live().SMBIOS()
	if err != nil {
		t.Skipf("there is no firmware table: %v", err)
	}
	if len(table) < 8 {
		t.Errorf("the table has %d bytes", len(table))
	}
	t.Logf("enclosures %v in %d bytes", decodeChassis(table), len(table))
}

// Policies that a command wrote are read.
func TestLivePolicies(t *testing.T) {
	if os.Getenv("DISKAUDIT_POLICIES_WRITTEN") == "" {
		t.Skip("nobody wrote policies")
	}
	policy, problems := New(Live(), registry.Live()).Policy(t.Context())
	got := decisions(policy)
	for name, want := range map[string]any{
		"prevent": true, "denyFixed": true, "denyRemovable": false, "fips": nil, "methodOS": contract.XtsAes256, "methodFixed": contract.XtsAes128,
		"methodRemovable": contract.Aes128, "hardwareOS": false, "require": true, "enforces": true,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, not %v", name, got[name], want)
		}
	}
	if strings.Join(policy.Origins, "; ") != denyKey+"; "+policyKey+"; MBAM or Configuration Manager ("+managementKey+"); Intune" {
		t.Errorf("%q", policy.Origins)
	}
	if codes(problems) != `policy-value-unusable/warning/`+fipsKey+`\Enabled management-agent-missing/warning/`+managementKey {
		t.Errorf("%s", codes(problems))
	}
	if pending := New(Live(), registry.Live()).RebootPending(); pending == nil || !*pending {
		t.Errorf("the pending restart is %v", show(pending))
	}
}
