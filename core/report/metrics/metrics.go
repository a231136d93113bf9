// Package metrics writes a status document as a file of Prometheus' text format, for the textfile
// collectors of windows_exporter and node_exporter.
//
// Names and units follow prometheus.io/docs/practices/naming: base units, one family for one quantity,
// "_info" families whose value is 1. What is not known has no sample; a family of states says "Unknown",
// and diskaudit_unknown_facts counts what has none. Labels name volumes, disks and models, never serial
// numbers or computers.
package metrics

import (
	"io"

	"diskaudit/core/contract"
)

// Write writes the document; the error is that of w. The document's findings and summary are taken as
// they are.
func Write(w io.Writer, status contract.Status) error {
	var e exposition
	unknown := writeComputer(&e, status)
	unknown = append(unknown, writeVolumes(&e, status)...)
	unknown = append(unknown, writeDisks(&e, status)...)
	writeFindings(&e, status)
	e.begin("diskaudit_unknown_facts", gauge, "Facts that have no sample in this file because they could not be found out.")
	for _, scope := range []string{scopeComputer, scopeVolumes, scopeDisks} {
		e.sample(float64(count(unknown, scope)), label{"scope", scope})
	}
	_, err := io.WriteString(w, e.text.String())
	return err
}

// What an unknown fact is about.
const (
	scopeComputer = "computer"
	scopeVolumes  = "volumes"
	scopeDisks    = "disks"
)

func count(list []string, item string) int {
	n := 0
	for _, one := range list {
		if one == item {
			n++
		}
	}
	return n
}

// fact is a number that one thing has, or has not; nil is not known.
type fact[T any] struct {
	name string
	kind kind
	help string
	of   func(T) *float64
	// optional facts are left out of the count of unknown ones: many things have none.
	optional bool
}

// writeFacts writes each fact of each thing, and returns scope once for each that is not known.
func writeFacts[T any](e *exposition, facts []fact[T], things []T, labels func(T) []label, counts func(T) bool, scope string) []string {
	var unknown []string
	for _, f := range facts {
		e.begin(f.name, f.kind, f.help)
		for _, thing := range things {
			if value := f.of(thing); value != nil {
				e.sample(*value, labels(thing)...)
			} else if !f.optional && counts(thing) {
				unknown = append(unknown, scope)
			}
		}
	}
	return unknown
}

func truth(value *bool) *float64 {
	if value == nil {
		return nil
	}
	return contract.Ptr(map[bool]float64{false: 0, true: 1}[*value])
}

func number(value *uint64) *float64 {
	if value == nil {
		return nil
	}
	return contract.Ptr(float64(*value))
}

// ratio turns a percentage into Prometheus' unit for it, 0 to 1.
func ratio(percent *float64) *float64 {
	if percent == nil {
		return nil
	}
	return contract.Ptr(*percent / 100)
}

func text(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}
