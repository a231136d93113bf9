package linux

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"unicode"
)

// Limits on what is read from one file, so that memory stays bounded whatever a tree holds. An
// attribute of sysfs is at most a page; cpuinfo has some KiB for each processor, mountinfo some
// hundred bytes for each mount.
const (
	attributeLimit = 64 << 10
	tableLimit     = 16 << 20
	linkLimit      = 40
)

var errTooLong = errors.New("it is longer than expected")

// tree reads files below a root. Names are slash-separated and relative to it: "sys/block".
type tree struct {
	fsys fs.FS
}

// bytes reads a whole file of at most limit bytes.
func (t tree) bytes(name string, limit int64) ([]byte, error) {
	file, err := t.fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("opening /%s: %w", name, err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, fmt.Errorf("reading /%s: %w", name, err)
	}
	if int64(len(data)) > limit {
		return data[:limit], fmt.Errorf("reading /%s: %w", name, errTooLong)
	}
	return data, nil
}

// text reads an attribute. It returns false when the attribute is absent, cannot be read or is
// blank. Devices name themselves there, so unprintable characters are dropped.
func (t tree) text(name string) (string, bool) {
	data, err := t.bytes(name, attributeLimit)
	if err != nil {
		return "", false
	}
	value := printable(string(data))
	return value, value != ""
}

// textPtr is text for an optional fact.
func (t tree) textPtr(name string) *string {
	if value, ok := t.text(name); ok {
		return &value
	}
	return nil
}

// number reads an attribute that is an unsigned decimal number.
func (t tree) number(name string) (uint64, bool) {
	value, ok := t.text(name)
	if !ok {
		return 0, false
	}
	number, err := strconv.ParseUint(value, 10, 64)
	return number, err == nil
}

// numberPtr is number for an optional fact.
func (t tree) numberPtr(name string) *uint64 {
	if value, ok := t.number(name); ok {
		return &value
	}
	return nil
}

// flag reads an attribute that is 0 or 1.
func (t tree) flag(name string) *bool {
	value, ok := t.number(name)
	if !ok || value > 1 {
		return nil
	}
	set := value == 1
	return &set
}

// list returns the names in a folder, sorted.
func (t tree) list(name string) ([]string, error) {
	entries, err := fs.ReadDir(t.fsys, name)
	if err != nil {
		return nil, fmt.Errorf("listing /%s: %w", name, err)
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names, nil
}

// exists reports whether a file or folder is there and can be seen.
func (t tree) exists(name string) bool {
	_, err := fs.Stat(t.fsys, name)
	return err == nil
}

// resolve follows every symbolic link in a name, absolute ones from the root of the tree, and
// returns the name without links of what is there.
func (t tree) resolve(name string) (string, error) {
	rest := strings.Split(name, "/")
	at := "."
	links := 0
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, part)
		target, err := fs.ReadLink(t.fsys, next)
		if err != nil {
			at = next
			continue
		}
		if links++; links > linkLimit {
			return "", fmt.Errorf("resolving /%s: more than %d symbolic links", name, linkLimit)
		}
		if strings.HasPrefix(target, "/") {
			at = "."
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	if _, err := fs.Stat(t.fsys, at); err != nil {
		return "", fmt.Errorf("resolving /%s: %w", name, err)
	}
	return at, nil
}

// linkName is the last part of what a symbolic link leads to, such as the name of a driver.
func (t tree) linkName(name string) (string, bool) {
	target, err := fs.ReadLink(t.fsys, name)
	if err != nil {
		return "", false
	}
	return path.Base(target), true
}

// printable drops what could confuse a terminal, and the padding around a value.
func printable(value string) string {
	value = strings.Map(func(r rune) rune {
		switch {
		case r == unicode.ReplacementChar, r == 0:
			return -1
		case r == '\n', r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, value)
	return strings.TrimSpace(value)
}
