package journal

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"diskaudit/core/contract"
)

// Writer appends the lines of one run. It can be used by several goroutines.
type Writer struct {
	path  string
	clock func() time.Time

	mutex    sync.Mutex
	file     File
	sequence uint64
	size     int
	// failed is why nothing more is written: a line may have been cut off, and what follows that could not be told
	// from damage.
	failed error
}

// errClosed is that a journal has been closed.
var errClosed = errors.New("it is closed")

// Path is the file's absolute path.
func (w *Writer) Path() string { return w.path }

// Write numbers and dates a line, appends it, and returns when it is on the disk. After an error nothing
// more is written, and each later call fails. A journal that is nearly as long as one that is read takes
// no more lines about progress.
func (w *Writer) Write(line Line) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.failed != nil {
		return fmt.Errorf("the journal %s cannot be continued: %w", w.path, w.failed)
	}
	if line.Event == EventProgress && w.size > fileBytes-fileReserve {
		return nil
	}
	if err := w.append(line); err != nil {
		w.failed = err
		return fmt.Errorf("writing the journal %s: %w", w.path, err)
	}
	return nil
}

func (w *Writer) append(line Line) error {
	line.Sequence, line.Time = w.sequence+1, w.clock().UTC()
	data, err := contract.Encode(line)
	if err != nil {
		return err
	}
	data = append(withoutPasswords(contract.ASCII(data)), '\n')
	if len(data) > lineBytes {
		return fmt.Errorf("a line of %d bytes is longer than the %d that are read again", len(data), lineBytes)
	}
	if _, err := w.file.Write(data); err != nil {
		return err
	}
	if err := w.file.Sync(); err != nil {
		return fmt.Errorf("bringing it onto the disk: %w", err)
	}
	w.sequence++
	w.size += len(data)
	return nil
}

// Close ends the journal.
func (w *Writer) Close() error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if errors.Is(w.failed, errClosed) {
		return nil
	}
	w.failed = errClosed
	if err := w.file.Close(); err != nil {
		return fmt.Errorf("closing the journal %s: %w", w.path, err)
	}
	return nil
}
