package package_test

import (
	"debug/buildinfo"
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"diskaudit/tests/require"
)

// TestExecutableAlone runs the executable of this computer from its own zip.
func TestExecutableAlone(t *testing.T) {
	t.Parallel()
	folder := release(t)
	name := map[string]string{"linux/amd64": "linux-x64", "linux/arm64": "linux-arm64"}[runtime.GOOS+"/"+runtime.GOARCH]
	if name == "" {
		require.Missing(t, "host", "build.ps1 has no platform for this computer")
	}
	out, err := exec.Command(programFor(t, folder, name), "version").Output()
	if err != nil || !strings.Contains(string(out), `"version":"`+version+`"`) {
		t.Errorf("the executable does not tell its version: %v\n%s", err, out)
	}
}

// TestComponents compares the bill of materials and the licenses with what Go has written into each
// executable: everything that is linked is named, with its version, and nothing that is not.
func TestComponents(t *testing.T) {
	t.Parallel()
	folder := release(t)
	for _, platform := range platforms {
		program := programFor(t, folder, platform)
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"std": info.GoVersion}
		for _, module := range info.Deps {
			want[module.Path] = module.Version
		}
		text := read(t, filepath.Join(folder, "diskaudit-"+version+"-"+platform+".cdx.json"))
		var bill struct {
			BOMFormat, SpecVersion, SerialNumber string
			Metadata                             struct {
				Timestamp  string
				Component  struct{ Name, Version string }
				Properties []struct{ Name, Value string }
			}
			Components []struct{ Name, Version, PURL string }
		}
		if err := json.Unmarshal([]byte(text), &bill); err != nil {
			t.Fatalf("%s: %v", platform, err)
		}
		got := map[string]string{}
		for _, component := range bill.Components {
			got[component.Name] = component.Version
			if !strings.HasPrefix(component.PURL, "pkg:golang/"+component.Name+"@") {
				t.Errorf("%s: %s has the package URL %s", platform, component.Name, component.PURL)
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: the bill of materials names %v, but linked are %v", platform, got, want)
		}
		// cyclonedx.org/docs/1.6/json
		if bill.BOMFormat != "CycloneDX" || bill.SpecVersion != "1.6" || bill.Metadata.Component.Name != "diskaudit" || bill.Metadata.Component.Version != "v"+version {
			t.Errorf("%s: the bill of materials is of something else: %.300s", platform, text)
		}
		if bill.SerialNumber != "" || bill.Metadata.Timestamp != "" {
			t.Errorf("%s: the bill of materials differs from build to build: %s %s", platform, bill.SerialNumber, bill.Metadata.Timestamp)
		}
		told := slices.ContainsFunc(bill.Metadata.Properties, func(p struct{ Name, Value string }) bool {
			return p.Name == "cdx:gomod:binary:hash:SHA-256" && p.Value == hash([]byte(read(t, program)))
		})
		if !told {
			t.Errorf("%s: the bill of materials does not name the executable by its hash", platform)
		}
		notices := string(unzipped(t, filepath.Join(folder, "diskaudit-"+version+"-"+platform+".zip"))["NOTICES.txt"].data)
		for name, number := range want {
			if name == "std" {
				name = "The Go standard library and runtime"
			}
			if !strings.Contains(notices, "\n"+name+" "+number+"\n") {
				t.Errorf("NOTICES.txt has no license of %s %s", name, number)
			}
		}
	}
}
