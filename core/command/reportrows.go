package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/report/flat"
	"diskaudit/core/report/fleet"
	"diskaudit/core/report/fleet/documents"
)

// rowWriter writes documents as rows, one after the other.
type rowWriter interface {
	Status(path string, status contract.Status) error
	Bench(path string, bench contract.Bench) error
	Skipped(path, code, text string) error
	Close() error
}

// rowWriters are the formats that are written document by document.
var rowWriters = map[contract.ReportFormat]func(io.Writer) rowWriter{
	contract.ReportNDJSON: func(w io.Writer) rowWriter { return flat.NewNDJSON(w) },
	contract.ReportCSV:    func(w io.Writer) rowWriter { return flat.NewCSV(w) },
}

// errNoRows means that no file is to be made: the document says why.
var errNoRows = errors.New("nothing to write")

// writeRows writes every document as rows while it is read, those too that a newer one supersedes.
func (r *reporting) writeRows(ctx context.Context) error {
	if r.settings.output == "" {
		return r.rowsToStdout(ctx)
	}
	written := &counting{}
	err := writeFileBy(r.settings.output, func(w io.Writer) error {
		written.w = w
		survey, err := r.copyRows(ctx, written, false)
		if err != nil && ended(err) == nil {
			return err
		}
		r.gather(survey, ended(err))
		if r.code == ExitFailed || r.code == ExitInterrupted {
			return errors.Join(errNoRows, err)
		}
		return err
	})
	if r.document.Kind == "" {
		// The file could not be made, or not be written to its end. The counts are told all the same.
		survey, err := fleet.Read(ctx, r.paths, r.options())
		r.gather(survey, err)
	}
	if !errors.Is(err, errNoRows) {
		r.wrote(nil, written.bytes, err)
	}
	return r.writeDocument()
}

// ended is the error by which reading ended early; that of writing is told elsewhere.
func ended(err error) error {
	if errors.Is(err, machine.ErrInterrupted) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

func (r *reporting) rowsToStdout(ctx context.Context) error {
	survey, err := r.copyRows(ctx, r.out.w, true)
	switch {
	case err == nil || ended(err) != nil:
		r.gather(survey, ended(err))
	case !isBrokenPipe(err):
		return fmt.Errorf("writing to standard output: %w", err)
	}
	return nil
}

// copyRows reads the documents and writes their rows. only tells that nothing but the rows is wanted.
func (r *reporting) copyRows(ctx context.Context, w io.Writer, only bool) (*fleet.Survey, error) {
	rows := rowWriters[r.format](w)
	options := r.options()
	options.RowsOnly = only
	options.Each = func(document documents.Document) error {
		if document.Status != nil {
			return rows.Status(document.Path, *document.Status)
		}
		return rows.Bench(document.Path, *document.Bench)
	}
	logged := options.Skipped
	var failed error
	options.Skipped = func(skipped documents.Skipped) {
		logged(skipped)
		problem := fleet.Problem(skipped)
		if failed == nil {
			failed = rows.Skipped(skipped.Path, problem.Code, problem.Text)
		}
	}
	survey, err := fleet.Read(ctx, r.paths, options)
	if cause := ended(err); cause != nil {
		problem := endOfReading(cause, rowsWritten)
		failed = cmp.Or(failed, rows.Skipped("", problem.Code, problem.Text))
	}
	// A disk that is full says so each time; once is enough.
	closed := rows.Close()
	return survey, cmp.Or(err, failed, closed)
}

// counting counts what is written.
type counting struct {
	w     io.Writer
	bytes uint64
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.bytes += uint64(n)
	return n, err
}
