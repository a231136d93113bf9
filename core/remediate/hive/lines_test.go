package hive

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// B36, B38: the value is set in the hive of an image, in the control sets that its Windows starts with.
func TestLines(t *testing.T) {
	const path = `D:\mount\Windows\System32\config\SYSTEM`
	const load = `reg load HKLM\DiskauditOffline "` + path + `"`
	add := func(set string) string {
		return `reg add HKLM\DiskauditOffline\` + set + `\Control\BitLocker /v PreventDeviceEncryption /t REG_DWORD /d 1 /f`
	}
	const unload = `reg unload HKLM\DiskauditOffline`
	for _, c := range []struct {
		name  string
		state State
		want  []string
	}{
		{"one", State{[]ControlSet{{Name: "ControlSet001", Prevention: "absent"}}}, []string{load, add("ControlSet001"), unload}},
		{"two", State{[]ControlSet{{Name: "ControlSet002", Prevention: "absent"}, {Name: "ControlSet001", Prevention: "0"}}},
			[]string{load, add("ControlSet002"), add("ControlSet001"), unload}},
		{"one of two is set", State{[]ControlSet{{Name: "ControlSet001", Prevention: "1"}, {Name: "ControlSet002", Prevention: "2"}}},
			[]string{load, add("ControlSet002"), unload}},
		{"set already", State{[]ControlSet{{Name: "ControlSet001", Prevention: "1"}}}, nil},
		{"nothing known", State{}, nil},
	} {
		if diff := cmp.Diff(c.want, Lines(path, c.state)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.name, diff)
		}
	}
}

// variables are those that the prompt of the tests knows.
var variables = map[string]string{"TEMP": "wrong", "A": "wrong", "OS": `wrong" & wrong`}

// prompt is what a Command Prompt makes of a line: first variables are put in, everywhere; then carets
// and quotes are taken in. It returns the command line that the program gets, and false when the line
// is more than one command or leads elsewhere. Sources: sections 7 and 8 of
// http://daviddeley.com/autohotkey/parameters/parameters.htm, and what was tried out at
// http://eightypercent.net/post/old/00226.html.
func prompt(line string) (string, bool) { return unescaped(expanded(line)) }

// expanded puts variables in. Those that do not exist stay as they are written.
func expanded(line string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(line, "%")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		name, rest, closed := strings.Cut(after, "%")
		// %NAME:from=to% and %NAME:~1,2% are what is in NAME with something done to it.
		name, _, _ = strings.Cut(name, ":")
		value, known := variables[strings.ToUpper(name)]
		if closed && known {
			out.WriteString(value)
			line = rest
			continue
		}
		out.WriteByte('%')
		line = after
	}
}

// unescaped takes carets and quotes in.
func unescaped(line string) (command string, one bool) {
	var out strings.Builder
	quotes, escaped := false, false
	for _, r := range line {
		switch {
		case escaped:
			escaped = false
		case r == '"':
			quotes = !quotes
		case quotes:
		case r == '^':
			escaped = true
			continue
		case strings.ContainsRune("&|<>()\n\r", r):
			return "", false
		}
		out.WriteRune(r)
	}
	return out.String(), !escaped
}

// arguments are what a C program of Windows gets from a command line, by the rules at
// https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments, as far as they are
// the same in all versions: two quotes in a row within a quoted part are read in different ways.
func arguments(line string) []string {
	var all []string
	var argument strings.Builder
	backslashes, quotes, begun := 0, false, false
	end := func() {
		if begun {
			all = append(all, argument.String())
		}
		argument.Reset()
		begun = false
	}
	for _, r := range line + " " {
		if r == '\\' {
			backslashes++
			begun = true
			continue
		}
		if r == '"' {
			argument.WriteString(strings.Repeat(`\`, backslashes/2))
			literal := backslashes%2 == 1
			backslashes = 0
			begun = true
			if literal {
				argument.WriteByte('"')
			} else {
				quotes = !quotes
			}
			continue
		}
		argument.WriteString(strings.Repeat(`\`, backslashes))
		backslashes = 0
		if (r == ' ' || r == '\t') && !quotes {
			end()
			continue
		}
		begun = true
		argument.WriteRune(r)
	}
	return all
}

// arrives checks that a path gets through the prompt to reg.exe as it is.
func arrives(t *testing.T, path, want string) {
	t.Helper()
	line := loadLine(path)
	command, one := prompt(line)
	if !one {
		t.Errorf("%q becomes more than one command: %s", path, line)
		return
	}
	if diff := cmp.Diff([]string{"reg", "load", `HKLM\DiskauditOffline`, want}, arguments(command)); diff != "" {
		t.Errorf("%s\n-want +got:\n%s", line, diff)
	}
}

func TestPathsArrive(t *testing.T) {
	for _, path := range []string{
		`C:\mount\Windows\System32\config\SYSTEM`,
		`C:\my images\Windows 11 (24H2) & more\SYSTEM`,
		`C:\50% done\SYSTEM`,
		`C:\%TEMP%\SYSTEM`,
		`C:\%temp% and %OS%\a b & c\SYSTEM`,
		`C:\%%TEMP%%\SYSTEM`,
		`C:\%A:w=x%\%A:~0,1%\SYSTEM`,
		`C:\^a^%TEMP^%\b!c!\SYSTEM`,
		`\\server\share$\it's; a=b, [c] {d}\SYSTEM`,
		`\\?\Volume{00000000-0000-0000-0000-000000000043}\Windows\System32\config\SYSTEM`,
		`C:\ends in a backslash\`,
		`C:\ends in %percent\\`,
		`C:\Größe\映像\SYSTEM`,
		`/mnt/win/it "is" not & a %path% of Windows\\"/SYSTEM`,
		`%`,
	} {
		arrives(t, path, path)
	}
	// Such a path cannot be Windows's: the line must fail there, and do nothing else.
	arrives(t, "/mnt/a\nreg delete HKLM\r\x00b", "/mnt/a?reg delete HKLM??b")
}

// The two readings in this test are right about the examples of their sources.
func TestReadings(t *testing.T) {
	for line, want := range map[string]string{
		`%TEMP%`: "wrong", `"%TEMP%"`: `"wrong"`, `^%TEMP^%`: "%TEMP%", `"^%TEMP^%"`: `"^%TEMP^%"`,
		`"hi there "^%"TEMP"^%" bar"`: `"hi there "%"TEMP"%" bar"`, `%other%`: "%other%",
	} {
		if got, _ := prompt(line); got != want {
			t.Errorf("%s: %s", line, got)
		}
	}
	for line, want := range map[string][]string{
		`"a b c" d e`: {"a b c", "d", "e"}, `"ab\"c" "\\" d`: {`ab"c`, `\`, "d"}, `a\\\b d"e f"g h`: {`a\\\b`, "de fg", "h"},
		`a\\\"b c d`: {`a\"b`, "c", "d"}, `a\\\\"b c" d e`: {`a\\b c`, "d", "e"},
	} {
		if diff := cmp.Diff(want, arguments(line)); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
}

func FuzzPathArrives(f *testing.F) {
	f.Add(`C:\%TEMP%\SYSTEM`)
	f.Add(`a"b%A%\"`)
	f.Fuzz(func(t *testing.T, path string) {
		if !utf8.ValidString(path) || strings.ContainsFunc(path, unicode.IsControl) {
			t.Skip("no path of Windows")
		}
		arrives(t, path, path)
	})
}
