package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// ioctlSetCacheSetting takes DISK_CACHE_SETTING. It is of winioctl.h, as that which reads it; the
// handle must have the access to read and to write.
const ioctlSetCacheSetting = 0x0007c0e4

// cacheLimit is how long a disk may take for one of the two, which change nothing on the disk itself
// but may stand behind what does.
const cacheLimit = 30 * time.Second

// Cache reads and sets whether Windows flushes the write caches of disks.
type Cache struct {
	system System
	limit  time.Duration
}

// NewCache asks and sets the disks of a system.
func NewCache(system System) Cache { return Cache{system: system, limit: cacheLimit} }

// CacheError is why the flushing of a disk's cache could not be read or set.
type CacheError struct {
	// Disk is the disk's id.
	Disk string
	// Begun tells that the setting was sent to the driver: it may have been made all the same.
	Begun bool
	// Err is why.
	Err error
}

func (e *CacheError) Error() string {
	if e.Begun {
		return fmt.Sprintf("setting the cache flushing of %s: %v", e.Disk, e.Err)
	}
	return fmt.Sprintf("asking %s for its cache flushing: %v", e.Disk, e.Err)
}

// Unwrap is why.
func (e *CacheError) Unwrap() error { return e.Err }

// Flushing tells whether Windows flushes the write cache of a disk such as PhysicalDrive0: it does
// not where the cache counts as safe against power loss. That takes an administrator. An error is a
// *CacheError.
func (c Cache) Flushing(disk string) (bool, error) {
	setting, err := answer(context.Background(), c.limit, func() (driverSetting, error) {
		device, err := c.open(disk, AccessRead)
		if err != nil {
			return nil, err
		}
		defer device.Close()
		return readCacheSetting(device)
	})
	if err != nil {
		return false, &CacheError{Disk: disk, Err: err}
	}
	return !setting.powerProtected(), nil
}

// SetFlushing turns the flushing of a disk's write cache on or off, at once and for the time after
// the next start, for the driver stores it too. Everything else that the setting holds stays as it
// is. An error is a *CacheError.
func (c Cache) SetFlushing(disk string, on bool) error {
	begun, err := within(context.Background(), c.limit, func(d *draft[settingOutcome]) {
		err := c.set(disk, on, func() { d.note(func(o *settingOutcome) { o.begun = true }) })
		d.note(func(o *settingOutcome) { o.err = err })
	})
	if err == nil {
		err = begun.err
	}
	if err != nil {
		return &CacheError{Disk: disk, Begun: begun.begun, Err: err}
	}
	return nil
}

type settingOutcome struct {
	begun bool
	err   error
}

func (c Cache) set(disk string, on bool, begin func()) error {
	device, err := c.open(disk, AccessCommand)
	if err != nil {
		return err
	}
	defer device.Close()
	before, err := readCacheSetting(device)
	if err != nil {
		return err
	}
	wanted := before.with(!on)
	begin()
	if _, err := device.Control(ioctlSetCacheSetting, wanted, 0); err != nil {
		return err
	}
	after, err := readCacheSetting(device)
	if err != nil {
		return fmt.Errorf("reading it back: %w", err)
	}
	if after.powerProtected() == on {
		return errSettingIgnored
	}
	return nil
}

func (c Cache) open(disk string, access Access) (Device, error) {
	number, ok := diskNumber(disk)
	if !ok {
		return nil, fmt.Errorf("%q names no disk: it must be %s and a number", disk, diskPrefix)
	}
	return c.system.Open(diskPath(number), access)
}

// errSettingIgnored is the error of a setting that was accepted and is not there afterwards.
var errSettingIgnored = errors.New("the driver accepted the setting, but has not made it")

// cacheSettingBytes is the length of DISK_CACHE_SETTING: Version at 0, which is this length, State
// at 4, IsPowerProtected at 8, of one byte, then three without meaning. The driver that Microsoft
// publishes as a sample refuses any other Version, and does not look at State
// (learn.microsoft.com/windows-hardware/drivers/samples/storage-driver-samples, "Disk Class Driver").
const cacheSettingBytes = 12

// driverSetting is DISK_CACHE_SETTING as a driver gives it.
type driverSetting []byte

func readCacheSetting(device Device) (driverSetting, error) {
	data, err := device.Control(ioctlCacheSetting, nil, cacheSettingBytes)
	if err != nil {
		return nil, err
	}
	if err := need("the cache setting", data, cacheSettingBytes); err != nil {
		return nil, err
	}
	return data, nil
}

func (s driverSetting) powerProtected() bool { return s[8] != 0 }

// with is the setting with another IsPowerProtected.
func (s driverSetting) with(powerProtected bool) driverSetting {
	changed := driverSetting(bytes.Clone(s))
	changed[8] = 0
	if powerProtected {
		changed[8] = 1
	}
	return changed
}

// CacheProblem explains an error of Flushing or SetFlushing.
func CacheProblem(disk string, err error) contract.Problem {
	var failed *CacheError
	reason := err
	if errors.As(err, &failed) {
		reason = failed.Err
	}
	problem := contract.Problem{Level: contract.LevelError, Stage: machine.StageDisks, Target: disk}
	var code Errno
	switch {
	case errors.As(reason, &code) && slices.Contains([]Errno{errInvalidFunction, errNotSupported}, code):
		problem.Code = "cache-not-changeable"
		problem.Text = fmt.Sprintf("The driver of %s does not let the flushing of its write cache be read or changed (%v). Do without --speed-up-conversion.", disk, reason)
	case errors.Is(reason, errSettingIgnored):
		problem.Code = "cache-not-changeable"
		problem.Text = fmt.Sprintf("The flushing of the write cache of %s is not as it was set: %v. Do without --speed-up-conversion, and compare Device Manager, the disk's properties, Policies.", disk, reason)
	case errors.As(reason, new(shortError)):
		problem.Code = "answer-malformed"
		problem.Text = fmt.Sprintf("The driver of %s gave no usable answer about the flushing of its write cache: %v. Whether it is on is unknown; do without --speed-up-conversion.", disk, reason)
	default:
		return problemOf(machine.StageDisks, disk, reason)
	}
	return withResult(problem, reason)
}
