package report

import (
	"fmt"
	"strings"

	"diskaudit/core/contract"
)

// unknown stands for every fact that could not be found out.
const unknown = "unknown"

// notApplicable stands for a fact that does not exist for the thing.
const notApplicable = "-"

// computer tells in one line what computer the facts are of.
func computer(m contract.Machine) string {
	if m.Source == contract.SourceImage && m.OS == nil && m.Build == nil {
		return notApplicable + " (the facts are of image files)"
	}
	parts := []string{
		orUnknown(m.OS, "operating system "+unknown, ""),
		orUnknown(m.Build, "build "+unknown, "build "),
		orUnknown(m.Architecture, "architecture "+unknown, ""),
		whether(m.Elevated, "elevated", "not elevated", "elevation "+unknown),
		virtual(m.VirtualMachine),
	}
	if m.ComputerName != nil {
		parts = append([]string{*m.ComputerName}, parts...)
	}
	if m.Source == contract.SourceRecording {
		parts = append(parts, "from a recording")
	}
	return strings.Join(parts, ", ")
}

func virtual(vm contract.VirtualMachine) string {
	if vm.Detected != nil && *vm.Detected {
		return "virtual machine (" + orUnknown(vm.Hypervisor, "hypervisor "+unknown, "") + ")"
	}
	return whether(vm.Detected, "", "not a virtual machine", "virtual machine: "+unknown)
}

// provider tells whether BitLocker's state could be read, and how or why not.
func provider(p contract.Provider) string {
	reason := ""
	if p.Reason != nil && *p.Reason != "" {
		reason = *p.Reason
	}
	switch {
	case p.Available == nil && reason != "":
		return unknown + ": " + reason
	case p.Available == nil:
		return unknown + " whether its state can be read"
	case *p.Available && p.Provider != nil && *p.Provider == "shell":
		return "partly known (shell, without administrator rights)"
	case *p.Available:
		return "available (" + orUnknown(p.Provider, "provider "+unknown, "") + ")"
	case reason == "":
		return "not available, reason " + unknown
	}
	return "not available: " + reason
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
func coded[V contract.Vocabulary](value *contract.Coded[V]) string {
	if value == nil {
		return unknown
	}
	switch name := value.String(); name {
	case contract.Unrecognized:
		return fmt.Sprintf("%s (%d)", name, int64(*value))
	case "Unknown", "Unspecified":
		return unknown
	default:
		return name
	}
}
