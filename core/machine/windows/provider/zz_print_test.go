package provider

import (
	"testing"

	"diskaudit/core/bitlocker"
)

func TestZZ(t *testing.T) {
	show := func(name string, s script, r Row) {
		got, _ := read(t, s, r)
		for _, p := range got.Problems {
			t.Logf("%s: [%s %s] %s", name, p.Code, p.Level, p.Text)
		}
	}
	show("locked", lockedData, row(deviceC, data))
	show("denied", protectedSystem.but(script{"GetVersion": fails(bitlocker.WBEM_E_ACCESS_DENIED), "GetLockStatus": fails(bitlocker.WBEM_E_ACCESS_DENIED)}), row(deviceC, system))
	show("malformed", protectedSystem.but(script{"GetVersion": ok(nil), "GetConversionStatus": ok(nil, nil, "x", nil, nil)}), row(deviceC, system))
	show("hw", protectedSystem.but(script{"GetHardwareEncryptionStatus": refuses(50), "GetKeyProtectors": ok([]string{})}), row(deviceC, system))
	show("vanish", protectedSystem.but(script{"GetVersion": fails(bitlocker.WBEM_E_NOT_FOUND)}), row(deviceC, system))
	show("methodmissing", protectedSystem.but(script{"GetVersion": fails(bitlocker.DISP_E_UNKNOWNNAME)}), row(deviceC, system))
}
