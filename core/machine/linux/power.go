package linux

import (
	"slices"
	"strings"

	"diskaudit/core/contract"
)

// Chassis types of SMBIOS (DMTF DSP0134, System Enclosure or Chassis).
var (
	// portableChassis: portable, laptop, notebook, hand held, sub notebook, tablet, convertible, detachable.
	portableChassis = []uint64{8, 9, 10, 11, 14, 30, 31, 32}
	// stationaryChassis: desktops, towers, all in one, servers, racks, blades, mini PCs.
	stationaryChassis = []uint64{3, 4, 5, 6, 7, 13, 15, 16, 17, 23, 24, 25, 28, 29, 35, 36}
)

// supply is one entry of /sys/class/power_supply.
// Source: Documentation/ABI/testing/sysfs-class-power of the kernel.
type supply struct {
	kind     string
	online   *bool
	status   string
	capacity *uint64
}

// findPower tells what feeds the computer and whether it saves power at the cost of speed.
func findPower(t tree, guest *bool, unknown *reasons) contract.Power {
	var external, batteries []supply
	for _, s := range readSupplies(t) {
		switch s.kind {
		case "Mains", "USB", "Wireless":
			external = append(external, s)
		case "Battery":
			batteries = append(batteries, s)
		}
	}
	chassis, _ := t.number("sys/class/dmi/id/chassis_type")
	stationary := slices.Contains(stationaryChassis, chassis) && (guest == nil || !*guest)

	power := contract.Power{
		Source:         powerSource(external, batteries, stationary),
		BatteryPercent: charge(batteries),
	}
	switch {
	case len(batteries) > 0, slices.Contains(portableChassis, chassis):
		power.Portable = contract.Ptr(true)
	case stationary:
		power.Portable = contract.Ptr(false)
	default:
		unknown.add("whether it is portable", "there is no battery, and the firmware names no chassis")
	}
	if power.Source == nil {
		unknown.add("power source", "no power supply tells, and the firmware names no chassis that has none")
	}
	power.Plan, power.Saver = powerPlan(t)
	if power.Plan == nil && power.Saver == nil {
		unknown.add("power plan", "the kernel does not scale the processor's frequency here")
	}
	return power
}

func readSupplies(t tree) []supply {
	const class = "sys/class/power_supply"
	names, err := t.list(class)
	if err != nil {
		return nil
	}
	var supplies []supply
	for _, name := range names {
		folder := class + "/" + name + "/"
		// The battery of a mouse or a headset has the scope Device.
		if scope, _ := t.text(folder + "scope"); scope == "Device" {
			continue
		}
		// A bay without its battery stays listed.
		if present := t.flag(folder + "present"); present != nil && !*present {
			continue
		}
		s := supply{online: t.flag(folder + "online"), capacity: t.numberPtr(folder + "capacity")}
		s.kind, _ = t.text(folder + "type")
		s.status, _ = t.text(folder + "status")
		supplies = append(supplies, s)
	}
	return supplies
}

func powerSource(external, batteries []supply, stationary bool) *contract.PowerSource {
	on := func(s supply) bool { return s.online != nil && *s.online }
	off := func(s supply) bool { return s.online != nil && !*s.online }
	status := func(wanted ...string) func(supply) bool {
		return func(s supply) bool { return slices.Contains(wanted, s.status) }
	}
	switch {
	case slices.ContainsFunc(external, on):
		return contract.Ptr(contract.PowerAC)
	case slices.ContainsFunc(batteries, status("Discharging")):
		return contract.Ptr(contract.PowerBattery)
	case slices.ContainsFunc(batteries, status("Charging")):
		return contract.Ptr(contract.PowerAC)
	case len(batteries) > 0 && slices.ContainsFunc(external, off):
		return contract.Ptr(contract.PowerBattery)
	case len(batteries) == 0 && stationary:
		return contract.Ptr(contract.PowerAC)
	}
	return nil
}

// charge is the mean charge of the batteries, nil when one does not tell.
func charge(batteries []supply) *float64 {
	if len(batteries) == 0 {
		return nil
	}
	var sum float64
	for _, battery := range batteries {
		if battery.capacity == nil || *battery.capacity > 100 {
			return nil
		}
		sum += float64(*battery.capacity)
	}
	return contract.Ptr(sum / float64(len(batteries)))
}

// hardwareScaling are the drivers for which the governor "powersave" is the normal one: the
// processor itself chooses its speed then. Source: Documentation/admin-guide/pm/intel_pstate
// and amd-pstate of the kernel. In passive mode these drivers go by other names.
var hardwareScaling = []string{"intel_pstate", "amd-pstate-epp", "amd_pstate_epp"}

// powerPlan returns the scaling governor, several joined by commas, and whether the computer is
// set to save power: by governor, by energy preference or by the firmware's profile.
func powerPlan(t tree) (plan *string, saver *bool) {
	var governors []string
	saving, known := false, false
	const cpufreq = "sys/devices/system/cpu/cpufreq"
	policies, _ := t.list(cpufreq)
	for _, policy := range policies {
		governor, ok := t.text(cpufreq + "/" + policy + "/scaling_governor")
		if !ok {
			continue
		}
		known = true
		if !slices.Contains(governors, governor) {
			governors = append(governors, governor)
		}
		driver, _ := t.text(cpufreq + "/" + policy + "/scaling_driver")
		if governor == "powersave" && !slices.Contains(hardwareScaling, driver) {
			saving = true
		}
		if preference, _ := t.text(cpufreq + "/" + policy + "/energy_performance_preference"); preference == "power" {
			saving = true
		}
	}
	if profile, ok := t.text("sys/firmware/acpi/platform_profile"); ok {
		known = true
		saving = saving || profile == "low-power"
	}
	if len(governors) > 0 {
		plan = contract.Ptr(strings.Join(governors, ","))
	}
	if known {
		saver = &saving
	}
	return plan, saver
}
