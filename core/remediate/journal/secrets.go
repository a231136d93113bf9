package journal

import "diskaudit/core/machine/pattern"

// recoveryPassword is a BitLocker recovery password, eight groups of six digits, in encoded JSON: with hyphens,
// with the dashes that a word processor makes of them, or with spaces between
// (learn.microsoft.com/windows/win32/secprov/protectkeywithnumericalpassword-win32-encryptablevolume).
var recoveryPassword = pattern.New(`[0-9]{6}(?:(?:-| |\\u201[0-5]|\\u2212|\\u00a0)[0-9]{6}){7,}`)

// placeholder stands where a recovery password was.
const placeholder = "(recovery password removed)"

// withoutPasswords removes recovery passwords from a line: no text that comes through, such as a
// volume's label or an error of another program, may carry one into a file.
func withoutPasswords(line []byte) []byte {
	return recoveryPassword.Regexp().ReplaceAllLiteral(line, []byte(placeholder))
}
