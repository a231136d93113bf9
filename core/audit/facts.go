package audit

import (
	"slices"
	"strconv"
	"strings"

	"diskaudit/core/contract"
)

// facts is a status document with the questions that several rules ask of it. Each answer is
// true only when the facts say so: yes(x) and no(x) are both false for an unknown x.
type facts struct {
	status   contract.Status
	disks    map[string]contract.Disk
	problems []contract.Problem
}

func newFacts(status contract.Status) facts {
	f := facts{status: status, disks: map[string]contract.Disk{}}
	for _, disk := range status.Disks {
		f.disks[disk.ID] = disk
	}
	f.problems = problemsInOrder(status)
	return f
}

// problemsInOrder gathers the problems of the document and of its volumes, each code and target
// once, in the order that their targets have in the document.
func problemsInOrder(status contract.Status) []contract.Problem {
	all := slices.Clone([]contract.Problem(status.Problems))
	place := map[string]int{}
	for _, volume := range status.Volumes {
		all = append(all, volume.Problems...)
		place[volume.ID] = len(place)
	}
	for _, disk := range status.Disks {
		if _, taken := place[disk.ID]; !taken {
			place[disk.ID] = len(place)
		}
	}
	type key struct{ code, target string }
	seen := map[key]bool{}
	all = slices.DeleteFunc(all, func(p contract.Problem) bool {
		k := key{p.Code, p.Target}
		double := seen[k]
		seen[k] = true
		return double
	})
	at := func(p contract.Problem) int {
		if i, ok := place[p.Target]; ok {
			return i
		}
		return len(place)
	}
	slices.SortStableFunc(all, func(a, b contract.Problem) int { return at(a) - at(b) })
	return all
}

// is reports whether a fact is known and has one of the values.
func is[T comparable](fact *T, values ...T) bool {
	return fact != nil && slices.Contains(values, *fact)
}

// yes reports whether a fact is known to be true.
func yes(fact *bool) bool { return is(fact, true) }

// no reports whether a fact is known to be false.
func no(fact *bool) bool { return is(fact, false) }

// managed reports whether the computer is known to be managed by someone else: by what it has joined,
// or by a policy that requires encryption, which policy-reencrypts tells not to work against.
func (f facts) managed() bool {
	join, policy := f.status.Machine.Join, f.status.Policy
	return yes(join.Domain) || yes(join.Entra) || yes(join.MDM) || yes(policy.RequireDeviceEncryption) || yes(policy.ManagementEnforces)
}

// unmanaged reports whether the computer is known to be managed by nobody.
func (f facts) unmanaged() bool {
	join := f.status.Machine.Join
	return no(join.Domain) && no(join.Entra) && no(join.MDM) && !f.managed()
}

// portable reports whether the computer is known to have a battery of its own.
func (f facts) portable() bool { return yes(f.status.Machine.Power.Portable) }

// server reports whether the computer is known to run Windows Server, whose registry names of
// editions are ServerStandard, ServerDatacenter and the like.
func (f facts) server() bool {
	// ServerRdsh is no server, but Windows 10 or 11 Enterprise multi-session.
	edition := f.status.Machine.Edition
	return edition != nil && *edition != "ServerRdsh" && strings.Contains(*edition, "Server")
}

// windowsServer reports whether the computer is known to run Windows Server, by its edition or by
// its name.
func (f facts) windowsServer() bool {
	os := f.status.Machine.OS
	return f.server() || os != nil && strings.HasPrefix(*os, "Windows Server")
}

// windowsClient reports whether the computer is known to run a Windows that is no server, which
// alone encrypts by itself.
func (f facts) windowsClient() bool {
	os := f.status.Machine.OS
	return os != nil && strings.HasPrefix(*os, "Windows") && !f.windowsServer()
}

// windows reports whether the facts are known to be of a running Windows, where the commands of
// an advice can be run as they stand. A recording tells by the name of its system.
func (f facts) windows() bool {
	m := f.status.Machine
	return m.Source == contract.SourceWindows || (m.OS != nil && strings.HasPrefix(*m.OS, "Windows"))
}

// linux reports whether the facts are known to be of a running system that is not Windows.
func (f facts) linux() bool {
	m := f.status.Machine
	return m.Source == contract.SourceLinux || (m.OS != nil && !strings.HasPrefix(*m.OS, "Windows"))
}

// windows11From reports whether the computer is known to run Windows 11 of this build or later.
func (f facts) windows11From(build int) bool {
	m := f.status.Machine
	if m.OS == nil || m.Build == nil || !strings.HasPrefix(*m.OS, "Windows 11") {
		return false
	}
	major, _, _ := strings.Cut(*m.Build, ".")
	number, err := strconv.Atoi(major)
	return err == nil && number >= build
}

// disksOf returns the disks that hold a volume, each once, and whether all of them are known.
func (f facts) disksOf(v contract.Volume) ([]contract.Disk, bool) {
	var disks []contract.Disk
	var ids []string
	for _, extent := range v.Extents {
		if slices.Contains(ids, extent.DiskID) {
			continue
		}
		disk, ok := f.disks[extent.DiskID]
		if !ok {
			return nil, false
		}
		ids = append(ids, extent.DiskID)
		disks = append(disks, disk)
	}
	return disks, len(disks) > 0
}

// everyDisk reports whether all disks that hold a volume are known and satisfy a condition.
func (f facts) everyDisk(v contract.Volume, condition func(contract.Disk) bool) bool {
	disks, known := f.disksOf(v)
	return known && !slices.ContainsFunc(disks, func(d contract.Disk) bool { return !condition(d) })
}

// stays reports whether a volume is known to be encrypted, wholly or in part, and not on its way
// to being decrypted.
func stays(v contract.Volume) bool {
	return is(v.Encryption.Conversion, contract.FullyEncrypted, contract.EncryptionInProgress, contract.EncryptionPaused)
}

// bySoftware reports whether a volume is known to be encrypted by the processor.
func bySoftware(v contract.Volume) bool {
	return stays(v) && is(v.Encryption.Engine, contract.EngineSoftware)
}

// isType reports whether a volume is known to be of one of the types.
func isType(v contract.Volume, types ...contract.VolumeType) bool { return is(v.Type, types...) }

// unprotected reports whether a volume's key is known to lie open: protection is off, or, on a
// volume that was read from a disk or an image, a key in the clear was found beside the data.
func unprotected(v contract.Volume) bool {
	return is(v.Encryption.Protection, contract.ProtectionOff) || yes(v.Encryption.ClearKey)
}

// protected reports whether a volume's key is known to be kept from a thief.
func protected(v contract.Volume) bool { return is(v.Encryption.Protection, contract.ProtectionOn) }
