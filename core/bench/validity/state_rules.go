package validity

import (
	"fmt"
	"slices"
	"strings"

	"diskaudit/core/contract"
)

func nothingMeasured(e Evidence) string {
	if e.Test.Ops > 0 {
		return ""
	}
	if e.Failed != nil {
		return fmt.Sprintf("No I/O was completed: %v.", e.Failed)
	}
	return "No I/O was completed in the measured time."
}

func clockBackwards(e Evidence) string {
	if e.Backwards == 0 {
		return ""
	}
	return fmt.Sprintf("The clock went backwards %d times in the test, so its times cannot be relied on. Is this a virtual machine that was moved or paused? Measure again.", e.Backwards)
}

// Cases P31, P51, P56, P57: an I/O takes time; a latency of 0 is a clock that is too coarse, or no I/O.
func zeroLatency(e Evidence) string {
	if e.Zero == 0 {
		return ""
	}
	return fmt.Sprintf("%d I/Os took no time at all by the clock: it is too coarse for them, or no disk was involved.", e.Zero)
}

// Case P33: a flush that is not done makes writes look fast.
func flushesMissing(e Evidence) string {
	if e.Test.Durability == nil || *e.Test.Durability != contract.DurabilityFlush || e.Test.Flushes == e.Test.Ops {
		return ""
	}
	return fmt.Sprintf("%d writes were done, but %d flushes: the figure does not tell what a flushed write costs.", e.Test.Ops, e.Test.Flushes)
}

// Case P23: a queue that is not filled measures another depth than it says.
func depthNotReached(e Evidence) string {
	depth, asked := e.Test.AchievedDepth, float64(e.Test.QueueDepth*e.Test.Threads)
	// Filling and draining the queue at the ends of a short round takes its part: a queue that is
	// filled once and drained has half its depth on average.
	if depth == nil || e.Test.QueueDepth < 2 || *depth >= asked/2 || e.Failed != nil {
		return ""
	}
	return fmt.Sprintf("%.1f I/Os were in flight on average instead of %.0f: the rounds were too short to fill the queue, or the system carried the I/Os out one after the other, as it does for compressed or growing files.", *depth, asked)
}

func ioError(e Evidence) string {
	if e.Failed == nil {
		return ""
	}
	return fmt.Sprintf("The test ended with an error: %v. The figures are those until then. Check the disk's health before anything else.", e.Failed)
}

var activityWords = map[ActivityKind]string{
	Encrypting: "encrypting ",
	Decrypting: "decrypting ",
	Wiping:     "wiping the free space of ",
}

// mostActivities is how many activities the text names: a disk can have a hundred volumes.
const mostActivities = 4

func conversionRunning(e Evidence) string {
	var clauses []string
	for _, activity := range e.Activities {
		what := "the volume"
		if activity.Volume != "" {
			what = activity.Volume + " on the same disk"
		}
		if clause := activityWords[activity.Kind] + what; !slices.Contains(clauses, clause) {
			clauses = append(clauses, clause)
		}
	}
	if len(clauses) == 0 {
		return converted(e.Context.Before.Conversion, e.Context.After.Conversion)
	}
	if more := len(clauses) - mostActivities; more > 0 {
		clauses = append(clauses[:mostActivities], fmt.Sprintf("%d more of the kind", more))
	}
	return fmt.Sprintf("BitLocker is %s, which keeps the disk busy meanwhile. Measure when that is done; diskaudit status tells.", strings.Join(clauses, ", "))
}

// converted tells of a conversion that began and ended between the two looks at the computer.
func converted(before, after *contract.Conversion) string {
	if before == nil || after == nil || *before == *after {
		return ""
	}
	return fmt.Sprintf("The volume was %s before the tests and %s after them, so it was measured in more than one state. Measure again.", before, after)
}

func onBattery(e Evidence) string {
	for _, state := range []contract.BenchState{e.Context.Before, e.Context.After} {
		if state.PowerSource != nil && *state.PowerSource == contract.PowerBattery {
			return "The computer runs on battery, which slows processor and disk. Plug it in and measure again."
		}
	}
	return ""
}

// hotCelsius is where many NVMe drives begin to slow down: their warning composite temperature
// threshold lies between 70 and 85 degrees as a rule (NVM Express Base Specification, WCTEMP).
const hotCelsius = 70

// slowedPercent is a rise of the latency in the course of a test that heat would explain.
const slowedPercent = 10

func thermalThrottling(e Evidence) string {
	after, drift := e.Context.After.TemperatureCelsius, e.Test.Drift
	if after == nil || *after < hotCelsius || drift == nil || !drift.Significant || drift.Percent < slowedPercent {
		return ""
	}
	return fmt.Sprintf("The disk had %.0f degrees Celsius at the end and its latency rose by %.0f %% in the course of the test: it slows itself down to cool. Let it cool and measure again.", *after, drift.Percent)
}

// enoughRounds are needed for an interval of 95 % around a median.
const enoughRounds = 6

func fewRounds(e Evidence) string {
	if rounds := len(e.Test.Rounds); e.Test.Ops > 0 && rounds < enoughRounds {
		return fmt.Sprintf("%d rounds were measured; an interval needs %d. The disk is slow, the time limit was short, or the run was interrupted.", rounds, enoughRounds)
	}
	return ""
}

// unsteadyPercent is a change that is worth a word even if it is small beside other errors.
const unsteadyPercent = 5

// Cases P18, P37.
func notSteady(e Evidence) string {
	drift := e.Test.Drift
	if drift == nil || !drift.Significant || drift.Percent < unsteadyPercent && drift.Percent > -unsteadyPercent {
		return ""
	}
	return fmt.Sprintf("The latency changed by %+.0f %% from the first to the last round: the disk was not in a steady state, and a longer run would give other figures.", drift.Percent)
}

// Case P20.
func processorBound(e Evidence) string {
	busy := e.Test.CPUPercent
	if busy == nil || *busy < 90 {
		return ""
	}
	return fmt.Sprintf("The measuring threads kept their processors %.0f %% busy: the processor was the limit, not the disk.", *busy)
}

// Case P16.
func moreThreadsThanProcessors(e Evidence) string {
	if e.Context.Machine == nil || e.Context.Machine.CPU.LogicalProcessors == nil {
		return ""
	}
	if processors := *e.Context.Machine.CPU.LogicalProcessors; e.Test.Threads > processors {
		return fmt.Sprintf("%d threads share %d logical processors, so latencies include waiting for a processor.", e.Test.Threads, processors)
	}
	return ""
}

func fallback(e Evidence) string {
	if e.Test.APIFallback == nil {
		return ""
	}
	return fmt.Sprintf("The engine fell back to other calls: %s. Figures of a deep queue are lower than with its first choice.", *e.Test.APIFallback)
}

func powerSaver(e Evidence) string {
	if e.Context.Machine == nil || e.Context.Machine.Power.Saver == nil || !*e.Context.Machine.Power.Saver {
		return ""
	}
	return "The power plan trades speed for power. Choose another plan to see what the computer can do."
}

// Case P19.
func virtualMachine(e Evidence) string {
	if e.Context.Machine == nil || e.Context.Machine.VirtualMachine.Detected == nil || !*e.Context.Machine.VirtualMachine.Detected {
		return ""
	}
	text := "This is a virtual machine: the host's disk, cache and load are part of the figures"
	if durability := e.Test.Durability; durability != nil && *durability != contract.DurabilityDeviceCache {
		text += ", and write-through or flush may end in the host's memory"
	}
	return text + "."
}

// busyPercent is a load by others that latencies feel.
const busyPercent = 25

func busyComputer(e Evidence) string {
	busy := e.Context.Before.BusyPercent
	if busy == nil || *busy < busyPercent {
		return ""
	}
	return fmt.Sprintf("The processors were %.0f %% busy before the tests began. Close what runs and measure again.", *busy)
}
