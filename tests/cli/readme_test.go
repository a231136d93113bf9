package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"diskaudit/core/audit"
	"diskaudit/core/bench/profile"
	"diskaudit/core/bench/validity"
	"diskaudit/core/command"
	"diskaudit/core/contract"
	"diskaudit/core/remediate"
	"diskaudit/tests/require"
)

// What README, help and schemas say is one story.
func TestReadmeTellsWhatTheProgramDoes(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(require.Root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	readme := string(data)
	script, err := os.ReadFile(filepath.Join(require.Root(t), ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"\ngo run ./core status\n", "\ngo test ./...\n"} {
		if !strings.Contains(readme, "```"+line+"```") {
			t.Errorf("README does not name the command %q", line)
		}
	}
	if !strings.Contains(string(script), "\ngo test ./...\n") {
		t.Error("CI does not call the test command that README names")
	}
	var help bytes.Buffer
	if exit := command.Run(context.Background(), []string{"diskaudit", "--help"}, &bytes.Buffer{}, &help); exit != 0 {
		t.Fatalf("help: exit %d", exit)
	}
	codes := regexp.MustCompile(`(?m)^ +(\d+)  (.+)$`).FindAllStringSubmatch(help.String(), -1)
	if len(codes) != 10 {
		t.Fatalf("help lists %d exit codes: %s", len(codes), help.String())
	}
	for _, code := range codes {
		if !strings.Contains(strings.ReplaceAll(readme, "`", ""), "| "+code[1]+" | "+strings.Split(code[2], ";")[0]) {
			t.Errorf("README has no exit code %s: %s", code[1], code[2])
		}
	}
	for _, id := range audit.IDs() {
		if !strings.Contains(readme, "`"+id+"`") {
			t.Errorf("README does not name the finding %s", id)
		}
	}
	for _, kind := range contract.Kinds() {
		if _, err := os.Stat(filepath.Join(require.Root(t), "schemas", string(kind)+".schema.json")); err != nil {
			t.Error(err)
		}
	}
	var usage bytes.Buffer
	for _, verb := range []string{"status", "bench", "remediate", "schema", "version"} {
		command.Run(context.Background(), []string{"diskaudit", verb, "--help"}, &bytes.Buffer{}, &usage)
	}
	for _, flag := range regexp.MustCompile("`--([a-z-]+)").FindAllStringSubmatch(readme, -1) {
		if !strings.Contains(usage.String(), "--"+flag[1]+" ") {
			t.Errorf("README speaks of --%s, which no help knows", flag[1])
		}
	}
	for _, guard := range append(remediate.Guards(), "auto-unlock-keys", "plan-changed", "speed-up") {
		if !strings.Contains(readme, "`"+guard+"`") {
			t.Errorf("README does not name the guard %s", guard)
		}
	}
	invalidates, notes := validity.Codes()
	for _, code := range append(invalidates, notes...) {
		if !strings.Contains(readme, "`"+code+"`") {
			t.Errorf("README does not name the reason %s", code)
		}
	}
	for _, name := range profile.Names() {
		if !strings.Contains(readme, "`"+name+"`") {
			t.Errorf("README does not name the profile %s", name)
		}
	}
}
