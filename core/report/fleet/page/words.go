package page

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"diskaudit/core/report/flat/plain"
)

const (
	unknown = "unknown"
	// none stands where a number cannot be.
	none = "\u2013"
	// thin keeps a number and its unit together.
	thin = "\u00a0"
)

// longestCell bounds what a table shows of a text, in characters.
const longestCell = 80

// shown is text of a document as a page can show it.
func shown(s string, most int) string {
	return thinned(plain.Within(s, most+len(plain.Cut), func(rune) int { return 1 }))
}

// mostMarks is how many combining marks stay on one character: scripts need up to three, and a tower
// of them would paint over other lines.
const mostMarks = 3

func thinned(s string) string {
	marks := 0
	return strings.Map(func(r rune) rune {
		if !unicode.Is(unicode.M, r) {
			marks = 0
			return r
		}
		if marks++; marks > mostMarks {
			return -1
		}
		return r
	}, s)
}

// count writes a number of things with separators.
func count(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	var out strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out.WriteByte(',')
		}
		out.WriteRune(digit)
	}
	return out.String()
}

// things writes a number with the word for it.
func things(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + many
}

// share writes a part in percent. What is not all is never 100 %, and what is something never 0 %.
func share(part, whole uint64) string {
	if whole == 0 {
		return none
	}
	percent := math.Round(float64(part) / float64(whole) * 100)
	switch {
	case percent >= 100 && part < whole:
		return ">99" + thin + "%"
	case percent == 0 && part > 0:
		return "<1" + thin + "%"
	}
	return fmt.Sprintf("%.0f%s%%", percent, thin)
}

// figure3 writes a number with about three significant digits.
func figure3(x float64) string {
	size := math.Abs(x)
	decimals := 0
	switch {
	case size < 9.995:
		decimals = 2
	case size < 99.95:
		decimals = 1
	}
	if size >= 1e15 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	text := strconv.FormatFloat(size, 'f', decimals, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	if n, err := strconv.ParseUint(whole, 10, 64); err == nil {
		whole = count(n)
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if x < 0 && strings.Trim(whole, "0.") != "" {
		whole = "\u2212" + whole
	}
	return whole
}

// micros writes a time in ns as microseconds.
func micros(ns float64) string { return figure3(ns/1000) + thin + "µs" }

func percentage(x float64) string {
	if math.Abs(x) >= 9.995 {
		sign := ""
		if x < 0 {
			sign = "\u2212"
		}
		if size := math.Round(math.Abs(x)); size < 1e15 {
			return sign + count(uint64(size)) + thin + "%"
		}
	}
	return figure3(x) + thin + "%"
}

func perSecond(x float64) string { return figure3(x) + thin + "/s" }

func day(t time.Time) string {
	return t.UTC().Format("2006-01-02")
}

func minute(t time.Time) string {
	return t.UTC().Format("2006-01-02 15:04") + " UTC"
}

// hosts are those of the pages that findings rest on. A document can name any other; it is shown as text.
var hosts = []string{"learn.microsoft.com", "msrc.microsoft.com", "techcommunity.microsoft.com", "docs.kernel.org"}

// address returns an address that may be followed: https, on one of the hosts, without a user or password.
func address(s string) string {
	parsed, err := url.Parse(s)
	if err != nil || parsed.Scheme != "https" || !slices.Contains(hosts, parsed.Host) || parsed.User != nil || len(s) > 300 {
		return ""
	}
	return s
}

// binaryUnits are the units of sizes, each 1024 of the one before it (IEC 80000-13).
var binaryUnits = []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// size writes a size in the largest unit of which there is a whole one, cut off after one decimal.
func size(bytes *uint64) string {
	if bytes == nil {
		return unknown
	}
	if *bytes < 1024 {
		return fmt.Sprintf("%d%sB", *bytes, thin)
	}
	unit, name := uint64(1), ""
	for _, next := range binaryUnits {
		if *bytes/unit < 1024 {
			break
		}
		unit, name = unit<<10, next
	}
	return fmt.Sprintf("%d.%d%s%s", *bytes/unit, *bytes%unit*10/unit, thin, name)
}
