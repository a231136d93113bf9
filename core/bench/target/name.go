package target

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"

	"diskaudit/core/machine/pattern"
)

// ourName is what Open calls a file in a folder, and all that Sweep looks at.
var ourName = pattern.New(`^diskaudit-bench-[1-9][0-9]{0,9}-[0-9a-f]{16}\.tmp$`)

func newName() string {
	var random [8]byte
	// It never fails: its documentation says so.
	_, _ = rand.Read(random[:])
	return fmt.Sprintf("diskaudit-bench-%d-%s.tmp", os.Getpid(), hex.EncodeToString(random[:]))
}
