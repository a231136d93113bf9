package fleet

import (
	"cmp"
	"slices"
	"strings"

	"diskaudit/core/audit"
	"diskaudit/core/bench/profile"
	"diskaudit/core/contract"
)

// groupList lists groups. In the rest a computer counts once for each group that it was in, so that its
// number of computers is not larger than computers, that of all, but can be larger than it is.
func groupList(groups *groups[string, group], computers uint64) []contract.ReportGroup {
	var list []contract.ReportGroup
	add := func(g *group, name *string, rest bool) {
		list = append(list, contract.ReportGroup{
			Name: name, Rest: rest, Computers: g.computers, Count: g.count, SoftwareEncrypted: g.software, Penalty: g.penalty.report(),
		})
	}
	frequency := func(g *group) uint64 { return g.count + g.penalty.counts.Measured }
	groups.cut(frequency, strings.Compare)
	for _, name := range groups.sorted(frequency, strings.Compare) {
		add(groups.of[name], known(name), false)
	}
	if rest := groups.rest; rest != nil {
		rest.computers, rest.software = min(rest.computers, computers), min(rest.software, computers)
		add(rest, nil, true)
	}
	return list
}

func (t *tally) findingList() []contract.ReportFinding {
	var list []contract.ReportFinding
	frequency := func(f *contract.ReportFinding) uint64 { return f.Computers }
	t.findings.cut(frequency, strings.Compare)
	for _, id := range t.findings.sorted(frequency, strings.Compare) {
		list = append(list, *t.findings.of[id])
	}
	slices.SortStableFunc(list, func(a, b contract.ReportFinding) int { return cmp.Compare(b.Severity.Rank(), a.Severity.Rank()) })
	if rest := t.findings.rest; rest != nil {
		rest.ID, rest.Title, rest.Computers = "", "", min(rest.Computers, t.computers.Total)
		list = append(list, *rest)
	}
	return list
}

func (t *tally) unknownList() []contract.ReportUnknown {
	var list []contract.ReportUnknown
	frequency := func(u *contract.ReportUnknown) uint64 { return u.Documents }
	order := func(a, b unknownKey) int {
		return cmp.Or(strings.Compare(string(a.kind), string(b.kind)), strings.Compare(a.code, b.code))
	}
	t.unknowns.cut(frequency, order)
	for _, key := range t.unknowns.sorted(frequency, order) {
		list = append(list, *t.unknowns.of[key])
	}
	if rest := t.unknowns.rest; rest != nil {
		rest.Code, rest.Text = "", ""
		list = append(list, *rest)
	}
	return list
}

func (t *tally) combinationList() []contract.ReportCombination {
	var list []contract.ReportCombination
	frequency := func(p *penalties) uint64 { return p.counts.Measured }
	order := func(a, b combination) int {
		return cmp.Or(strings.Compare(a.model, b.model), strings.Compare(a.method, b.method), strings.Compare(a.engine, b.engine))
	}
	t.combinations.cut(frequency, order)
	for _, key := range t.combinations.sorted(frequency, order) {
		list = append(list, contract.ReportCombination{
			Model: known(key.model), Method: known(key.method), Engine: known(key.engine), Penalty: t.combinations.of[key].report(),
		})
	}
	if t.combinations.rest != nil {
		list = append(list, contract.ReportCombination{Rest: true, Penalty: t.combinations.rest.report()})
	}
	return list
}

func (t *tally) testList() []contract.ReportTest {
	var list []contract.ReportTest
	add := func(key testKey, s *testSpread) {
		test := contract.ReportTest{
			TestID: key.id, Engine: known(key.engine), Valid: s.valid, Invalid: s.invalid,
			P50Ns: s.p50.quantiles(), P99Ns: s.p99.quantiles(), IOPS: s.iops.quantiles(),
		}
		if key.durability != "" {
			test.Durability = &key.durability
		}
		list = append(list, test)
	}
	order := func(a, b testKey) int {
		return cmp.Or(strings.Compare(a.id, b.id), strings.Compare(string(a.durability), string(b.durability)), strings.Compare(a.engine, b.engine))
	}
	t.tests.cut(func(s *testSpread) uint64 { return s.valid + s.invalid }, order)
	for _, key := range t.tests.sorted(func(*testSpread) uint64 { return 0 }, order) {
		add(key, t.tests.of[key])
	}
	if t.tests.rest != nil {
		// Figures of different tests are not put together: the rest is counted alone.
		add(testKey{}, &testSpread{valid: t.tests.rest.valid, invalid: t.tests.rest.invalid})
	}
	return list
}

// rules are the ids of this program's rules.
var rules = setOf(audit.IDs())

// isRule tells whether a finding is of a rule of this program.
func isRule(id string) bool { return rules[id] }

// profileTests are the ids of the tests of this program's profiles.
var profileTests = func() map[string]bool {
	var ids []string
	for _, known := range profile.All() {
		for _, test := range known.Tests {
			ids = append(ids, test.ID)
		}
	}
	return setOf(ids)
}()

// What the tests of a profile can be told apart by, besides their ids.
var (
	testEngines      = setOf([]contract.Engine{"", contract.EngineNone, contract.EngineSoftware, contract.EngineDrive, contract.EngineSoC})
	testDurabilities = setOf([]contract.Durability{"", contract.DurabilityDeviceCache, contract.DurabilityWriteThrough, contract.DurabilityFlush})
)

// isProfileTest tells whether a test is of this program's profiles.
func isProfileTest(key testKey) bool {
	return profileTests[key.id] && testEngines[contract.Engine(key.engine)] && testDurabilities[key.durability]
}

func setOf[K comparable](keys []K) map[K]bool {
	set := map[K]bool{}
	for _, key := range keys {
		set[key] = true
	}
	return set
}

func mergeFindings(into, from *contract.ReportFinding) {
	into.Count += from.Count
	into.Computers += from.Computers
	if from.Severity.Rank() > into.Severity.Rank() {
		into.Severity = from.Severity
	}
}

func mergeUnknowns(into, from *contract.ReportUnknown) {
	into.Documents += from.Documents
	if into.Kind == "" {
		into.Kind = from.Kind
	}
}
