// Package documents reads status and bench documents from files and folders, one at a time: it
// finds the files, takes them apart into documents and checks each from end to end. What cannot be
// read is named and passed over, so that one bad file hides no other.
package documents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"diskaudit/core/contract"
)

// Document is one document that was read. One of Status and Bench is not nil.
type Document struct {
	// Path of the file, as it was named or found.
	Path string
	// Line of the file on which the document begins, from 1.
	Line int
	// Sum is a checksum of the document's text, the same for documents that are the same byte by
	// byte within one run of the program.
	Sum uint64
	// Status is the document, when it is a status document. Its summary is made from the volumes and
	// findings that it lists; the one that was written is not believed.
	Status *contract.Status
	// Bench is the document, when it is a bench document. Its verdict is undecided where its penalty is
	// not valid, and a valid penalty has figures.
	Bench *contract.Bench
}

// Skipped is a file, or a place in one, that was passed over.
type Skipped struct {
	// Path of the file or folder, as it was named or found.
	Path string
	// Line on which the document begins, from 1; 0 when it is about the whole file.
	Line int
	// Code is the stable id of the reason; the codes of this package are named Code....
	Code string
	// Text says what is wrong and what to do.
	Text string
	// Lost tells whether facts about a computer are missing because of it. A document of another kind, a
	// recording or an image loses nothing.
	Lost bool
}

// The codes of what is passed over.
const (
	CodeNotFound      = "not-found"
	CodeNotReadable   = "not-readable"
	CodeNotAFile      = "not-a-file"
	CodeLink          = "link-outside"
	CodeNothingInside = "nothing-inside"
	CodeEmpty         = "empty"
	CodeNotText       = "not-text"
	CodeNotJSON       = "not-json"
	CodeCutOff        = "cut-off"
	CodeTooLarge      = "too-large"
	CodeNoDocument    = "no-document"
	CodeOtherKind     = "other-kind"
	CodeVersion       = "schema-version"
	CodeSchema        = "schema"
	CodeTime          = "time-impossible"
	CodeRecording     = "recording"
	CodeNarrowed      = "narrowed"
	CodeImage         = "image"
	CodeInternal      = "internal-error"
)

// losesNothing are the codes of what says nothing about a computer's present.
var losesNothing = map[string]struct{}{CodeOtherKind: {}, CodeRecording: {}, CodeImage: {}}

func loses(code string) bool {
	_, nothing := losesNothing[code]
	return !nothing
}

// Visitor is told what was read, in the order of the files and of the documents in them. An error
// that a function of it returns ends the reading.
type Visitor struct {
	// Document is called for each document. It may keep what it gets.
	Document func(Document) error
	// Skipped is called for each thing that was passed over.
	Skipped func(Skipped) error
	// File is called after each file with the number of files so far; nil when nobody asks.
	File func(files int)
	// Omit tells of files that are not to be read, such as the one that is being written; nil when
	// there are none.
	Omit func(path string) bool
	// Again makes this a second reading, of what was read and checked before: only documents whose
	// checksum it knows are read, as documents of that kind, and nothing is said of others. Nil for a
	// first reading.
	Again func(sum uint64) (contract.Kind, bool)
}

// Read reads the files and what is in the folders, in the order of their names, and returns the
// number of files that it opened. Its error is the context's or one of the visitor's; all else is
// told to the visitor.
func Read(ctx context.Context, paths []string, visitor Visitor) (files int, err error) {
	reader := &reader{ctx: ctx, visitor: visitor, seen: map[uint64]struct{}{}, queue: newQueue(visitor)}
	defer reader.queue.close()
	for _, path := range paths {
		if err := reader.root(path); err != nil {
			return reader.files, err
		}
	}
	return reader.files, reader.queue.drain()
}

// reader is one reading.
type reader struct {
	ctx     context.Context
	visitor Visitor
	queue   *queue
	files   int
	// inside counts the files that there were to read, those that were read already included.
	inside int
	// seen are checksums of the paths that were read, so that a file that is named twice, or lies
	// in two of the folders, counts once.
	seen map[uint64]struct{}
}

func (r *reader) skip(path string, line int, code, format string, arguments ...any) error {
	if r.visitor.Again != nil {
		return nil
	}
	return r.queue.skipped(Skipped{Path: path, Line: line, Code: code, Text: fmt.Sprintf(format, arguments...), Lost: loses(code)})
}

// file reads one file.
func (r *reader) file(path string) error {
	if r.visitor.Omit != nil && r.visitor.Omit(path) {
		return nil
	}
	r.inside++
	if r.known(path) {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return r.skip(path, 0, CodeNotReadable, "It cannot be opened: %v. Give the account that runs this the right to read it.", withoutPath(err))
	}
	defer file.Close()
	r.files++
	err = r.content(path, file)
	if r.visitor.File != nil {
		r.visitor.File(r.files)
	}
	return err
}

// content reads the documents of one file.
func (r *reader) content(path string, file io.Reader) error {
	split := newSplitter(toUTF8(file))
	for found := 0; ; found++ {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		text, err := split.next()
		if errors.Is(err, io.EOF) {
			if found == 0 {
				return r.skip(path, 0, CodeEmpty, "It is empty. Write the document again.")
			}
			return nil
		}
		if err == nil {
			err = r.queue.document(path, split.began, text)
			if err != nil {
				return err
			}
			continue
		}
		refused := refusal{CodeNotReadable, fmt.Sprintf("Reading it failed: %v. Copy it again.", withoutPath(err))}
		ends := !errors.As(err, &refused)
		if err := r.skip(path, split.began, refused.code, "%s", refused.text); err != nil || ends {
			return err
		}
	}
}

// refusal says why a document is not taken.
type refusal struct{ code, text string }

func (r refusal) Error() string { return r.text }

func refusef(code, format string, arguments ...any) error {
	return refusal{code, fmt.Sprintf(format, arguments...)}
}

// withoutPath leaves out the path that the message has already.
func withoutPath(err error) error {
	var pathError *os.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
