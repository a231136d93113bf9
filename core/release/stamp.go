package main

import (
	"fmt"
	"regexp"
	"strings"
)

// Where the version, the list of files and the package's own keys stand in the module's manifest.
var (
	versionLine = regexp.MustCompile(`(?m)^    ModuleVersion( *)= '[^'\n]*'$`)
	fileLines   = regexp.MustCompile(`(?m)^    FileList( *)= @\(\n(?:        '[^'\n]*'\n)+    \)$`)
	dataLine    = regexp.MustCompile(`(?m)^        PSData = @\{$`)
)

// stamp puts the version into the text of the module's manifest, with the prerelease, the project's
// page if it is known, and the names of all files.
func stamp(manifest string, r request, names []string) (string, error) {
	var list strings.Builder
	list.WriteString("    FileList${1}= @(\n")
	for _, name := range names {
		fmt.Fprintf(&list, "        %s\n", quoted(name))
	}
	list.WriteString("    )")
	data := "        PSData = @{\n"
	if r.prerelease() != "" {
		data += "            Prerelease   = " + quoted(r.prerelease()) + "\n"
	}
	if r.ReleaseURL != "" {
		data += "            ProjectUri   = " + quoted(projectURL(r.ReleaseURL)) + "\n"
	}
	for _, change := range []struct {
		what    string
		where   *regexp.Regexp
		becomes string
	}{
		{"ModuleVersion", versionLine, "    ModuleVersion${1}= " + quoted(r.numbers())},
		{"FileList", fileLines, list.String()},
		{"PSData", dataLine, strings.TrimSuffix(data, "\n")},
	} {
		if found := len(change.where.FindAllString(manifest, 2)); found != 1 {
			return "", fmt.Errorf("%s must be there once, written as %s expects it", change.what, change.where)
		}
		manifest = change.where.ReplaceAllString(manifest, change.becomes)
	}
	return manifest, nil
}

// quoted is a text between PowerShell's single quotes, for ReplaceAllString.
func quoted(text string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(text, "'", "''"), "$", "$$") + "'"
}
