package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// portrait is a disk with what could not be told of it.
type portrait struct {
	disk contract.Disk
	// unknown says why a fact is missing, elevated which ones Windows tells to administrators only.
	unknown  reasons
	elevated []string
	problems []contract.Problem
}

// portray asks one disk, for at most limit. What it told before it hung stays.
func (r *Reader) portray(ctx context.Context, limit time.Duration, number uint32, instance string, identify bool) portrait {
	id := diskID(number)
	p, err := within(ctx, limit, func(d *draft[portrait]) {
		q := &sitting{reader: r, path: diskPath(number), id: id, instance: instance, identify: identify, draft: d}
		q.sit()
	})
	p.disk.ID = id
	if err != nil {
		p.problems = append(p.problems, problemOf(machine.StageDisks, id, err))
	} else {
		p.explainNames(identify)
	}
	if len(p.elevated) > 0 {
		p.problems = append(p.problems, contract.Problem{
			Code: CodeNeedsElevation, Level: contract.LevelInfo, Stage: machine.StageDisks, Target: id,
			Text: fmt.Sprintf("Windows tells administrators only about %s: %s. To know, run diskaudit as administrator.", id, phrase(p.elevated)),
		})
	}
	if len(p.unknown) > 0 {
		p.problems = append(p.problems, contract.Problem{
			Code: "disk-facts-unknown", Level: contract.LevelInfo, Stage: machine.StageDisks, Target: id,
			Text: fmt.Sprintf("Not known of %s: %s.", id, p.unknown),
		})
	}
	return p
}

// explainNames tells which names a disk that described itself did not give.
func (p *portrait) explainNames(identify bool) {
	if p.disk.Removable == nil {
		return
	}
	const reason = "the disk names none"
	if p.disk.Model == nil {
		p.unknown.add("model", reason)
	}
	if p.disk.Firmware == nil {
		p.unknown.add("firmware", reason)
	}
	if identify && p.disk.Serial == nil {
		p.unknown.add("serial number", reason)
	}
}

// sitting is the asking of one disk.
type sitting struct {
	reader   *Reader
	path, id string
	instance string
	identify bool
	draft    *draft[portrait]

	// What the steps tell each other.
	device     Device
	descriptor descriptor
	bus        *contract.Bus
	driver     *string
	noMedium   bool
	noSecurity bool
	// sizeErr is why the size is not known yet.
	sizeErr error
}

// sit asks in this order: first what Windows knows by itself, then what it asks the disk for.
func (s *sitting) sit() {
	s.askConfiguration()
	device, err := s.reader.system.Open(s.path, AccessAttributes)
	if err != nil {
		s.problem(problemOf(machine.StageDisks, s.id, fmt.Errorf("opening it: %w", err)))
		return
	}
	defer device.Close()
	s.device = device
	s.askDescriptor()
	s.askSize()
	s.askMedia()
	s.askTable()
	s.askWriteCache()
	s.askNVMe()
	s.askAsReader()
	s.askSelfEncryption()
}

// note changes the disk's portrait.
func (s *sitting) note(change func(*portrait)) { s.draft.note(change) }

func (s *sitting) problem(problem contract.Problem) {
	s.note(func(p *portrait) { p.problems = append(p.problems, problem) })
}

// missing notes why a fact is missing.
func (s *sitting) missing(fact, reason string) {
	s.note(func(p *portrait) { p.unknown.add(fact, reason) })
}

// failed notes an error in place of a fact: as one that takes an administrator, or with its reason.
func (s *sitting) failed(fact string, err error) {
	switch {
	case errors.Is(err, fs.ErrPermission):
		s.note(func(p *portrait) { p.elevated = append(p.elevated, fact) })
	case errors.Is(err, errUnasked):
		s.missing(fact, "the disk or its driver does not tell")
	default:
		s.missing(fact, err.Error())
	}
}

// askConfiguration finds the driver and the stored settings.
func (s *sitting) askConfiguration() {
	if s.instance == "" {
		s.missing("driver and stored cache settings", "the configuration manager does not know the disk, or its device did not answer")
		return
	}
	driver, err := s.reader.driverOf(s.instance)
	if err != nil {
		s.failed("driver", err)
	}
	s.driver = driver.Name
	s.note(func(p *portrait) { p.disk.Driver = driver })
	if driver.Name != nil && driver.Version == nil {
		s.missing("driver version", "its package states none")
	}
	s.askStored(storedEnabled, func(p *portrait) **bool { return &p.disk.WriteCache.StoredEnabled })
	s.askStored(storedPowerProtected, func(p *portrait) **bool { return &p.disk.WriteCache.StoredPowerProtected })
}

// askStored finds one stored setting.
func (s *sitting) askStored(name string, field func(*portrait) **bool) {
	flag, err := storedFlag(s.reader.registry, storedSettings(s.instance), name)
	if err != nil {
		s.failed("the stored setting "+name, err)
		return
	}
	s.note(func(p *portrait) { *field(p) = flag })
}

// askDescriptor finds what the disk is.
func (s *sitting) askDescriptor() {
	data, err := queryProperty(s.device, propertyDevice)
	if err == nil {
		s.descriptor, err = decodeDescriptor(data)
	}
	if err != nil {
		s.failed("model, firmware, bus and whether it is removable", err)
		return
	}
	d := s.descriptor
	bus := contract.Bus(d.bus)
	s.note(func(p *portrait) {
		p.disk.Model, p.disk.Firmware = textOrNil(d.model()), textOrNil(d.revision)
		p.disk.Removable = &d.removable
		if s.identify {
			p.disk.Serial = textOrNil(d.serial)
		}
		p.disk.NVMe = isNVMe(bus, d.vendor)
		if p.disk.NVMe == nil {
			p.unknown.add("whether it speaks NVMe", "what it is attached to ("+bus.String()+") hides that")
		}
		if bus == contract.BusUnknown {
			p.unknown.add("bus", "Windows does not know it")
			return
		}
		s.bus = &bus
		p.disk.Bus = &bus
	})
}

// askSize finds the size and the sectors. A reader without a card is a disk without a medium.
func (s *sitting) askSize() {
	data, err := s.device.Control(ioctlGeometry, nil, firstAnswerBytes)
	if errors.Is(err, errNoMedia) {
		s.noMedium = true
		s.problem(problemOf(machine.StageDisks, s.id, err))
		return
	}
	var sector, size *uint64
	if err == nil {
		sector, size, err = decodeGeometry(data)
	}
	if err == nil && size == nil {
		err = errImpossible
	}
	s.sizeErr = err
	logical, physical, err := s.askAlignment()
	if logical == nil {
		logical = sector
	}
	s.note(func(p *portrait) {
		p.disk.SizeBytes, p.disk.LogicalSectorBytes, p.disk.PhysicalSectorBytes = size, logical, physical
	})
	switch {
	case err != nil:
		s.failed("physical sector size", err)
	case physical == nil:
		s.failed("physical sector size", errImpossible)
	}
}

// errImpossible is the error of a size that no disk has.
var errImpossible = errors.New("the disk tells one that cannot be")

func (s *sitting) askAlignment() (logical, physical *uint64, err error) {
	data, err := queryProperty(s.device, propertyAccessAlignment)
	if err != nil {
		return nil, nil, err
	}
	return decodeAlignment(data)
}

// askMedia finds what the data is stored on.
func (s *sitting) askMedia() {
	if s.bus == nil {
		s.missing("media", "the bus is not known")
		return
	}
	var seeks *bool
	if data, err := queryProperty(s.device, propertySeekPenalty); err == nil {
		if penalty, err := decodeSeekPenalty(data); err == nil {
			seeks = &penalty
		}
	}
	media, reason := findMedia(*s.bus, s.descriptor, seeks)
	s.missing("media", reason)
	s.note(func(p *portrait) { p.disk.Media = media })
}

// askTable finds how the disk is divided.
func (s *sitting) askTable() {
	if s.noMedium {
		return
	}
	layout, err := readLayout(s.device)
	if err != nil {
		s.failed("partition table", err)
		return
	}
	s.note(func(p *portrait) { p.disk.PartitionTable = &layout.table })
}

// askWriteCache finds how the write cache works and whether it is on.
func (s *sitting) askWriteCache() {
	data, err := queryProperty(s.device, propertyWriteCache)
	var kind *contract.WriteCacheType
	var enabled *bool
	if err == nil {
		kind, enabled, err = decodeWriteCache(data)
	}
	if err != nil {
		s.failed("write cache", err)
		return
	}
	s.note(func(p *portrait) {
		p.disk.WriteCache.Type, p.disk.WriteCache.Enabled = kind, enabled
		if kind == nil && enabled == nil {
			p.unknown.add("write cache", "Windows cannot tell")
		} else if enabled == nil {
			p.unknown.add("whether the write cache is on", "Windows cannot tell")
		}
	})
}

// askAsReader finds what is told to those only who may read the disk: whether Windows holds the
// cache for safe and drops flushes, and the size where only the end of the disk tells it.
func (s *sitting) askAsReader() {
	if s.noMedium {
		return
	}
	const protection = "whether its write cache counts as safe against power loss"
	device, err := s.reader.system.Open(s.path, AccessRead)
	if err != nil {
		s.failed(protection, err)
		if s.sizeErr != nil {
			s.failed("size", s.sizeErr)
		}
		return
	}
	defer device.Close()
	if s.sizeErr != nil {
		s.askEnd(device)
	}
	data, err := device.Control(ioctlCacheSetting, nil, 16)
	var protected bool
	if err == nil {
		protected, err = decodeCacheSetting(data)
	}
	if err != nil {
		s.failed(protection, err)
		return
	}
	s.note(func(p *portrait) { p.disk.WriteCache.PowerProtected = &protected })
}

// askEnd finds the size of a disk whose geometry is not known.
func (s *sitting) askEnd(device Device) {
	_, size, err := dimensions(device)
	if err != nil {
		s.failed("size", s.sizeErr)
		return
	}
	s.note(func(p *portrait) { p.disk.SizeBytes = contract.Ptr(uint64(size)) })
}

// askSelfEncryption finds whether the disk can encrypt by itself, where it is safe to ask.
func (s *sitting) askSelfEncryption() {
	const fact = "whether it can encrypt by itself"
	if s.noSecurity {
		s.note(func(p *portrait) { p.disk.SelfEncrypting.Supported = contract.Ptr(false) })
		return
	}
	if may, reason := mayDiscover(s.bus, s.driver); !may {
		s.missing(fact, reason)
		return
	}
	device, err := s.reader.system.Open(s.path, AccessCommand)
	if err != nil {
		s.failed(fact, err)
		return
	}
	defer device.Close()
	unit := inBlocks
	if *s.bus == contract.BusNVMe {
		unit = inBytes
	}
	found, err := discoverSelfEncryption(device, unit)
	if err != nil {
		s.failed(fact, err)
	}
	s.note(func(p *portrait) { p.disk.SelfEncrypting = found })
}

func textOrNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
