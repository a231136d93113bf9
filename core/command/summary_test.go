package command

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// doubtful is a desktop on which D: is not what BitLocker says of it.
type doubtful struct{ *desktop }

func (d doubtful) Volumes(_ context.Context, report *machine.Report) {
	letters := map[string]string{systemID: "C:", dataID: "D:"}
	for _, id := range []string{systemID, dataID} {
		volume := contract.Volume{
			ID: id, MountPoints: contract.List[string]{letters[id]}, FileSystem: contract.Ptr("NTFS"), SizeBytes: contract.Ptr(uint64(1 << 39)),
			Type: contract.Ptr(contract.OperatingSystem), Extents: contract.List[contract.Extent]{{DiskID: "PhysicalDrive0", LengthBytes: 1 << 39}},
			Encryption: d.encryption(id),
		}
		if id == dataID {
			volume.Type = contract.Ptr(contract.Data)
			volume.Problems = contract.List[contract.Problem]{{Code: "states-contradict", Level: contract.LevelError, Stage: machine.StageVolumes, Target: id, Text: "BitLocker and the disk differ."}}
		}
		report.AddVolume(volume)
	}
}

// A computer is not decrypted because only its decrypted volume was asked for: the summary is the
// same whatever --volume names, but for completeness, which is the document's.
func TestSummaryIsOfTheWholeComputer(t *testing.T) {
	d := newDesktop()
	d.conversion[systemID], d.conversion[dataID] = contract.FullyDecrypted, contract.FullyDecrypted
	summary := func(more ...string) contract.Summary {
		t.Helper()
		var stdout, stderr bytes.Buffer
		RunWith(t.Context(), append([]string{"diskaudit", "status"}, more...), &stdout, &stderr, Sources{
			Computer: func(bool) machine.Machine { return doubtful{d} },
		})
		var document contract.Status
		if err := json.Unmarshal(stdout.Bytes(), &document); err != nil || document.Summary == nil {
			t.Fatalf("%v %s%s", err, stdout.String(), stderr.String())
		}
		return *document.Summary
	}
	whole := summary()
	if whole.State != contract.ComputerUnknown || *whole.UnknownVolumes != 1 {
		t.Fatalf("with a volume of which nothing is certain: %+v", whole)
	}
	for _, letter := range []string{"C:", "D:"} {
		part := summary("--volume", letter)
		part.Complete = whole.Complete
		one, other := encoded(t, whole), encoded(t, part)
		if one != other {
			t.Errorf("--volume %s makes of\n%s\nthis:\n%s", letter, one, other)
		}
	}
}

func encoded(t *testing.T, summary contract.Summary) string {
	t.Helper()
	text, err := json.Marshal(summary)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
