package penalty

import (
	"math"

	"diskaudit/core/contract"
)

// check refuses what cannot be measured, and lays out the blocks of what can.
func check(s Setup) (*blocks, *contract.InvalidReason) {
	switch {
	case s.Upper == nil || s.Lower == nil:
		return nil, because(codeSetup, "The penalty needs a path above the layer and one below it, and one of them is missing.")
	case s.BlockBytes < 512 || s.BlockBytes%512 != 0:
		return nil, because(codeSetup, "A block of %d bytes cannot be read unbuffered; give a multiple of 512.", s.BlockBytes)
	case s.LowerOffset < 0:
		return nil, because(codeSetup, "The upper path cannot begin before the lower one, at byte %d; give an offset from 0.", s.LowerOffset)
	case s.Budget <= 0:
		return nil, because(codeSetup, "There is no time for the penalty; give it some seconds.")
	case !(s.ThresholdPercent > 0) || math.IsInf(s.ThresholdPercent, 0):
		return nil, because(codeSetup, "A threshold of %g %% is not one; give a number above 0.", s.ThresholdPercent)
	}
	drawn, err := newBlocks(s.Ranges, s.BlockBytes, s.LowerOffset, s.Seed)
	if err != nil {
		return nil, because(codeSetup, "The bytes in use make no sense: %v.", err)
	}
	if drawn.count < leastBlocks {
		return nil, because(codeFewBlocks, "Only %d blocks of %d bytes are in use, and no block may be read twice: %d are needed. Fill the volume with some more data, or compare a larger one.", drawn.count, s.BlockBytes, leastBlocks)
	}
	return drawn, nil
}
