package page

import (
	"strconv"
	"strings"
)

// table is a table that can be read without scripts.
type table struct {
	// Caption says what the rows are and how many.
	Caption string
	// Sortable tables get buttons in their headings by script.
	Sortable bool
	// Search is the label of a search box that the script adds; empty for none.
	Search  string
	Columns []column
	Rows    [][]cell
}

type column struct {
	Name, Class string
	// Fixed columns cannot be sorted by.
	Fixed bool
	// Axis stands in the heading of a column of small plots.
	Axis *figure
}

// cell is one cell. What it is sorted by is its value, if it has one, or its text.
type cell struct {
	Text, Small, Class string
	// Head makes the cell the row's heading.
	Head     bool
	HasValue bool
	// Value is the number to sort by; empty sorts last, as what is not known.
	Value  string
	Badge  string
	Swatch *swatch
	Figure *figure
}

// swatch shows how something is drawn in a figure.
type swatch struct{ Class, Fill, Text string }

func text(s string) cell { return whole(cell{Text: shown(s, longestCell)}) }

func head(s string) cell { return cell{Text: shown(s, longestCell), Head: true, Class: "name"} }

func optional(s *string) cell {
	if s == nil {
		return cell{Text: unknown, Class: "soft"}
	}
	return text(*s)
}

// roomy is a text of several words, which has room.
func roomy(s string) cell {
	c := text(s)
	c.Class = strings.TrimSpace(c.Class + " name")
	return c
}

// modelCell is the name of a disk's model, which has room.
func modelCell(model *string) cell {
	c := optional(model)
	c.Class = strings.TrimSpace(c.Class + " name")
	return c
}

// whole keeps a short word on one line.
func whole(c cell) cell {
	if len(c.Text) <= 24 && !strings.Contains(c.Text, " ") && !strings.Contains(c.Class, "whole") {
		c.Class = strings.TrimSpace(c.Class + " whole")
	}
	return c
}

// counted is a number of things.
func counted(n uint64) cell {
	return cell{Text: count(n), Class: "num", HasValue: true, Value: strconv.FormatUint(n, 10)}
}

// number is a figure with its unit, written by format; nil is not known.
func number(value *float64, format func(float64) string) cell {
	if value == nil {
		return cell{Text: none, Class: "num soft", HasValue: true}
	}
	return cell{Text: format(*value), Class: "num", HasValue: true, Value: strconv.FormatFloat(*value, 'g', -1, 64)}
}

func badge(word string) cell { return cell{Text: word, Badge: word, Class: "whole"} }

func numeric(name string) column { return column{Name: name, Class: "num"} }

func plotted(name string, axis *figure) column {
	return column{Name: name, Class: "plot", Fixed: true, Axis: axis}
}
