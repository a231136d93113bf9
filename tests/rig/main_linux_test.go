package rig_test

import (
	"os"
	"testing"

	"diskaudit/tests/rig"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }
