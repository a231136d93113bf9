package contract

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCodedValues(t *testing.T) {
	// Names and codes from the documentation of Win32_EncryptableVolume and MSFT_PhysicalDisk
	// (cases B3, B16, B22, B23: a number and its name, and no number lost).
	for _, test := range []struct {
		value any
		want  string
	}{
		{FullyEncrypted, `{"name":"FullyEncrypted","code":1}`},
		{FullyDecrypted, `{"name":"FullyDecrypted","code":0}`},
		{DecryptionPaused, `{"name":"DecryptionPaused","code":5}`},
		{Aes256Diffuser, `{"name":"Aes256Diffuser","code":2}`},
		{MethodHardware, `{"name":"Hardware","code":5}`},
		{XtsAes256, `{"name":"XtsAes256","code":7}`},
		{MethodUnknown, `{"name":"Unknown","code":-1}`},
		{Method(8), `{"name":"Unrecognized","code":8}`},
		{ProtectionUnknown, `{"name":"Unknown","code":2}`},
		{Locked, `{"name":"Locked","code":1}`},
		{TpmPin, `{"name":"TpmPin","code":4}`},
		{ClearKey, `{"name":"ClearKey","code":-1}`},
		{OnDiskProtector + 0x300, `{"name":"Unrecognized","code":66304}`},
		{OperatingSystem, `{"name":"OperatingSystem","code":0}`},
		{BusNVMe, `{"name":"NVMe","code":17}`},
		{Bus(64), `{"name":"Unrecognized","code":64}`},
		{MediaSSD, `{"name":"SSD","code":4}`},
	} {
		got, err := json.Marshal(test.value)
		if err != nil || string(got) != test.want {
			t.Errorf("%v: %s %v, want %s", test.value, got, err, test.want)
		}
	}
}

func TestCodedValuesReadBack(t *testing.T) {
	var method Method
	if err := json.Unmarshal([]byte(`{"name":"XtsAes128","code":6}`), &method); err != nil || method != XtsAes128 {
		t.Errorf("got %v, %v", method, err)
	}
	if err := json.Unmarshal([]byte(`{"name":"Unrecognized","code":99}`), &method); err != nil || method != 99 {
		t.Errorf("a code without a name: got %d, %v", method, err)
	}
	for _, bad := range []string{`{"name":"None","code":6}`, `{"name":"XtsAes128"}`, `6`, `"XtsAes128"`, `{"name":"XtsAes128","code":"6"}`} {
		if err := json.Unmarshal([]byte(bad), &method); err == nil || !strings.Contains(err.Error(), "Method") {
			t.Errorf("%s: error %v, want one that names the enumeration", bad, err)
		}
	}
}
