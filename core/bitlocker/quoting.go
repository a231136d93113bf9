package bitlocker

import "strings"

// Quoted is a text in single quotation marks as PowerShell reads it, for the parameters of the BitLocker
// cmdlets: each mark that would end it is doubled, typographic ones, too
// (learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_quoting_rules).
func Quoted(text string) string { return "'" + quotationMarks.Replace(text) + "'" }

var quotationMarks = strings.NewReplacer("'", "''", "\u2018", "\u2018\u2018", "\u2019", "\u2019\u2019", "\u201a", "\u201a\u201a", "\u201b", "\u201b\u201b")
