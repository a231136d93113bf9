package recording

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/contract"
)

// fragments are put together to names, paths and sentences; each word of distinctive ones is a
// secret.
var (
	fragments = []string{
		"a", "C:", "the", "NTFS", "Windows", "label-1", "label-2", "image-1.img", "folder-1", "path-2", "computer-1", "user-1", "name-1", "serial-3",
		"Quixote", "DULCINEA-PC", "Sancho Panza", "Größe", "mancha.img", "Rocinante", `C:\Users\Quixote\mill`, "/home/Quixote/mill", "/media/Sancho/STICK9",
		`D:\Rocinante\`, "/dev/mapper/Rocinante", "/dev/sda1", "/dev/nvme0n1p3", "PhysicalDrive0", `\\mill\Dulcinea`, pathC, guidC, "alonso@quijano.example",
		`\\?\Volume{` + guidE + `}`, "/sys/block/sda", "/a/b/c", "image-2", "disk-1", "00000000-0000-4000-8000-000000000002",
	}
	distinctive = []string{"quixote", "dulcinea", "sancho", "panza", "größe", "mancha", "rocinante", "mill", "stick9", "quijano", strings.ToLower(guidC), guidE}
	between     = []string{" ", ", ", `"`, "'", "(", ") ", ": ", ". ", "; ", "#partition2 ", "\n"}
	// What joins words, so that where one name ends and the next begins is open.
	joining = append([]string{"-", "/", `\`}, between...)
)

func phrase(random *rand.Rand, most int, between []string) string {
	var text strings.Builder
	for i := range 1 + random.IntN(most) {
		if i > 0 {
			text.WriteString(between[random.IntN(len(between))])
		}
		text.WriteString(fragments[random.IntN(len(fragments))])
	}
	return text.String()
}

func random(source *rand.Rand, between []string) contract.Status {
	one := func() string { return fragments[source.IntN(len(fragments))] }
	var status contract.Status
	status.Machine.ComputerName = ptr(one())
	status.BitLocker.Reason = ptr(phrase(source, 6, between))
	status.Disks = contract.List[contract.Disk]{{ID: one(), Serial: ptr(one())}, {ID: one(), Container: ptr("raw")}}
	for range 3 {
		status.Volumes = append(status.Volumes, contract.Volume{
			ID: one(), MountPoints: contract.List[string]{one(), one()}, Label: ptr(phrase(source, 2, between)),
			Extents:    contract.List[contract.Extent]{{DiskID: one()}},
			Layers:     contract.List[contract.Layer]{{Device: one(), Below: ptr(one())}},
			Encryption: contract.Encryption{Description: ptr(phrase(source, 3, between)), VolumeGUID: ptr(one())},
		})
	}
	for range 4 {
		status.Problems = append(status.Problems, contract.Problem{Target: one(), Text: phrase(source, 12, between)})
	}
	return status
}

func TestRedactTwiceIsRedactOnceAtRandom(t *testing.T) {
	source := rand.New(rand.NewPCG(3, 4))
	for range 600 {
		status := random(source, between)
		once := Redact(status)
		if diff := cmp.Diff(once, Redact(once)); diff != "" {
			t.Fatalf("(-once +twice):\n%s\nof %s", diff, mustEncode(t, status))
		}
	}
}

// Names that are facts of the document are found wherever they stand as a word.
func TestRedactFindsEveryFactAtRandom(t *testing.T) {
	source := rand.New(rand.NewPCG(5, 6))
	for range 600 {
		status := random(source, joining)
		// Every fragment is a fact.
		for _, fragment := range fragments {
			status.Volumes = append(status.Volumes, contract.Volume{ID: "/dev/sdz", MountPoints: contract.List[string]{fragment}, Label: ptr(fragment)})
		}
		for _, part := range []string{"Quixote", "Sancho", "Panza", "mancha", "Rocinante", "mill", "Dulcinea", "STICK9", "quijano", "DULCINEA"} {
			status.Volumes = append(status.Volumes, contract.Volume{ID: "/dev/sdz", Label: ptr(part)})
		}
		text := strings.ToLower(mustEncode(t, Redact(status)))
		for _, secret := range distinctive {
			if at := strings.Index(text, secret); at >= 0 {
				t.Fatalf("%q is still there: ...%s...\nof %s", secret, text[max(0, at-100):min(len(text), at+100)], mustEncode(t, status))
			}
		}
	}
}

func mustEncode(t *testing.T, status contract.Status) string {
	t.Helper()
	data, err := contract.Encode(status)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
