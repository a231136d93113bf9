package fleet

import (
	"maps"
	"math"
	"slices"

	"diskaudit/core/contract"
)

// spread counts figures in classes that are 1 percent wide, so that quantiles of any number of
// figures are right to half a percent in bounded memory (the relative-error classes of DDSketch,
// C. Masson, J. Rim, H. Lee: VLDB 2019, section 2).
type spread struct {
	count    uint64
	min, max float64
	classes  map[int32]uint64
}

const (
	// width is the ratio of a class's ends.
	width = 1.01
	// Figures closer to 0 than smallest are one class. None that is real is larger than largest, which
	// stands for those that are.
	smallest, largest = 0.001, 1e15
)

func (s *spread) add(x float64) {
	if math.IsNaN(x) {
		return
	}
	x = min(max(x, -largest), largest)
	if s.count == 0 {
		s.min, s.max, s.classes = x, x, map[int32]uint64{}
	}
	s.count++
	s.min, s.max = min(s.min, x), max(s.max, x)
	s.classes[classOf(x)]++
}

func (s *spread) merge(from *spread) {
	if from.count == 0 {
		return
	}
	if s.count == 0 {
		s.min, s.max, s.classes = from.min, from.max, map[int32]uint64{}
	}
	s.count += from.count
	s.min, s.max = min(s.min, from.min), max(s.max, from.max)
	for class, count := range from.classes {
		s.classes[class] += count
	}
}

func classOf(x float64) int32 {
	size := math.Abs(x)
	if size < smallest {
		return 0
	}
	class := 1 + int32(math.Log(size/smallest)/math.Log(width))
	if x < 0 {
		return -class
	}
	return class
}

// middle is the value that stands for a class.
func middle(class int32) float64 {
	switch {
	case class == 0:
		return 0
	case class < 0:
		return -middle(-class)
	}
	return smallest * math.Pow(width, float64(class)-0.5)
}

// quantiles are nil without figures.
func (s *spread) quantiles() *contract.Quantiles {
	if s.count == 0 {
		return nil
	}
	order := slices.Sorted(maps.Keys(s.classes))
	// ranked is the figure of a rank, from 0.
	ranked := func(rank uint64) float64 {
		switch rank {
		case 0:
			return s.min
		case s.count - 1:
			return s.max
		}
		passed := uint64(0)
		for _, class := range order {
			if passed += s.classes[class]; rank < passed {
				return min(max(middle(class), s.min), s.max)
			}
		}
		return s.max
	}
	// A quantile that lies between two figures is interpolated.
	at := func(part float64) float64 {
		position := part * float64(s.count-1)
		below := math.Floor(position)
		low, high := ranked(uint64(below)), ranked(uint64(math.Ceil(position)))
		part = position - below
		return low*(1-part) + high*part
	}
	return &contract.Quantiles{Count: s.count, Min: s.min, P5: at(0.05), P25: at(0.25), P50: at(0.5), P75: at(0.75), P95: at(0.95), Max: s.max}
}
