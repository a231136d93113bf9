package metrics

import (
	"math"
	"strconv"
	"strings"

	"diskaudit/core/report/flat/plain"
)

// exposition collects families in the order in which they were begun and writes them in Prometheus'
// text format, version 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats). It is written here
// and not by Prometheus' own library, which would add more than 3 MB to the executable; tests have
// Prometheus' promtool read the result.
type exposition struct {
	text   strings.Builder
	series map[string]bool
	family string
	// header is what stands before the family's first sample; empty once it is written.
	header string
}

// label is one label of a sample. One with an empty value is left out, which means the same to
// Prometheus (prometheus.io/docs/concepts/data_model).
type label struct{ name, value string }

// kind is the type of a family.
type kind string

const (
	gauge   kind = "gauge"
	counter kind = "counter"
)

// begin opens a family: all its samples follow before the next one is begun. A family without samples
// leaves nothing behind.
func (e *exposition) begin(name string, k kind, help string) {
	e.family = name
	e.header = "# HELP " + name + " " + help + "\n# TYPE " + name + " " + string(k) + "\n"
}

// sample adds a sample to the family that was begun last. A second one with the same labels would make
// windows_exporter drop the whole file: the first is kept. Without a timestamp: it refuses those
// (github.com/prometheus-community/windows_exporter, internal/collector/textfile).
func (e *exposition) sample(value float64, labels ...label) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return
	}
	series := e.family + written(labels)
	if e.series[series] {
		return
	}
	if e.series == nil {
		e.series = map[string]bool{}
	}
	e.series[series] = true
	e.text.WriteString(e.header + series + " " + strconv.FormatFloat(value, 'g', -1, 64) + "\n")
	e.header = ""
}

// truth adds a sample of 0 or 1.
func (e *exposition) truth(value bool, labels ...label) {
	number := 0.0
	if value {
		number = 1
	}
	e.sample(number, labels...)
}

// states adds a sample for each state that there can be: 1 for the one that is, 0 for the others.
func (e *exposition) states(name string, all []string, current string, labels ...label) {
	for _, state := range all {
		e.truth(state == current, append(labels[:len(labels):len(labels)], label{name, state})...)
	}
}

func written(labels []label) string {
	var pairs []string
	for _, l := range labels {
		if value := labelValue(l.value, mostLabelBytes); value != "" {
			pairs = append(pairs, l.name+`="`+escapes.Replace(value)+`"`)
		}
	}
	if len(pairs) == 0 {
		return ""
	}
	return "{" + strings.Join(pairs, ",") + "}"
}

// escapes are those of a label's value. A line feed is a space by then.
var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// mostLabelBytes keeps a name that somebody gave a volume from filling Prometheus' index.
const mostLabelBytes = 200

// labelValue is a text made fit for a label: valid UTF-8, on one line, not longer than limit bytes.
func labelValue(text string, limit int) string {
	text = plain.Within(text, limit, func(r rune) int { return len(string(r)) })
	return strings.TrimSpace(text)
}
