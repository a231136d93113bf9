package penalty

import (
	"fmt"

	"diskaudit/core/contract"
)

// Codes of the reasons for which a paired measurement has no valid figure.
const (
	codeSetup       = "setup-impossible"
	codeFewBlocks   = "too-few-blocks"
	codeZeros       = "blocks-never-written"
	codeRead        = "read-failed"
	codeBackwards   = "clock-backwards"
	codeZeroTime    = "zero-latency"
	codeInterrupted = "interrupted"
	codeFewPairs    = "too-few-pairs"
	codeUnrelated   = "paths-unrelated"
	codePartly      = "partly-encrypted"
	codeCached      = "cached"
	codeFaster      = "encrypted-faster-than-plain"
	codeControl     = "control-not-zero"
)

func because(code, format string, args ...any) *contract.InvalidReason {
	return &contract.InvalidReason{Code: code, Text: fmt.Sprintf(format, args...)}
}

// unprepared says that there is no thread to measure on.
func unprepared(err error) *contract.InvalidReason {
	return because(codeSetup, "The measuring thread could not be prepared: %v.", err)
}
