package cli_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"diskaudit/core/contract"
)

// checkMember compares what stands at a path of a document with a text: "member stdout plan.steps.0.change decrypt".
// "length" counts a list: "member stdout plan.steps.length 4".
func checkMember(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: member FILE|stdout PATH TEXT")
	}
	got, err := memberOf([]byte(ts.ReadFile(args[0])), strings.Split(args[1], "."))
	ts.Check(err)
	if (got == args[2]) == neg {
		ts.Fatalf("%s of %s is %q", args[1], args[0], got)
	}
}

// checkChanges compares the kinds of a plan's steps, in their order: "changes stdout decrypt wait verify".
func checkChanges(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: changes FILE|stdout [CHANGE...]")
	}
	document := remediationOf(ts, args[0])
	var changes []string
	for _, step := range document.Plan.Steps {
		changes = append(changes, string(step.Change))
	}
	if !slices.Equal(changes, args[1:]) {
		ts.Fatalf("the steps are %v, not %v", changes, args[1:])
	}
}

// checkGuards compares what guards say that do not allow: "guards stdout portable=refuse".
func checkGuards(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: guards FILE|stdout [ID=RESULT...]")
	}
	var said []string
	for _, guard := range remediationOf(ts, args[0]).Plan.Guards {
		if guard.Result != contract.GuardAllow {
			said = append(said, guard.ID+"="+string(guard.Result))
		}
	}
	if !slices.Equal(said, args[1:]) {
		ts.Fatalf("the guards say %v, not %v", said, args[1:])
	}
}

// setPlan keeps the id of a plan in a variable: "planid VARIABLE FILE|stdout".
func setPlan(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: planid VARIABLE FILE|stdout")
	}
	ts.Setenv(args[0], remediationOf(ts, args[1]).Plan.ID)
}

// memberOf is what stands at a path of a document, as text.
func memberOf(data []byte, path []string) (string, error) {
	var at any
	if err := json.Unmarshal(data, &at); err != nil {
		return "", fmt.Errorf("reading %q: %w", data, err)
	}
	for _, name := range path {
		switch inside := at.(type) {
		case map[string]any:
			next, there := inside[name]
			if !there {
				return "", fmt.Errorf("there is no member %q in %v", name, inside)
			}
			at = next
		case []any:
			if name == "length" {
				at = float64(len(inside))
				continue
			}
			index, err := strconv.Atoi(name)
			if err != nil || index < 0 || index >= len(inside) {
				return "", fmt.Errorf("there is no element %q in %v", name, inside)
			}
			at = inside[index]
		default:
			return "", fmt.Errorf("there is no member %q in %v", name, inside)
		}
	}
	if at == nil {
		return "null", nil
	}
	return fmt.Sprint(at), nil
}

func remediationOf(ts *testscript.TestScript, file string) contract.Remediation {
	data := []byte(ts.ReadFile(file))
	ts.Check(contract.Validate(contract.KindRemediate, data))
	var document contract.Remediation
	ts.Check(json.Unmarshal(data, &document))
	return document
}
