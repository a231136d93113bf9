package shell

import (
	"strings"
	"testing"

	"github.com/go-ole/go-ole"
	"github.com/google/go-cmp/cmp"

	"diskaudit/core/contract"
)

func ptr[T any](value T) *T { return &value }

// Each value proves what it proves and no more: nothing is called decrypted, and no value at all
// is unknown. Cases B4, B13.
func TestDecode(t *testing.T) {
	bitlocker := ptr("bitlocker")
	off, converting := ptr(contract.ProtectionOff), ptr(contract.ReasonConverting)
	for _, test := range []struct {
		value *int32
		want  contract.Encryption
		says  string
	}{
		{nil, contract.Encryption{}, "which is nothing"},
		{ptr(int32(0)), contract.Encryption{}, "cannot be encrypted"},
		{ptr(int32(1)), contract.Encryption{Format: bitlocker, Protection: ptr(contract.ProtectionOn), ProtectionReason: ptr(contract.ReasonProtected)}, "is on"},
		{ptr(int32(2)), contract.Encryption{Protection: off}, "is off"},
		{ptr(int32(3)), contract.Encryption{Format: bitlocker, Conversion: ptr(contract.EncryptionInProgress), Protection: off, ProtectionReason: converting}, "being encrypted"},
		{ptr(int32(4)), contract.Encryption{Format: bitlocker, Conversion: ptr(contract.DecryptionInProgress), Protection: off, ProtectionReason: converting}, "being decrypted"},
		{ptr(int32(5)), contract.Encryption{Format: bitlocker, Protection: off, ProtectionReason: ptr(contract.ReasonSuspended)}, "suspended"},
		{ptr(int32(6)), contract.Encryption{Format: bitlocker, Protection: ptr(contract.ProtectionUnknown), ProtectionReason: ptr(contract.ReasonLocked), Lock: ptr(contract.Locked)}, "locked"},
		{ptr(int32(7)), contract.Encryption{}, "does not know"},
		{ptr(int32(8)), contract.Encryption{Format: bitlocker, Protection: off, ProtectionReason: ptr(contract.ReasonWaitingForActivation), ClearKey: ptr(true)}, "waits for activation"},
		{ptr(int32(9)), contract.Encryption{}, "number 9"},
		{ptr(int32(-1)), contract.Encryption{}, "number -1"},
	} {
		got, problems := Decode(test.value, "D:")
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s, want -, got +:\n%s", test.says, diff)
		}
		if len(problems) != 1 || problems[0].Code != "needs-elevation" || problems[0].Level != contract.LevelError || problems[0].Target != "D:" {
			t.Fatalf("%s: problems %+v", test.says, problems)
		}
		for _, word := range []string{test.says, "D:", "Run as administrator"} {
			if !strings.Contains(problems[0].Text, word) {
				t.Errorf("%q is not in %q", word, problems[0].Text)
			}
		}
	}
}

// A document that is changed later does not change what the next one says.
func TestDecodeSharesNothing(t *testing.T) {
	first, _ := Decode(ptr(int32(6)), "D:")
	*first.Lock = contract.Unlocked
	if second, _ := Decode(ptr(int32(6)), "D:"); *second.Lock != contract.Locked {
		t.Error("the table changed with a document")
	}
}

// Case B13: an empty VARIANT has the bits of 0; a property that a thing does not have is an empty text.
func TestNumber(t *testing.T) {
	for _, test := range []struct {
		kind ole.VT
		bits int64
		want *int32
	}{
		{ole.VT_EMPTY, 0, nil}, {ole.VT_NULL, 0, nil}, {ole.VT_BSTR, 0, nil}, {ole.VT_BSTR, 4096, nil},
		{ole.VT_DISPATCH, 4096, nil}, {ole.VT_R8, 0, nil}, {ole.VT_BOOL, 1, nil}, {ole.VT_ARRAY | ole.VT_I4, 4096, nil},
		{ole.VT_I4, 0, ptr(int32(0))}, {ole.VT_I4, 6, ptr(int32(6))}, {ole.VT_UI4, 8, ptr(int32(8))}, {ole.VT_I4, 0x1_00000002, ptr(int32(2))},
		{ole.VT_INT, 1, ptr(int32(1))}, {ole.VT_UINT, 1, ptr(int32(1))}, {ole.VT_I2, 0xFFFF, ptr(int32(-1))}, {ole.VT_UI2, 0xFFFF, ptr(int32(65535))},
		{ole.VT_I1, 0xFF, ptr(int32(-1))}, {ole.VT_UI1, 5, ptr(int32(5))},
	} {
		if diff := cmp.Diff(test.want, number(test.kind, test.bits)); diff != "" {
			t.Errorf("%s %#x: want -, got +:\n%s", test.kind, test.bits, diff)
		}
	}
}
