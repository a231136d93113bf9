package flat

import (
	"fmt"
	"strings"
)

// place is where a document was read.
type place struct {
	path string
	// before is how many documents of its kind the file had before it.
	before int
}

// places numbers the documents of each file. Those of one file come one after the other.
type places struct {
	path            string
	statuses, bench int
}

func (p *places) status(path string) place {
	p.in(path)
	p.statuses++
	return place{path, p.statuses - 1}
}

func (p *places) benches(path string) place {
	p.in(path)
	p.bench++
	return place{path, p.bench - 1}
}

func (p *places) in(path string) {
	if path != p.path {
		*p = places{path: path}
	}
}

// file is the path of a file; of a long one the end tells more than the beginning.
func file(path string) *string {
	const most = 120
	if letters := []rune(path); len(letters) > most {
		path = "..." + string(letters[len(letters)-most:])
	}
	text := within(path, listBytes)
	return &text
}

// endings of file names that are not part of a computer's name.
var endings = []string{".json", ".jsonl", ".ndjson"}

// computerOf is the name of a computer: the document's, or that of the file. Further documents of a file
// that have no name get a number, because they may well be of other computers: taken for one, all but the
// newest would vanish from every count.
func computerOf(place place, computerName *string) *string {
	if computerName != nil && strings.TrimSpace(*computerName) != "" {
		return named(*computerName)
	}
	base := place.path[strings.LastIndexAny(place.path, `/\`)+1:]
	base = without(without(base, endings), []string{".status", ".bench"})
	if place.before > 0 && base != "" {
		base = fmt.Sprintf("%s #%d", base, place.before+1)
	}
	return named(base)
}

// without is a name without the first of the endings that it has.
func without(name string, endings []string) string {
	for _, ending := range endings {
		if end := len(name) - len(ending); end > 0 && strings.EqualFold(name[end:], ending) {
			return name[:end]
		}
	}
	return name
}
