package command

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"diskaudit/core/contract"
)

// noVerb is for a call without a verb, or with one that does not exist.
func noVerb(c *cli.Context) error {
	var verbs []string
	for _, verb := range c.App.Commands {
		verbs = append(verbs, verb.Name)
	}
	if c.NArg() == 0 {
		return usagef("say what to do: %s; see diskaudit --help", strings.Join(verbs, ", "))
	}
	return usagef("unknown command %q; there are %s; see diskaudit --help", c.Args().First(), strings.Join(verbs, ", "))
}

// instead is what is often meant by an argument without a flag, by verb.
var instead = map[string]string{
	"status":    "every value follows a flag, such as --volume C: or --image FILE",
	"bench":     "every value follows a flag, such as --target D: or --profile cdm",
	"remediate": "every value follows a flag, such as --volume C: or --action decrypt",
	"schema":    "the kind of document follows a flag, --kind bench",
	"version":   "it tells the version of this program, and nothing else",
}

// noPositionals refuses arguments without a flag: the library would silently ignore every flag
// after one.
func noPositionals(c *cli.Context) error {
	if c.NArg() == 0 {
		return nil
	}
	argument := c.Args().First()
	if c.Command.Name == "remediate" && slices.Contains(contract.Actions(), contract.Action(argument)) {
		return usagef("remediate takes no argument %q: the action follows a flag, --action %s", argument, argument)
	}
	return usagef("%s takes no argument %q: %s; see diskaudit %s --help", c.Command.Name, argument, instead[c.Command.Name], c.Command.Name)
}

// The complaints of package flag, which writes each flag with one dash and says of a value no more than that
// it cannot be read.
var (
	unknownFlag  = regexp.MustCompile(`^flag provided but not defined: -+(.*)$`)
	valueMissing = regexp.MustCompile(`^flag needs an argument: -(.*)$`)
	valueInvalid = regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-([^ :]+): `)
)

func onUsageError(c *cli.Context, err error, _ bool) error {
	verb, flags := "diskaudit", c.App.Flags
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != c.App.Name {
		verb, flags = "diskaudit "+c.Command.Name, c.Command.Flags
	}
	said := err.Error()
	if m := unknownFlag.FindStringSubmatch(said); m != nil {
		return usagef("unknown flag %s%s; see %s --help", dashed(m[1]), hint(verb, flags, m[1]), verb)
	}
	if m := valueMissing.FindStringSubmatch(said); m != nil {
		return usagef("%s needs a value%s; see %s --help", dashed(m[1]), wanted(flags, m[1], ": "), verb)
	}
	if m := valueInvalid.FindStringSubmatch(said); m != nil {
		return usagef("%s %s%s; see %s --help", dashed(m[2]), m[1], wanted(flags, m[2], ": wanted is "), verb)
	}
	return usagef("%s; see %s --help", said, verb)
}

// dashed is a flag as people write it.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// hint says what may have been meant by an unknown flag.
func hint(verb string, flags []cli.Flag, name string) string {
	if verb == "diskaudit" && slices.Contains([]string{"version", "v", "V"}, name) {
		return "; the version is told by diskaudit version"
	}
	if near := cli.SuggestFlag(flags, name, false); near != "" && near != "--help" {
		return "; did you mean " + near
	}
	return ""
}

// wanted tells after a lead what value a flag takes; nothing for those that take any text.
func wanted(flags []cli.Flag, name, lead string) string {
	for _, flag := range flags {
		if !slices.Contains(flag.Names(), name) {
			continue
		}
		kind := ""
		switch flag.(type) {
		case *cli.DurationFlag:
			kind = "a duration such as 30s, 2m or 1h30m"
		case *cli.BoolFlag:
			kind = fmt.Sprintf("true or false, as in --%s=false, or no value for true", name)
		case *cli.Uint64Flag:
			kind = "a whole number"
		case *cli.Float64Flag:
			kind = "a number such as 10 or 2.5"
		}
		if kind != "" {
			return lead + kind
		}
	}
	return ""
}
