package penalty

import (
	"bytes"
	"context"

	"diskaudit/core/contract"
)

const (
	// proofBlocks is how many blocks are compared.
	proofBlocks = 48
	// leastProof is how many have to be there for a conclusion.
	leastProof = 32
	// proofDraws bounds how many are looked at in search of some that are not only zeros.
	proofDraws = 8 * proofBlocks
)

// The results of the proof, as contract.PathProof.Result has them.
const (
	proofEncrypted    = "encrypted"
	proofSame         = "same"
	proofUnrelated    = "unrelated"
	proofInconclusive = "inconclusive"
)

// evidence counts what the compared blocks look like.
type evidence struct {
	blocks, same int
	lowerRandom  int
	upperRandom  int
	// ciphered are different blocks whose lower form looks random and whose upper does not.
	ciphered int
	// plainBelow are different blocks whose lower form does not look random.
	plainBelow int
	// took are the latencies of the reads through either path, in ns.
	took [2][]int64
}

func (e *evidence) add(upper, lower []byte) {
	above, below := looksRandom(upper), looksRandom(lower)
	e.blocks++
	if above {
		e.upperRandom++
	}
	if below {
		e.lowerRandom++
	}
	switch {
	case bytes.Equal(upper, lower):
		e.same++
	case !below:
		e.plainBelow++
	case !above:
		e.ciphered++
	}
}

// result says what follows. One block in ten may be out of line: a volume in use changes between
// the two reads, and BitLocker keeps its own areas, and the volume's first sectors elsewhere.
func (e *evidence) result() string {
	different, few := e.blocks-e.same, e.blocks/10
	switch {
	case e.blocks < leastProof:
		return proofInconclusive
	case different <= few:
		return proofSame
	case e.same <= few && e.plainBelow <= few && e.ciphered > few:
		return proofEncrypted
	case e.same == 0 && e.plainBelow > few:
		return proofUnrelated
	}
	return proofInconclusive
}

// prove reads some blocks through both paths, before anything is timed.
func (m *measurement) prove(ctx context.Context) (*contract.PathProof, *contract.InvalidReason) {
	seen, reason := m.compare(ctx, &m.measured)
	if reason != nil {
		return nil, reason
	}
	m.pilot = [2]float64{median(seen.took[upperPath]), median(seen.took[lowerPath])}
	m.sameBytes = seen.result() == proofSame
	return &contract.PathProof{
		Blocks: uint64(seen.blocks), Same: uint64(seen.same),
		LowerRandom: uint64(seen.lowerRandom), UpperRandom: uint64(seen.upperRandom),
		Result: seen.result(),
	}, nil
}

// compare reads some blocks of a site through both paths.
func (m *measurement) compare(ctx context.Context, s *site) (*evidence, *contract.InvalidReason) {
	seen := &evidence{}
	shown := [2][]byte{make([]byte, m.BlockBytes), make([]byte, m.BlockBytes)}
	for draws := 0; seen.blocks < proofBlocks && draws < proofDraws; draws++ {
		if ctx.Err() != nil {
			return nil, because(codeInterrupted, "Measuring was interrupted before the paths were compared. Run again.")
		}
		at, ok := s.drawn.draw()
		if !ok {
			break
		}
		// In turns, so that neither path has all blocks first.
		for turn := range 2 {
			which := (draws + turn) % 2
			ns, ok := m.readOf(s, which, at)
			if !ok {
				return nil, m.fault
			}
			copy(shown[which], s.paths[which].Block())
			seen.took[which] = append(seen.took[which], ns)
		}
		if allZero(shown[lowerPath]) {
			m.zeros++
			continue
		}
		seen.add(shown[upperPath], shown[lowerPath])
	}
	if seen.blocks < leastProof {
		return nil, because(codeZeros, "%d of %d blocks hold only zeros on the lower path: they were trimmed or never written, and a disk answers them without reading. Give ranges that are in use, or fill the volume with data.", m.zeros, s.drawn.next)
	}
	return seen, nil
}

// contradiction says why paths that were compared do not lend themselves to a penalty.
func contradiction(p contract.PathProof) *contract.InvalidReason {
	switch {
	case p.Result == proofUnrelated:
		return because(codeUnrelated, "The two paths do not lead to the same place: none of %d blocks is the same, and below is no ciphertext. Check the paths and the offset of the upper in the lower one.", p.Blocks)
	case p.Result == proofInconclusive && p.Same > p.Blocks/10:
		return because(codePartly, "%d of %d blocks are the same on both paths and the others are not: the volume is encrypted only in part, or in use. Wait until it is encrypted as a whole, and measure again.", p.Same, p.Blocks)
	}
	return nil
}
