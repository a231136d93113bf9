package registry_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"diskaudit/core/machine/windows/registry"
	"diskaudit/tests/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

// TestStoreUnderWine changes a registry by Windows' own calls.
func TestStoreUnderWine(t *testing.T) {
	r := rig.New(t)
	// The key is there before, so that it goes when the test has ended.
	r.Registry(registry.Memory{`HKLM\SOFTWARE\DiskAuditStoreTest`: {"Before": 1}})
	t.Setenv("DISKAUDIT_REGISTRY_CHANGEABLE", "1")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	result := r.Program(ctx, r.BuildTests("./core/machine/windows/registry", "registry.test.exe"), "-test.v", "-test.run=^TestLive(|Store)$")
	for _, name := range []string{"TestLive", "TestLiveStore"} {
		if !strings.Contains(string(result.Stdout), "--- PASS: "+name+" ") {
			t.Errorf("under Wine %s did not pass: exit code %d\n%s%s", name, result.Code, result.Stdout, result.Stderr)
		}
	}
}
