package remediate

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

var (
	misprint = regexp.MustCompile(`%!|\bnil\b|0xc0[0-9a-f]{8}|  |\.\.|, \.|: \.|\(\)|<[A-Z]|[a-z]\.[A-Z]`)
	// riskWords: a text that stands against a plan says what may happen.
	riskWords = regexp.MustCompile(`\b(lose data|lost|lie open|read-only|encrypted again|encrypt it again|begin it again|begin to encrypt|unreadable|hard to rescue|thief|in the midst|loss of power|pass for a decrypted one)\b`)
)

// Every text is sentences that a person can read, and one that stands against the plan has the fact, the
// risk and the way round it.
func TestTextsOfTheGuards(t *testing.T) {
	texts := map[string]bool{}
	for _, c := range guardCases {
		for _, g := range guardsOf(requestWith(c.edit)) {
			checkGuard(t, c.name, g)
			texts[g.Text] = true
		}
	}
	if len(texts) < 80 {
		t.Errorf("only %d texts were looked at", len(texts))
	}
}

func checkGuard(t *testing.T, name string, g contract.Guard) {
	t.Helper()
	where := fmt.Sprintf("%s: %s of %s", name, g.ID, g.Target)
	if !strings.HasSuffix(g.Text, ".") || strings.TrimSpace(g.Text) != g.Text {
		t.Errorf("%s is no sentence: %q", where, g.Text)
	}
	if found := misprint.FindString(strings.ReplaceAll(g.Text, "<enabled/>", "1")); found != "" {
		t.Errorf("%s has %q: %s", where, found, g.Text)
	}
	for _, r := range g.Text {
		if r < ' ' || r > '~' {
			t.Errorf("%s has the character %q: %s", where, r, g.Text)
		}
	}
	if strings.Contains(g.Text, `\\?\`) {
		t.Errorf("%s names a volume by its GUID that has a letter: %s", where, g.Text)
	}
	if g.Target == "" {
		t.Errorf("%s has no target", where)
	}
	if g.Result == contract.GuardAllow {
		if len(g.Text) > 120 {
			t.Errorf("%s needs %d characters to allow: %s", where, len(g.Text), g.Text)
		}
		return
	}
	if !riskWords.MatchString(g.Text) {
		t.Errorf("%s tells no risk: %s", where, g.Text)
	}
	if strings.Count(g.Text, ". ") < 2 {
		t.Errorf("%s is less than fact, risk and way: %s", where, g.Text)
	}
}

// A hostile recording does not make a text without bounds.
func TestTextsAreBounded(t *testing.T) {
	request := requestWith(autoUnlocking(contract.ExternalKey), withFacts(func(s *contract.Status) {
		s.Machine.Join.MDM = contract.Ptr(true)
		for i := range 2000 {
			volume := soundDataVolume()
			volume.ID, volume.MountPoints = fmt.Sprintf("volume%d", i), nil
			volume.Encryption.AutoUnlock = contract.Ptr(true)
			s.Volumes = append(s.Volumes, volume)
			s.Policy.Settings = append(s.Policy.Settings, contract.PolicySetting{Name: "OSEncryptionType", Key: policyKey, Data: strings.Repeat("9", 1000)})
			s.Policy.Origins = append(s.Policy.Origins, fmt.Sprintf("origin%d", i))
		}
	}))
	for _, g := range guardsOf(request) {
		if len(g.Text) > 4000 {
			t.Fatalf("%s of %s has %d characters", g.ID, g.Target, len(g.Text))
		}
	}
	if got := findGuard(t, guardsOf(request), guardKeys, soundC); !strings.Contains(got.Text, "1991 more") {
		t.Errorf("it does not say how many it leaves out: %s", got.Text)
	}
}

// The list for --override has what can be overridden by it, and nothing else.
func TestGuardsThatCanBeOverridden(t *testing.T) {
	listed := map[string]bool{}
	for _, id := range Guards() {
		if listed[id] {
			t.Errorf("%s is listed twice", id)
		}
		listed[id] = true
	}
	for _, r := range rules {
		if takes := r.option == "--override "+r.id; takes != listed[r.id] && r.id != guardState {
			t.Errorf("%s: listed %v, option %q", r.id, listed[r.id], r.option)
		}
	}
	for _, id := range []string{guardState, guardLocked, guardDamaged, guardCluster, guardSince} {
		if !listed[id] {
			t.Errorf("%s is missing", id)
		}
	}
}
