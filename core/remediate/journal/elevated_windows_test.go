package journal

import (
	"testing"

	"diskaudit/tests/require"
)

// skipUnlessElevated skips what only an administrator can do.
func skipUnlessElevated(t *testing.T, err error) {
	t.Helper()
	if !privileged() {
		require.Missing(t, "elevation", err.Error())
	}
}
