package recording

import (
	"fmt"
	"strings"

	"diskaudit/core/machine/pattern"
)

// standIns gives out stand-ins and remembers what they stand for.
type standIns struct {
	// Stand-in by kind and original, and how many each kind has.
	given  map[original]string
	counts map[string]int
	// Stand-in by original, for texts that are exactly one thing, such as a problem's target.
	exact map[string]string
	// What to look for in prose.
	sought sought
}

type original struct{ kind, text string }

func newStandIns() *standIns {
	return &standIns{given: map[original]string{}, counts: map[string]int{}, exact: map[string]string{}, sought: newSought()}
}

// give returns the stand-in for an original of a kind; format makes a new one from its number.
func (b *standIns) give(kind, text, format string) string {
	key := original{kind, text}
	if standIn, ok := b.given[key]; ok {
		return standIn
	}
	b.counts[kind]++
	standIn := fmt.Sprintf(format, b.counts[kind])
	b.given[key] = standIn
	return standIn
}

// computer replaces the computer's name, whose case varies from place to place.
func (b *standIns) computer(name string) string {
	if name == "" {
		return ""
	}
	standIn := b.give("computer", name, "computer-%d")
	for _, spelling := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
		b.sought.word(spelling, standIn)
	}
	return standIn
}

func (b *standIns) serial(serial string) string { return b.named("serial", serial) }

func (b *standIns) label(label string) string { return b.named("label", label) }

// descriptionStandIn is what this package writes in place of a description.
var descriptionStandIn = pattern.New(`^description-\d+$`)

// description replaces the whole, and looks for the computer's name with which Windows begins it.
func (b *standIns) description(text string) string {
	if words := strings.Fields(text); len(words) > 1 && !descriptionStandIn.Regexp().MatchString(text) {
		b.computer(words[0])
	}
	return b.named("description", text)
}

// named replaces a text of a kind as a whole. An empty text identifies nobody.
func (b *standIns) named(kind, text string) string {
	if text == "" {
		return ""
	}
	standIn := b.give(kind, text, kind+"-%d")
	b.sought.word(text, standIn)
	return standIn
}

// usualPlans are the power plans of Windows and the scaling governors of Linux; other plans can
// have names that their owners gave them.
var usualPlans = map[string]bool{
	"Balanced": true, "High performance": true, "Power saver": true, "Ultimate Performance": true,
	"performance": true, "powersave": true, "ondemand": true, "conservative": true, "schedutil": true, "userspace": true,
}

func (b *standIns) plan(name string) string {
	if usualPlans[name] {
		return name
	}
	return b.named("plan", name)
}

var guid = pattern.New(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// guids replaces every GUID in a text and leaves the rest.
func (b *standIns) guids(text string) string {
	return guid.Regexp().ReplaceAllStringFunc(text, func(found string) string {
		return b.give("guid", strings.ToLower(found), "00000000-0000-4000-8000-%012d")
	})
}

// identifier replaces an id that is a GUID as a rule.
func (b *standIns) identifier(id string) string {
	if guid.Regexp().MatchString(id) {
		return b.guids(id)
	}
	return b.named("id", id)
}

// target replaces what a problem is about: as a rule a thing of the document, by its very id.
func (b *standIns) target(text string) string {
	if standIn, ok := b.exact[text]; ok {
		return standIn
	}
	return b.prose(text)
}

// remember notes the stand-in of a thing that problems can be about. A device or a path stands
// out in prose, so it is replaced wherever it occurs.
func (b *standIns) remember(text, standIn string) {
	if _, ok := b.exact[text]; !ok {
		b.exact[text] = standIn
	}
	b.sought.phrase(text, standIn)
}
