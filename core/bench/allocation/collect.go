package allocation

import "fmt"

// mostRanges bounds memory: a volume that is in more pieces than this is refused. At 16 bytes
// for each that is 128 MiB.
const mostRanges = 8 << 20

// collector gathers ranges in ascending order and merges those that touch.
type collector struct {
	ranges []Range
	// most is the number of ranges that are too many; 0 is mostRanges.
	most int
}

func (c *collector) add(offset, length int64) error {
	if length <= 0 {
		return nil
	}
	if last := len(c.ranges) - 1; last >= 0 && c.ranges[last].Offset+c.ranges[last].Length == offset {
		c.ranges[last].Length += length
		return nil
	}
	most := c.most
	if most == 0 {
		most = mostRanges
	}
	if len(c.ranges) >= most {
		return fmt.Errorf("what is in use lies in more than %d pieces", most)
	}
	c.ranges = append(c.ranges, Range{offset, length})
	return nil
}
