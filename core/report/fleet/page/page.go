// Package page writes reports as HTML pages that need nothing but themselves: no network, no font, no
// script to be read. What comes from documents is text to it, whatever it looks like.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"

	"diskaudit/core/contract"
	"diskaudit/core/report/fleet"
)

// MostBytes is how large a page may be.
const MostBytes = 5_000_000

//go:embed page.tmpl style.css script.js
var files embed.FS

// Fleet returns the page that compares computers. Where names are so long that it would be too large,
// fewer single computers are listed; the captions say how many of how many.
func Fleet(report contract.Report) ([]byte, error) {
	for {
		page, err := render(fleetPage(report))
		if !errors.Is(err, errTooLarge) || len(report.Worst)+len(report.Attention) < 10 {
			return page, err
		}
		report.Worst, report.Attention = report.Worst[:len(report.Worst)/2], report.Attention[:len(report.Attention)/2]
	}
}

// Computer returns the page about one computer. The report tells what was read and what was not. Where
// it would be too large, less of each kind is shown, and how much is not.
func Computer(report contract.Report, portrait fleet.Portrait) ([]byte, error) {
	for l := usualLimits; ; l = l.halved() {
		page, err := render(computerPage(report, portrait, l))
		if !errors.Is(err, errTooLarge) || l.text < 100 {
			return page, err
		}
	}
}

// content is a page without its frame.
type content struct {
	Title    string
	Kicker   string
	Headline string
	Leads    []string
	Alerts   []string
	Tiles    []tile
	Sections []section
	// Made tells when the page was made, of what and by what.
	Made string

	Policy string
	Style  template.CSS
	Script template.JS
}

// tile is one figure that is seen first.
type tile struct{ Name, Value, Note string }

// section is a part of a page with a heading of its own.
type section struct {
	ID, Title string
	Blocks    []block
}

// block is one thing in a section: the field that is not empty.
type block struct {
	Heading  string
	Text     string
	Note     string
	Alert    string
	Facts    []fact
	Figure   *figure
	Table    *table
	Findings []finding
	Multiple []*figure
}

type fact struct{ Name, Value string }

// finding is shown as an article.
type finding struct {
	Severity, ID, Title, Target, Evidence, Advice string
	// Reference is text; Link is the same where it is an address that can be followed without harm.
	Reference, Link string
}

var templates = template.Must(template.New("").ParseFS(files, "page.tmpl"))

func render(c content) ([]byte, error) {
	style, err := files.ReadFile("style.css")
	if err != nil {
		return nil, err
	}
	script, err := files.ReadFile("script.js")
	if err != nil {
		return nil, err
	}
	c.Style, c.Script = template.CSS(style), template.JS(script)
	// Nothing may be loaded, and no script or style but these two is obeyed
	// (www.w3.org/TR/CSP3, section 6.7.3.3 on hashes).
	c.Policy = fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; base-uri 'none'; form-action 'none'", hash(script), hash(style))
	var page bytes.Buffer
	if err := templates.ExecuteTemplate(&page, "page", c); err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	if page.Len() > MostBytes {
		return nil, fmt.Errorf("%w: it would have %d bytes, and %d are the most; give fewer documents", errTooLarge, page.Len(), MostBytes)
	}
	return page.Bytes(), nil
}

var errTooLarge = errors.New("the page is too large")

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
