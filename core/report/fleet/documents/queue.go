package documents

import (
	"errors"
	"hash/maphash"
	"runtime"
	"slices"

	"diskaudit/core/contract"
)

// Bounds of what is waiting, so that a hundred large documents are not in memory at once.
const (
	mostWaiting      = 16
	mostWaitingBytes = 8 << 20
)

// queue decodes documents on all processors and tells the visitor in the order in which they came.
type queue struct {
	visitor Visitor
	work    chan *job
	waiting []*job
	bytes   int
}

// job is one document or one thing that was passed over.
type job struct {
	path string
	line int
	text []byte
	// kind is that of a document that was checked before; empty for others.
	kind contract.Kind
	// done is closed when the rest is there.
	done     chan struct{}
	document Document
	err      error
	passed   *Skipped
}

func newQueue(visitor Visitor) *queue {
	q := &queue{visitor: visitor, work: make(chan *job, mostWaiting+1)}
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for j := range q.work {
				j.decode()
			}
		}()
	}
	return q
}

// close lets the workers end.
func (q *queue) close() {
	close(q.work)
}

func (j *job) decode() {
	defer close(j.done)
	defer func() {
		// One document that this program fails at is passed over like one that is damaged.
		if panicked := recover(); panicked != nil {
			j.err = refusef(CodeInternal, "This program met a fault of its own on it: %v. Please report it.", panicked)
		}
	}()
	if j.kind != "" {
		j.document, j.err = decodeAgain(j.text, j.kind)
	} else {
		j.document, j.err = decode(j.text)
	}
	j.document.Path, j.document.Line = j.path, j.line
}

// document takes a document's text, which is copied.
func (q *queue) document(path string, line int, text []byte) error {
	j := &job{path: path, line: line, done: make(chan struct{})}
	if q.visitor.Again != nil {
		wanted := false
		if j.kind, wanted = q.visitor.Again(maphash.Bytes(pathSeed, text)); !wanted {
			return nil
		}
	}
	j.text = slices.Clone(text)
	q.work <- j
	return q.add(j)
}

func (q *queue) skipped(skipped Skipped) error {
	return q.add(&job{passed: &skipped})
}

// add lets a job wait for its turn, and tells the visitor of the oldest when enough are waiting.
func (q *queue) add(j *job) error {
	q.waiting = append(q.waiting, j)
	q.bytes += len(j.text)
	for len(q.waiting) > mostWaiting || q.bytes > mostWaitingBytes && len(q.waiting) > 0 {
		if err := q.deliver(); err != nil {
			return err
		}
	}
	return nil
}

// drain tells the visitor of all that are waiting.
func (q *queue) drain() error {
	for len(q.waiting) > 0 {
		if err := q.deliver(); err != nil {
			return err
		}
	}
	return nil
}

func (q *queue) deliver() error {
	j := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	q.bytes -= len(j.text)
	if j.passed != nil {
		return q.visitor.Skipped(*j.passed)
	}
	<-j.done
	if j.err == nil {
		return q.visitor.Document(j.document)
	}
	var refused refusal
	if !errors.As(j.err, &refused) {
		return j.err
	}
	return q.visitor.Skipped(Skipped{Path: j.path, Line: j.line, Code: refused.code, Text: refused.text, Lost: loses(refused.code)})
}
