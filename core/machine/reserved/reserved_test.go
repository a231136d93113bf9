package reserved

import "testing"

func TestDevice(t *testing.T) {
	for path, want := range map[string]bool{
		"NUL": true, "nul.json": true, "aux.txt": true, "COM1": true, "CON": true, "con ": true, "prn.tar.gz": true, "lpt9.log": true, "COM¹": true, "com0": true,
		`C:\folder\nul.json`: true, "C:/folder/aux": true, "C:nul": true, `.\CON`: true, `\\.\COM1`: true, `\\?\C:\nul.txt`: true, "NUL:": true, "nul .txt": true, "CONOUT$": true,
		"null": false, "nul1.json": false, "facts.nul": false, "COM": false, "COM10": false, "COM1a.json": false, `nul\facts.json`: false, "console.json": false,
		"facts.json": false, "": false, `C:\`: false, "C:": false, "auxiliary": false, "lpt": false, "my con.txt": false,
	} {
		if name, is := Device(path); is != want {
			t.Errorf("%q: %q, %v", path, name, is)
		}
	}
}
