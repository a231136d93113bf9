package disk

// BitLocker's boot sectors. Since Windows 7 the sector carries a GUID that names the format, at
// 160 on a fixed volume and at 424 on BitLocker To Go, whose boot sector otherwise is that of
// FAT32. Vista's has the name only. Sources: the libbde project's format documentation and the
// layouts used by cryptsetup's BITLK support.
const bitLockerName = "-FVE-FS-"

var (
	bitLockerGUIDs = []guid{
		parseGUID("4967d63b-2e29-4ad8-8399-f6a339e3d001"),
		// Encrypted as it is written to (used space only).
		parseGUID("92a84d3b-dd80-4d0e-9e4e-b1e3284eaed8"),
	}
	bitLockerGUIDOffsets = []int{160, 424}
)

func isBitLockerBoot(sector []byte) bool {
	if string(sector[3:11]) == bitLockerName {
		return true
	}
	for _, offset := range bitLockerGUIDOffsets {
		for _, id := range bitLockerGUIDs {
			if guidAt(sector[offset:]) == id {
				return true
			}
		}
	}
	return false
}

func probeBitLocker(v *volume) (Content, bool) {
	if !isBitLockerBoot(v.boot) {
		return Content{}, false
	}
	return Content{Kind: KindBitLocker, Name: "BitLocker"}, true
}
