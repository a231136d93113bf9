package penalty

import "context"

// leastControl is how many blocks a plain region needs, so that its bursts are not so short that
// they show less than the lower path compared with itself.
const leastControl = 4096

// site is a place with two paths to it, and the blocks there that were not read yet.
type site struct {
	// name is for people, after "the upper path".
	name  string
	paths [2]Path
	drawn *blocks
	// lowerOffset is where the upper path's first byte lies in the lower path.
	lowerOffset int64
}

// left is the number of blocks not yet read.
func (s *site) left() int64 { return s.drawn.left() }

// controlSite lays out the blocks of the plain region; nil when there is none of use.
func controlSite(s Setup) *site {
	c := s.Control
	if c == nil || c.Upper == nil || c.Lower == nil || c.LowerOffset < 0 {
		return nil
	}
	drawn, err := newBlocks(c.Ranges, s.BlockBytes, c.LowerOffset, s.Seed)
	if err != nil || drawn.count < leastControl {
		return nil
	}
	return &site{name: " of the plain region", paths: [2]Path{c.Upper, c.Lower}, drawn: drawn, lowerOffset: c.LowerOffset}
}

// proveControl reads some blocks of the plain region through both paths. A region that shows
// something else on them is not plain, or elsewhere; one that cannot be read, or holds only zeros,
// is of no use either. Then the lower path is compared with itself.
func (m *measurement) proveControl(ctx context.Context) {
	if m.control == nil {
		return
	}
	zeros := m.zeros
	seen, reason := m.compare(ctx, m.control)
	if reason != nil || seen.result() != proofSame {
		m.control, m.fault, m.zeros = nil, nil, zeros
	}
}
