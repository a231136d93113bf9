package remediate

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

// visitFacts calls visit with each fact of a document that can be unknown, and the path to it.
func visitFacts(value reflect.Value, path string, visit func(path string, fact reflect.Value)) {
	switch value.Kind() {
	case reflect.Struct:
		for i := range value.NumField() {
			if name := value.Type().Field(i).Name; name != "Problems" && name != "Findings" {
				visitFacts(value.Field(i), strings.TrimPrefix(path+"."+name, "."), visit)
			}
		}
	case reflect.Pointer:
		if !value.IsNil() {
			visit(path, value)
		}
	case reflect.Slice:
		if value.Len() > 0 {
			visit(path, value)
		}
		for i := range value.Len() {
			visitFacts(value.Index(i), fmt.Sprintf("%s[%d]", path, i), visit)
		}
	}
}

// withoutEach calls try once for each fact of a request's computer, while that one fact is unknown.
func withoutEach(request *Request, try func(path string)) {
	visitFacts(reflect.ValueOf(&request.Status).Elem(), "", func(path string, fact reflect.Value) {
		known := reflect.New(fact.Type()).Elem()
		known.Set(fact)
		fact.SetZero()
		try(path)
		fact.Set(known)
	})
}

func guardsOf(request Request) []contract.Guard {
	p := &planning{request: request}
	p.choose()
	p.plan()
	return p.guards()
}

// decoration are facts on which no decryption rests: how the path to them ends.
var decoration = []string{
	".OS", ".Build", ".Edition", ".Architecture", ".ProgramArchitecture", ".Elevated", ".VirtualMachine.Detected",
	".Power.Plan", ".Power.Saver", ".TPM.Present", ".TPM.Ready", ".TPM.Version", ".SecureBoot",
	"BitLocker.Available", "BitLocker.Provider", ".FIPS", ".DenyWriteRemovable",
	".Model", ".Bus", ".NVMe", ".Media", ".Removable", ".WriteCache.Type", ".WriteCache.Enabled", ".WriteCache.PowerProtected",
	".MountPoints", ".Label", ".SizeBytes", ".FreeBytes",
	".Format", ".Percent", ".UsedSpaceOnly", ".Method", ".Protection", ".ProtectionReason", ".ClearKey", ".Protectors",
	// Whether D: unlocks by itself decides about the order of the steps, and no keys are stored.
	".AutoUnlock",
}

// No guard allows anything because a fact is missing: whatever the plan for the sound computer rests on
// stops it when it is not known. A fact that is in neither list fails the test.
func TestEveryFactThatMattersStopsThePlan(t *testing.T) {
	stopping := 0
	request := requestWith()
	withoutEach(&request, func(path string) {
		if strings.HasPrefix(path, "Volumes[2]") || path == "Volumes" {
			return
		}
		want := !slices.ContainsFunc(decoration, func(end string) bool { return strings.HasSuffix(path, end) })
		if want {
			stopping++
		}
		if got := Refuses(guardsOf(request)); got != want {
			t.Errorf("without %s: refused %v, want %v", path, got, want)
		}
	})
	if stopping < 30 {
		t.Errorf("only %d facts were found to matter", stopping)
	}
}

// The same for what the speed-up rests on.
func TestEveryFactOfTheSpeedUpStopsIt(t *testing.T) {
	matters := []string{
		"Disks[1].Media", "Disks[1].WriteCache.Type", "Disks[1].WriteCache.Enabled", "Disks[1].WriteCache.PowerProtected",
		"Machine.Power.Source", "Volumes[1].Extents",
	}
	found := 0
	request := requestWith(onHardDisk)
	withoutEach(&request, func(path string) {
		if !slices.Contains(matters, path) {
			return
		}
		found++
		if !slices.ContainsFunc(guardsOf(request), func(g contract.Guard) bool { return g.ID == guardSpeedUp && g.Result == contract.GuardUnknown }) {
			t.Errorf("without %s the speed-up is allowed", path)
		}
	})
	if found != len(matters) {
		t.Errorf("%d of %d facts were tried", found, len(matters))
	}
}

// Whatever refuses, or cannot tell, goes on doing so when one more fact is missing.
func TestLosingAFactNeverAllows(t *testing.T) {
	for _, c := range guardCases {
		request := requestWith(c.edit)
		before := guardsOf(request)
		withoutEach(&request, func(path string) {
			// Lists of what there is can be empty, but are never unknown.
			if slices.Contains([]string{"Volumes", "Policy.Settings", "Policy.Origins"}, path) {
				return
			}
			// Of a volume that was never encrypted, Windows tells no hardware test unless one is pending.
			if c.name == "test pending on a volume that is still plain" && path == "Volumes[0].Encryption.HardwareTest" {
				return
			}
			// What contradicts is no longer there.
			if c.name == "keys that contradict" && path == "Volumes[1].Encryption.AutoUnlock" {
				return
			}
			after := guardsOf(request)
			if Refuses(before) && !Refuses(after) {
				t.Errorf("%s/%s: without %s nothing refuses any more", c.guard, c.name, path)
			}
			for _, g := range before {
				if g.Result.Refuses() && slices.ContainsFunc(after, func(other contract.Guard) bool {
					return other.ID == g.ID && other.Target == g.Target && other.Result == contract.GuardAllow
				}) {
					t.Errorf("%s/%s: without %s, %s of %s turns from %s to allow", c.guard, c.name, path, g.ID, g.Target, g.Result)
				}
			}
		})
	}
}

// Overriding every guard leaves those that nothing overrides.
func TestOverridingEverything(t *testing.T) {
	for _, c := range guardCases {
		request := requestWith(c.edit)
		request.Overrides = Guards()
		for _, g := range guardsOf(request) {
			if g.Result.Refuses() && !withoutOverride(g.ID, g.Target) && g.ID != guardKeys {
				t.Errorf("%s/%s: %s of %s is still %s", c.guard, c.name, g.ID, g.Target, g.Result)
			}
		}
	}
}
