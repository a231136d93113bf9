package flat

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"

	"diskaudit/core/contract"
)

// byteOrderMark makes Excel read a file as UTF-8; without it, it takes the code page of the computer.
const byteOrderMark = "\ufeff"

// unknown is what a text or a yes or no that is not known reads like. A number that is not known is an
// empty cell, which spreadsheets leave out of sums.
const unknown = "unknown"

// CSV writes one line for each volume of a status document and one for each bench document, for
// spreadsheets: RFC 4180, UTF-8 with a byte order mark, lines that end in CRLF, a header, and no cell
// that a spreadsheet would run as a formula.
type CSV struct {
	out    *bufio.Writer
	cells  *csv.Writer
	header bool
	places places
}

// NewCSV writes to w. Nothing is sure to be written before Close.
func NewCSV(w io.Writer) *CSV {
	out := bufio.NewWriter(w)
	cells := csv.NewWriter(out)
	cells.UseCRLF = true
	return &CSV{out: out, cells: cells}
}

// Status writes a status document that was read from path: a line for each volume; a document without
// volumes has one all the same, so that the computer is not missing. The error is that of writing.
func (c *CSV) Status(path string, s contract.Status) error {
	for _, row := range statusRows(c.places.status(path), s) {
		if err := c.row(row); err != nil {
			return err
		}
	}
	return nil
}

// Bench writes a bench document that was read from path: one line about its volume, with what
// encryption adds.
func (c *CSV) Bench(path string, b contract.Bench) error {
	return c.row(benchRow(c.places.benches(path), b))
}

// Skipped writes that a file could not be used: code is a stable id, text the reason.
func (c *CSV) Skipped(path, code, text string) error {
	return c.row(skippedRow(path, code, text))
}

// Close writes what is left. It does not close the writer below.
func (c *CSV) Close() error {
	if err := c.begin(); err != nil {
		return err
	}
	c.cells.Flush()
	if err := c.cells.Error(); err != nil {
		return fmt.Errorf("writing a line of CSV: %w", err)
	}
	if err := c.out.Flush(); err != nil {
		return fmt.Errorf("writing a line of CSV: %w", err)
	}
	return nil
}

// begin writes the mark and the header, which a file without lines has too.
func (c *CSV) begin() error {
	if c.header {
		return nil
	}
	c.header = true
	if _, err := c.out.WriteString(byteOrderMark); err != nil {
		return fmt.Errorf("writing the header of CSV: %w", err)
	}
	fields := reflect.VisibleFields(reflect.TypeFor[Row]())
	names := make([]string, len(fields))
	for i, field := range fields {
		names[i] = field.Tag.Get("csv")
	}
	if err := c.cells.Write(names); err != nil {
		return fmt.Errorf("writing the header of CSV: %w", err)
	}
	return nil
}

func (c *CSV) row(row Row) error {
	if err := c.begin(); err != nil {
		return err
	}
	value := reflect.ValueOf(row)
	cells := make([]string, value.NumField())
	for i := range cells {
		cells[i] = cell(value.Field(i).Interface())
	}
	if err := c.cells.Write(cells); err != nil {
		return fmt.Errorf("writing a line of CSV: %w", err)
	}
	return nil
}

// cell writes one value. Only text can be a formula: numbers, with their minus sign, stay numbers.
func cell(value any) string {
	switch value := value.(type) {
	case *int64:
		if value != nil {
			return strconv.FormatInt(*value, 10)
		}
	case *Decimal:
		if value != nil {
			return value.String()
		}
	case *time.Time:
		if value != nil {
			return value.Format(time.RFC3339)
		}
	case string:
		return harmless(value)
	}
	return ""
}

// formulas are the characters by which a spreadsheet takes a cell for a formula, those of full width
// included (owasp.org/www-community/attacks/CSV_Injection). Line ends and tabs are spaces by now.
const formulas = "=+-@\uff1d\uff0b\uff0d\uff20"

// harmless puts an apostrophe, which marks text, before what could be a formula; spaces before it do
// not make it safe in every spreadsheet.
func harmless(text string) string {
	if strings.IndexAny(strings.TrimLeft(text, " "), formulas) == 0 {
		return "'" + text
	}
	return text
}
