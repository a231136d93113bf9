package host

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestPower(t *testing.T) {
	const (
		tower, laptop, tablet, other = 3, 10, 30, 1
		balanced                     = "381b4222-f694-41f0-9685-ff5bb260df2e"
	)
	onMains, onBattery := PowerStatus{1, 1 | 8, 96, 0}, PowerStatus{0, 2, 12, 0}
	none := PowerStatus{1, batteryNone, 255, 0}
	unknown := PowerStatus{255, 255, 255, 255}
	for name, c := range map[string]struct {
		status  PowerStatus
		chassis []byte
		virtual bool
		plan    string
		overlay string
		want    string // source, portable, charge, saver
	}{
		"tower":                          {none, []byte{tower}, false, balanced, "", "ac false <nil> false"},
		"laptop on mains":                {onMains, []byte{laptop}, false, balanced, "", "ac true 96 false"},
		"laptop on battery":              {onBattery, []byte{laptop}, false, balanced, "", "battery true 12 false"},
		"battery neither low nor high":   {PowerStatus{0, 0, 50, 0}, []byte{laptop}, false, balanced, "", "battery true 50 false"},
		"battery saver":                  {PowerStatus{0, 2, 12, 1}, []byte{laptop}, false, balanced, "", "battery true 12 true"},
		"charge unknown":                 {PowerStatus{1, 8, 255, 0}, []byte{laptop}, false, balanced, "", "ac true <nil> false"},
		"laptop whose battery is out":    {none, []byte{laptop}, false, balanced, "", "ac true <nil> false"},
		"docked laptop":                  {onMains, []byte{laptop, 12}, false, balanced, "", "ac true 96 false"},
		"tablet":                         {onBattery, []byte{tablet}, false, balanced, "", "battery true 12 false"},
		"workstation with a UPS":         {onMains, []byte{tower}, false, balanced, "", "ac false 96 false"},
		"workstation on its UPS":         {onBattery, []byte{tower}, false, balanced, "", "battery false 12 false"},
		"backup power":                   {PowerStatus{2, 1, 90, 0}, []byte{tower}, false, balanced, "", "battery false 90 false"},
		"no chassis, battery":            {onMains, nil, false, balanced, "", "ac true 96 false"},
		"no chassis, no battery":         {none, nil, false, balanced, "", "ac <nil> <nil> false"},
		"chassis other, no battery":      {none, []byte{other}, false, balanced, "", "ac <nil> <nil> false"},
		"nothing known":                  {unknown, nil, false, balanced, "", "<nil> <nil> <nil> false"},
		"nothing known in a tower":       {unknown, []byte{tower}, false, balanced, "", "<nil> false <nil> false"},
		"source unknown, no battery":     {PowerStatus{255, batteryNone, 255, 0}, []byte{tower}, false, balanced, "", "ac false <nil> false"},
		"guest":                          {none, []byte{tower}, true, balanced, "", "ac false <nil> false"},
		"guest on a laptop":              {onBattery, []byte{tower}, true, balanced, "", "battery true 12 false"},
		"guest of unknown chassis":       {none, []byte{other}, true, balanced, "", "ac false <nil> false"},
		"power saver":                    {none, []byte{tower}, false, saverScheme, "", "ac false <nil> true"},
		"power mode best efficiency":     {onMains, []byte{laptop}, false, balanced, "ActiveOverlayAcPowerScheme", "ac true 96 true"},
		"power mode without effect":      {onMains, []byte{laptop}, false, fastScheme, "ActiveOverlayAcPowerScheme", "ac true 96 false"},
		"power mode for battery only":    {onMains, []byte{laptop}, false, balanced, "ActiveOverlayDcPowerScheme", "ac true 96 false"},
		"power mode for battery, in use": {onBattery, []byte{laptop}, false, balanced, "ActiveOverlayDcPowerScheme", "battery true 12 true"},
	} {
		system, memory := desktop()
		system.power, system.smbios, system.plan.GUID = c.status, smbiosTable(c.chassis...), c.plan
		if c.virtual {
			memory[biosKey]["SystemManufacturer"] = "VMware, Inc."
		}
		if c.overlay != "" {
			memory[schemesKey][c.overlay] = strings.ToUpper(saverOverlay)
		}
		machine, problems := reader(system, memory).Machine(t.Context(), false)
		power := machine.Power
		if got := fmt.Sprint(show(power.Source), " ", show(power.Portable), " ", show(power.BatteryPercent), " ", show(power.Saver)); got != c.want {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
		if said := fmt.Sprint(problems); power.Portable == nil && !strings.Contains(said, "portable") || power.Source == nil && !strings.Contains(said, "power source") {
			t.Errorf("%s: unknown without a word: %s", name, said)
		}
	}
}

// A stationary chassis with a battery, and no word about a guest: it can be either.
func TestPortableWhereNothingIsCertain(t *testing.T) {
	battery := PowerStatus{1, 1, 80, 0}
	if got := portable(&battery, []byte{3}, nil); got != nil {
		t.Errorf("portable is %v", *got)
	}
}

func TestSaverIsUnknownWithoutThePlan(t *testing.T) {
	system, memory := desktop()
	system.errors["PowerPlan"] = errBroken
	if machine, _ := reader(system, memory).Machine(t.Context(), false); machine.Power.Saver != nil || machine.Power.Plan != nil {
		t.Errorf("%+v", machine.Power)
	}
	system.power.SystemStatus = saverOn
	if machine, _ := reader(system, memory).Machine(t.Context(), false); show(machine.Power.Saver) != true {
		t.Errorf("the saver that is on is %v", show(machine.Power.Saver))
	}
}

// The scheme decides, whatever becomes of its name.
func TestSaverWithoutANameOfThePlan(t *testing.T) {
	system, memory := desktop()
	system.plan = PowerPlan{GUID: saverScheme}
	machine, problems := reader(system, memory).Machine(t.Context(), false)
	if show(machine.Power.Saver) != true || machine.Power.Plan != nil {
		t.Errorf("%+v", machine.Power)
	}
	expectText(t, problems, "host-facts-unknown", "", "name of the power plan (Windows does not tell)")
}

func TestChassis(t *testing.T) {
	table := smbiosTable(10, 12|0x80)
	if got := decodeChassis(table); !slices.Equal(got, []byte{10, 12}) {
		t.Errorf("%v", got)
	}
	for name, raw := range map[string][]byte{
		"nothing": nil, "a header": table[:8], "a structure cut short": table[:20], "texts without an end": table[:40],
		"length of nothing":        append(slices.Clone(table[:4]), make([]byte, 300)...),
		"a structure of no length": {0, 3, 2, 0, 8, 0, 0, 0, 3, 0, 0, 0, 0, 10, 0, 0},
	} {
		if got := decodeChassis(raw); len(got) != 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func FuzzChassis(f *testing.F) {
	f.Add(smbiosTable(3))
	f.Add(smbiosTable(10, 12, 30))
	f.Add([]byte{0, 3, 2, 0, 255, 255, 255, 255, 3, 255})
	f.Fuzz(func(t *testing.T, raw []byte) {
		if got := decodeChassis(raw); len(got)*5 > len(raw) {
			t.Errorf("%d enclosures in %d bytes", len(got), len(raw))
		}
	})
}
