package languagetest

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// A run of the characters that commands, paths, options and numbers are made of.
	run = regexp.MustCompile(`[A-Za-z0-9_\\:./{}?$*-]+`)
	// What is written alike in every language: options, numbers, cmdlets, settings, programs.
	named = regexp.MustCompile(`^(?:-.*|.*\d.*|[A-Z]\w+-BitLocker\w*|[A-Z][a-z]+[A-Z]\w+|LUKS|diskaudit|chkdsk|repair-bde|sudo|smartmontools|Active|Directory|HKLM.*)$`)
	// A month, which Chinese writes as a number.
	month = regexp.MustCompile(`\d+ 月`)
	// A decimal comma.
	comma = regexp.MustCompile(`(\d),(\d)`)
	// A number that is a part of a word, such as 256-bit.
	compound = regexp.MustCompile(`^(\d+)-[A-Za-z]+$`)
)

// Names lists, sorted, what a text names that no language changes: commands, options, settings,
// numbers.
func Names(text string) []string {
	text = comma.ReplaceAllString(month.ReplaceAllString(text, ""), "$1.$2")
	var all []string
	for _, word := range run.FindAllString(text, -1) {
		word = compound.ReplaceAllString(strings.TrimRight(word, ".:-"), "$1")
		// "BitLocker" is a part of compounds in German.
		if named.MatchString(word) && !strings.HasPrefix(word, "BitLocker") {
			all = append(all, word)
		}
	}
	slices.Sort(all)
	return all
}
