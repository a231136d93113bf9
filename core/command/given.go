package command

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// refuseContradiction refuses a flag that takes one value and is given two: the library would silently take the
// last, and of two actions nobody can tell which was meant.
func refuseContradiction(app *cli.App, arguments []string) error {
	const verbAt = 1
	if len(arguments) <= verbAt {
		return nil
	}
	verb := app.Command(arguments[verbAt])
	if verb == nil {
		return nil
	}
	given := map[string]string{}
	rest := arguments[verbAt+1:]
	for i := 0; i < len(rest) && strings.HasPrefix(rest[i], "-") && rest[i] != "-" && rest[i] != "--"; i++ {
		name, value, attached := strings.Cut(strings.TrimLeft(rest[i], "-"), "=")
		switch {
		case attached:
		case takesValue(rest[i], verb.Flags):
			if i++; i == len(rest) {
				return nil
			}
			value = rest[i]
		default:
			value = "true"
		}
		if !takesOne(name, verb.Flags) {
			continue
		}
		if before, twice := given[name]; twice && before != value {
			return usagef("--%s is given twice, as %q and as %q; give it once", name, before, value)
		}
		given[name] = value
	}
	return nil
}

// takesOne tells whether a flag is known and may not be repeated.
func takesOne(name string, flags []cli.Flag) bool {
	for _, flag := range flags {
		if slices.Contains(flag.Names(), name) {
			_, several := flag.(*cli.StringSliceFlag)
			return !several
		}
	}
	return false
}

// refuseEmpty refuses a flag with an empty value, as a script gives whose variable is not set: to go on as if the
// flag were not there would leave out, without a word, the comparison or the evidence that was asked for.
func refuseEmpty(c *cli.Context) error {
	for _, flag := range c.Command.Flags {
		text, ok := flag.(*cli.StringFlag)
		if ok && c.IsSet(text.Name) && c.String(text.Name) == "" {
			return usagef("--%s was given an empty value; give it one, or leave the flag out; see diskaudit %s --help", text.Name, c.Command.Name)
		}
	}
	return nil
}
