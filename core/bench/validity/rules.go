package validity

// rules in the order in which reasons are shown.
var rules = []rule{
	// What was measured is not the disk.
	{"nothing-measured", withheld, nothingMeasured},
	{"clock-backwards", withheld, clockBackwards},
	{"zero-latency", withheld, zeroLatency},
	{"target-sparse", withheld, targetSparse},
	{"target-unwritten", withheld, targetUnwritten},
	{"target-compressed", withheld, targetCompressed},
	{"target-encrypted-by-file-system", withheld, targetEncrypted},
	{"target-content-wrong", withheld, targetContentWrong},
	{"cached", withheld, cached},
	{"faster-than-memory", withheld, fasterThanMemory},
	{"above-link-speed", withheld, aboveLinkSpeed},
	{"flushes-missing", withheld, flushesMissing},
	{"depth-not-reached", withheld, depthNotReached},
	// It is the target, but not the disk in its usual state.
	{"memory-backed", invalid, memoryBacked},
	{"faster-than-flash", invalid, fasterThanFlash},
	{"io-error", invalid, ioError},
	{"conversion-running", invalid, conversionRunning},
	{"on-battery", invalid, onBattery},
	{"thermal-throttling", invalid, thermalThrottling},
	// What to know about a valid figure.
	{"few-rounds", note, fewRounds},
	{"not-steady", note, notSteady},
	{"processor-bound", note, processorBound},
	{"more-threads-than-processors", note, moreThreadsThanProcessors},
	{"fallback", note, fallback},
	{"small-span", note, smallSpan},
	{"power-saver", note, powerSaver},
	{"virtual-machine", note, virtualMachine},
	{"busy-computer", note, busyComputer},
	{"not-proven", note, notProven},
}
