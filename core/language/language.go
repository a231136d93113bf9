// Package language knows the languages that texts for people come in, and writes phrases in them.
// Documents stay English; what they say in another language stands beside it.
package language

import "strings"

// Language is a language by its primary subtag (RFC 5646, section 2.2.1).
type Language string

// The languages. Chinese is written in simplified characters.
const (
	English Language = "en"
	German  Language = "de"
	Chinese Language = "zh"
)

// Languages lists the languages, English first.
func Languages() []Language {
	return []Language{English, German, Chinese}
}

// maxTag is longer than any tag of a language that is in use (RFC 5646, section 4.4.1).
const maxTag = 64

// traditional are the scripts and regions whose Chinese is not written in simplified characters, which
// their readers may not read.
var traditional = map[string]bool{"hant": true, "tw": true, "hk": true, "mo": true}

// Parse finds the language that a tag names, such as "de", "de-AT", "zh-CN" or "zh-Hans-SG", however
// it is cased and with "_" for "-". False for a language, or a way to write one, that is not there.
func Parse(tag string) (Language, bool) {
	if len(tag) > maxTag {
		return "", false
	}
	subtags := strings.Split(strings.ReplaceAll(strings.ToLower(tag), "_", "-"), "-")
	for _, subtag := range subtags {
		if subtag == "" || len(subtag) > 8 || strings.Trim(subtag, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return "", false
		}
	}
	for _, known := range Languages() {
		if subtags[0] == string(known) {
			return known, known != Chinese || simplified(subtags[1:])
		}
	}
	return "", false
}

// simplified goes by the script, where the tag names one, and else by the region.
func simplified(subtags []string) bool {
	for _, subtag := range subtags {
		if subtag == "hans" || traditional[subtag] {
			return subtag == "hans"
		}
	}
	return true
}
