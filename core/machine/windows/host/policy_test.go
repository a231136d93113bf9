package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/registry"
)

// decisions are the fields of a policy by name.
func decisions(p contract.Policy) map[string]any {
	return map[string]any{
		"prevent": show(p.PreventDeviceEncryption), "require": show(p.RequireDeviceEncryption),
		"denyFixed": show(p.DenyWriteFixed), "denyRemovable": show(p.DenyWriteRemovable),
		"fips": show(p.FIPS), "enforces": show(p.ManagementEnforces),
		"methodOS": show(p.EncryptionMethods.OperatingSystem), "methodFixed": show(p.EncryptionMethods.Fixed), "methodRemovable": show(p.EncryptionMethods.Removable),
		"hardwareOS": show(p.HardwareEncryption.OperatingSystem), "hardwareFixed": show(p.HardwareEncryption.Fixed), "hardwareRemovable": show(p.HardwareEncryption.Removable),
	}
}

// unset is what a Windows says on which nobody set anything.
func unset() map[string]any {
	return map[string]any{
		"prevent": false, "require": false, "denyFixed": false, "denyRemovable": false, "fips": false, "enforces": false,
		"methodOS": nil, "methodFixed": nil, "methodRemovable": nil, "hardwareOS": nil, "hardwareFixed": nil, "hardwareRemovable": nil,
	}
}

func TestNothingSet(t *testing.T) {
	system, memory := desktop()
	policy, problems := reader(system, memory).Policy(t.Context())
	for name, want := range unset() {
		if got := decisions(policy)[name]; got != want {
			t.Errorf("%s is %v, not %v", name, got, want)
		}
	}
	if len(problems)+len(policy.Settings)+len(policy.Origins) != 0 {
		t.Errorf("%+v %+v %+v", problems, policy.Settings, policy.Origins)
	}
}

// Each setting that decides: set, set otherwise, denied, of a wrong type, and impossible.
// Cases B57, B60, B75.
func TestEachDecision(t *testing.T) {
	xml := func(id, value string) string { return `<enabled/><data id="` + id + `" value="` + value + `"/>` }
	type decides struct {
		key, name, field string
		data             map[any]any // what the field becomes by the value's data
		impossible       any
	}
	cases := []decides{
		{controlKey, "PreventDeviceEncryption", "prevent", map[any]any{1: true, 0: false, uint64(1): true}, 2},
		{denyKey, "FDVDenyWriteAccess", "denyFixed", map[any]any{1: true, 0: false}, -1},
		{denyKey, "RDVDenyWriteAccess", "denyRemovable", map[any]any{1: true, 0: false}, 9},
		{fipsKey, "Enabled", "fips", map[any]any{1: true, 0: false}, 3},
		{policyKey, "OSHardwareEncryption", "hardwareOS", map[any]any{1: true, 0: false}, 2},
		{policyKey, "FDVHardwareEncryption", "hardwareFixed", map[any]any{1: true, 0: false}, 2},
		{policyKey, "RDVHardwareEncryption", "hardwareRemovable", map[any]any{1: true, 0: false}, 2},
		{managementKey, "ShouldEncryptOSDrive", "enforces", map[any]any{1: true, 0: false}, 7},
		{managerKey, "RequireDeviceEncryption", "require", map[any]any{1: true, 0: false}, 5},
		{managerKey, "FixedDrivesRequireEncryption", "denyFixed", map[any]any{"<enabled/>": true, "<disabled/>": false}, "<perhaps/>"},
		{managerKey, "RemovableDrivesRequireEncryption", "denyRemovable", map[any]any{xml("RDVCrossOrg", "true"): true, "<disabled/>": false}, "1"},
		{managerKey, "EncryptionMethodByDriveType", "methodOS", map[any]any{xml("EncryptionMethodWithXtsOsDropDown_Name", "7"): contract.XtsAes256, "<disabled/>": nil, "<enabled/>": nil}, xml("EncryptionMethodWithXtsOsDropDown_Name", "5")},
	}
	for i, name := range []string{"EncryptionMethodWithXtsOs", "EncryptionMethodWithXtsFdv", "EncryptionMethodWithXtsRdv"} {
		cases = append(cases, decides{policyKey, name, []string{"methodOS", "methodFixed", "methodRemovable"}[i],
			map[any]any{3: contract.Aes128, 4: contract.Aes256, 6: contract.XtsAes128, 7: contract.XtsAes256}, 5})
	}
	system, _ := desktop()
	for _, c := range cases {
		for data, want := range c.data {
			policy, problems := reader(system, registry.Memory{c.key: {c.name: data}}).Policy(t.Context())
			expected := unset()
			expected[c.field] = want
			for name, want := range expected {
				if got := decisions(policy)[name]; got != want {
					t.Errorf("%s %v: %s is %v, not %v", c.name, data, name, got, want)
				}
			}
			if len(policy.Settings) != 1 || policy.Settings[0].Name != c.name || policy.Settings[0].Key != c.key || policy.Settings[0].Data != fmt.Sprint(data) {
				t.Errorf("%s %v: %+v", c.name, data, policy.Settings)
			}
			for _, p := range problems {
				if p.Code != "management-agent-missing" {
					t.Errorf("%s %v: %+v", c.name, data, p)
				}
			}
		}
		for what, data := range map[string]any{"impossible": c.impossible, "bytes": []byte{1, 2, 3}, "texts": []string{"1", "2"}, "odd number": registry.Value{Type: registry.TypeDWord, Data: []byte{1}}} {
			policy, problems := reader(system, registry.Memory{c.key: {c.name: data}}).Policy(t.Context())
			if got := decisions(policy)[c.field]; got != nil {
				t.Errorf("%s, %s: %s is %v", c.name, what, c.field, got)
			}
			level := "warning"
			if slices.Contains([]string{"prevent", "require", "denyFixed", "denyRemovable", "enforces"}, c.field) {
				level = "error"
			}
			if codes(problems) != "policy-value-unusable/"+level+"/"+c.key+`\`+c.name {
				t.Errorf("%s, %s: %s", c.name, what, codes(problems))
			}
			if len(policy.Settings) != 1 || policy.Settings[0].Data == "" || !strings.HasSuffix(policy.Settings[0].Meaning, "makes no sense") {
				t.Errorf("%s, %s: %+v", c.name, what, policy.Settings)
			} else {
				expectText(t, problems, "policy-value-unusable", c.name, fmt.Sprintf("%q", policy.Settings[0].Data), "learn.microsoft.com/")
			}
		}
		for _, refusal := range []error{fs.ErrPermission, errBroken} {
			for _, name := range []string{c.name, "*"} {
				policy, problems := reader(system, registry.Memory{c.key: {name: refusal}}).Policy(t.Context())
				if got := decisions(policy)[c.field]; got != nil {
					t.Errorf("%s cannot be read: %s is %v", c.name, c.field, got)
				}
				if codes(problems) != "policy-unreadable/error/"+c.key || len(policy.Settings) != 0 {
					t.Errorf("%s cannot be read: %s, %+v", c.name, codes(problems), policy.Settings)
				}
				expectText(t, problems, "policy-unreadable", c.name, "unknown, not unset")
			}
		}
	}
}

// What one place demands stays demanded, whatever cannot be read elsewhere; what none is known to
// demand is unknown as soon as one is.
func TestTwoPlacesForOneDecision(t *testing.T) {
	const xts128 = `<enabled/><data id="EncryptionMethodWithXtsOsDropDown_Name" value="6"/><data id="EncryptionMethodWithXtsFdvDropDown_Name" value="6"/><data id="EncryptionMethodWithXtsRdvDropDown_Name" value="3"/>`
	for name, c := range map[string]struct {
		memory registry.Memory
		field  string
		want   any
	}{
		"both off":                  {registry.Memory{denyKey: {"FDVDenyWriteAccess": 0}, managerKey: {"FixedDrivesRequireEncryption": "<disabled/>"}}, "denyFixed", false},
		"MDM demands, not yet set":  {registry.Memory{managerKey: {"FixedDrivesRequireEncryption": "<enabled/>"}}, "denyFixed", true},
		"MDM demands, key off":      {registry.Memory{denyKey: {"FDVDenyWriteAccess": 0}, managerKey: {"FixedDrivesRequireEncryption": "<enabled/>"}}, "denyFixed", true},
		"set, MDM denied":           {registry.Memory{denyKey: {"FDVDenyWriteAccess": 1}, managerKey: {"*": fs.ErrPermission}}, "denyFixed", true},
		"off, MDM denied":           {registry.Memory{denyKey: {"FDVDenyWriteAccess": 0}, managerKey: {"*": fs.ErrPermission}}, "denyFixed", nil},
		"key before MDM":            {registry.Memory{policyKey: {"EncryptionMethodWithXtsOs": 7}, managerKey: {"EncryptionMethodByDriveType": xts128}}, "methodOS", contract.XtsAes256},
		"key, MDM denied":           {registry.Memory{policyKey: {"EncryptionMethodWithXtsOs": 7}, managerKey: {"*": fs.ErrPermission}}, "methodOS", contract.XtsAes256},
		"MDM, key denied":           {registry.Memory{policyKey: {"*": fs.ErrPermission}, managerKey: {"EncryptionMethodByDriveType": xts128}}, "methodOS", nil},
		"MDM alone":                 {registry.Memory{managerKey: {"EncryptionMethodByDriveType": xts128}}, "methodRemovable", contract.Aes128},
		"key impossible, MDM sound": {registry.Memory{policyKey: {"EncryptionMethodWithXtsFdv": 99}, managerKey: {"EncryptionMethodByDriveType": xts128}}, "methodFixed", nil},
		"legacy cipher only":        {registry.Memory{policyKey: {"EncryptionMethod": 4, "EncryptionMethodNoDiffuser": 4}}, "methodOS", nil},
	} {
		system, _ := desktop()
		policy, _ := reader(system, c.memory).Policy(t.Context())
		if got := decisions(policy)[c.field]; got != c.want {
			t.Errorf("%s: %s is %v, not %v", name, c.field, got, c.want)
		}
	}
}

// A fact that another place tells is not missing, so its document is complete.
func TestUnusableBesideAnotherThatDecides(t *testing.T) {
	for name, c := range map[string]struct {
		memory registry.Memory
		code   string
	}{
		"MDM demands":      {registry.Memory{denyKey: {"FDVDenyWriteAccess": 7}, managerKey: {"FixedDrivesRequireEncryption": "<enabled/>"}}, "policy-value-unusable/warning/" + denyKey + `\FDVDenyWriteAccess`},
		"MDM says no":      {registry.Memory{denyKey: {"FDVDenyWriteAccess": 7}, managerKey: {"FixedDrivesRequireEncryption": "<disabled/>"}}, "policy-value-unusable/error/" + denyKey + `\FDVDenyWriteAccess`},
		"only listed":      {registry.Memory{managementKey: {"OSDriveProtector": "Contoso"}}, "policy-value-unusable/warning/" + managementKey + `\OSDriveProtector`},
		"a cipher, no XML": {registry.Memory{managerKey: {"EncryptionMethodByDriveType": "<Contoso></Fabrikam>"}}, "policy-value-unusable/warning/" + managerKey + `\EncryptionMethodByDriveType`},
	} {
		system, _ := desktop()
		_, problems := reader(system, c.memory).Policy(t.Context())
		if codes(problems) != c.code {
			t.Errorf("%s: %s", name, codes(problems))
		}
		for _, p := range problems {
			// Outside of its quotation the text has no words of the setting.
			if begin, end := strings.Index(p.Text, `"`), strings.LastIndex(p.Text, `"`); strings.Contains(p.Text[:begin]+p.Text[end:], "Contoso") || strings.Contains(p.Text[end:], "Fabrikam") {
				t.Errorf("%s: %s", name, p.Text)
			}
		}
	}
}

// Case B24: a company's laptop under Intune, with what is set, what it means, and who set it.
func TestIntune(t *testing.T) {
	system, memory := desktop()
	memory = with(memory, registry.Memory{
		enrolmentsKey + `\` + guid: enrolment(intune),
		managerKey: {
			"RequireDeviceEncryption": 1, "RequireDeviceEncryption_ProviderSet": 1, "RequireDeviceEncryption_WinningProvider": guid,
			"AllowWarningForOtherDiskEncryption": 0, "AllowWarningForOtherDiskEncryption_WinningProvider": "{" + strings.ToLower(guid) + "}",
			"SystemDrivesEncryptionType": `<enabled/><data id="OSEncryptionTypeDropDown_Name" value="2"/>`, "SystemDrivesEncryptionType_WinningProvider": guid,
			"ConfigureRecoveryPasswordRotation": 2, "ConfigureRecoveryPasswordRotation_WinningProvider": guid,
		},
		policyKey: {"OSEncryptionType": 2, "UseTPM": 1, "UseEnhancedPin": 1, "MinimumPIN": 8, "OSAllowedHardwareEncryptionAlgorithms": "2.16.840.1.101.3.4.1.2;2.16.840.1.101.3.4.1.42"},
	})
	policy, problems := reader(system, memory).Policy(t.Context())
	if len(problems) != 0 || show(policy.RequireDeviceEncryption) != true {
		t.Errorf("%+v, %s", policy, codes(problems))
	}
	if got := strings.Join(policy.Origins, "; "); got != policyKey+"; Intune" {
		t.Errorf("origins %s", got)
	}
	var listed []string
	for _, s := range policy.Settings {
		listed = append(listed, s.Name+"="+s.Data+" "+s.Meaning)
	}
	want := []string{
		"OSAllowedHardwareEncryptionAlgorithms=2.16.840.1.101.3.4.1.2;2.16.840.1.101.3.4.1.42 ciphers of drives that are allowed for operating system volumes, by object identifier",
		"OSEncryptionType=2 how much of operating system volumes is encrypted at first: used space only",
		"UseTPM=1 startup with the TPM alone: required",
		"UseEnhancedPin=1 letters and other characters in the startup PIN: allowed",
		"MinimumPIN=8 fewest characters of the startup PIN",
		"RequireDeviceEncryption=1 require encryption; what is decrypted is encrypted again: on",
		"AllowWarningForOtherDiskEncryption=0 warning of other encryption; without it Windows encrypts silently: not allowed",
		`SystemDrivesEncryptionType=<enabled/><data id="OSEncryptionTypeDropDown_Name" value="2"/> how much of operating system volumes is encrypted at first: enabled; used space only`,
		"ConfigureRecoveryPasswordRotation=2 change of the recovery password after its use: for computers joined to Entra ID, hybrid ones included",
	}
	if strings.Join(listed, "\n") != strings.Join(want, "\n") {
		t.Errorf("settings:\n%s", strings.Join(listed, "\n"))
	}
}

func TestOriginsOfDeviceManagement(t *testing.T) {
	for name, c := range map[string]struct {
		winner   any
		provider any
		origin   string
		code     string
	}{
		"Intune":          {guid, intune, "Intune", ""},
		"another":         {guid, "Fleet", "Fleet", ""},
		"bridge":          {guid, bridgeProvider, "Configuration Manager or a script, through the MDM bridge", ""},
		"left over":       {otherGUID, intune, "device management (" + managerKey + ")", "policy-origin-unknown/warning/" + managerKey + `\RequireDeviceEncryption`},
		"nobody":          {nil, intune, "device management (" + managerKey + ")", ""},
		"no GUID":         {`..\..\SAM`, intune, "device management (" + managerKey + ")", ""},
		"a number":        {7, intune, "device management (" + managerKey + ")", ""},
		"provider denied": {guid, fs.ErrPermission, "device management (" + managerKey + ")", ""},
	} {
		system, _ := desktop()
		values := map[string]any{"RequireDeviceEncryption": 1}
		if c.winner != nil {
			values["RequireDeviceEncryption_WinningProvider"] = c.winner
		}
		policy, problems := reader(system, registry.Memory{managerKey: values, enrolmentsKey + `\` + guid: {"ProviderID": c.provider}}).Policy(t.Context())
		if len(policy.Origins) != 1 || policy.Origins[0] != c.origin || codes(problems) != c.code || show(policy.RequireDeviceEncryption) != true {
			t.Errorf("%s: %q, %s", name, policy.Origins, codes(problems))
		}
	}
}

// MBAM and Configuration Manager; case C39: a demand whose agent has gone.
func TestBitLockerManagement(t *testing.T) {
	demand := registry.Memory{managementKey: {"ShouldEncryptOSDrive": 1, "UseOSEnforcePolicy": 1, "OSEnforcePolicyPeriod": 3, "OSDriveProtector": 4}}
	agent := registry.Memory{agentKey: {"ImagePath": "MBAMAgent.exe"}}
	for name, c := range map[string]struct {
		memory registry.Memory
		code   string
	}{
		"with its agent": {with(demand, agent), ""},
		"left over":      {demand, "management-agent-missing/warning/" + managementKey},
		"agent's denied": {with(demand, registry.Memory{agentKey: {"*": fs.ErrPermission}}), ""},
	} {
		system, _ := desktop()
		policy, problems := reader(system, c.memory).Policy(t.Context())
		if show(policy.ManagementEnforces) != true || codes(problems) != c.code {
			t.Errorf("%s: %v, %s", name, show(policy.ManagementEnforces), codes(problems))
		}
		if len(policy.Origins) != 1 || !strings.HasPrefix(policy.Origins[0], "MBAM or Configuration Manager") || len(policy.Settings) != 4 {
			t.Errorf("%s: %q, %d settings", name, policy.Origins, len(policy.Settings))
		}
	}
}

// A number that is newer than this program is listed; it decides about nothing.
func TestListedNumberWithoutAMeaning(t *testing.T) {
	system, _ := desktop()
	policy, problems := reader(system, registry.Memory{policyKey: {"UseTPM": 3}}).Policy(t.Context())
	if len(problems) != 0 || len(policy.Settings) != 1 || !strings.Contains(policy.Settings[0].Meaning, "3, which has no meaning that is known here") {
		t.Errorf("%+v %s", policy.Settings, codes(problems))
	}
}

func TestPolicyStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	system, memory := desktop()
	policy, problems := reader(system, with(memory, registry.Memory{controlKey: {"PreventDeviceEncryption": 0}})).Policy(ctx)
	for name, got := range decisions(policy) {
		if got != nil {
			t.Errorf("%s is %v", name, got)
		}
	}
	if len(problems) == 0 || problems[0].Code != "policy-unreadable" {
		t.Errorf("%s", codes(problems))
	}
}

func TestDataIsBounded(t *testing.T) {
	system, _ := desktop()
	long := strings.Repeat("x\x01", 100_000)
	policy, problems := reader(system, registry.Memory{
		policyKey:  {"OSAllowedHardwareEncryptionAlgorithms": long, "EncryptionMethodWithXtsOs": make([]byte, 1<<20)},
		managerKey: {"EncryptionMethodByDriveType": long},
	}).Policy(t.Context())
	if len(policy.Settings) != 3 {
		t.Fatalf("%d settings", len(policy.Settings))
	}
	for _, s := range policy.Settings {
		if len(s.Data) > 2*dataLimit || strings.Contains(s.Data, "\x01") {
			t.Errorf("%s has %d bytes", s.Name, len(s.Data))
		}
	}
	for _, p := range problems {
		if len(p.Text) > 4*dataLimit {
			t.Errorf("%s has a text of %d bytes", p.Code, len(p.Text))
		}
	}
}

// The table itself: each setting once, with a page, and a field for nothing but numbers and templates.
func TestSettingsTable(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range settings {
		path := strings.ToLower(s.key + `\` + s.name)
		if seen[path] || s.page == "" || s.meaning == "" || !strings.HasPrefix(s.key, `HKLM\`) {
			t.Errorf("%s is there twice, or lacks something", path)
		}
		seen[path] = true
		if s.field != nil && (s.kind == text || s.kind == number && s.words == nil) || len(s.parts) > 0 && s.kind != template {
			t.Errorf("%s decides about a field without knowing its numbers", path)
		}
	}
}

func TestADMX(t *testing.T) {
	for text, want := range map[string]string{
		`<enabled/>`:  "true map[]",
		`<disabled/>`: "false map[]",
		` <enabled />` + "\r\n" + `<data id="A" value="1"/> <data id='B' value='a &amp; b'></data>`: "true map[A:1 B:a & b]",
		`<data id="A" value="1"/><enabled/>`: "true map[A:1]",
	} {
		parsed, err := parseADMX(text)
		if got := fmt.Sprint(parsed.enabled, " ", parsed.data); got != want || err != nil {
			t.Errorf("%s: %s %v, not %s", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "1", "<enabled>", "<enabled/><disabled/>", "<enabled/><enabled/>", `<enabled/><data value="1"/>`, "<enabled/>text",
		`<enabled/><data id="A" value="1"/><data id="A" value="2"/>`, "<enabled/></setting><enabled/>", "<other/>", "<enabled><data id='A'/></enabled>",
		"</setting><setting><enabled/>", "<enabled/>&unknown;", "<!DOCTYPE x [<!ENTITY e 'x'>]><enabled/>&e;", strings.Repeat(" ", admxLimit) + "<enabled/>",
		"<enabled/>" + strings.Repeat("<data id='", 3),
	} {
		if parsed, err := parseADMX(text); err == nil {
			t.Errorf("%.80s: %+v", text, parsed)
		}
	}
}

func FuzzADMX(f *testing.F) {
	for _, text := range []string{"<enabled/>", "<disabled/>", `<enabled/><data id="A" value="7"/>`, "<enabled", "</setting>", "<?xml?><enabled/>"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := parseADMX(text)
		if err == nil && !strings.Contains(text, "enabled") && !strings.Contains(text, "disabled") {
			t.Errorf("%q is %+v", text, parsed)
		}
		if len(parsed.data) > admxData {
			t.Errorf("%d pieces of data", len(parsed.data))
		}
	})
}

// FuzzPolicy gives every setting the same bytes: whatever they are, nothing breaks, and a field is
// known only when the bytes are one of the documented numbers.
func FuzzPolicy(f *testing.F) {
	f.Add(uint32(registry.TypeDWord), []byte{1, 0, 0, 0})
	f.Add(uint32(registry.TypeQWord), []byte{7, 0, 0, 0, 0, 0, 0, 0})
	f.Add(uint32(registry.TypeString), []byte("<\x00e\x00n\x00a\x00b\x00l\x00e\x00d\x00/\x00>\x00"))
	f.Add(uint32(0xFFFFFFFF), []byte{})
	f.Fuzz(func(t *testing.T, kind uint32, data []byte) {
		policy, problems := reader(fakeSystem{}, everywhere{registry.Value{Type: kind, Data: data}}).Policy(t.Context())
		if len(policy.Settings) != len(settings) {
			t.Errorf("%d of %d settings are listed", len(policy.Settings), len(settings))
		}
		number, err := registry.Value{Type: kind, Data: data}.Number()
		if known := policy.PreventDeviceEncryption != nil; known != (err == nil && number <= 1) {
			t.Errorf("type %d, %X: PreventDeviceEncryption is %v", kind, data, show(policy.PreventDeviceEncryption))
		}
		for _, p := range problems {
			if p.Text == "" || p.Level == contract.LevelError && p.Code != "policy-value-unusable" {
				t.Errorf("%+v", p)
			}
		}
	})
}

// everywhere is a registry in which every value is the same.
type everywhere struct{ value registry.Value }

func (e everywhere) Value(string, string) (registry.Value, error) { return e.value, nil }
func (e everywhere) Subkeys(string) ([]string, error)             { return nil, errors.ErrUnsupported }
func (e everywhere) Names(string) ([]string, error)               { return nil, nil }
