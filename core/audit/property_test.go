package audit

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

// candidates are values for texts that rules look into; other texts get any.
var candidates = map[string][]string{
	"OS":         {"Windows 11 Pro", "Windows Server 2022 Standard", "Debian GNU/Linux 12 (bookworm)", "Windows 10 Home"},
	"Build":      {"26100.4061", "26200.1", "22631.3880", "20348.2527", "6.1.0-21-amd64"},
	"Edition":    {"Professional", "Core", "Enterprise", "ServerStandard"},
	"FileSystem": {"NTFS", "ReFS", "FAT32", "ext4"},
	"Format":     {"bitlocker", "bitlocker-to-go", "luks", "none"},
	"Standard":   {"Opal 2", "Pyrite", "Enterprise"},
	"Model":      {"Samsung SSD 850 EVO 500GB", "Samsung SSD 990 PRO 2TB"},
	"Kind":       {"crypt", "partition", "disk", "lvm"},
	"Code":       {"needs-elevation", "metadata-damaged", "metadata-copy-damaged", "read-failed"},
	"ID":         {"one", "two", "three"},
	"Target":     {"one", "two", "three"},
	"DiskID":     {"one", "two"},
}

var numbers = []uint64{0, 1, 2, 3, 8, 63 * 512, 512, 4096, 65536, 1 << 20, 100_000_000_000, 4_000_000_000_000}

// fill sets every field to a random value, as if all facts were known; some pointers stay nil.
func fill(random *rand.Rand, value reflect.Value, field string) {
	if terms, ok := value.Interface().(interface{ Recognized() bool }); ok && value.Kind() == reflect.Int64 {
		_ = terms
		value.SetInt(int64(random.IntN(9)) - 1)
		return
	}
	switch value.Kind() {
	case reflect.Pointer:
		if random.IntN(10) == 0 {
			return
		}
		value.Set(reflect.New(value.Type().Elem()))
		fill(random, value.Elem(), field)
	case reflect.Struct:
		if value.Type().PkgPath() == "time" {
			return
		}
		for i := range value.NumField() {
			fill(random, value.Field(i), value.Type().Field(i).Name)
		}
	case reflect.Slice:
		if field == "Findings" {
			return
		}
		n := random.IntN(3)
		if field == "Volumes" || field == "Disks" {
			n = 2
		}
		value.Set(reflect.MakeSlice(value.Type(), n, n))
		for i := range n {
			fill(random, value.Index(i), field)
		}
	case reflect.String:
		text := field
		switch value.Type() {
		case reflect.TypeFor[contract.Engine]():
			text = pick(random, []string{"none", "software", "drive", "soc"})
		case reflect.TypeFor[contract.ProtectionReason]():
			text = pick(random, []string{"protected", "suspended", "waiting-for-activation", "converting", "locked", "decrypted"})
		default:
			if known, ok := candidates[field]; ok {
				text = pick(random, known)
			}
		}
		value.SetString(text)
	case reflect.Bool:
		value.SetBool(random.IntN(2) == 0)
	case reflect.Uint64:
		value.SetUint(pick(random, numbers))
	case reflect.Float64:
		value.SetFloat(float64(random.IntN(120)))
	}
}

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

// eachNilable calls visit with every pointer that is set and every list that can be unknown.
func eachNilable(value reflect.Value, path string, visit func(path string, fact reflect.Value)) {
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			visit(path, value)
		}
	case reflect.Struct:
		for i := range value.NumField() {
			eachNilable(value.Field(i), path+"."+value.Type().Field(i).Name, visit)
		}
	case reflect.Slice:
		if value.Type().Name() == "" && !value.IsNil() { // a plain slice, where nil is unknown
			visit(path, value)
		}
		for i := range value.Len() {
			eachNilable(value.Index(i), fmt.Sprintf("%s[%d]", path, i), visit)
		}
	}
}

type subject struct{ id, target string }

func subjects(status contract.Status) map[subject]bool {
	found := map[subject]bool{}
	for _, finding := range Findings(status) {
		found[subject{finding.ID, finding.Target}] = true
	}
	return found
}

// replacement is a general message that takes the place of an exact one when a fact becomes unknown.
type replacement struct {
	fact, general string
	exact         []string
}

var replacements = []replacement{
	{".ProtectionReason", "encrypted-unprotected", []string{"waiting-for-activation", "protection-suspended"}},
	{".SpeedUpJournal", "cache-flush-disabled", []string{"conversion-speed-up"}},
	// Whether a volume on an image is locked is never known; the processor encrypts it all the same.
	{".Lock", "software-encryption", []string{"volume-locked"}},
}

// Knowing less never makes a rule assert more. The one exception is a replacement: when the cause
// of what is missing becomes unknown, the general message takes the place of the exact one.
func TestAnUnknownFactNeverAddsAFinding(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	fired := map[string]bool{}
	check := func(status contract.Status) {
		for found := range subjects(status) {
			fired[found.id] = true
		}
		eachNilable(reflect.ValueOf(&status).Elem(), "status", func(path string, fact reflect.Value) {
			before := subjects(status)
			known := reflect.New(fact.Type()).Elem()
			known.Set(fact)
			fact.SetZero()
			after := subjects(status)
			fact.Set(known)
			for added := range after {
				if !before[added] && !allowed(path, added, before, after) {
					t.Fatalf("without %s there is a new finding: %v", path, added)
				}
			}
		})
	}
	for _, e := range examples {
		check(with(e.positive))
	}
	for range 80 {
		var status contract.Status
		fill(random, reflect.ValueOf(&status).Elem(), "")
		for i := range status.Volumes { // ids are unique in a document
			status.Volumes[i].ID = fmt.Sprintf("volume %d", i)
			status.Disks[i].ID = candidates["DiskID"][i]
		}
		checkTexts(t, Findings(status))
		check(status)
	}
	for _, rule := range rules {
		if !fired[rule.id] {
			t.Errorf("no computer called for %s, so nothing was shown about it", rule.id)
		}
	}
}

func allowed(path string, added subject, before, after map[subject]bool) bool {
	if slices.Contains([]string{"provider-unavailable", "needs-elevation", "metadata-damaged"}, added.id) {
		return true // they speak about the unknown itself
	}
	return slices.ContainsFunc(replacements, func(r replacement) bool {
		gone := slices.ContainsFunc(r.exact, func(id string) bool {
			return before[subject{id, added.target}] && !after[subject{id, added.target}]
		})
		return added.id == r.general && strings.HasSuffix(path, r.fact) && gone
	})
}
