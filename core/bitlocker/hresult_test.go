package bitlocker

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

// B13 B15 B48 B49 B50: the signed numbers are those that public bug reports show.
func TestFromInt32(t *testing.T) {
	for _, c := range []struct {
		signed int32
		text   string
		name   string
	}{
		{-2144272384, "0x80310000", "FVE_E_LOCKED_VOLUME"},
		{-2144272327, "0x80310039", "FVE_E_NOT_DECRYPTED"},
		{-2144845809, "0x8028400F", "TBS_E_TPM_NOT_FOUND"},
		{-2147024809, "0x80070057", "E_INVALIDARG"},
		{-2147009796, "0x80073AFC", "ERROR_MUI_FILE_NOT_FOUND"},
		{-2144796409, "0x80290107", "TPMAPI_E_INTERNAL_ERROR"},
		{-2147023779, "0x8007045D", "ERROR_IO_DEVICE"},
		{-2147217405, "0x80041003", "WBEM_E_ACCESS_DENIED"},
		{0, "0x00000000", "S_OK"},
		{1, "0x00000001", "S_FALSE"},
	} {
		h := FromInt32(c.signed)
		if h.String() != c.text {
			t.Errorf("%d is %s, want %s", c.signed, h, c.text)
		}
		if name, _ := h.Name(); name != c.name {
			t.Errorf("%s is named %q, want %q", h, name, c.name)
		}
	}
}

func TestNames(t *testing.T) {
	for code, want := range map[HResult]string{
		0x80310001: "FVE_E_NOT_ENCRYPTED",
		0x80310008: "FVE_E_NOT_ACTIVATED",
		0x80310029: "FVE_E_AUTOUNLOCK_ENABLED",
		0x8031004A: "FVE_E_NOT_ON_STACK",
		0x80310059: "FVE_E_VOLUME_HANDLE_OPEN",
		0x80310079: "FVE_E_POLICY_USER_DISABLE_RDV_NOT_ALLOWED",
		0x803100CB: "FVE_E_DE_PROTECTION_NOT_YET_ENABLED",
		0x803100CF: "FVE_E_BUFFER_TOO_LARGE",
		0x80070005: "E_ACCESSDENIED",
		0x800706BA: "RPC_S_SERVER_UNAVAILABLE",
		0x80070422: "ERROR_SERVICE_DISABLED",
		0x8004100E: "WBEM_E_INVALID_NAMESPACE",
		0x80041010: "WBEM_E_INVALID_CLASS",
		0x80041032: "WBEM_E_CALL_CANCELLED",
		// GetSuspendCount's ERROR_NOT_SUPPORTED as an HRESULT and as the plain system error code.
		0x80070032: "ERROR_NOT_SUPPORTED",
		50:         "ERROR_NOT_SUPPORTED",
	} {
		if name, ok := code.Name(); !ok || name != want {
			t.Errorf("%s is named %q (%v), want %q", code, name, ok, want)
		}
	}
	// 0x8031002F is a gap in Microsoft's list; 0x80070001 and 64 are system errors that are not listed.
	for _, code := range []HResult{0x8031002F, 0x80310FFF, 0x80070001, 64, 0xFFFFFFFF, 0x00040004} {
		if name, ok := code.Name(); ok {
			t.Errorf("%s is named %q, want no name", code, name)
		}
	}
}

func TestGeneratedNamesAgreeWithTheLists(t *testing.T) {
	listed := map[HResult]string{}
	counts := map[string]int{}
	for _, file := range []string{"hresultgen/fve-codes.tsv", "hresultgen/windows-codes.tsv"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			code, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
			value, err := strconv.ParseUint(code, 0, 32)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			listed[HResult(value)] = name
			counts[file]++
		}
	}
	if counts["hresultgen/fve-codes.tsv"] != 195 {
		t.Errorf("%d BitLocker codes, want 195", counts["hresultgen/fve-codes.tsv"])
	}
	names := map[string]HResult{}
	for code, name := range hresultNames {
		if listed[code] != name {
			t.Errorf("%s is %q in the source and %q in the lists", code, name, listed[code])
		}
		if other, taken := names[name]; taken || name == "" {
			t.Errorf("the name %q stands for %s and %s", name, other, code)
		}
		names[name] = code
	}
	if len(hresultNames) != len(listed) {
		t.Errorf("%d names in the source, %d in the lists", len(hresultNames), len(listed))
	}
}

// What status and remediate can meet must come with own words.
func TestAdviceForWhatUsersMeet(t *testing.T) {
	for _, code := range []HResult{
		0x80310000, 0x80310001, 0x80310007, 0x80310008, 0x80310009, 0x80310024, 0x80310010, 0x80310012,
		0x80310013, 0x80310015, 0x80310082, 0x80310019, 0x80310028, 0x8031001B, 0x8031001C, 0x8031001D,
		0x8031001E, 0x8031001F, 0x80310021, 0x80310022, 0x80310029, 0x8031002D, 0x80310033, 0x80310039,
		0x8031003A, 0x80310040, 0x80310046, 0x80310049, 0x8031004A, 0x8031004B, 0x8031004E, 0x80310050,
		0x80310051, 0x80310053, 0x80310054, 0x80310056, 0x80310057, 0x80310059, 0x8031005A, 0x8031005E,
		0x8031006A, 0x80310075, 0x80310076, 0x80310077, 0x80310078, 0x80310079, 0x803100A5, 0x803100AD,
		0x803100AE, 0x803100AF, 0x803100B0, 0x803100B1, 0x803100B2, 0x803100BF, 0x803100C4, 0x803100C5,
		0x803100C6, 0x803100C7, 0x803100C8, 0x803100C9, 0x803100CA, 0x803100CB,
		0x80041002, 0x80041003, 0x8004100E, 0x80041010, 0x80041032, 0x80070005, 0x80070032, 0x80070057,
		0x80070422, 0x8007045D, 0x800706BA, 0x80073AFC, 0x8028400F, 0x80290107, 50,
	} {
		if code.Meaning() == "" || code.Advice() == "" {
			t.Errorf("%s has no words: meaning %q, advice %q", code, code.Meaning(), code.Advice())
		}
	}
}

func TestWording(t *testing.T) {
	for code, note := range hresultNotes {
		if _, ok := code.Name(); !ok {
			t.Errorf("%s has words but no name", code)
		}
		for part, text := range map[string]string{"meaning": note.meaning, "advice": note.advice} {
			if text == "" || !strings.HasSuffix(text, ".") || strings.Contains(text, ". ") || strings.TrimSpace(text) != text {
				t.Errorf("%s: the %s is not one sentence: %q", code, part, text)
			}
			if strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
				t.Errorf("%s: the %s is not printable ASCII: %q", code, part, text)
			}
		}
		if note.kind == "" || strings.Trim(note.kind, "abcdefghijklmnopqrstuvwxyz-") != "" {
			t.Errorf("%s: %q is not a kebab-case id", code, note.kind)
		}
		if note.retryable && note.fatal {
			t.Errorf("%s is both retryable and fatal", code)
		}
	}
}

func TestRetryableAndFatal(t *testing.T) {
	for _, code := range []HResult{0x80310009, 0x80310024, 0x80310057, 0x80310059, 0x80041032, 0x800706BA} {
		if !code.Retryable() || code.Fatal() {
			t.Errorf("%s: retryable %v, fatal %v; want it retryable", code, code.Retryable(), code.Fatal())
		}
	}
	for _, code := range []HResult{0x8031001B, 0x8031001C, 0x8007045D} {
		if code.Retryable() || !code.Fatal() {
			t.Errorf("%s: retryable %v, fatal %v; want it fatal", code, code.Retryable(), code.Fatal())
		}
	}
	for _, code := range []HResult{0, 1, 0x80310000, 0x80310029, 0x80310010, 0x8031FFFF} {
		if code.Retryable() || code.Fatal() {
			t.Errorf("%s: retryable %v, fatal %v; want neither", code, code.Retryable(), code.Fatal())
		}
	}
}

func TestFailed(t *testing.T) {
	for code, want := range map[HResult]bool{
		0: false, 1: false,
		// A plain system error code is a failure although its severity bit is clear.
		50: true, 5: true, 0x80310000: true, 0xFFFFFFFF: true,
	} {
		if code.Failed() != want {
			t.Errorf("%s failed: %v, want %v", code, code.Failed(), want)
		}
	}
}

func TestProblem(t *testing.T) {
	locked := FVE_E_LOCKED_VOLUME.Problem(contract.LevelError, "volumes", "D:")
	if locked.Code != "volume-locked" || locked.Level != contract.LevelError || locked.Stage != "volumes" || locked.Target != "D:" || locked.Retryable {
		t.Errorf("problem %+v", locked)
	}
	if locked.HResult == nil || *locked.HResult != "0x80310000" || locked.HResultName == nil || *locked.HResultName != "FVE_E_LOCKED_VOLUME" {
		t.Errorf("codes %v %v", locked.HResult, locked.HResultName)
	}
	for _, part := range []string{"locked", "Unlock-BitLocker", "(D:, 0x80310000 FVE_E_LOCKED_VOLUME)"} {
		if !strings.Contains(locked.Text, part) {
			t.Errorf("text %q lacks %q", locked.Text, part)
		}
	}
	if busy := FVE_E_ACTION_NOT_ALLOWED.Problem(contract.LevelWarning, "volumes", ""); !busy.Retryable || !strings.HasSuffix(busy.Text, "(0x80310009 FVE_E_ACTION_NOT_ALLOWED)") {
		t.Errorf("problem without target %+v", busy)
	}

	// A code with a name but no own words says so and keeps the name.
	named := HResult(0x8031000A).Problem(contract.LevelWarning, "volumes", "C:")
	if named.Code != "windows-error" || *named.HResultName != "FVE_E_AD_SCHEMA_NOT_INSTALLED" || !strings.Contains(named.Text, "FVE_E_AD_SCHEMA_NOT_INSTALLED") {
		t.Errorf("problem %+v", named)
	}

	// A code that is not listed is said to be unknown, not guessed at.
	unlisted := HResult(0x8031FFFF).Problem(contract.LevelError, "volumes", "C:")
	if unlisted.HResultName != nil || !strings.Contains(unlisted.Text, "0x8031FFFF") || !strings.Contains(unlisted.Text, "does not know") {
		t.Errorf("problem %+v", unlisted)
	}

	// A plain system error code keeps the number that Windows gave.
	plain := HResult(50).Problem(contract.LevelInfo, "volumes", "D:")
	if *plain.HResult != "0x00000032" || *plain.HResultName != "ERROR_NOT_SUPPORTED" {
		t.Errorf("codes %s %s", *plain.HResult, *plain.HResultName)
	}

	if success := S_OK.Problem(contract.LevelInfo, "volumes", "C:"); success.Code != "success" || !strings.Contains(success.Text, "succeeded") {
		t.Errorf("problem from a success %+v", success)
	}
}
