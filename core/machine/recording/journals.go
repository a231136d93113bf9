package recording

import "diskaudit/core/machine/pattern"

// ownJournal is a journal where this program keeps them on Windows, named by date and number.
var ownJournal = pattern.New(`(?i)^[a-z]:\\ProgramData\\BitLockerDiskAudit\\journal\\\d{8}T\d{6}\.\d{6}Z-[0-9a-f]+\.jsonl$`)

// journal replaces the path of a journal that lies elsewhere or that somebody named.
func (b *standIns) journal(path string) string {
	if path == "" || ownJournal.Regexp().MatchString(path) {
		return path
	}
	standIn := b.give("journal", path, "journal-%d")
	b.learnOwner(path)
	b.remember(path, standIn)
	return standIn
}
