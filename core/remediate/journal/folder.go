package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"diskaudit/core/contract"
)

// Folder holds the journals of this computer's remediations, and the lock that keeps two runs from
// acting at once. Only administrators, or elsewhere than on Windows this user, can change what is in it.
type Folder struct {
	path string
	// clock tells the time; tests have their own.
	clock func() time.Time
	// through is what a new journal's lines go through; nil for straight to the file.
	through func(File) File
	// flushed makes the names in a folder last a loss of power.
	flushed func(*entered) error
}

// File is what a journal is written to: an *os.File, or what stands in front of it.
type File interface {
	Write(data []byte) (int, error)
	// Sync returns when what was written is on the disk.
	Sync() error
	Close() error
}

// Open makes the folder, unless it is there, so that only those can use it who may change the computer,
// and makes sure that this is so. The error is a *Refusal when it lies in somebody else's hands.
func Open(folder string) (*Folder, error) {
	path, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("looking for the folder of the journals %s: %w", folder, err)
	}
	if err := makeFolder(path); err != nil {
		return nil, err
	}
	inside, err := enter(path)
	if err != nil {
		return nil, err
	}
	inside.Close()
	return &Folder{path: path, clock: time.Now, flushed: (*entered).flush}, nil
}

// Path is the folder's absolute path.
func (f *Folder) Path() string { return f.path }

// letThrough lets the lines of journals that are created later go through what wrap returns, which
// writes to the file that it is given. It shows when and what is written.
func (f *Folder) letThrough(wrap func(File) File) { f.through = wrap }

// Create makes the journal of a run, with its plan in the first line. Nothing may be changed before it
// returns. Its name sorts behind those of all earlier runs, even when the clock was put back. One run at a
// time creates: the one that has the lock.
func (f *Folder) Create(tool contract.Tool, plan contract.Plan) (*Writer, error) {
	inside, err := enter(f.path)
	if err != nil {
		return nil, err
	}
	defer inside.Close()
	found, err := inside.journals()
	if err != nil {
		return nil, fmt.Errorf("looking for earlier journals in %s: %w", f.path, err)
	}
	name := found.next(f.clock())
	opened, err := inside.create(name)
	if err != nil {
		return nil, err
	}
	w := &Writer{path: filepath.Join(f.path, name), file: opened, clock: f.clock}
	if f.through != nil {
		w.file = f.through(opened)
	}
	err = w.Write(Line{Event: EventBegin, Format: format, Tool: &tool, Process: os.Getpid(), Plan: &plan})
	if err == nil {
		if err = f.flushed(inside); err != nil {
			err = fmt.Errorf("making the name of the journal %s last: %w", w.path, err)
		}
	}
	if err != nil {
		_ = w.Close()
		return nil, err
	}
	return w, nil
}
