package journal

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
)

// A journal's name is the time of its run in UTC, then what makes it unique. Names sort by time.
const (
	nameTime   = "20060102T150405.000000Z"
	nameSuffix = ".jsonl"
	// lastYear bounds what a name can say, and so what can follow it.
	lastYear = 9998
)

// timeOf is the time in a journal's name; false for a name that is no journal's.
func timeOf(name string) (time.Time, bool) {
	if len(name) != len(nameTime)+len("-")+2*uniqueBytes+len(nameSuffix) || !strings.HasSuffix(name, nameSuffix) {
		return time.Time{}, false
	}
	unique := name[len(nameTime) : len(name)-len(nameSuffix)]
	if _, err := hex.DecodeString(unique[1:]); err != nil || unique[0] != '-' || strings.ToLower(unique) != unique {
		return time.Time{}, false
	}
	at, err := time.Parse(nameTime, name[:len(nameTime)])
	return at, err == nil && at.Year() <= lastYear
}

// uniqueBytes are random, for two runs within a microsecond.
const uniqueBytes = 4

// listing are the names of journals in a folder, newest first.
type listing struct {
	names []string
	// older counts the ones beyond the newest fileLimit.
	older int
}

// listBatch is how many names are read at once.
const listBatch = 1024

// journals lists what is named as a journal. The rest of the folder is none of its business.
func (e *entered) journals() (listing, error) {
	var found listing
	for {
		batch, err := e.names(listBatch)
		for _, name := range batch {
			if _, is := timeOf(name); is {
				found.names = append(found.names, name)
			}
		}
		found.narrow()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return found, err
		}
	}
}

// narrow keeps the newest.
func (l *listing) narrow() {
	slices.SortFunc(l.names, func(a, b string) int { return strings.Compare(b, a) })
	if len(l.names) > fileLimit {
		l.older += len(l.names) - fileLimit
		l.names = slices.Clip(l.names[:fileLimit])
	}
}

// next is a new name that sorts behind the others.
func (l *listing) next(now time.Time) string {
	now = now.UTC().Truncate(time.Microsecond)
	if len(l.names) > 0 {
		if newest, _ := timeOf(l.names[0]); !now.After(newest) {
			now = newest.Add(time.Microsecond)
		}
	}
	unique := make([]byte, uniqueBytes)
	// It never fails: crypto/rand.Read ends the program instead.
	_, _ = rand.Read(unique)
	return now.Format(nameTime) + "-" + hex.EncodeToString(unique) + nameSuffix
}
