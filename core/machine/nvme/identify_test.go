package nvme

import (
	"errors"
	"testing"

	"diskaudit/core/machine/nvme/nvmetest"
)

func TestDecodeIdentify(t *testing.T) {
	for _, test := range []struct {
		name string
		data []byte
		want Controller
	}{
		{"whole", nvmetest.IdentifyData("S7KHNJ0W123456", "Samsung SSD 990 PRO 2TB", "4B2QJXD7", 0x17),
			Controller{Serial: "S7KHNJ0W123456", Model: "Samsung SSD 990 PRO 2TB", Firmware: "4B2QJXD7", Security: true}},
		{"fields filled to the end", nvmetest.IdentifyData("12345678901234567890", "1234567890123456789012345678901234567890", "12345678", 0xfe),
			Controller{Serial: "12345678901234567890", Model: "1234567890123456789012345678901234567890", Firmware: "12345678"}},
		{"no text", nvmetest.IdentifyData("\x00\x00", "\xff\x1b", "", 1), Controller{Security: true}},
	} {
		got, err := DecodeIdentify(test.data)
		if err != nil || got != test.want {
			t.Errorf("%s: got %+v, %v; want %+v", test.name, got, err, test.want)
		}
	}
	if _, err := DecodeIdentify(make([]byte, 4096)); !errors.Is(err, ErrNotSupported) {
		t.Errorf("zeros: %v, want that it is not supported", err)
	}
	if _, err := DecodeIdentify(nvmetest.IdentifyData("a", "b", "c", 0)[:4095]); err == nil {
		t.Error("a structure cut short was taken")
	}
}

func FuzzDecodeIdentify(f *testing.F) {
	f.Add(nvmetest.IdentifyData("a", "b", "c", 1))
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, data []byte) {
		controller, err := DecodeIdentify(data)
		for _, text := range []string{controller.Serial, controller.Model, controller.Firmware} {
			if err != nil && text != "" {
				t.Errorf("%q beside an error", text)
			}
			for _, c := range text {
				if c < ' ' || c > '~' {
					t.Errorf("%q has %q", text, c)
				}
			}
		}
	})
}
