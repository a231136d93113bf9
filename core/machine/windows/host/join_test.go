package host

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/registry"
)

const (
	guid      = "8C2F7A5E-1D3B-4F6A-9E0C-2B4D6F8A1C3E"
	otherGUID = "11112222-3333-4444-5555-666677778888"
)

// enrolment is that of an Intune or another management.
func enrolment(provider string) map[string]any {
	return map[string]any{
		"ProviderID": provider, "EnrollmentState": 1, "EnrollmentType": 6,
		"DiscoveryServiceFullURL": "https://enrollment.example.com/Discovery.svc", "UPN": "user@example.com",
	}
}

func withValue(values map[string]any, name string, value any) map[string]any {
	values[name] = value
	return values
}

// Cases B45, C39: who manages the computer, by functions and registry, which can contradict.
func TestJoin(t *testing.T) {
	device, workplace, undefined := contract.Ptr(uint32(entraDevice)), contract.Ptr(uint32(entraWorkplace)), contract.Ptr(uint32(0))
	joined := registry.Memory{joinInfoKey + `\0A1B2C3D`: {"TenantId": "t", "UserEmail": "user@example.com"}}
	enrolled := registry.Memory{enrolmentsKey + `\` + guid: enrolment("MS DM Server")}
	both := with(joined, enrolled)
	for name, c := range map[string]struct {
		domain  uint32
		entra   *uint32
		managed bool
		errors  map[string]error
		memory  registry.Memory
		want    string // domain, Entra, MDM, its name
		says    string
	}{
		"nobody":                   {joinWorkgroup, nil, false, nil, nil, "false false false <nil>", ""},
		"no workgroup either":      {joinUnjoined, nil, false, nil, nil, "false false false <nil>", ""},
		"domain":                   {joinDomain, nil, false, nil, nil, "true false false <nil>", ""},
		"Entra":                    {joinWorkgroup, device, false, nil, joined, "false true false <nil>", ""},
		"Entra and Intune":         {joinWorkgroup, device, true, nil, both, "false true true MS DM Server", ""},
		"hybrid":                   {joinDomain, device, true, nil, both, "true true true MS DM Server", ""},
		"work account only":        {joinWorkgroup, workplace, false, nil, nil, "false false false <nil>", ""},
		"another management":       {joinWorkgroup, nil, true, nil, registry.Memory{enrolmentsKey + `\` + guid: enrolment("Fleet")}, "false false true Fleet", ""},
		"two managements":          {joinWorkgroup, nil, true, nil, with(enrolled, registry.Memory{enrolmentsKey + `\` + otherGUID: enrolment("Abc")}), "false false true MS DM Server", ""},
		"unknown status":           {0, nil, false, nil, nil, "<nil> false false <nil>", "domain (Windows says that it does not know)"},
		"unknown kind of join":     {joinWorkgroup, undefined, false, nil, nil, "false <nil> false <nil>", "Entra ID (Windows says"},
		"left over join":           {joinWorkgroup, nil, false, nil, joined, "false <nil> false <nil>", "Leftovers of an earlier join"},
		"join without its key":     {joinWorkgroup, device, false, nil, nil, "false <nil> false <nil>", "Windows says yes"},
		"left over enrolment":      {joinWorkgroup, nil, false, nil, enrolled, "false false <nil> MS DM Server", "Leftovers of an earlier management"},
		"enrolled without its key": {joinWorkgroup, nil, true, nil, nil, "false false <nil> <nil>", "Windows says yes"},
		"server":                   {joinDomain, nil, false, map[string]error{"Managed": ErrNotOffered}, nil, "true false false <nil>", ""},
		"server with Intune":       {joinDomain, nil, false, map[string]error{"Managed": ErrNotOffered, "EntraJoin": ErrNotOffered}, both, "true true true MS DM Server", ""},
		"enrolment that failed":    {joinWorkgroup, nil, false, nil, registry.Memory{enrolmentsKey + `\` + guid: withValue(enrolment("MS DM Server"), "EnrollmentState", 3)}, "false false false <nil>", ""},
		"without its service":      {joinWorkgroup, nil, false, nil, registry.Memory{enrolmentsKey + `\` + guid: withValue(enrolment("MS DM Server"), "DiscoveryServiceFullURL", "")}, "false false false <nil>", ""},
		"bridge":                   {joinWorkgroup, nil, false, nil, registry.Memory{enrolmentsKey + `\` + guid: enrolment(bridgeProvider)}, "false false false <nil>", ""},
		"keys denied":              {joinWorkgroup, nil, true, nil, registry.Memory{enrolmentsKey: {"*": fs.ErrPermission}, joinInfoKey: {"*": fs.ErrPermission}}, "false false true <nil>", "name of the device management"},
		"keys denied, no function": {joinWorkgroup, nil, false, map[string]error{"Managed": ErrNotOffered, "EntraJoin": ErrNotOffered},
			registry.Memory{enrolmentsKey: {"*": fs.ErrPermission}, joinInfoKey: {"*": fs.ErrPermission}}, "false <nil> <nil> <nil>", "Run as administrator"},
	} {
		system, memory := desktop()
		system.domain, system.entra, system.managed = c.domain, c.entra, c.managed
		if c.errors != nil {
			system.errors = c.errors
		}
		machine, problems := reader(system, with(memory, c.memory)).Machine(t.Context(), false)
		join := machine.Join
		if got := fmt.Sprint(show(join.Domain), " ", show(join.Entra), " ", show(join.MDM), " ", show(join.MDMProvider)); got != c.want {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
		var texts []string
		for _, p := range problems {
			texts = append(texts, p.Text)
		}
		said := strings.Join(texts, "\n")
		if !strings.Contains(said, c.says) {
			t.Errorf("%s: it says %s", name, said)
		}
		if strings.Contains(said, "example.com") {
			t.Errorf("%s: it names the user: %s", name, said)
		}
	}
}
