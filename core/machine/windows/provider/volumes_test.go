package provider

import (
	"slices"
	"strings"
	"testing"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
)

// The rows that came before an error in the middle are kept, and the list says that it is short.
// Cases B10, B14, B25, C35.
func TestErrorInTheMiddleOfTheList(t *testing.T) {
	f := &fake{rows: []Row{row(device(1), system), row(device(2), data)}, rowsErr: refused(bitlocker.WBEM_E_PROVIDER_FAILURE)}
	rows, problems, err := open(t, f).Volumes(t.Context())
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	p := find(t, problems, "enumeration-incomplete")
	if p.Level != contract.LevelError || p.HResult == nil || *p.HResult != "0x80041004" {
		t.Errorf("%+v", p)
	}
	mustSay(t, p, "may be missing", "unknown, not decrypted")
}

func TestEmptyListIsNoAnswer(t *testing.T) {
	rows, problems, err := open(t, &fake{}).Volumes(t.Context())
	if err != nil || len(rows) != 0 {
		t.Fatalf("%v, %v", rows, err)
	}
	if p := find(t, problems, "no-volumes"); p.Level != contract.LevelError {
		t.Errorf("level %s", p.Level)
	}
}

func TestOddRows(t *testing.T) {
	long := strings.Repeat("x", 5000)
	named := func(id string) Row { return Row{DeviceID: &id} }
	f := &fake{rows: []Row{
		{}, {DriveLetter: ptr("E:")}, named(""), named("C:"), named(`\\?\Volume{00000000}\`), named(long),
		named(`\\?\Volume{00000000-0000-0000-0000-000000000001}`), named(device(1) + "' OR '1'='1"),
		row(device(1), system), row(strings.ToUpper(device(0xab)), data), row(device(0xab), data), row(device(1), data),
	}}
	rows, problems, err := open(t, f).Volumes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range rows {
		ids = append(ids, *r.DeviceID)
	}
	if want := []string{device(1), strings.ToUpper(device(0xab))}; !slices.Equal(ids, want) {
		t.Errorf("rows %v, want %v", ids, want)
	}
	want := slices.Concat(slices.Repeat([]string{"volume-unnamed error"}, 3), slices.Repeat([]string{"volume-name-malformed error"}, 5), slices.Repeat([]string{"volume-listed-twice warning"}, 2))
	if got := problemsOf(problems); !slices.Equal(got, want) {
		t.Errorf("problems %v, want %v", got, want)
	}
	mustSay(t, problems[1], "E:")
	for _, p := range problems {
		if len(p.Text) > 1000 {
			t.Errorf("a text of %d bytes", len(p.Text))
		}
	}
	if got := open(t, f).Read(t.Context(), Row{}, "X:"); len(got.Problems) != 1 || len(nulls(got.Encryption)) != len(nulls(contract.Encryption{})) {
		t.Errorf("a row without a path: %+v", got)
	}
}

// Memory stays bounded whatever the provider says.
func TestEndlessLists(t *testing.T) {
	f := &fake{}
	for i := range maxVolumes + 10 {
		f.rows = append(f.rows, row(device(i), data))
	}
	rows, problems, err := open(t, f).Volumes(t.Context())
	if err != nil || len(rows) != maxVolumes {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	find(t, problems, "enumeration-incomplete")

	got, _ := read(t, protectedSystem.but(script{"GetKeyProtectors": ok(slices.Repeat([]string{idTPM}, maxProtectors+1))}), row(deviceC, system))
	if got.Encryption.Protectors != nil {
		t.Errorf("%d protectors", len(got.Encryption.Protectors))
	}
	find(t, got.Problems, "answer-malformed")
}

// An odd id of a protector is kept as it is, its type unknown when the provider refuses it.
func TestOddProtectors(t *testing.T) {
	got, _ := read(t, protectedSystem.but(script{
		"GetKeyProtectors":    ok([]string{"{not a GUID}", idTPM}),
		"GetKeyProtectorType": refuses(bitlocker.FVE_E_PROTECTOR_NOT_FOUND),
	}), row(deviceC, system))
	want := []contract.Protector{{ID: "{not a GUID}"}, {ID: tpm.ID}}
	if !slices.Equal(got.Encryption.Protectors, want) {
		t.Errorf("%v, want %v", got.Encryption.Protectors, want)
	}
	mustSay(t, find(t, got.Problems, "protector-not-found"), "the type of a key protector")
}

func TestQueries(t *testing.T) {
	query, err := queryOne(deviceC)
	if want := `SELECT * FROM Win32_EncryptableVolume WHERE DeviceID='\\\\?\\Volume{00000000-0000-0000-0000-000000000043}\\'`; err != nil || query != want {
		t.Errorf("%s, %v, want %s", query, err, want)
	}
	for _, id := range []string{"", "C:", deviceC + "x", "x" + deviceC, deviceC + "\n", `\\?\Volume{00000000-0000-0000-0000-00000000004'}\`} {
		if query, err := queryOne(id); err == nil {
			t.Errorf("%q became %s", id, query)
		}
	}
	if query, err := queryFeature("BitLocker' OR ''='"); err == nil {
		t.Errorf("a feature became %s", query)
	}
}
