package host

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"diskaudit/core/machine/windows/registry"
)

// setting is one value of the registry that has to do with encryption.
type setting struct {
	key, name string
	kind      kind
	// meaning says in plain words what the setting is about.
	meaning string
	// words say what a number means. A number that is not among them makes no sense in a setting with
	// a field. Nil for a setting that can have any number.
	words map[uint64]string
	// page documents it, below learn.microsoft.com.
	page string
	// field is the field of the policy that it decides about; nil for one that is only listed.
	field func(*fields) *field
	// parts are the fields that the data of an ADMX setting decides about, by its id.
	parts []part
}

// part is a number in the data of an ADMX setting.
type part struct {
	id    string
	field func(*fields) *field
	words map[uint64]string
}

// kind is how a setting is stored.
type kind int

const (
	// number is a REG_DWORD.
	number kind = iota
	// text is a REG_SZ or REG_EXPAND_SZ.
	text
	// template is a REG_SZ as parseADMX reads it.
	template
)

// dataLimit is how many characters of a setting's data are taken over.
const dataLimit = 1024

// reading is what a setting was found to be.
type reading struct {
	// data is as text, for people.
	data string
	// number is set for a number, and is 1 or 0 for a template that is enabled or disabled.
	number uint64
	admx   admx
}

// errUnusable is the error of data that is there and makes no sense.
var errUnusable = errors.New("this is not what Windows documents for it")

// read decodes a value. With errUnusable the reading has its data all the same.
func (s setting) read(value registry.Value) (reading, error) {
	switch s.kind {
	case text:
		stored, err := value.Text()
		if err != nil {
			return reading{data: raw(value)}, fmt.Errorf("%w: a text is needed", errUnusable)
		}
		return reading{data: printable(stored, dataLimit)}, nil
	case template:
		return s.readTemplate(value)
	}
	stored, err := value.Number()
	if err != nil {
		return reading{data: raw(value)}, fmt.Errorf("%w: a number is needed", errUnusable)
	}
	found := reading{data: strconv.FormatUint(stored, 10), number: stored}
	// A number that is only listed may be newer than this program.
	if _, known := s.words[stored]; s.field != nil && !known {
		return found, fmt.Errorf("%w: its numbers are %s", errUnusable, numbers(s.words))
	}
	return found, nil
}

func (s setting) readTemplate(value registry.Value) (reading, error) {
	stored, err := value.Text()
	if err != nil {
		return reading{data: raw(value)}, fmt.Errorf("%w: a text is needed", errUnusable)
	}
	found := reading{data: printable(stored, dataLimit)}
	found.admx, err = parseADMX(stored)
	if err != nil {
		return found, fmt.Errorf("%w: %w", errUnusable, err)
	}
	if !found.admx.enabled {
		return found, nil
	}
	found.number = 1
	for _, part := range s.parts {
		if _, err := part.number(found.admx); err != nil {
			return found, err
		}
	}
	return found, nil
}

// number is the part's number; nil when the data does not have it.
func (p part) number(parsed admx) (*uint64, error) {
	stored, ok := parsed.data[p.id]
	if !ok {
		return nil, nil
	}
	number, err := strconv.ParseUint(stored, 10, 32)
	if _, known := p.words[number]; err != nil || !known {
		return nil, fmt.Errorf("%w: the numbers of %s are %s", errUnusable, p.id, numbers(p.words))
	}
	return &number, nil
}

// decide tells the fields what was found.
func (s setting) decide(f *fields, found reading) {
	if s.field != nil {
		s.field(f).set = append(s.field(f).set, found.number)
	}
	if !found.admx.enabled {
		return
	}
	for _, part := range s.parts {
		if number, err := part.number(found.admx); err == nil && number != nil && part.field != nil {
			part.field(f).set = append(part.field(f).set, *number)
		}
	}
}

// obscure tells the fields that what the setting says is not known.
func (s setting) obscure(f *fields) {
	if s.field != nil {
		s.field(f).obscure()
	}
	for _, part := range s.parts {
		if part.field != nil {
			part.field(f).obscure()
		}
	}
}

// says is the setting's meaning with what its data means.
func (s setting) says(found reading, usable bool) string {
	if !usable {
		return s.meaning + ": the data makes no sense"
	}
	var said []string
	switch {
	case s.kind == number && s.words != nil:
		word, known := s.words[found.number]
		if !known {
			word = found.data + ", which has no meaning that is known here"
		}
		said = append(said, word)
	case s.kind == template && !found.admx.enabled:
		said = append(said, "disabled")
	case s.kind == template:
		said = append(said, "enabled")
		for _, part := range s.parts {
			if number, err := part.number(found.admx); err == nil && number != nil {
				said = append(said, part.words[*number])
			}
		}
	default:
		return s.meaning
	}
	return s.meaning + ": " + strings.Join(said, "; ")
}

func numbers(words map[uint64]string) string {
	var all []string
	for number := range uint64(16) {
		if _, ok := words[number]; ok {
			all = append(all, strconv.FormatUint(number, 10))
		}
	}
	return strings.Join(all, ", ")
}

// raw writes data whose type is not the one that is needed.
func raw(value registry.Value) string {
	if number, err := value.Number(); err == nil {
		return strconv.FormatUint(number, 10)
	}
	if stored, err := value.Text(); err == nil {
		return printable(stored, dataLimit)
	}
	if stored, err := value.Texts(); err == nil {
		return printable(strings.Join(stored, "; "), dataLimit)
	}
	const limit = 32
	if len(value.Data) > limit {
		return fmt.Sprintf("type %d, %d bytes, %X...", value.Type, len(value.Data), value.Data[:limit])
	}
	return fmt.Sprintf("type %d, %d bytes, %X", value.Type, len(value.Data), value.Data)
}
