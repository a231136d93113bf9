package disk

import "strings"

// probeISO recognises ISO 9660 by the primary volume descriptor in sector 16 (ECMA-119, 8.4).
func probeISO(v *volume) (Content, bool) {
	const at = 32 << 10
	s := v.at(at, 192)
	if len(s) < 192 || s[0] != 1 || string(s[1:6]) != "CD001" || s[6] != 1 {
		return Content{}, false
	}
	// Numbers are there twice, in both byte orders.
	blocks, block := uint64(le.Uint32(s[80:])), uint64(le.Uint16(s[128:]))
	if uint64(be.Uint32(s[84:])) != blocks || uint64(be.Uint16(s[130:])) != block || !powerOfTwo(block) || block < 512 || block > 2048 || !v.fits(blocks, block) {
		v.doubted("there is a volume descriptor of ISO 9660, but its sizes do not fit the volume")
		return Content{}, false
	}
	return fileSystem("ISO 9660", block).labelled(strings.TrimRight(string(s[40:72]), " \x00")), true
}

// probeUDF recognises UDF by the volume recognition sequence from byte 32768 on (ECMA-167, 2/8
// and 3/9) and the anchor in block 256 (ECMA-167, 3/10.2; UDF 2.60, 2.2.3).
func probeUDF(v *volume) (Content, bool) {
	const start, step = 32 << 10, 2048
	found := false
	for at := int64(start); at < start+8*step && !found; at += step {
		id := string(v.at(at+1, 5))
		switch id {
		case "NSR02", "NSR03":
			found = true
		case "BEA01", "CD001", "BOOT2":
		default:
			return Content{}, false
		}
	}
	for _, block := range []int64{512, 2048, 4096} {
		tag := v.at(256*block, 16)
		if len(tag) < 16 || le.Uint16(tag) != 2 || le.Uint32(tag[12:]) != 256 {
			continue
		}
		sum := byte(0)
		for i, b := range tag {
			if i != 4 {
				sum += b
			}
		}
		if found && sum == tag[4] {
			return fileSystem("UDF", uint64(block)), true
		}
	}
	if found {
		v.doubted("there is the beginning of a UDF volume, but no anchor")
	}
	return Content{}, false
}
