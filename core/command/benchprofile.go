package command

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"diskaudit/core/bench/profile"
	"diskaudit/core/contract"
	"diskaudit/core/report"
)

// customFlags are those that only the custom profile has.
var customFlags = []string{"operation", "pattern", "block", "queue-depth", "threads", "durability", "rounds", "warmup", "spacing"}

// chosenProfile is the profile with the options that were given.
func chosenProfile(c *cli.Context) (profile.Profile, error) {
	chosen, ok := profile.Find(c.String("profile"))
	if !ok {
		return chosen, usagef("--profile %q: there are %s; --list-profiles describes them", c.String("profile"), strings.Join(profile.Names(), ", "))
	}
	if chosen.Name != profile.Custom {
		for _, flag := range customFlags {
			if c.IsSet(flag) {
				return chosen, usagef("--%s belongs to --profile custom; the tests of %s are fixed", flag, chosen.Name)
			}
		}
	} else if err := customTest(c, &chosen.Tests[0]); err != nil {
		return chosen, err
	}
	size, err := sizeFlag(c, "size", 1<<20)
	if err != nil {
		return chosen, err
	}
	if size == 0 {
		size = chosen.SizeBytes
	}
	chosen.Resize(size &^ (1<<12 - 1))
	if c.IsSet("duration") {
		lasting := c.Duration("duration")
		if lasting < 10*time.Millisecond || lasting > 24*time.Hour {
			return chosen, usagef("--duration %v: a time above 0, from 10ms up to 24h, is wanted, such as 30s", lasting)
		}
		chosen.Last(lasting)
	}
	if test := chosen.Tests[0]; chosen.Name == profile.Custom {
		if inFlight := test.QueueDepth * test.Threads; test.SpanBytes/test.BlockBytes < inFlight {
			return chosen, usagef("--size %s is less than the %d blocks of %s that --queue-depth and --threads keep in flight", profile.BlockName(test.SpanBytes), inFlight, profile.BlockName(test.BlockBytes))
		}
		if 2*test.SpacingMs > test.RoundMs {
			return chosen, usagef("--spacing %v: a round of %v has room for at least two I/Os; give a longer --duration or fewer --rounds", ms(test.SpacingMs), ms(test.RoundMs))
		}
	}
	return chosen, nil
}

func ms(milliseconds float64) time.Duration {
	return time.Duration(milliseconds * float64(time.Millisecond))
}

// customTest changes the test by the flags that were given.
func customTest(c *cli.Context, test *contract.TestSpec) error {
	switch operation := contract.Operation(c.String("operation")); operation {
	case "":
	case contract.OperationRead, contract.OperationWrite:
		test.Operation = operation
	default:
		return usagef("--operation %q: choose read or write", operation)
	}
	switch pattern := contract.AccessPattern(c.String("pattern")); pattern {
	case "":
	case contract.PatternRandom, contract.PatternSequential:
		test.Pattern = pattern
	default:
		return usagef("--pattern %q: choose random or sequential", pattern)
	}
	if err := customShape(c, test); err != nil {
		return err
	}
	if err := customTimes(c, test); err != nil {
		return err
	}
	return customDurability(c, test)
}

func customShape(c *cli.Context, test *contract.TestSpec) error {
	for _, number := range []struct {
		flag  string
		value *uint64
		most  uint64
	}{{"queue-depth", &test.QueueDepth, 4096}, {"threads", &test.Threads, 1024}, {"rounds", &test.Rounds, 1000}} {
		if !c.IsSet(number.flag) {
			continue
		}
		given := c.Uint64(number.flag)
		if given < 1 || given > number.most {
			return usagef("--%s %d: a number from 1 to %d is wanted", number.flag, given, number.most)
		}
		*number.value = given
	}
	block, err := sizeFlag(c, "block", 1)
	if err != nil {
		return err
	}
	if block == 0 {
		return nil
	}
	const most = 256 << 20
	if block%512 != 0 || block > most {
		return usagef("--block %s: unbuffered I/O is in whole sectors, so a multiple of 512 bytes up to 256M is wanted", c.String("block"))
	}
	test.BlockBytes = uint64(block)
	return nil
}

func customTimes(c *cli.Context, test *contract.TestSpec) error {
	for _, time := range []struct {
		flag  string
		value *float64
	}{{"warmup", &test.WarmupMs}, {"spacing", &test.SpacingMs}} {
		if !c.IsSet(time.flag) {
			continue
		}
		given := c.Duration(time.flag)
		if given < 0 {
			return usagef("--%s %v: a time cannot be negative", time.flag, given)
		}
		*time.value = float64(given) / 1e6
	}
	if test.SpacingMs > 0 && test.QueueDepth > 1 {
		return usagef("--spacing waits between single I/Os, so --queue-depth has to be 1")
	}
	return nil
}

func customDurability(c *cli.Context, test *contract.TestSpec) error {
	durability := contract.Durability(c.String("durability"))
	switch durability {
	case "":
		durability = contract.DurabilityDeviceCache
	case contract.DurabilityDeviceCache, contract.DurabilityWriteThrough, contract.DurabilityFlush:
	default:
		return usagef("--durability %q: choose device-cache, write-through or flush", durability)
	}
	if test.Operation == contract.OperationRead {
		if c.IsSet("durability") {
			return usagef("--durability is about writes: add --operation write")
		}
		return nil
	}
	if durability == contract.DurabilityFlush && test.QueueDepth > 1 {
		return usagef("--durability flush waits for each write, so --queue-depth has to be 1")
	}
	test.Durability = &durability
	test.MaxWrittenBytes = customWritten
	return nil
}

// customWritten bounds what a custom test writes where --max-written says nothing else.
const customWritten = 16 << 30

var sizeUnits = map[string]int64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

// sizeFlag reads a size with a binary unit: 4096, 4K, 1M, 8G, also written KiB or KB as in other
// tools. 0 is a flag that was not given.
func sizeFlag(c *cli.Context, name string, least int64) (int64, error) {
	if !c.IsSet(name) {
		return 0, nil
	}
	text := strings.TrimSpace(c.String(name))
	upper := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(text), "B"), "I")
	digits := strings.TrimRight(upper, "KMGT")
	unit, known := sizeUnits[upper[len(digits):]]
	number, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	if err != nil || !known || number < 0 || number > math.MaxInt64/max(1, unit) {
		return 0, usagef("--%s %q: a size such as 4096, 4K, 1M or 8G is wanted (K is 1024 bytes)", name, text)
	}
	if number*unit < least {
		return 0, usagef("--%s %q: at least %s is wanted", name, text, profile.BlockName(uint64(least)))
	}
	return number * unit, nil
}

func (s *session) listProfiles(c *cli.Context) error {
	settings, err := s.settings(c)
	if err != nil {
		return err
	}
	document := contract.ProfilesDocument{Header: header(contract.KindProfiles)}
	document.Complete = true
	for _, listed := range profile.All() {
		document.Profiles = append(document.Profiles, listed.Document())
	}
	return s.write(settings, contract.KindProfiles, &document, &document.Header, func(out *output) error {
		return tableError(report.Profiles(out.w, document, out.options()))
	})
}
