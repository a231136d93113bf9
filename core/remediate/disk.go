package remediate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"diskaudit/core/contract"
)

// Identity tells a disk from others, however Windows numbers it after a restart: a digest of its model,
// serial number and size. It is empty for a disk that does not tell its serial number.
func Identity(disk contract.Disk) string {
	if disk.Serial == nil || *disk.Serial == "" || disk.Model == nil || disk.SizeBytes == nil {
		return ""
	}
	digest := sha256.Sum256(fmt.Appendf(nil, "%q %q %d", *disk.Model, *disk.Serial, *disk.SizeBytes))
	return hex.EncodeToString(digest[:8])
}
