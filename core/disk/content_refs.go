package disk

// ReFS: FILE_SYSTEM_RECOGNITION_STRUCTURE on learn.microsoft.com, which covers the first 24
// bytes; the sizes behind it as in Prade, Groß and Dewald, "Forensic Analysis of the Resilient
// File System (ReFS) Version 3.4" (2019).
const (
	refsName       = "ReFS\x00\x00\x00\x00"
	refsIdentifier = "FSRS"
)

func isReFSBoot(sector []byte) bool {
	return string(sector[3:11]) == refsName && string(sector[16:20]) == refsIdentifier
}

func probeReFS(v *volume) (Content, bool) {
	b := v.boot
	if !isReFSBoot(b) {
		return Content{}, false
	}
	length := int(le.Uint16(b[20:]))
	if length < 24 || length > SectorBytes || le.Uint16(b[22:]) != fsrsChecksum(b[:length]) {
		v.doubted("the boot sector is that of ReFS, but its checksum is wrong")
		return Content{}, false
	}
	sectors, sector, perCluster := le.Uint64(b[24:]), uint64(le.Uint32(b[32:])), uint64(le.Uint32(b[36:]))
	cluster := sector * perCluster
	if sector < 512 || sector > 4096 || !powerOfTwo(sector) || cluster < 4096 || cluster > 64<<10 || !powerOfTwo(cluster) || !v.fits(sectors, sector) {
		v.doubted("the boot sector is that of ReFS, but its sizes do not fit the volume")
		return Content{}, false
	}
	return fileSystem("ReFS", cluster), true
}

// fsrsChecksum rotates a 16-bit sum right for each byte, leaving out the jump and itself.
func fsrsChecksum(data []byte) uint16 {
	var sum uint16
	for i := 3; i < len(data); i++ {
		if i == 22 || i == 23 {
			continue
		}
		sum = sum>>1 | sum<<15
		sum += uint16(data[i])
	}
	return sum
}
