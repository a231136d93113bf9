// Package scripts_test runs the scripts of module/scripts as Intune, ConfigMgr and people run them, in
// PowerShell for Windows under Wine, on simulated computers with BitLocker.
package scripts_test

import (
	"os"
	"testing"

	"diskaudit/tests/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }
