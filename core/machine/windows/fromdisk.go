package windows

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/patience"
	"diskaudit/core/machine/windows/storage"
)

// standing is what BitLocker's provider said of a volume.
type standing int

const (
	// answered: it was asked about the volume.
	answered standing = iota
	// unlisted: it does not have the volume in its list.
	unlisted
	// unavailable: it cannot be asked about any.
	unavailable
)

// fromDisk reads what lies on the disk below the volume: BitLocker's metadata, which its driver
// hides from the volume itself, or a file system in the clear. What the provider has told stands;
// the disk fills in what it left open.
func (m *Machine) fromDisk(ctx context.Context, volume *contract.Volume, said standing) {
	if said == answered && isPlain(volume) {
		// There is no metadata to read.
		return
	}
	seen, err := m.inspect(ctx, *volume)
	if err != nil {
		if problem := unread(*volume, said, err); problem != nil {
			volume.Problems = append(volume.Problems, *problem)
		}
		return
	}
	unknown := volume.Encryption.Conversion == nil
	fill(&volume.Encryption, seen.Encryption, said)
	if unknown && volume.Encryption.Conversion != nil {
		explainLock(volume.Problems)
	}
	for _, problem := range seen.Problems {
		if said != answered || speaksOfMetadata(problem.Code) {
			volume.Problems = append(volume.Problems, problem)
		}
	}
	if said == unlisted {
		volume.Problems = append(volume.Problems, unlistedProblem(*volume, contract.LevelInfo, ""))
	}
}

func isPlain(volume *contract.Volume) bool {
	conversion := volume.Encryption.Conversion
	return conversion != nil && *conversion == contract.FullyDecrypted
}

// errNotOnOneDisk is why a volume cannot be read from below.
var errNotOnOneDisk = errors.New("it does not lie on one disk in one piece, as far as Windows tells")

// inspect reads the volume's own bytes from the disk below it.
func (m *Machine) inspect(ctx context.Context, volume contract.Volume) (machine.Inspection, error) {
	if len(volume.Extents) != 1 || volume.Extents[0].LengthBytes == 0 {
		return machine.Inspection{}, errNotOnOneDisk
	}
	extent := volume.Extents[0]
	return patience.Within(ctx, part(ctx, rawLimit), func(context.Context) (machine.Inspection, error) {
		disk, size, err := m.options.Storage.OpenDisk(extent.DiskID)
		if err != nil {
			return machine.Inspection{}, fmt.Errorf("opening %s: %w", extent.DiskID, err)
		}
		defer disk.Close()
		if size < 0 || extent.OffsetBytes > uint64(size) || extent.LengthBytes > uint64(size)-extent.OffsetBytes {
			return machine.Inspection{}, fmt.Errorf("%s has %d bytes, and the volume would lie at %d with %d", extent.DiskID, size, extent.OffsetBytes, extent.LengthBytes)
		}
		return machine.Inspect(machine.Subject{
			ID:     volume.ID,
			Reader: io.NewSectionReader(disk, int64(extent.OffsetBytes), int64(extent.LengthBytes)),
			Size:   int64(extent.LengthBytes),
		}), nil
	})
}

// fill takes over from the disk what the provider left open. Of a volume that it was asked about
// those are the facts that only the metadata holds, and of a locked one also what the provider
// tells of no locked volume; what it could not tell for another reason stays unknown.
func fill(told *contract.Encryption, seen contract.Encryption, said standing) {
	keep(&told.Format, seen.Format)
	keep(&told.VolumeGUID, seen.VolumeGUID)
	keep(&told.Description, seen.Description)
	keep(&told.CreatedAt, seen.CreatedAt)
	keep(&told.SectorBytes, seen.SectorBytes)
	locked := told.Lock != nil && *told.Lock == contract.Locked
	if said == answered && !locked {
		return
	}
	keep(&told.Conversion, seen.Conversion)
	keep(&told.Percent, seen.Percent)
	keep(&told.UsedSpaceOnly, seen.UsedSpaceOnly)
	keep(&told.Method, seen.Method)
	keep(&told.Engine, seen.Engine)
	keep(&told.Protection, seen.Protection)
	keep(&told.ProtectionReason, seen.ProtectionReason)
	keep(&told.ClearKey, seen.ClearKey)
	if told.Protectors == nil {
		told.Protectors = seen.Protectors
	}
}

// explainLock takes back that a locked volume's states are missing, once the metadata told them.
func explainLock(problems []contract.Problem) {
	for i := range problems {
		if problems[i].Code == "volume-locked" {
			problems[i].Level = contract.LevelInfo
			problems[i].Text += " What is told of its encryption was read from the disk below it."
		}
	}
}

func keep[T any](told **T, seen *T) {
	if *told == nil {
		*told = seen
	}
}

// speaksOfMetadata picks the problems that hold whatever the provider says.
func speaksOfMetadata(code string) bool {
	return strings.HasPrefix(code, "metadata-") || strings.HasPrefix(code, "header-")
}

// unread says why nothing was read from the disk, and what that leaves unknown; nil when the
// problem of something else says so already.
func unread(volume contract.Volume, said standing, err error) *contract.Problem {
	reason := err.Error()
	switch {
	case errors.Is(err, fs.ErrPermission):
		reason = "only an administrator may read a disk, and some security products refuse even that"
	case errors.Is(err, patience.ErrNoAnswer):
		reason = "the disk did not answer in time"
	}
	problem := contract.Problem{Code: "metadata-not-read", Level: contract.LevelInfo, Stage: machine.StageVolumes, Target: volume.ID}
	switch said {
	case answered:
		problem.Text = fmt.Sprintf("BitLocker's metadata of %s was not read from the disk (%s): what only it holds, such as the description and when the encryption began, is null.", volume.ID, reason)
	case unlisted:
		level := contract.LevelError
		if neverEncrypted(volume) {
			level = contract.LevelInfo
		}
		problem = unlistedProblem(volume, level, reason)
	case unavailable:
		// That BitLocker cannot be asked is an error of its own.
		problem.Text = fmt.Sprintf("BitLocker cannot be asked about %s, and its beginning was not read from the disk (%s): its state is unknown.", volume.ID, reason)
	}
	return &problem
}

// unlistedProblem says that BitLocker does not have the volume in its list.
func unlistedProblem(volume contract.Volume, level contract.Level, reason string) contract.Problem {
	problem := contract.Problem{Code: "not-encryptable", Level: level, Stage: machine.StageVolumes, Target: volume.ID}
	problem.Text = fmt.Sprintf("BitLocker does not list %s, so it has no state there.", volume.ID)
	switch {
	case reason == "":
		problem.Text += " What is told of it was read from the disk below it."
	case level == contract.LevelError:
		problem.Code = "not-listed-by-bitlocker"
		problem.Text += fmt.Sprintf(" Its beginning was not read from the disk either (%s): whether something encrypts it is unknown. Run as administrator; manage-bde -status shows what BitLocker knows.", reason)
	default:
		problem.Text += " Media of this kind are none that BitLocker encrypts, and its states are null."
	}
	return problem
}

// neverEncrypted tells whether a volume is one that BitLocker never has in its list: a drive
// without a medium, an optical disc, or a letter behind which there is no volume.
func neverEncrypted(volume contract.Volume) bool {
	return slices.ContainsFunc(volume.Problems, func(p contract.Problem) bool {
		return p.Code == storage.CodeNoMedium || p.Code == storage.CodeOptical || p.Code == storage.CodeNoVolumeGUID
	})
}
