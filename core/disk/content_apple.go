package disk

// probeHFSPlus recognises HFS+ and HFSX by the volume header at byte 1024 (Apple Technical Note
// TN1150; big-endian).
func probeHFSPlus(v *volume) (Content, bool) {
	const at = 1024
	if len(v.boot) < at+512 {
		return Content{}, false
	}
	s := v.boot[at:]
	name := map[string]string{"H+\x00\x04": "HFS+", "HX\x00\x05": "HFSX"}[string(s[:4])]
	if name == "" {
		return Content{}, false
	}
	block, blocks := uint64(be.Uint32(s[40:])), uint64(be.Uint32(s[44:]))
	if block < 512 || !powerOfTwo(block) || !v.fits(blocks, block) {
		v.doubted("there is a volume header of HFS+, but its sizes do not fit the volume")
		return Content{}, false
	}
	return fileSystem(name, block), true
}

// probeAPFS recognises a container of APFS ("Apple File System Reference", chapter "Container"),
// whose volumes may or may not be encrypted.
func probeAPFS(v *volume) (Content, bool) {
	if !v.has(32, "NXSB") {
		return Content{}, false
	}
	block, blocks := uint64(le.Uint32(v.boot[36:])), le.Uint64(v.boot[40:])
	if block < 4<<10 || block > 64<<10 || !powerOfTwo(block) || !v.fits(blocks, block) {
		v.doubted("there is a superblock of APFS, but its sizes do not fit the volume")
		return Content{}, false
	}
	return Content{Kind: KindMember, Name: "APFS"}, true
}
