package storage

import (
	"fmt"
	"strings"
)

// reasons says for each missing fact why it is missing.
type reasons []string

func (r *reasons) add(fact, reason string) {
	if reason != "" {
		*r = append(*r, fmt.Sprintf("%s (%s)", fact, reason))
	}
}

func (r reasons) String() string {
	return strings.Join(r, "; ")
}

// phrase lists facts as in a sentence.
func phrase(facts []string) string {
	if len(facts) < 2 {
		return strings.Join(facts, "")
	}
	return strings.Join(facts[:len(facts)-1], ", ") + " and " + facts[len(facts)-1]
}
