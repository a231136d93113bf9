package penalty

import (
	"fmt"
	"math"
)

// microseconds writes a time in ns for people, to a tenth of a microsecond, or to a hundredth
// below one.
func microseconds(ns float64) string {
	if math.Abs(ns) < 1000 {
		return fmt.Sprintf("%.2f us", ns/1000)
	}
	return fmt.Sprintf("%.1f us", ns/1000)
}

func fromTo(low, high float64) string {
	return microseconds(low) + " to " + microseconds(high)
}

func blockSize(bytes uint64) string {
	if bytes >= 1024 && bytes%1024 == 0 {
		return fmt.Sprintf("%d KiB", bytes/1024)
	}
	return fmt.Sprintf("%d byte", bytes)
}
