package main

import (
	"strings"
	"testing"
)

// Windows and macOS would unpack one over the other.
func TestNamesThatDifferInCase(t *testing.T) {
	if _, err := zipped([]file{{name: "a/README"}, {name: "a/Z"}, {name: "a/readme"}}); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("%v", err)
	}
}
