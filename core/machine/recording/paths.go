package recording

import (
	"strings"
	"unicode/utf8"

	"diskaudit/core/machine/pattern"
)

var (
	pathStart     = pattern.New(`^(?:[A-Za-z]:\\|\\\\[^\\?.\s]|/[^/\s])`)
	windowsSystem = pattern.New(`(?i)^[a-z]:\\+(?:windows|program files(?: \(x86\))?|programdata\\+microsoft|system volume information|recovery|\$recycle\.bin|pagefile\.sys|hiberfil\.sys)(?:\\|$)`)
	// Folders of Linux whose content is named by the system, not by people.
	linuxSystem  = pattern.New(`^/(?:sys|proc|etc|usr|lib|lib64|bin|sbin|boot|var/lib|var/log|run/(?:udev|systemd))(?:/|$)`)
	pathStandIn  = pattern.New(`^path-\d+$`)
	kernelDevice = pattern.New(`^(/dev/[A-Za-z0-9]+(?:-\d+)?)(?:[^/\w.-]|$)`)
	uncRoot      = pattern.New(`^\\+`)
)

// pathAt returns the path that begins at a position of a text; "" when none does. In quotation
// marks it goes to the closing one, else to the next blank; below a user's folder, whose name
// often has a blank, on over words that go on with the path.
func pathAt(text string, position int) string {
	rest := window(text, position)
	if !pathStart.Regexp().MatchString(rest) {
		return ""
	}
	before, _ := utf8.DecodeLastRuneInString(text[:position])
	if position > 0 && (isWordRune(before) || before == '/') { // within a word, or an address of the web
		return ""
	}
	if closing, ok := quotationMarks[before]; ok && position > 0 {
		if end := strings.IndexRune(rest, closing); end >= 0 {
			return rest[:end]
		}
	}
	end := blank(rest)
	for end < len(rest) && isPersonal(rest[:end]) {
		// "C:\Users\Ann Smith\disk.vhdx": the next word goes on with the path.
		next := rest[end+1:]
		word := next[:blank(next)]
		separator := strings.IndexAny(word, `\/`)
		if separator <= 0 || word[separator] != separatorOf(rest) || pathStart.Regexp().MatchString(word) {
			break
		}
		end += 1 + len(word)
	}
	return strings.TrimRight(rest[:end], `.,:;!?)]}"'`)
}

func isPersonal(path string) bool {
	found := owner.Regexp().FindStringSubmatch(path)
	return found != nil && !ownStandIn.Regexp().MatchString(found[1])
}

// blank returns where the first word of a text ends.
func blank(text string) int {
	if end := strings.IndexAny(text, " \t\r\n\""); end >= 0 {
		return end
	}
	return len(text)
}

func separatorOf(path string) byte {
	if path[0] == '/' {
		return '/'
	}
	return '\\'
}

// path replaces a path that is not a fact of the document. It keeps where the path begins, and
// leaves paths alone that are the same on every computer. It returns how much of the path the
// stand-in replaces; 0 for a path that may have identifying parts further on.
func (b *standIns) path(path string) (int, string) {
	switch {
	case kernelDevice.Regexp().MatchString(path) && !ownStandIn.Regexp().MatchString(path[len("/dev/"):]):
		// A name directly below /dev is the kernel's; others people and serial numbers give.
		device := kernelDevice.Regexp().FindStringSubmatch(path)[1]
		return len(device), device
	case strings.HasPrefix(path, "/dev/"):
		return len(path), b.ownDevice(path)
	case strings.HasPrefix(path, "/"):
		root := knownRoot(path)
		single := strings.Count(strings.TrimSuffix(path, "/"), "/") < 2
		if linuxSystem.Regexp().MatchString(path) || isSystemFolder(path) || (single && !pathStandIn.Regexp().MatchString(path[len(root):])) {
			return 0, ""
		}
		return len(path), root + b.give("path", path, "path-%d")
	case uncRoot.Regexp().MatchString(path):
		return len(path), uncRoot.Regexp().FindString(path) + "server" + `\` + b.windowsPath(path)
	}
	root := path[:2] + uncRoot.Regexp().FindString(path[2:])
	if windowsSystem.Regexp().MatchString(path) || ownJournal.Regexp().MatchString(path) || root == path {
		return 0, ""
	}
	return len(path), root + b.windowsPath(path)
}

// windowsPath numbers a path, whether or not its backslashes are doubled.
func (b *standIns) windowsPath(path string) string {
	return b.give("path", strings.ReplaceAll(path, `\\`, `\`), "path-%d")
}
