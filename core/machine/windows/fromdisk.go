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
	// unavailable: it cannot be asked, or gave no answer.
	unavailable
	// shown: only Explorer was asked; who may not ask more may not read disks either.
	shown
)

// fromDisks reads what lies on the disks below the volumes: BitLocker's metadata, which its driver
// hides from the volume itself, or a file system in the clear. What the provider has told stands;
// the disk fills in what it left open. Disks are read side by side, each volume by volume; one that
// did not answer is not asked again.
func (m *Machine) fromDisks(ctx context.Context, asked *bitLocker, volumes []contract.Volume, standings []standing, finished func(index, done int)) {
	byDisk := map[string][]int{}
	var disks []string
	for i := range volumes {
		disk := ""
		if len(volumes[i].Extents) == 1 {
			disk = volumes[i].Extents[0].DiskID
		}
		if byDisk[disk] == nil {
			disks = append(disks, disk)
		}
		byDisk[disk] = append(byDisk[disk], i)
	}
	type read struct {
		index int
		seen  machine.Inspection
		err   error
	}
	results := make(chan read, len(volumes))
	for _, disk := range disks {
		go func() {
			var hung error
			for _, i := range byDisk[disk] {
				r := read{index: i, err: hung}
				if hung == nil {
					r.seen, r.err = m.inspect(ctx, volumes[i], standings[i])
				}
				if errors.Is(r.err, patience.ErrNoAnswer) || ctx.Err() != nil {
					hung = r.err
				}
				results <- r
			}
		}()
	}
	for done := 1; done <= len(volumes); done++ {
		r := <-results
		merge(asked, &volumes[r.index], standings[r.index], r.seen, r.err)
		finished(r.index, done)
	}
}

// errNothingToRead is why the disk below a volume is left alone.
var errNothingToRead = errors.New("there is nothing to learn from the disk")

// merge takes over what was read from the disk below a volume.
func merge(asked *bitLocker, volume *contract.Volume, said standing, seen machine.Inspection, err error) {
	add := func(problem contract.Problem) { volume.Problems = append(volume.Problems, problem) }
	switch {
	case errors.Is(err, errNothingToRead):
		return
	case err != nil:
		add(unread(asked, *volume, said, err))
		return
	case contradicted(volume, seen):
		add(contradiction(*volume, seen))
		return
	case isPlainBelow(seen) && volume.Encryption.Conversion != nil && !isPlain(*volume):
		// What is known so far may be of a drive that encrypts by itself, below which data looks plain.
		return
	}
	unknown := volume.Encryption.Conversion == nil
	fill(&volume.Encryption, seen.Encryption, said)
	if unknown && volume.Encryption.Conversion != nil {
		explainLock(volume.Problems)
	}
	for _, problem := range seen.Problems {
		if said == unlisted && problem.Code == machine.CodeUnrecognized && len(volume.MountPoints) == 0 {
			// A reserved partition that holds no file system looks like this.
			problem.Level = contract.LevelInfo
		}
		if said != answered || speaksOfMetadata(problem.Code) {
			add(problem)
		}
	}
	if said == unlisted {
		add(unlistedProblem(asked, *volume, contract.LevelInfo, ""))
	}
}

func isPlain(volume contract.Volume) bool {
	conversion := volume.Encryption.Conversion
	return conversion != nil && *conversion == contract.FullyDecrypted
}

func isLocked(encryption contract.Encryption) bool {
	return encryption.Lock != nil && *encryption.Lock == contract.Locked
}

// contradicted tells whether the disk shows plain data where the provider speaks of encryption by
// software: one of the two is wrong, or Windows places the volume where it does not lie.
func contradicted(volume *contract.Volume, seen machine.Inspection) bool {
	e := volume.Encryption
	software := e.Engine != nil && *e.Engine == contract.EngineSoftware
	return isPlainBelow(seen) && (isLocked(e) || software && !isPlain(*volume))
}

func isPlainBelow(seen machine.Inspection) bool {
	return seen.Encryption.Conversion != nil && *seen.Encryption.Conversion == contract.FullyDecrypted
}

func contradiction(volume contract.Volume, seen machine.Inspection) contract.Problem {
	system := "a file system"
	if seen.FileSystem != nil {
		system = *seen.FileSystem
	}
	return contract.Problem{
		Code: "states-contradict", Level: contract.LevelError, Stage: machine.StageVolumes, Target: volume.ID,
		Text: fmt.Sprintf("BitLocker speaks of %s as encrypted, but the disk shows %s in the clear where Windows says that the volume begins. What BitLocker says is in the document; do not rely on it, run this again, and look at manage-bde -status.", named(volume), system),
	}
}

// errNotOnOneDisk is why a volume cannot be read from below.
var errNotOnOneDisk = errors.New("it does not lie on one disk in one piece, as far as Windows tells")

// inspect reads the volume's own bytes from the disk below it.
func (m *Machine) inspect(ctx context.Context, volume contract.Volume, said standing) (machine.Inspection, error) {
	if said == shown || said == answered && isPlain(volume) {
		return machine.Inspection{}, errNothingToRead
	}
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
	if said == answered && !isLocked(*told) {
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

// unread says why nothing was read from the disk, and what that leaves unknown.
func unread(asked *bitLocker, volume contract.Volume, said standing, err error) contract.Problem {
	reason := err.Error()
	switch {
	case errors.Is(err, fs.ErrPermission):
		reason = "only an administrator may read a disk, and some security products refuse even that"
	case errors.Is(err, patience.ErrNoAnswer):
		reason = "the disk did not answer in time"
	case errors.Is(err, context.DeadlineExceeded):
		reason = "the time limit was reached"
	}
	problem := contract.Problem{Code: "metadata-not-read", Level: contract.LevelInfo, Stage: machine.StageVolumes, Target: volume.ID}
	switch said {
	case unlisted:
		level := contract.LevelError
		if neverEncrypted(volume) || len(volume.Extents) > 1 {
			// BitLocker encrypts no volume on dynamic disks.
			level = contract.LevelInfo
		}
		return unlistedProblem(asked, volume, level, reason)
	case unavailable:
		// That BitLocker cannot be asked is an error of its own.
		problem.Text = fmt.Sprintf("BitLocker did not tell about %s, and its beginning was not read from the disk (%s): its state is unknown.", named(volume), reason)
	default:
		problem.Text = fmt.Sprintf("BitLocker's metadata of %s was not read from the disk (%s): what only it holds, such as the description and when the encryption began, is null.", named(volume), reason)
	}
	return problem
}

// unlistedProblem says that BitLocker does not have the volume in its list; reason is why the disk
// does not tell about it either, empty when it does.
func unlistedProblem(asked *bitLocker, volume contract.Volume, level contract.Level, reason string) contract.Problem {
	problem := contract.Problem{Code: "not-encryptable", Level: level, Stage: machine.StageVolumes, Target: volume.ID}
	problem.Text = fmt.Sprintf("BitLocker does not list %s, so it has no state there.", named(volume))
	if asked.incomplete() {
		problem.Code = "not-listed-by-bitlocker"
		problem.Text = fmt.Sprintf("%s is not in the part of BitLocker's list that could be read.", named(volume))
	}
	format := volume.Encryption.Format
	switch {
	case reason == "" && format != nil && *format != "none":
		problem.Code, problem.Level = "not-listed-by-bitlocker", contract.LevelError
		problem.Text = fmt.Sprintf("BitLocker's metadata lies on %s, but BitLocker does not list it. What is told was read from the disk below it; whether it is locked, suspended for how many restarts, or unlocks by itself is unknown. Look at manage-bde -status.", named(volume))
	case reason == "":
		problem.Text += " What is told of it was read from the disk below it."
	case level == contract.LevelError:
		problem.Code = "not-listed-by-bitlocker"
		problem.Text += fmt.Sprintf(" Its beginning was not read from the disk either (%s): whether something encrypts it is unknown.", reason)
		if asked.elevated == nil || !*asked.elevated {
			problem.Text += " Run as administrator."
		}
		problem.Text += " manage-bde -status shows what BitLocker knows."
	default:
		problem.Text += " Volumes of this kind are none that BitLocker encrypts, and its states are null."
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
