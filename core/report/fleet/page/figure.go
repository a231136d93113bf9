package page

import (
	"math"
	"strconv"
	"strings"
)

// figure is a drawing. Its shapes are drawn in order; places are in pixels of a drawing that is Width
// wide.
type figure struct {
	Width, Height int
	// Fixed drawings keep their size, others take the width that there is.
	Fixed bool
	// Wide drawings have no text and take all the width that there is.
	Wide bool
	// Label says for those who do not see it what the drawing shows; empty where the text beside it does.
	Label   string
	Caption string
	Legend  []swatch
	Numbers *table
	Shapes  []shape
}

// shape is a rect (X, Y, width W, height H), a line (from X, Y to W, H), a dot (radius W), a path or a
// text.
type shape struct {
	Kind, Class, Fill string
	X, Y, W, H        string
	Text, Anchor      string
}

// px writes a place; drawings stay finite whatever they are given.
func px(x float64) string {
	if math.IsNaN(x) {
		x = 0
	}
	x = min(max(x, -1e4), 1e4)
	return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64)
}

func (f *figure) rect(class, fill string, x, y, w, h float64) {
	f.Shapes = append(f.Shapes, shape{Kind: "rect", Class: class, X: px(x), Y: px(y), W: px(max(w, 0)), H: px(max(h, 0))})
	if fill != "" {
		f.Shapes = append(f.Shapes, shape{Kind: "rect", Fill: fill, X: px(x), Y: px(y), W: px(max(w, 0)), H: px(max(h, 0))})
	}
}

func (f *figure) line(class string, x1, y1, x2, y2 float64) {
	f.Shapes = append(f.Shapes, shape{Kind: "line", Class: class, X: px(x1), Y: px(y1), W: px(x2), H: px(y2)})
}

func (f *figure) dot(class string, x, y, r float64) {
	f.Shapes = append(f.Shapes, shape{Kind: "dot", Class: class, X: px(x), Y: px(y), W: px(r)})
}

func (f *figure) text(class, anchor string, x, y float64, text string) {
	f.Shapes = append(f.Shapes, shape{Kind: "text", Class: class, Anchor: anchor, X: px(x), Y: px(y), Text: text})
}

func (f *figure) path(class string, points []string) {
	f.Shapes = append(f.Shapes, shape{Kind: "path", Class: class, Text: strings.Join(points, "")})
}

// logScale places numbers from Low to High, both above 0, on a logarithmic axis between two pixels.
// What lies outside is placed at the end.
type logScale struct{ low, high, from, to float64 }

// decades is the scale that holds the numbers, from a power of ten to a power of ten, at least one
// decade and at most from floor on.
func decades(low, high, floor, from, to float64) logScale {
	low, high = max(low, floor), max(high, floor)
	s := logScale{math.Pow(10, math.Floor(math.Log10(low))), math.Pow(10, math.Ceil(math.Log10(high))), from, to}
	if s.high <= s.low {
		s.high = s.low * 10
	}
	return s
}

func (s logScale) at(x float64) float64 {
	x = min(max(x, s.low), s.high)
	return s.from + (s.to-s.from)*math.Log(x/s.low)/math.Log(s.high/s.low)
}

// ticks are the powers of ten of the scale.
func (s logScale) ticks() []float64 {
	var ticks []float64
	for tick := math.Pow(10, math.Ceil(math.Log10(s.low)-0.001)); tick <= s.high*1.001 && len(ticks) < 20; tick *= 10 {
		ticks = append(ticks, tick)
	}
	return ticks
}

// snug is the scale that holds the numbers, from one of 1, 2 or 5 times a power of ten to another.
func snug(low, high, from, to float64) logScale {
	s := logScale{roundNumber(low, false), roundNumber(high, true), from, to}
	if s.high <= s.low {
		s.high = s.low * 10
	}
	return s
}

// roundNumber is the nearest of 1, 2 and 5 times a power of ten, above or below.
func roundNumber(x float64, above bool) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	best := power
	for _, times := range []float64{1, 2, 5, 10} {
		if above && times*power >= x*0.9999 {
			return times * power
		}
		if !above && times*power <= x*1.0001 {
			best = times * power
		}
	}
	return best
}

// rounds are the numbers of the scale that are 1, 2 or 5 times a power of ten; only powers of ten, or
// some of these, where those would be too many.
func (s logScale) rounds() []float64 {
	var all []float64
	for power := math.Pow(10, math.Floor(math.Log10(s.low))); power <= s.high*1.001 && len(all) < 100; power *= 10 {
		for _, times := range []float64{1, 2, 5} {
			if tick := times * power; tick >= s.low*0.999 && tick <= s.high*1.001 {
				all = append(all, tick)
			}
		}
	}
	if len(all) <= 7 {
		return all
	}
	tens := s.ticks()
	every := (len(tens) + 6) / 7
	var some []float64
	for i := 0; i < len(tens); i += every {
		some = append(some, tens[i])
	}
	return some
}

// axis draws the scale's labels for a column of small plots.
func (s logScale) axis(width int, format func(float64) string) *figure {
	f := &figure{Width: width, Height: 16, Fixed: true}
	ticks := s.ticks()
	every := (len(ticks) + 3) / 4
	for i, tick := range ticks {
		switch {
		case i == 0:
			f.text("tick", "start", 0, 12, format(tick))
		case i == len(ticks)-1:
			f.text("tick", "end", float64(width), 12, format(tick))
		case i%every == 0 && i+every < len(ticks):
			f.text("tick", "middle", s.at(tick), 12, format(tick))
		}
	}
	return f
}
