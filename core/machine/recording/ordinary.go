package recording

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isOrdinary reports whether a text is one that identifies nobody and that sentences are made of:
// only words of this vocabulary, numbers, and words of one or two characters.
func isOrdinary(text string) bool {
	for word := range strings.FieldsSeq(text) {
		number := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
		if utf8.RuneCountInString(word) > 2 && !ordinary[strings.ToLower(word)] && !number {
			return false
		}
	}
	return true
}

var ordinary = words(`
	the and for are was were not but can could may might must should will would does did has had have been being with without within
	from into onto over under above below between before after until since while when where which who whose what why how that this these
	those there here then than them they their its you your our one two three four five six seven eight nine ten all any both each every
	few many more most much none only other others same some such too very also again already always never ever once twice yet still

	access account add address administrator administrators again ask asked attach attached audit back backup backups bad begin begins
	block blocks boot bus busy byte bytes cache cannot change changed check clear close closed code command common complete computer
	contains content copy copies could create created damaged data database databases decrypt decrypted default deleted denied device
	devices differs directory disabled disk disks document documents drive drives driver elevated elevation empty enable enabled encrypt
	encrypted encryption end ended error errors exist exists extent extents facts fail failed fails failure false feature file files find
	first fixed flush folder format found free full function games gone group guest handle hard hardware header health hidden host image
	images incomplete info information input install installed invalid key keys kernel know known label last length level limit linux
	list local lock locked log logs lost machine main managed manager media memory metadata method minutes missing mode mount mounted
	music name named names network new next null number off offset old open opened opening operating order out own owner page part
	partition partitions password path permission photos physical pictures plan point policy power present private problem problems
	process program programs projects protected protection protector protectors provider public query raid raw read reading reads ready
	reason record recording recovery refused region registry removable removed repair report reported reports required reserved result
	retry right rights root run running safe sector sectors secure security serial server service set setup share shared show shows size
	software space spare start state status stick stopped storage store stored support supported suspended system systems table target
	temp test text time timeout tool true try turn type unavailable unknown unlock unlocked unreadable unsupported update usb use used
	user users valid value values version videos view virtual volume volumes warning was wipe work working write writes writing written
	zero

	windows bitlocker microsoft intune entra ntfs refs fat fat32 exfat ext2 ext3 ext4 btrfs xfs luks crypt nvme sata scsi ssd hdd tpm
	uefi efi esp gpt mbr vhd vhdx wmi com fve ramdisk swap home var usr tmp dev mnt opt debian ubuntu fedora
	hklm software policies policymanager currentcontrolset physicaldrive
`)

func words(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}
