package recording

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	pathStart     = regexp.MustCompile(`^(?:[A-Za-z]:\\|\\\\[^\\?.\s]|/[^/\s])`)
	windowsSystem = regexp.MustCompile(`(?i)^[a-z]:\\+(?:windows|program files(?: \(x86\))?|programdata\\+microsoft|system volume information|recovery|\$recycle\.bin|pagefile\.sys|hiberfil\.sys)(?:\\|$)`)
	// Folders of Linux whose content is named by the system, not by people.
	linuxSystem = regexp.MustCompile(`^/(?:sys|proc|etc|usr|lib|lib64|bin|sbin|boot|var/lib|var/log|run/(?:udev|systemd))(?:/|$)`)
	uncRoot     = regexp.MustCompile(`^\\+`)
)

// pathAt returns the path that begins at a position of a text; "" when none does. In quotation
// marks it goes to the closing one, else to the next blank that does not lie within the path.
func pathAt(text string, position int) string {
	rest := window(text, position)
	if !pathStart.MatchString(rest) {
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
	for end < len(rest) {
		// "C:\Users\Ann Smith\disk.vhdx": the next word goes on with the path.
		next := rest[end+1:]
		word := next[:blank(next)]
		if separator := strings.IndexAny(word, `\/`); separator <= 0 || word[separator] != separatorOf(rest) {
			break
		}
		end += 1 + len(word)
	}
	return strings.TrimRight(rest[:end], `.,:;!?)]}"'`)
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
// leaves paths alone that are the same on every computer.
func (b *standIns) path(path string) (string, bool) {
	switch {
	case strings.HasPrefix(path, "/dev/"):
		// A name directly below /dev is the kernel's; others people and serial numbers give.
		if strings.Count(path, "/") == 2 {
			return path, true
		}
		return b.ownDevice(path), true
	case strings.HasPrefix(path, "/"):
		if linuxSystem.MatchString(path) || isSystemFolder(path) || strings.Count(strings.TrimSuffix(path, "/"), "/") < 2 {
			return "", false
		}
		return knownRoot(path) + b.give("path", path, "path-%d"), true
	case uncRoot.MatchString(path):
		return uncRoot.FindString(path) + "server" + `\` + b.windowsPath(path), true
	}
	root := path[:2] + uncRoot.FindString(path[2:])
	if windowsSystem.MatchString(path) || root == path {
		return "", false
	}
	return root + b.windowsPath(path), true
}

// windowsPath numbers a path, whether or not its backslashes are doubled.
func (b *standIns) windowsPath(path string) string {
	return b.give("path", strings.ReplaceAll(path, `\\`, `\`), "path-%d")
}
