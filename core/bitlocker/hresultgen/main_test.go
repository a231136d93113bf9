package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestGeneratedSourceIsUpToDate(t *testing.T) {
	want, err := generate(fveCodes, windowsCodes)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../hresult_codes.go")
	if err != nil {
		t.Fatal(err)
	}
	// A checkout with CRLF line ends is not a drift.
	if !bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want) {
		t.Error("hresult_codes.go does not follow from the lists; run go generate ./core/bitlocker")
	}
}

func TestListsAreComplete(t *testing.T) {
	entries, err := parse(fveCodes)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 195 {
		t.Errorf("%d BitLocker codes, want the 195 of Microsoft's page", len(entries))
	}
	for _, e := range entries {
		if e.code>>16 != 0x8031 || !strings.HasPrefix(e.name, "FVE_E_") {
			t.Errorf("0x%08X %s is not a code of BitLocker's facility", e.code, e.name)
		}
	}
}

func TestBadListsAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ list, want string }{
		"no tab":          {"0x80310000 FVE_E_A\n", "line 1"},
		"short code":      {"0x8031000\tFVE_E_A\n", "line 1"},
		"no number":       {"0x8031000G\tFVE_E_A\n", "reading the code"},
		"no symbol":       {"0x80310000\tdrive is locked\n", "line 1"},
		"code twice":      {"0x80310000\tFVE_E_A\n0x80310000\tFVE_E_B\n", "FVE_E_A and as FVE_E_B"},
		"name twice":      {"0x80310000\tFVE_E_A\n0x80310001\tFVE_E_A\n", "0x80310000 and as 0x80310001"},
		"second line bad": {"0x80310000\tFVE_E_A\n\n", "line 2"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := generate(c.list)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}
