//go:build !linux && !windows

package allocation

import (
	"errors"
	"fmt"
	"os"
)

// FileRanges returns the parts of a file that hold data, and not holes. Here it is always an
// error: this system is not asked.
func FileRanges(f *os.File) ([]Range, error) {
	return nil, fmt.Errorf("asking for the data of %s: %w", f.Name(), errors.ErrUnsupported)
}
