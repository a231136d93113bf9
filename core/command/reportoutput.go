package command

import (
	"context"
	"errors"
	"os"

	"diskaudit/core/report/fleet/documents"
)

// checkOutput refuses an output that is, or could be, what the report is made of. The page or rows of
// another day may be overwritten.
func (r *reporting) checkOutput(ctx context.Context) error {
	output := r.settings.output
	if output == "" {
		return nil
	}
	for _, path := range r.paths {
		if isSameFile(path, output) {
			return usagef("--output %s would overwrite what the report is made of; name another file", output)
		}
	}
	if err := refuseDisk("output", output); err != nil {
		return err
	}
	if holdsDocument(ctx, output) {
		return usagef("--output %s would overwrite a document of diskaudit status or bench; name another file", output)
	}
	return nil
}

// documentCodes are of what is a document of status or bench, though none that is counted.
var documentCodes = map[string]bool{
	documents.CodeRecording: true, documents.CodeNarrowed: true, documents.CodeImage: true, documents.CodeTime: true,
	documents.CodeSchema: true, documents.CodeVersion: true,
}

// holdsDocument tells whether a file holds a document of status or bench. A file that is not there, or
// cannot be read, holds none. A run that was interrupted looks all the same: it may still write a document.
func holdsDocument(ctx context.Context, path string) bool {
	if about, err := os.Stat(path); err != nil || !about.Mode().IsRegular() {
		return false
	}
	errFound, errOther := errors.New("a document"), errors.New("something else")
	_, err := documents.Read(context.WithoutCancel(ctx), []string{path}, documents.Visitor{
		Document: func(documents.Document) error { return errFound },
		Skipped: func(skipped documents.Skipped) error {
			switch {
			case documentCodes[skipped.Code]:
				return errFound
			case skipped.Code == documents.CodeOtherKind:
				// A report, or rows of one: all lines are.
				return errOther
			}
			return nil
		},
	})
	return errors.Is(err, errFound)
}
