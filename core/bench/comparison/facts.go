package comparison

import (
	"fmt"
	"strconv"
	"strings"

	"diskaudit/core/contract"
)

// fact is something that holds for a whole run, and what to do when it differs between two.
type fact struct {
	// code of the refusal or note.
	code string
	// name for people, as in "the disk's model".
	name string
	// of tells the fact; nil when the run does not.
	of func(*contract.Bench) *string
	// refused facts decide what was measured; the others how fast it ran.
	refused bool
	// absent says when a fact that is not told is worth a word.
	absent absence
	// advice is the way out, or what it means.
	advice string
}

// absence says when it is told that a fact is not known to be the same.
type absence int

const (
	// oneSided facts lie in the nature of a run, such as the file system of its target: that neither
	// run has one is no news.
	oneSided absence = iota
	// always holds for facts without which nobody knows whether the runs are alike.
	always
	// never holds for facts that are not there unless they are asked for.
	never
)

// facts in the order in which they are told.
var facts = []fact{
	{code: "disk-differs", name: "the disk's model", of: ofDisk(func(d *contract.Disk) *string { return d.Model }), refused: true, absent: always,
		advice: "Compare results of one disk."},
	{code: "disk-differs", name: "the disk's size", of: ofDisk(func(d *contract.Disk) *string { return number(d.SizeBytes) }), refused: true, absent: always,
		advice: "Compare results of one disk."},
	{code: "disk-differs", name: "the disk's serial number", of: ofDisk(func(d *contract.Disk) *string { return d.Serial }), refused: true, absent: never,
		advice: "Compare results of one disk."},
	{code: "driver-differs", name: "the disk's driver", of: ofDisk(func(d *contract.Disk) *string { return d.Driver.Name }), refused: true, absent: always,
		advice: "Another driver takes another time for the same I/O, and the difference is not the disk's. Measure both with one driver."},
	{code: "system-differs", name: "the kind of operating system", of: ofMachine(func(m *contract.Machine) *string { return known(string(m.Source)) }), refused: true, absent: always,
		advice: "Measure both under the same operating system."},
	{code: "layer-differs", name: "the layer at which the I/O enters", of: func(b *contract.Bench) *string { return b.Target.Layer }, refused: true, absent: always,
		advice: "Give both runs a target in the same layer, such as a file on the volume."},
	{code: "virtual-machine-differs", name: "whether it is a virtual machine", of: ofMachine(virtual), refused: true, absent: always,
		advice: "A guest's I/O passes through its host. Measure both on the computer itself, or in guests of one hypervisor."},

	{code: "tool-differs", name: "the version of diskaudit", of: func(b *contract.Bench) *string { return known(strings.TrimSpace(b.Tool.Name + " " + b.Tool.Version)) },
		advice: "Versions can measure differently. Measure both with one version where that matters."},
	{code: "driver-version-differs", name: "the driver's version", of: ofDisk(func(d *contract.Disk) *string { return d.Driver.Version }),
		advice: "A change can come from that."},
	{code: "system-build-differs", name: "the system's build", of: ofMachine(func(m *contract.Machine) *string { return m.Build }),
		advice: "A change can come from that."},
	{code: "firmware-differs", name: "the disk's firmware", of: ofDisk(func(d *contract.Disk) *string { return d.Firmware }),
		advice: "A change can come from that."},
	{code: "write-cache-differs", name: "whether the disk's write cache is on", of: ofDisk(func(d *contract.Disk) *string { return yesNo(d.WriteCache.Enabled) }),
		advice: "Writes differ by that."},
	{code: "processor-differs", name: "the processor", of: ofMachine(func(m *contract.Machine) *string { return m.CPU.Name }),
		advice: "A part of each I/O's time is the processor's."},
	{code: "target-differs", name: "the kind of target", of: func(b *contract.Bench) *string { return text(b.Target.Kind) },
		advice: "What is in the target, and where it lies, differs by that."},
	{code: "target-differs", name: "the volume", of: func(b *contract.Bench) *string { return b.Target.VolumeID },
		advice: "Volumes of one disk can lie on parts of unlike speed, and only one of them may be encrypted."},
	{code: "file-system-differs", name: "the file system", of: func(b *contract.Bench) *string { return b.Target.FileSystem },
		advice: "A change can come from that."},
	{code: "power-differs", name: "the power source", of: func(b *contract.Bench) *string { return text(b.Context.Before.PowerSource) },
		advice: "Computers slow down on battery. Measure both on mains."},
	{code: "power-differs", name: "the power plan", of: func(b *contract.Bench) *string { return b.Context.Before.PowerPlan },
		advice: "Measure both with one plan."},
	{code: encryptionDiffers, name: "the encryption's format", of: ofEncryption(func(e contract.Encryption) *string { return e.Format }), absent: always, advice: beforeAfter},
	{code: encryptionDiffers, name: "the state of encryption", of: ofEncryption(func(e contract.Encryption) *string { return text(e.Conversion) }), advice: beforeAfter},
	{code: encryptionDiffers, name: "the cipher", of: ofEncryption(func(e contract.Encryption) *string { return text(e.Method) }), advice: beforeAfter},
	{code: encryptionDiffers, name: "what does the encrypting", of: ofEncryption(func(e contract.Encryption) *string { return text(e.Engine) }), advice: beforeAfter},
}

const (
	// encryptionDiffers is the code by which a caller knows that the pair of runs is evidence of what
	// encryption costs.
	encryptionDiffers = "encryption-differs"
	beforeAfter       = "What follows is what encryption costs, if nothing else differs: see the penalty."
)

// compareFacts refuses or notes each fact that differs, and gathers those that a side does not tell.
func (c *comparer) compareFacts() {
	var unknown []string
	for _, fact := range facts {
		then, now := fact.of(c.baseline.Document), fact.of(&c.now)
		switch {
		case then == nil || now == nil:
			if fact.absent == always || fact.absent == oneSided && (then != nil || now != nil) {
				unknown = append(unknown, fmt.Sprintf("%s (%s)", fact.name, whoseUnknown(then, now)))
			}
		case *then == *now:
		case fact.refused:
			c.refuse(fact.code, "", "Nothing is compared: %s was %q in the baseline and is %q now. %s", fact.name, shorten(*then), shorten(*now), fact.advice)
		default:
			c.note(fact.code, "%s was %q in the baseline and is %q now. %s", capital(fact.name), shorten(*then), shorten(*now), fact.advice)
		}
	}
	if len(unknown) > 0 {
		c.note("context-unknown", "Not known to be the same: %s.", strings.Join(unknown, ", "))
	}
}

func whoseUnknown(then, now *string) string {
	switch {
	case then == nil && now == nil:
		return "neither run tells"
	case then == nil:
		return "the baseline does not tell"
	}
	return "this run does not tell"
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func ofDisk(of func(*contract.Disk) *string) func(*contract.Bench) *string {
	return func(b *contract.Bench) *string {
		if b.Context.Disk == nil {
			return nil
		}
		return of(b.Context.Disk)
	}
}

func ofMachine(of func(*contract.Machine) *string) func(*contract.Bench) *string {
	return func(b *contract.Bench) *string {
		if b.Context.Machine == nil {
			return nil
		}
		return of(b.Context.Machine)
	}
}

func ofEncryption(of func(contract.Encryption) *string) func(*contract.Bench) *string {
	return func(b *contract.Bench) *string {
		if b.Context.Volume == nil {
			return nil
		}
		return of(b.Context.Volume.Encryption)
	}
}

// virtual names a guest by its hypervisor.
func virtual(m *contract.Machine) *string {
	switch {
	case m.VirtualMachine.Detected == nil:
		return nil
	case !*m.VirtualMachine.Detected:
		return contract.Ptr("no")
	case m.VirtualMachine.Hypervisor == nil:
		return contract.Ptr("yes")
	}
	return contract.Ptr("yes, " + *m.VirtualMachine.Hypervisor)
}

// known is a text that is not there when it is empty, or says that nobody was asked.
func known(text string) *string {
	if text == "" || text == string(contract.SourceNone) {
		return nil
	}
	return &text
}

func number(n *uint64) *string {
	if n == nil {
		return nil
	}
	return contract.Ptr(strconv.FormatUint(*n, 10) + " bytes")
}

func yesNo(b *bool) *string {
	if b == nil {
		return nil
	}
	return contract.Ptr(map[bool]string{true: "yes", false: "no"}[*b])
}

// text is the name of a value that may be unknown.
func text[T any](value *T) *string {
	if value == nil {
		return nil
	}
	return contract.Ptr(fmt.Sprint(*value))
}
