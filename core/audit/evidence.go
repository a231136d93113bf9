package audit

import (
	"fmt"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/language"
)

// evidence joins facts to one line; facts that are unknown are empty and left out.
func evidence(parts ...string) string {
	var known []string
	for _, part := range parts {
		if part != "" {
			known = append(known, part)
		}
	}
	return strings.Join(known, "; ")
}

// fact writes a known fact as "name value"; "" when it is unknown.
func fact[T any](name string, value *T) string {
	if value == nil {
		return ""
	}
	switch v := any(*value).(type) {
	case string:
		return fmt.Sprintf("%s %q", name, v)
	case float64:
		return name + " " + number(v)
	default:
		return fmt.Sprintf("%s %v", name, v)
	}
}

// number writes a number as evidence does, which is English.
func number(v float64) string { return language.Number(language.English, v) }

// protectorsFact lists the types of a volume's protectors; "" when they are unknown.
func protectorsFact(v contract.Volume) string {
	if v.Encryption.Protectors == nil {
		return ""
	}
	if len(v.Encryption.Protectors) == 0 {
		return "protectors none"
	}
	var types []string
	for _, protector := range v.Encryption.Protectors {
		types = append(types, protector.Type.String())
	}
	return "protectors " + strings.Join(types, ", ")
}

// state lists the four answers about a volume, as far as they are known.
func state(v contract.Volume) string {
	e := v.Encryption
	percent := ""
	if e.Percent != nil {
		percent = "encrypted part " + number(*e.Percent) + " %"
	}
	return evidence(
		fact("conversion", e.Conversion), percent, fact("method", e.Method), fact("engine", e.Engine),
		fact("protection", e.Protection), fact("reason", e.ProtectionReason), fact("lock", e.Lock),
	)
}
