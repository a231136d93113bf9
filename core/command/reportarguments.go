package command

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// verbReport is the one verb that takes arguments without a flag: the files and folders it reads.
const verbReport = "report"

// flagsFirst puts the flags of the verb report before its files and folders, so that both may come in
// any order: the library stops looking for flags at the first argument without one. What follows
// "--" is a file or folder whatever it looks like.
func flagsFirst(arguments []string, flags []cli.Flag) []string {
	const verbAt = 1
	if len(arguments) <= verbAt || arguments[verbAt] != verbReport {
		return arguments
	}
	var given, paths []string
	rest := arguments[verbAt+1:]
	for i := 0; i < len(rest); i++ {
		argument := rest[i]
		switch {
		case argument == "--":
			paths = append(paths, rest[i+1:]...)
			i = len(rest)
		case !strings.HasPrefix(argument, "-") || argument == "-":
			paths = append(paths, argument)
		default:
			given = append(given, argument)
			if !takesValue(argument, flags) {
				continue
			}
			if i++; i == len(rest) {
				// Its value is missing: nothing may come after it that would be taken for one.
				return append(slices.Clone(arguments[:verbAt+1]), given...)
			}
			given = append(given, rest[i])
		}
	}
	sorted := append(slices.Clone(arguments[:verbAt+1]), given...)
	if len(paths) > 0 {
		sorted = append(append(sorted, "--"), paths...)
	}
	return sorted
}

// takesValue tells whether the next argument belongs to a flag. One that is unknown takes none, and is
// refused by name.
func takesValue(argument string, flags []cli.Flag) bool {
	name := strings.TrimLeft(argument, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, flag := range flags {
		if !slices.Contains(flag.Names(), name) {
			continue
		}
		documented, ok := flag.(cli.DocGenerationFlag)
		return ok && documented.TakesValue()
	}
	return false
}
