package report

import "strings"

// style is how a text stands out: the parameters of "select graphic rendition" (ECMA-48, 8.3.117).
type style string

const (
	normal  style = ""
	strong  style = "1"
	bad     style = "1;31"
	caution style = "33"
	good    style = "32"
	note    style = "36"
)

// span is a text with its style. The text comes as the document has it; the page makes it legible.
type span struct {
	text  string
	style style
}

const (
	defaultWidth = 80
	// Lines of running text that are longer are hard to read.
	maxTextWidth = 100
	// Columns that continued lines are indented by.
	indent = 2
)

// page gathers the lines of a report.
type page struct {
	out   strings.Builder
	width int
	color bool
	ascii bool
	// The language of the page's own words.
	tongue tongue
}

func newPage(options Options) *page {
	p := &page{width: options.Width, color: options.Color, ascii: options.ASCII, tongue: english}
	if p.width <= 0 {
		p.width = defaultWidth
	}
	return p
}

// String returns what was written to the page.
func (p *page) String() string {
	return p.out.String()
}

// textWidth is the width of running text.
func (p *page) textWidth() int {
	return min(p.width, maxTextWidth)
}

// legible returns text of the document as this page can show it, with single spaces.
func (p *page) legible(s string) string {
	return strings.Join(strings.Fields(legible(s, p.ascii)), " ")
}

// paint adds a style to legible text.
func (p *page) paint(s string, style style) string {
	if !p.color || style == normal || s == "" {
		return s
	}
	return "\x1b[" + string(style) + "m" + s + "\x1b[0m"
}

// line writes one line of legible, painted text.
func (p *page) line(s string) {
	p.out.WriteString(strings.TrimRight(s, " "))
	p.out.WriteByte('\n')
}

func (p *page) blank() {
	p.out.WriteByte('\n')
}

func (p *page) heading(title string) {
	p.blank()
	p.line(p.paint(title, strong))
}

// paragraph writes wrapped text: the first line indented by first columns, the others by rest.
func (p *page) paragraph(s span, first, rest int) {
	p.labelled("", normal, s, first, rest)
}

// field writes "Name: value" with the continued lines indented.
func (p *page) field(name, value string) {
	p.labelled(name+":", strong, span{text: value}, 0, indent)
}

// labelled writes a label and a text as one wrapped paragraph, each in its own style. Line ends
// in the text are spaces here.
func (p *page) labelled(label string, labelStyle style, s span, first, rest int) {
	body := p.legible(strings.Join(strings.Fields(s.text), " "))
	label = p.legible(label)
	whole := strings.TrimSpace(label + " " + body)
	at := first
	for i, line := range p.hang(whole, first, rest) {
		if i > 0 {
			at = rest
		}
		lead := strings.Repeat(" ", at)
		if tail, found := strings.CutPrefix(line, label); i == 0 && found && label != "" {
			p.line(lead + p.paint(label, labelStyle) + p.paint(tail, s.style))
			continue
		}
		p.line(lead + p.paint(line, s.style))
	}
}

// hang wraps text whose first line has another indentation than the others.
func (p *page) hang(s string, first, rest int) []string {
	head := wrap(s, p.textWidth()-first)
	if len(head) == 1 || first == rest {
		return head
	}
	tail := strings.TrimSpace(strings.TrimPrefix(s, head[0]))
	return append(head[:1], wrap(tail, p.textWidth()-rest)...)
}
