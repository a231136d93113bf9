package remediate_test

import (
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"syscall"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/provider"
	"diskaudit/core/machine/windows/registry"
	"diskaudit/tests/rig/simulator"
)

// computer is a simulated Windows computer: what a program does to it outlives the program.
type computer struct {
	mu      sync.Mutex
	machine *simulator.Machine
	// numbers are the registry's values by their path.
	numbers map[string]uint32
	// flushing tells of each disk whether its write cache is flushed.
	flushing map[string]bool
	facts    facts
	// turn is how much time passes on the computer at each look at a conversion.
	turn time.Duration

	disk *disk
	// folder is where the disk's folder for journals is on this computer.
	folder string
	// run is the program that was started last: what happens to the disk is its doing.
	run *run
	// made counts the changes that took effect, by what they are and what they are made to.
	made map[string]int
	// wrong is what no run may ever do, and one did.
	wrong []string
}

// facts are what never changes by itself.
type facts struct {
	Machine contract.Machine
	Disks   []contract.Disk
	Volumes []contract.Volume
	// Numbers are the values of the registry.
	Numbers map[string]uint32
}

// event is one thing that a program does to the computer.
type event struct {
	// what is what, for people.
	what string
	// changes tells of a call that it changes something.
	changes bool
	// file tells that it is done to the disk with the journal, tears that it can be done by half.
	file, tears bool
}

// phase is where in an event a program is killed.
type phase string

const (
	before phase = "before"
	// half is half-way through a write.
	half  phase = "half-way through"
	after phase = "after"
)

// strike is where a program is killed.
type strike struct {
	// at is the event, counted from 1; 0 is never.
	at    int
	phase phase
	// power takes the computer's power away too, so that what was not flushed is lost but for part.
	power bool
	part  float64
}

func (s strike) String() string {
	if s.at == 0 {
		return "no kill"
	}
	text := fmt.Sprintf("killed %s event %d", s.phase, s.at)
	if s.power {
		text += fmt.Sprintf(", with the power lost but for %.0f %% of what was not flushed", 100*s.part)
	}
	return text
}

// run is one run of the program.
type run struct {
	pid    int
	strike strike
	events []event
	struck bool
}

// happens lets an event take place, and kills the program where that is to be. It returns false for
// a program that is dead by then: it gets no answer any more. The computer is locked.
func (c *computer) happens(r *run, e event, do, torn func()) bool {
	if r == nil || r.struck {
		return false
	}
	r.events = append(r.events, e)
	if len(r.events) != r.strike.at {
		do()
		return true
	}
	switch {
	case r.strike.phase == after:
		do()
	case r.strike.phase == half && torn != nil:
		torn()
	}
	r.struck = true
	_ = syscall.Kill(r.pid, syscall.SIGKILL)
	if r.strike.power {
		c.disk.losePower(r.strike.part)
	}
	return false
}

// change notes a change that a program is about to make.
func (c *computer) change(kind contract.Change, target, from, to string, permitted bool) {
	if !permitted {
		c.wrong = append(c.wrong, fmt.Sprintf("%s of %s, which is %s already", kind, target, from))
	}
	c.made[string(kind)+" "+target]++
	if problem := announced(c.disk, kind, target, from, to); problem != "" {
		c.wrong = append(c.wrong, fmt.Sprintf("%s of %s from %s to %s: %s", kind, target, from, to, problem))
	}
}

// changing are the methods that may change a volume, and what they are in a journal.
var changing = map[string]contract.Change{
	"Decrypt": contract.ChangeDecrypt, "PauseConversion": contract.ChangePause, "ResumeConversion": contract.ChangeResume,
	"ClearAllAutoUnlockKeys": contract.ChangeClearAutoUnlock,
}

// conversion is the state of a volume in the words of a journal.
func (c *computer) conversion(deviceID string) (state string) {
	for _, volume := range c.machine.Volumes {
		if strings.EqualFold(volume.DeviceID, deviceID) {
			return contract.Conversion(volume.Conversion).String()
		}
	}
	return "no volume"
}

// call passes a call on to BitLocker's provider.
func (c *computer) call(r *run, caller provider.Caller, deviceID, method string, arguments []*provider.Argument) (value provider.Value, err error, alive bool) {
	kind, changes := changing[method]
	alive = c.happens(r, event{what: method + " of " + deviceID, changes: changes}, func() {
		if changes {
			c.check(kind, deviceID)
		}
		value, err = caller.Call(deviceID, method, arguments...)
		if method == "GetConversionStatus" {
			c.machine.Advance(c.turn)
		}
	}, nil)
	return value, err, alive
}

// check holds a change of a volume against its state: one that is there already is a step done twice.
func (c *computer) check(kind contract.Change, deviceID string) {
	from := c.conversion(deviceID)
	wanted := map[contract.Change][]contract.Conversion{
		contract.ChangeDecrypt: {contract.FullyEncrypted, contract.EncryptionInProgress, contract.EncryptionPaused, contract.DecryptionPaused},
		contract.ChangePause:   {contract.EncryptionInProgress, contract.DecryptionInProgress},
		contract.ChangeResume:  {contract.EncryptionPaused, contract.DecryptionPaused},
	}
	if kind == contract.ChangeClearAutoUnlock {
		stored := false
		for _, volume := range c.machine.Volumes {
			stored = stored || volume.KeysStored
		}
		c.change(kind, deviceID, "stored", "not-stored", stored)
		return
	}
	permitted := false
	for _, state := range wanted[kind] {
		permitted = permitted || state.String() == from
	}
	c.change(kind, deviceID, from, "", permitted)
}

// number reads a value of the registry.
func (c *computer) number(path string) (uint32, bool) {
	for known, number := range c.numbers {
		if strings.EqualFold(known, path) {
			return number, true
		}
	}
	return 0, false
}

// put writes a value of the registry, or deletes it.
func (c *computer) put(path string, number uint32, stays bool) {
	word := func(number uint32, there bool) string {
		if !there {
			return absent
		}
		return fmt.Sprint(number)
	}
	present, there := c.number(path)
	from, to := word(present, there), word(number, stays)
	c.change(contract.ChangePrevent, path, from, to, from != to)
	for known := range c.numbers {
		if strings.EqualFold(known, path) {
			delete(c.numbers, known)
		}
	}
	if stays {
		c.numbers[path] = number
	}
}

// memory is the registry as one in memory.
func memory(numbers map[string]uint32) registry.Memory {
	m := registry.Memory{}
	for path, number := range numbers {
		i := strings.LastIndex(path, `\`)
		if m[path[:i]] == nil {
			m[path[:i]] = map[string]any{}
		}
		m[path[:i]][path[i+1:]] = int(number)
	}
	return m
}

func (c *computer) setFlushing(disk string, on bool) error {
	present, known := c.flushing[disk]
	if !known {
		return fmt.Errorf("disk %s: %w", disk, fs.ErrNotExist)
	}
	word := map[bool]string{true: "on", false: "off"}
	c.change(contract.ChangeFlushing, disk, word[present], word[on], present != on)
	c.flushing[disk] = on
	return nil
}

// now are the facts as they are at this moment.
func (c *computer) now() facts {
	f := c.facts
	f.Numbers = c.numbers
	f.Disks = append([]contract.Disk(nil), c.facts.Disks...)
	for i := range f.Disks {
		f.Disks[i].WriteCache.PowerProtected = contract.Ptr(!c.flushing[f.Disks[i].ID])
	}
	return f
}
