package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"diskaudit/core/machine/windows/provider"
)

// TestChanges changes the volumes of a simulated computer, and never those of a real one.
func TestChanges(t *testing.T) {
	if os.Getenv("DISKAUDIT_CHANGES") == "" {
		t.Skip("run by TestLiveChanges on Linux")
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	data, err := json.Marshal(changed(ctx, provider.Live()))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(os.Stdout, "\nCHANGES %s\n", data)
}
