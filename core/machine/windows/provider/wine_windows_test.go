package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"testing"

	"diskaudit/core/machine/windows/provider"
	"diskaudit/core/machine/windows/shell"
)

// TestAnswers prints what Live tells, as often as the variable says, for the test that runs this
// program under Wine against a simulated computer.
func TestAnswers(t *testing.T) {
	rounds, err := strconv.Atoi(os.Getenv("DISKAUDIT_ANSWERS"))
	if err != nil {
		t.Skip("run by TestLive on Linux")
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	var last answered
	for range rounds {
		last = collect(ctx, provider.Live())
		property := shell.Live()
		for _, root := range []string{`C:\`, `D:\`, `E:\`} {
			last.shell(ctx, property, root)
		}
		property.Close()
	}
	data, err := json.Marshal(last)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(os.Stdout, "\nANSWERS %s\n", data)
}
