package documents

import (
	"context"
	"errors"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// extensions are those of the files that are read in a folder.
var extensions = []string{".json", ".ndjson", ".jsonl"}

// root reads a file or folder that was named. Cmd and PowerShell leave "*.json" to the program.
func (r *reader) root(path string) error {
	about, err := os.Stat(path)
	if err != nil && strings.ContainsAny(filepath.Base(path), "*?") {
		if matches, globErr := filepath.Glob(path); globErr == nil && len(matches) > 0 {
			for _, match := range matches {
				if err := r.root(match); err != nil {
					return err
				}
			}
			return nil
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r.skip(path, 0, CodeNotFound, "There is no such file or folder. Check the spelling, and whether the share is connected.")
	case err != nil:
		return r.skip(path, 0, CodeNotReadable, "It cannot be looked at: %v. Give the account that runs this the right to read it.", withoutPath(err))
	case about.IsDir():
		return r.folder(path)
	case !about.Mode().IsRegular():
		// Opening a pipe would wait for its other end.
		return r.skip(path, 0, CodeNotAFile, "It is neither a file nor a folder. Save the documents to a file first.")
	}
	return r.file(path)
}

// folder reads what is in a folder and the folders below it, hidden ones left out. The folder itself may
// be a link or junction, which filepath.WalkDir would not look into.
func (r *reader) folder(root string) error {
	before := r.inside
	entries, err := os.ReadDir(root)
	if err != nil {
		if err := r.skip(root, 0, CodeNotReadable, "It cannot be looked into: %v. Give the account that runs this the right to read it.", withoutPath(err)); err != nil {
			return err
		}
	}
	for _, entry := range entries {
		path := filepath.Join(root, entry.Name())
		visit := func(path string, entry fs.DirEntry, err error) error { return r.visit(root, path, entry, err) }
		walk := func() error { return visit(path, entry, nil) }
		if entry.IsDir() {
			walk = func() error { return filepath.WalkDir(path, visit) }
		}
		if err := walk(); err != nil {
			return err
		}
	}
	if err == nil && r.inside == before {
		return r.skip(root, 0, CodeNothingInside, "There is no file named *.json, *.ndjson or *.jsonl in this folder or below it. Name the folder that holds the documents.")
	}
	return nil
}

// visit reads what lies in the folder root or below it.
func (r *reader) visit(root, path string, entry fs.DirEntry, err error) error {
	if ended := context.Cause(r.ctx); ended != nil {
		return ended
	}
	if err != nil {
		return r.skip(path, 0, CodeNotReadable, "It cannot be looked into: %v. Give the account that runs this the right to read it.", withoutPath(err))
	}
	hidden := isHidden(entry.Name())
	switch {
	case hidden && entry.IsDir():
		return fs.SkipDir
	case hidden || entry.IsDir():
		return nil
	case entry.Type()&fs.ModeSymlink != 0:
		return r.link(root, path)
	case entry.Type()&fs.ModeIrregular != 0:
		return r.irregular(path)
	case !isDocument(path):
		return nil
	case !entry.Type().IsRegular():
		return r.skip(path, 0, CodeNotAFile, "It is not a regular file. Save the documents to a file first.")
	}
	return r.file(path)
}

func isHidden(name string) bool { return strings.HasPrefix(name, ".") }

// isDocument tells whether a file is read in a folder, by its name.
func isDocument(path string) bool {
	return slices.Contains(extensions, strings.ToLower(filepath.Ext(path)))
}

// link follows a link in a folder. What it leads to is read under its own name where that is read; a file
// in the folder that is hidden, or named otherwise, is read under the link's name. A link that leads out
// of the folder could lead anywhere, and is named.
func (r *reader) link(root, path string) error {
	within, err := filepath.EvalSymlinks(root)
	if err != nil {
		return r.skip(path, 0, CodeLink, "Where this link leads cannot be told: %v. Name what it leads to.", withoutPath(err))
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return r.skip(path, 0, CodeLink, "This link leads nowhere: %v. Remove it or restore its file.", withoutPath(err))
	}
	inside, err := filepath.Rel(within, target)
	if err != nil || !filepath.IsLocal(inside) {
		return r.skip(path, 0, CodeLink, "This link leads out of the folder and is not followed. Name what it leads to if it is meant.")
	}
	about, err := os.Stat(target)
	if err != nil {
		return r.skip(path, 0, CodeLink, "What this link leads to cannot be looked at: %v. Give the account that runs this the right to read it.", withoutPath(err))
	}
	passedOver := inside != "." && slices.ContainsFunc(strings.Split(inside, string(filepath.Separator)), isHidden)
	switch {
	case about.IsDir() && passedOver:
		return r.skip(path, 0, CodeLink, "This link leads to a hidden folder and is not followed. Name what it leads to if it is meant.")
	case about.IsDir() || isDocument(target) && !passedOver || !isDocument(path):
		return nil
	case !about.Mode().IsRegular():
		return r.skip(path, 0, CodeNotAFile, "It leads to what is not a regular file. Save the documents to a file first.")
	}
	return r.file(path)
}

// irregular passes a junction over, which on Windows leads to another folder as a link does, and reads
// what is a file after all, such as one that a cloud keeps.
func (r *reader) irregular(path string) error {
	about, err := os.Stat(path)
	switch {
	case err != nil:
		return r.skip(path, 0, CodeLink, "Where this leads cannot be told: %v. Name what it leads to.", withoutPath(err))
	case about.IsDir():
		return r.skip(path, 0, CodeLink, "This junction leads to another folder and is not followed. Name what it leads to if it is meant.")
	case !isDocument(path):
		return nil
	case !about.Mode().IsRegular():
		return r.skip(path, 0, CodeNotAFile, "It is not a regular file. Save the documents to a file first.")
	}
	return r.file(path)
}

// pathSeed makes the checksums of this run.
var pathSeed = maphash.MakeSeed()

// known tells whether a file was read already, and notes it.
func (r *reader) known(path string) bool {
	full := path
	if absolute, err := filepath.Abs(path); err == nil {
		full = absolute
	}
	if resolved, err := filepath.EvalSymlinks(full); err == nil {
		full = resolved
	}
	sum := maphash.String(pathSeed, full)
	_, known := r.seen[sum]
	r.seen[sum] = struct{}{}
	return known
}
