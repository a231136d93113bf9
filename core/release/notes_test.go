package main

import (
	"strings"
	"testing"
)

const changelog = "# Changelog\n\nWords.\n\n## [Unreleased]\n\n### Added\n\n- later\n\n## [1.10.0] - 2026-03-01\n\n- ten\n\n## [1.1.0] - 2026-02-01\n\n### Fixed\n\n- one [#1]\n\n## [1.1.0-rc1] - 2026-01-31\n\n- candidate\n"

func TestReleaseNotes(t *testing.T) {
	for _, test := range []struct{ version, has, hasNot string }{
		{"1.1.0", "### Fixed\n\n- one [#1]\n", "ten"},
		{"1.10.0", "- ten\n", "one"},
		{"1.1.0-rc1", "- candidate\n", "one"},
		// Not the section of another version that begins alike.
		{"1.1.1", "- later\n", "- one"},
		{"9.9.9-dev", "not released yet", "ten"},
	} {
		for _, text := range []string{changelog, strings.ReplaceAll(changelog, "\n", "\r\n")} {
			got, err := releaseNotes(text, test.version)
			if err != nil || !strings.HasPrefix(got, "# BitLockerDiskAudit "+test.version+"\n\n") || !strings.Contains(got, test.has) || strings.Contains(got, test.hasNot) || strings.Contains(got, "Words.") || !strings.HasSuffix(got, "\n") {
				t.Errorf("%s: %v\n%s", test.version, err, got)
			}
		}
	}
	for want, text := range map[string]string{
		"neither":          "# Changelog\n\n## [1.0.0]\n",
		"twice":            changelog + "\n## [1.1.0]\n",
		"## 1.0.0":         "## [Unreleased]\n## 1.0.0\n",
		"nor one [Unrelea": "",
	} {
		if _, err := releaseNotes(text, "2.0.0"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestSums(t *testing.T) {
	// The hash of nothing: csrc.nist.gov, examples of FIPS 180-4.
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	if got := string(sums([]file{{name: "b/c"}, {name: "a"}})); got != empty+"  a\n"+empty+"  b/c\n" {
		t.Errorf("%s", got)
	}
}
