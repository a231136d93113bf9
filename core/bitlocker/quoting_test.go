package bitlocker

import (
	"testing"
)

func TestQuoted(t *testing.T) {
	for text, want := range map[string]string{
		`C:`: `'C:'`, `D:\Anna's`: `'D:\Anna''s'`, "D:\\Anna\u2019s \u201adisk\u2018": "'D:\\Anna\u2019\u2019s \u201a\u201adisk\u2018\u2018'",
		`D:\100 $("x") "y"`: `'D:\100 $("x") "y"'`, "": "''",
	} {
		if got := Quoted(text); got != want {
			t.Errorf("%s is quoted as %s, want %s", text, got, want)
		}
	}
}
