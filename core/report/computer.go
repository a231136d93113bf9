package report

import (
	"fmt"
	"strings"

	"diskaudit/core/contract"
)

// unknown stands for every fact that could not be found out, in English.
const unknown = "unknown"

// notApplicable stands for a fact that does not exist for the thing.
const notApplicable = "-"

// computer tells in one line what computer the facts are of.
func (t tongue) computer(m contract.Machine) string {
	if m.Source == contract.SourceImage && m.OS == nil && m.Build == nil {
		return t.say("%s (the facts are of image files)", notApplicable)
	}
	build := t.say("build unknown")
	if known := orUnknown(m.Build, "", ""); known != "" {
		build = t.say("build %s", known)
	}
	parts := []string{
		orUnknown(m.OS, t.say("operating system unknown"), ""),
		build,
		orUnknown(m.Architecture, t.say("architecture unknown"), ""),
		whether(m.Elevated, t.say("elevated"), t.say("not elevated"), t.say("elevation unknown")),
		t.virtual(m.VirtualMachine),
	}
	if m.ComputerName != nil {
		parts = append([]string{*m.ComputerName}, parts...)
	}
	if m.Source == contract.SourceRecording {
		parts = append(parts, t.say("from a recording"))
	}
	return t.list(parts)
}

func (t tongue) virtual(vm contract.VirtualMachine) string {
	if vm.Detected != nil && *vm.Detected {
		return t.say("virtual machine (%s)", orUnknown(vm.Hypervisor, t.say("hypervisor unknown"), ""))
	}
	return whether(vm.Detected, "", t.say("not a virtual machine"), t.say("virtual machine: unknown"))
}

// provider tells whether BitLocker's state could be read, and how or why not.
func (t tongue) provider(p contract.Provider) string {
	reason := ""
	if p.Reason != nil && *p.Reason != "" {
		reason = *p.Reason
	}
	switch {
	case p.Available == nil && reason != "":
		return t.say("unknown: %s", reason)
	case p.Available == nil:
		return t.say("unknown whether its state can be read")
	case *p.Available && p.Provider != nil && *p.Provider == "shell":
		return t.say("partly known (%s, without administrator rights)", *p.Provider)
	case *p.Available:
		return t.say("available (%s)", orUnknown(p.Provider, t.say("provider unknown"), ""))
	case reason == "":
		return t.say("not available, reason unknown")
	}
	return t.say("not available: %s", reason)
}

// orUnknown returns the text behind a lead, or the words for its absence when it is null or empty.
func orUnknown(s *string, absent, lead string) string {
	if s == nil || strings.TrimSpace(*s) == "" {
		return absent
	}
	return lead + *s
}

// whether chooses between three answers.
func whether(fact *bool, yes, no, absent string) string {
	switch {
	case fact == nil:
		return absent
	case *fact:
		return yes
	}
	return no
}

// coded names a value of an enumeration. A code without a name keeps its number; a name that
// says no more than that the value is not known reads "unknown".
func coded[V contract.Vocabulary](t tongue, value *contract.Coded[V]) string {
	if value == nil {
		return t.unknown()
	}
	switch name := value.String(); name {
	case contract.Unrecognized:
		return fmt.Sprintf("%s (%d)", name, int64(*value))
	case "Unknown", "Unspecified":
		return t.unknown()
	default:
		return name
	}
}
