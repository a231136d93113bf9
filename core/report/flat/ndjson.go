package flat

import (
	"bufio"
	"fmt"
	"io"

	"diskaudit/core/contract"
)

// NDJSON writes one JSON object a line, in ASCII, each line shorter than 10,000 bytes. A record has
// each of its names in every line, null where the value is not known.
type NDJSON struct {
	out    *bufio.Writer
	places places
}

// NewNDJSON writes to w. Nothing is sure to be written before Close.
func NewNDJSON(w io.Writer) *NDJSON {
	return &NDJSON{out: bufio.NewWriter(w)}
}

// Status writes a status document that was read from path: one line for the computer, one for each
// volume, one for each finding. The error is that of writing.
func (n *NDJSON) Status(path string, s contract.Status) error {
	return n.lines(statusRecords(n.places.status(path), s))
}

// Bench writes a bench document that was read from path: one line for each test, one for the penalty.
func (n *NDJSON) Bench(path string, b contract.Bench) error {
	return n.lines(benchRecords(n.places.benches(path), b))
}

// Skipped writes that a file could not be used: code is a stable id, text the reason.
func (n *NDJSON) Skipped(path, code, text string) error {
	return n.lines([]any{skippedRecord(path, code, text)})
}

// Close writes what is left. It does not close the writer below.
func (n *NDJSON) Close() error {
	if err := n.out.Flush(); err != nil {
		return fmt.Errorf("writing records: %w", err)
	}
	return nil
}

func (n *NDJSON) lines(records []any) error {
	for _, record := range records {
		data, err := contract.Encode(record)
		if err != nil {
			return fmt.Errorf("writing a record: %w", err)
		}
		if _, err := n.out.Write(append(contract.ASCII(data), '\n')); err != nil {
			return fmt.Errorf("writing a record: %w", err)
		}
	}
	return nil
}
