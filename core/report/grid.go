package report

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// grid is a table: each row begins with the name of what it is about.
type grid struct {
	columns []column
	rows    [][]span
}

type column struct {
	name string
	// Its cells are not wrapped.
	whole bool
	// Its name has units in it and is written as it is.
	verbatim bool
	// Its cells are numbers, which stand on the right.
	right bool
	// It is left out before the table is given up for paragraphs, which have it again.
	spare bool
}

// head is the column's name as the head of a table has it.
func (c column) head() string {
	if c.verbatim {
		return c.name
	}
	// Not every font has a capital for the German sharp s.
	return strings.ToUpper(strings.ReplaceAll(c.name, "ß", "ss"))
}

const (
	columnGap = 2
	// A name that is longer gets a line of its own above its row.
	maxNameWidth = 18
	// A row that would be higher is better read as a paragraph.
	maxRowLines = 5
)

// grid writes a table, without its spare columns where they do not fit, or a paragraph per row
// where the page is too narrow for that too.
func (p *page) grid(g grid) {
	clean := grid{columns: g.columns}
	for _, row := range g.rows {
		cells := make([]span, len(row))
		for i, cell := range row {
			cells[i] = span{p.legible(cell.text), cell.style}
		}
		clean.rows = append(clean.rows, cells)
	}
	for _, g := range []grid{clean, clean.withoutSpare()} {
		if widths, ok := g.fit(p.width); ok {
			p.table(g, widths)
			return
		}
	}
	for _, row := range clean.rows {
		p.flow(clean.columns, row)
	}
}

// withoutSpare returns the grid without its spare columns.
func (g grid) withoutSpare() grid {
	var kept grid
	for _, column := range g.columns {
		if !column.spare {
			kept.columns = append(kept.columns, column)
		}
	}
	for _, row := range g.rows {
		var cells []span
		for i, cell := range row {
			if !g.columns[i].spare {
				cells = append(cells, cell)
			}
		}
		kept.rows = append(kept.rows, cells)
	}
	return kept
}

// fit finds the columns' widths within the given width; false when a row would not be readable.
func (g grid) fit(available int) ([]int, bool) {
	widths, least := make([]int, len(g.columns)), make([]int, len(g.columns))
	for i, column := range g.columns {
		widths[i], least[i] = width(column.head()), widestPiece(column.head())
		for _, row := range g.rows {
			cell := row[i].text
			if i == 0 && width(cell) > maxNameWidth {
				if width(cell) > available {
					return nil, false
				}
				continue
			}
			widths[i] = max(widths[i], width(cell))
			least[i] = max(least[i], widestPiece(cell))
		}
		if column.whole {
			least[i] = widths[i]
		}
		widths[i] = max(least[i], min(widths[i], available))
	}
	for total(widths) > available {
		widest := -1
		for i := range widths {
			if widths[i] > least[i] && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return nil, false
		}
		widths[widest]--
	}
	for _, row := range g.rows {
		for i, cell := range row[1:] {
			if len(wrap(cell.text, widths[i+1])) > maxRowLines {
				return nil, false
			}
		}
	}
	return widths, true
}

func total(widths []int) int {
	sum := columnGap * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

// table writes the grid in columns.
func (p *page) table(g grid, widths []int) {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft = ""
	style.Box.PaddingRight = strings.Repeat(" ", columnGap)
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)

	var configs []table.ColumnConfig
	heads := make(table.Row, len(g.columns))
	for i, column := range g.columns {
		heads[i] = p.cell(span{column.head(), strong}, widths[i])
		if column.right {
			configs = append(configs, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(heads)
	for _, row := range g.rows {
		cells := make(table.Row, len(row))
		for i, cell := range row {
			cells[i] = p.cell(cell, widths[i])
		}
		if width(row[0].text) > maxNameWidth {
			name := make(table.Row, len(row))
			for i := range name {
				name[i] = p.paint(row[0].text, row[0].style)
			}
			t.AppendRow(name, table.RowConfig{AutoMerge: true, AutoMergeAlign: text.AlignLeft})
			cells[0] = ""
		}
		t.AppendRow(cells)
	}
	for line := range strings.Lines(t.Render()) {
		p.line(strings.TrimRight(line, "\n"))
	}
}

// cell wraps a cell's text and paints each of its lines.
func (p *page) cell(s span, columns int) string {
	lines := wrap(s.text, columns)
	for i := range lines {
		lines[i] = p.paint(lines[i], s.style)
	}
	return strings.Join(lines, "\n")
}

// flow writes one row as a paragraph: its name, and below it "Head: value" for each other cell,
// as many on a line as fit.
func (p *page) flow(columns []column, row []span) {
	for _, line := range wrap(row[0].text, p.width) {
		p.line(p.paint(line, strong))
	}
	const gap = "   "
	var line strings.Builder
	used := 0
	end := func() {
		if used > 0 {
			p.line(strings.Repeat(" ", indent) + line.String())
			line.Reset()
			used = 0
		}
	}
	for i, cell := range row[1:] {
		head := columns[i+1].name + ":"
		whole := head + " " + cell.text
		if used > 0 && indent+used+len(gap)+width(whole) > p.width {
			end()
		}
		if indent+width(whole) > p.width {
			p.labelled(head, normal, cell, indent, 2*indent)
			continue
		}
		if used > 0 {
			line.WriteString(gap)
			used += len(gap)
		}
		line.WriteString(head + " " + p.paint(cell.text, cell.style))
		used += width(whole)
	}
	end()
}
