package recording

import (
	"strings"

	"diskaudit/core/machine/pattern"
)

var (
	driveFolder = pattern.New(`^([A-Za-z]:\\)(.+?)(\\?)$`)
	swapMark    = pattern.New(`^\[[A-Z]+\]$`)
)

// systemFolders are the parts of paths that are the same on every Linux computer.
var systemFolders = map[string]bool{
	"": true, "boot": true, "efi": true, "esp": true, "EFI": true, "home": true, "Users": true, "var": true, "log": true, "lib": true,
	"cache": true, "spool": true, "usr": true, "local": true, "opt": true, "srv": true, "root": true, "tmp": true, "mnt": true, "media": true,
	"run": true, "etc": true, "dev": true, "shm": true, "sys": true, "proc": true, "snap": true, "swap": true, "recovery": true,
}

// folder replaces a mount point unless it is a drive letter or a system folder.
func (b *standIns) folder(path string) string {
	if path == "" || usualDevice.Regexp().MatchString(path) || swapMark.Regexp().MatchString(path) || isSystemFolder(path) {
		b.remember(path, path)
		return path
	}
	if volumePath.Regexp().MatchString(path) {
		return b.guids(path)
	}
	standIn := ""
	if parts := driveFolder.Regexp().FindStringSubmatch(path); parts != nil {
		standIn = parts[1] + b.give("folder", strings.TrimSuffix(path, `\`), "folder-%d") + parts[3]
		b.remember(strings.TrimSuffix(path, `\`), strings.TrimSuffix(standIn, `\`))
	} else {
		standIn = knownRoot(path) + b.give("folder", path, "folder-%d")
	}
	b.learnOwner(path)
	b.remember(path, standIn)
	return standIn
}

func isSystemFolder(path string) bool {
	if !strings.HasPrefix(path, "/") {
		return false
	}
	for part := range strings.SplitSeq(path, "/") {
		if !systemFolders[part] {
			return false
		}
	}
	return true
}

// knownRoot is the beginning of a Linux path that consists of system folders, such as
// "/run/media/"; "" for other paths.
func knownRoot(path string) string {
	if !strings.HasPrefix(path, "/") {
		return ""
	}
	root := "/"
	rest := path[1:]
	for {
		part, after, found := strings.Cut(rest, "/")
		if !found || part == "" || !systemFolders[part] {
			return root
		}
		root += part + "/"
		rest = after
	}
}

// owner finds the user whose folder a path lies in.
var owner = pattern.New(`(?i)^(?:/home/|/Users/|/run/media/|/run/user/|/media/|[A-Z]:\\Users\\)([^/\\]+)`)

// ownStandIn is what this package writes in place of a part of a path.
var ownStandIn = pattern.New(`^(?:folder|path|image|name)-\d+`)

// learnOwner looks for the user's name in prose as well.
func (b *standIns) learnOwner(path string) {
	if isPersonal(path) {
		found := owner.Regexp().FindStringSubmatch(path)
		b.sought.word(found[1], b.give("user", found[1], "user-%d"))
	}
}
