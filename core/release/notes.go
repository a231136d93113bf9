package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// A section of a changelog begins with "## [1.2.3]", mostly with a date after it:
// keepachangelog.com/en/1.1.0
var sectionPattern = regexp.MustCompile(`^## \[([^\]]+)\]`)

// releaseNotes are the section of a version in the changelog or, if it has none, what is not
// released yet.
func releaseNotes(changelog, version string) (string, error) {
	sections := map[string]string{}
	name := ""
	for line := range strings.Lines(strings.ReplaceAll(changelog, "\r\n", "\n")) {
		if match := sectionPattern.FindStringSubmatch(line); match != nil {
			name = match[1]
			if _, twice := sections[name]; twice {
				return "", fmt.Errorf("the section [%s] is there twice", name)
			}
			sections[name] = ""
			continue
		}
		if strings.HasPrefix(line, "## ") {
			return "", fmt.Errorf("the heading %q is not like ## [1.2.3] - 2026-01-31", strings.TrimSpace(line))
		}
		sections[name] += line
	}
	heading := "# " + moduleName + " " + version + "\n\n"
	if text, ok := sections[version]; ok {
		return heading + strings.TrimSpace(text) + "\n", nil
	}
	text, ok := sections["Unreleased"]
	if !ok {
		return "", errors.New("there is neither a section [" + version + "] nor one [Unreleased]")
	}
	return heading + "This version has no section in the changelog: these are the changes that are not released yet.\n\n" + strings.TrimSpace(text) + "\n", nil
}
