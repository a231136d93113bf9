package language

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for tag, want := range map[string]Language{
		"en": English, "en-US": English, "EN_gb": English,
		"de": German, "de-DE": German, "de_AT": German, "de-CH-1996": German,
		"zh": Chinese, "zh-CN": Chinese, "zh-Hans": Chinese, "zh-Hans-CN": Chinese, "zh-SG": Chinese, "ZH-hans-HK": Chinese,
	} {
		if got, ok := Parse(tag); !ok || got != want {
			t.Errorf("%s is %q, %v; want %s", tag, got, ok, want)
		}
	}
	// Who reads traditional characters is not given simplified ones.
	for _, tag := range []string{
		"", "fr", "zh-TW", "zh-Hant", "zh-HK", "zh-Hant-CN", "zh-MO", "deutsch", "d", "german", "de-", "-de", "de--DE", "de DE", "de;", "日本",
		strings.Repeat("de-", 100), "de-" + strings.Repeat("x", 9),
	} {
		if got, ok := Parse(tag); ok {
			t.Errorf("%q is taken for %s", tag, got)
		}
	}
}

func TestWrite(t *testing.T) {
	catalogue := Catalogue{
		German: {
			"Run %s, %s times.": "%[2]s-mal %[1]s ausführen.",
			"%s (as root)":      "%[1]s (als root)",
			"%s %% done.":       "%[1]s %% fertig.",
		},
		Chinese: {"%s %% done.": "已完成 %[1]s%%。", "Run %s, %s times.": "将 %[1]s 运行 %[2]s 次。"},
	}
	text := Sentences(
		Phrase{},
		Say("Run %s, %s times.", Say("%s (as root)", `x %s 100%`), 3),
		Sentences(),
		Say("%s %% done.", 12.54),
		Verbatim("50% %s"),
	)
	for in, want := range map[Language]string{
		English: `Run x %s 100% (as root), 3 times. 12.5 % done. 50% %s`,
		German:  `3-mal x %s 100% (als root) ausführen. 12,5 % fertig. 50% %s`,
		// What is not in a catalogue is said in English rather than not at all.
		Chinese: `将 x %s 100% (as root) 运行 3 次。已完成 12.5%。50% %s`,
	} {
		if got := catalogue.Write(in, text); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	if text.Silent() || !Sentences(Phrase{}, Sentences(Phrase{})).Silent() || Sentences(Phrase{}).String() != "" {
		t.Error("silence is not silent, or something is")
	}
}

func TestNumber(t *testing.T) {
	for value, want := range map[float64]string{0: "0", 12: "12", 12.54: "12,5", 99.99: "100", -1.5: "-1,5"} {
		if got := Number(German, value); got != want {
			t.Errorf("%v is %q, want %q", value, got, want)
		}
	}
}
