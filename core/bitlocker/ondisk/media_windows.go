package ondisk

import "golang.org/x/sys/windows"

// errMedia is what a read returns for a sector that the device cannot read:
// ERROR_CRC (learn.microsoft.com/windows/win32/debug/system-error-codes--0-499-).
const errMedia = windows.ERROR_CRC
