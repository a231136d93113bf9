package audit_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"diskaudit/core/audit"
	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/recording"
	"diskaudit/tests/require"
)

// story is a recorded computer and what there is to say about it. The targets are the mount
// points of volumes, ids of disks, or "machine"; what is not listed has no finding.
type story struct {
	file string
	want map[string][]string
}

var stories = []story{
	{
		// A fresh Windows 11 24H2 Home with a local account encrypted itself and waits for an
		// account that never comes. Nothing keeps it from doing so again. The EFI system partition
		// and the recovery partition are as they should be.
		file: "laptop-24h2-waiting.json",
		want: map[string][]string{
			"C:":      {"waiting-for-activation warning", "software-encryption notice", "used-space-only info"},
			"machine": {"device-encryption-not-prevented notice"},
		},
	},
	{
		// A company laptop as it should be, with a stick whose password nobody entered. Whether
		// its disk behind Intel VMD speaks NVMe is unknown, so nothing is said about it.
		file: "laptop-managed.json",
		want: map[string][]string{
			"C:":      {"software-encryption info", "used-space-only info"},
			"E:":      {"volume-locked info", "legacy-cipher info", "policy-denies-write-if-decrypted info"},
			"machine": {"policy-reencrypts info"},
		},
	},
	{
		// A database server: protection of C: was suspended for an update of its firmware and never
		// resumed; D: and E: are for SQL Server, and to encrypt the hard disk of E: faster somebody
		// turned flushing off; F: relies on an 850 EVO; an archive from Windows XP's days is mounted
		// in a folder.
		file: "server-database.json",
		want: map[string][]string{
			"C:":             {"protection-suspended warning", "software-encryption notice"},
			"D:":             {"software-encryption info", "small-cluster-for-database info"},
			"E:":             {"conversion-running notice", "software-encryption info", "small-cluster-for-database info"},
			"F:":             {"hardware-encryption-advisory warning"},
			`D:\folder-1`:    {"partition-misaligned notice"},
			"PhysicalDrive2": {"cache-flush-disabled warning"},
		},
	},
}

func TestStories(t *testing.T) {
	for _, s := range stories {
		t.Run(s.file, func(t *testing.T) {
			opened, err := recording.Open(storyFile(t, s.file))
			if err != nil {
				t.Fatal(err)
			}
			status := machine.Collect(t.Context(), opened, nil)
			if !status.Complete || status.Machine.Source != contract.SourceRecording {
				t.Errorf("complete %v, source %s", status.Complete, status.Machine.Source)
			}
			names := map[string]string{}
			for _, volume := range status.Volumes {
				names[volume.ID] = volume.ID
				if len(volume.MountPoints) > 0 {
					names[volume.ID] = volume.MountPoints[0]
				}
			}
			got := map[string][]string{}
			for _, finding := range audit.Findings(status) {
				target := finding.Target
				if name, ok := names[target]; ok {
					target = name
				}
				got[target] = append(got[target], finding.ID+" "+string(finding.Severity))
			}
			for _, findings := range []map[string][]string{got, s.want} {
				for target := range findings {
					slices.Sort(findings[target])
				}
			}
			if diff := cmp.Diff(s.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// The stories are recordings as this build writes them: every field known to the contract, valid
// by the published schema, and with nothing left to redact.
func TestStoriesAreRecordings(t *testing.T) {
	for _, s := range stories {
		t.Run(s.file, func(t *testing.T) {
			data, err := os.ReadFile(storyFile(t, s.file))
			if err != nil {
				t.Fatal(err)
			}
			decoder := json.NewDecoder(bytes.NewReader(data))
			decoder.DisallowUnknownFields()
			var status contract.Status
			if err := decoder.Decode(&status); err != nil {
				t.Fatal(err)
			}
			if err := contract.Validate(contract.KindStatus, data); err != nil {
				t.Error(err)
			}
			compact, err := contract.Encode(status)
			if err != nil {
				t.Fatal(err)
			}
			var original, encoded any
			if json.Unmarshal(data, &original) != nil || json.Unmarshal(compact, &encoded) != nil {
				t.Fatal("not JSON")
			}
			if diff := cmp.Diff(original, encoded); diff != "" {
				t.Errorf("the file is not what this build would write (-file +written):\n%s", diff)
			}
			if diff := cmp.Diff(status, recording.Redact(status), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("something was left to redact (-file +redacted):\n%s", diff)
			}
		})
	}
}

// Every recording has a story, so that its findings are held against something.
func TestEveryRecordingIsAStory(t *testing.T) {
	files, err := filepath.Glob(storyFile(t, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !slices.ContainsFunc(stories, func(s story) bool { return s.file == filepath.Base(file) }) {
			t.Errorf("%s has no story: nobody says what its findings should be", file)
		}
	}
	if len(files) != len(stories) {
		t.Errorf("%d recordings, %d stories", len(files), len(stories))
	}
}

func storyFile(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(require.Root(t), "tests", "testdata", "recordings", name)
}
