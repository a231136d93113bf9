package hive

import "strings"

const (
	// loadedAs is the key under which a hive is loaded to be changed.
	loadedAs   = `HKLM\DiskauditOffline`
	unloadLine = "reg unload " + loadedAs
)

// Lines are the commands that set PreventDeviceEncryption in each selected control set where it is
// not set yet, for an elevated Command Prompt (cmd.exe), in this order; none when it is set in all.
// The path is written as it is given, so it has to be the one that the prompt needs: a full one,
// because an elevated prompt begins in another folder.
//
// Sources: https://learn.microsoft.com/windows-server/administration/windows-commands/reg-load,
// .../reg-add and .../reg-unload.
func Lines(path string, state State) []string {
	if len(state.Sets) == 0 || state.Prevented() {
		return nil
	}
	lines := []string{loadLine(path)}
	for _, set := range state.Sets {
		if set.Prevention != Prevented {
			lines = append(lines, "reg add "+loadedAs+`\`+set.key()+" /v "+valueName+" /t REG_DWORD /d "+Prevented+" /f")
		}
	}
	return append(lines, unloadLine)
}

func loadLine(path string) string { return "reg load " + loadedAs + " " + quoted(path) }

// quoted writes a path as one argument of a command line at a Command Prompt.
//
// Between quotes the prompt leaves all characters alone but two: a quote, and the percent sign, which
// begins the name of a variable there too. Both therefore stand between two quoted parts, behind a
// caret. The prompt puts variables in before it takes carets away, and the quote that follows on a
// percent sign makes the name one that no variable has. For reg.exe a quote needs a backslash, and
// backslashes before the end of a quoted part are doubled. Sources:
// http://daviddeley.com/autohotkey/parameters/parameters.htm, section 7, and
// http://eightypercent.net/post/old/00226.html for the prompt, and
// https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments for reg.exe.
//
// A control character, which no path of Windows has, becomes a question mark, which none has either:
// the line then fails, and does nothing else.
func quoted(path string) string {
	var argument strings.Builder
	argument.WriteByte('"')
	backslashes := 0
	// between ends the quoted part, writes what is to stand behind it, and begins the next.
	between := func(what string) {
		argument.WriteString(strings.Repeat(`\`, backslashes) + `"` + what + `"`)
	}
	for _, r := range path {
		switch {
		case r == '\\':
			argument.WriteByte('\\')
			backslashes++
			continue
		case r == '%':
			between("^%")
		case r == '"':
			between(`\^"`)
		case r < ' ' || r == 0x7f:
			argument.WriteByte('?')
		default:
			argument.WriteRune(r)
		}
		backslashes = 0
	}
	argument.WriteString(strings.Repeat(`\`, backslashes))
	argument.WriteByte('"')
	return argument.String()
}
