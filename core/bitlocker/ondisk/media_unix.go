//go:build unix

package ondisk

import "syscall"

// errMedia is what a read returns for a sector that the device cannot read.
const errMedia = syscall.EIO
