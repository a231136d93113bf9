package provider_test

import (
	"context"
	"encoding/json"
	"errors"
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

// shell adds what the shell's property tells of a drive.
func (a *answered) shell(ctx context.Context, property shell.Property, root string) {
	value, err := property.BitLocker(ctx, root)
	var coded *provider.Error
	switch {
	case errors.As(err, &coded):
		a.Shell[root] = coded.Code.String()
	case err != nil:
		a.Shell[root] = err.Error()
	case value == nil:
		a.Shell[root] = "unknown"
	default:
		a.Shell[root] = fmt.Sprint(*value)
	}
}
