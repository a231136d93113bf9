package host

import (
	"context"
	"fmt"

	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/registry"
)

// Values of SYSTEM_POWER_STATUS
// (learn.microsoft.com/windows/win32/api/winbase/ns-winbase-system_power_status).
const (
	acOffline = 0
	acOnline  = 1
	// acBackup is power from a backup supply, such as a UPS.
	acBackup       = 2
	batteryNone    = 0x80
	batteryUnknown = 0xFF
	saverOn        = 1
)

const (
	// saverScheme is the plan "Power saver", GUID_MAX_POWER_SAVINGS
	// (learn.microsoft.com/windows/win32/power/power-setting-guids).
	saverScheme = "a1841308-3541-4fab-bc81-f71556f20b4a"
	// fastScheme is the plan "High performance", GUID_MIN_POWER_SAVINGS of the same page.
	fastScheme = "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c"
	// saverOverlay is the power mode "Best power efficiency", which lies over a plan
	// (learn.microsoft.com/windows/win32/api/powrprof/nf-powrprof-powergetuserconfigureddcpowermode).
	saverOverlay = "961cc777-2547-4f9d-8174-7d86181b8a7a"
	schemesKey   = `HKLM\SYSTEM\CurrentControlSet\Control\Power\User\PowerSchemes`
)

// power tells what feeds the computer and whether it saves power at the cost of speed.
func (r *Reader) power(ctx context.Context, notes *notes, guest *bool) contract.Power {
	var power contract.Power
	status := fact(ctx, notes, "power source", r.system.Power)
	var chassis []byte
	if table, err := within(ctx, r.system.SMBIOS); err == nil {
		chassis = decodeChassis(table)
	}
	if status != nil {
		power.Source = powerSource(*status)
		if power.Source == nil {
			notes.unknown("power source", "Windows does not tell")
		}
		if hasBattery(*status) && status.BatteryPercent <= 100 {
			power.BatteryPercent = contract.Ptr(float64(status.BatteryPercent))
		}
	}
	power.Portable = portable(status, chassis, guest)
	if power.Portable == nil {
		notes.unknown("whether it is portable", "battery and chassis do not tell, or contradict each other")
	}
	plan := fact(ctx, notes, "power plan", r.system.PowerPlan)
	switch {
	case plan == nil:
	case plan.Name == "":
		notes.unknown("name of the power plan", "Windows does not tell")
	default:
		power.Plan = named(notes, "name of the power plan", plan.Name)
	}
	power.Saver = r.saver(status, plan, power.Source)
	return power
}

// powerSource is mains unless Windows says otherwise. A computer without a battery that Windows
// sees runs on mains: nothing else is left.
func powerSource(status PowerStatus) *contract.PowerSource {
	switch {
	case status.ACLine == acOnline:
		return contract.Ptr(contract.PowerAC)
	case status.ACLine == acOffline || status.ACLine == acBackup:
		return contract.Ptr(contract.PowerBattery)
	case status.BatteryFlag != batteryUnknown && status.BatteryFlag&batteryNone != 0:
		return contract.Ptr(contract.PowerAC)
	}
	return nil
}

func hasBattery(status PowerStatus) bool {
	return status.BatteryFlag != batteryUnknown && status.BatteryFlag&batteryNone == 0
}

// portable tells whether the computer has a battery of its own. Windows counts a UPS that is
// attached by USB as a battery, so in a stationary chassis one says nothing; a guest's virtual
// battery is its host's, which then is portable. Laptops can be without their battery.
func portable(status *PowerStatus, chassis []byte, guest *bool) *bool {
	isGuest, real := guest != nil && *guest, guest != nil && !*guest
	none := status != nil && status.BatteryFlag != batteryUnknown && !hasBattery(*status)
	switch {
	case isPortable(chassis):
		return contract.Ptr(true)
	case isStationary(chassis) && (real || none):
		return contract.Ptr(false)
	case isGuest && none:
		return contract.Ptr(false)
	case status != nil && hasBattery(*status) && (isGuest || !isStationary(chassis)):
		return contract.Ptr(true)
	}
	return nil
}

// saver tells whether something trades speed for power: the plan, the power mode, or the battery
// or energy saver. Nil when neither of the first and the last can be read. The mode is there for
// "Balanced" and the plans made from it; another plan leaves it stored, without effect
// (learn.microsoft.com/windows-hardware/customize/desktop/customize-power-slider#slider-availability).
func (r *Reader) saver(status *PowerStatus, plan *PowerPlan, source *contract.PowerSource) *bool {
	saving := status != nil && status.SystemStatus == saverOn ||
		plan != nil && (plan.GUID == saverScheme || plan.GUID != fastScheme && r.overlay(source) == saverOverlay)
	if !saving && (status == nil || plan == nil) {
		return nil
	}
	return &saving
}

// overlay is the power mode for the present source of power, "" when none is set or readable.
func (r *Reader) overlay(source *contract.PowerSource) string {
	if source == nil {
		return ""
	}
	kind := "Ac"
	if *source == contract.PowerBattery {
		kind = "Dc"
	}
	text, err := registry.Text(r.registry, schemesKey, fmt.Sprintf("ActiveOverlay%sPowerScheme", kind))
	if err != nil || text == nil {
		return ""
	}
	return plainGUID(*text)
}
