package comparison

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"diskaudit/core/bench/profile"
	"diskaudit/core/contract"
)

// CrystalDiskMark's text is written by CDiskMarkDlg::SaveText of hiyohiyo/CrystalDiskMark:
// DiskMarkDlg.cpp, KDiskMark's by MainWindow::getTextBenchmarkResult of JonMagon/KDiskMark.

var (
	crystalTitle = regexp.MustCompile(`(?m)^[ \t]*(CrystalDiskMark|KDiskMark) \(?(\d{1,3}(?:\.\d{1,4}){0,3})([^\s)]*)`)
	crystalBlock = regexp.MustCompile(`^\[(Read|Write|Mix)\]`)
	// crystalLine is "SEQ    1MiB (Q=  8, T= 1):  7012.345 MB/s [   6687.5 IOPS] <  1195.32 us>", with
	// "Sequential" and "Random" in version 7 and in KDiskMark.
	crystalLine = regexp.MustCompile(`^(SEQ|RND|Sequential|Random)\s+(\d{1,7})\s?([KM])iB \(Q=\s*(\d{1,4}), T=\s*(\d{1,4})\):\s+(\d{1,12}[.,]\d{3}) MB/s \[\s*(\d{1,12}[.,]\d) IOPS\] <\s*(\d{1,12}[.,]\d{2}) us>$`)
	crystalSize = regexp.MustCompile(`^Test: (\d{1,6}) ([MG])iB \(x(\d{1,3})\)`)
	// measured is what every line with a figure has, whatever else is wrong with it.
	measured = " MB/s ["
)

// isCrystal knows the text by its title, or by a block of figures where the title was cut off.
func isCrystal(text string) bool {
	return crystalTitle.MatchString(text) || strings.Contains(text, measured) && strings.Contains(text, "IOPS]")
}

// crystalReader reads one export line by line.
type crystalReader struct {
	source
	result *Result
	// linux is for KDiskMark, which counts in its own way.
	linux     bool
	operation string
	// at is the number of the line that is read.
	at int
	// lines counts those with figures; sized is set by the line that ends a result.
	lines int
	sized bool
}

// readCrystal reads the text of CrystalDiskMark 7, 8 and 9, and of KDiskMark.
func readCrystal(s source) (*Result, error) {
	const advice = "Save the result again with File, Save (text)"
	titles := crystalTitle.FindAllStringSubmatchIndex(s.text, 3)
	if len(titles) == 0 {
		return nil, s.errorf(CodeDamaged, "line 1", "there are figures, but no line with the name and version of CrystalDiskMark or KDiskMark. %s, whole.", advice)
	}
	if len(titles) > 1 {
		return nil, s.errorf(CodeSeveral, s.line(int64(titles[1][2])), "a second result begins here. Which of them to compare with is not guessed; give one result in a file.")
	}
	title := s.text[titles[0][2]:titles[0][3]]
	version := s.text[titles[0][4]:titles[0][5]]
	if major, _, _ := strings.Cut(version, "."); title == "CrystalDiskMark" && major != "7" && major != "8" && major != "9" {
		return nil, s.errorf(CodeVersion, s.line(int64(titles[0][2])), "this is the text of CrystalDiskMark %s; those of 7, 8 and 9 are known. Measure with one of these.", version)
	}
	c := &crystalReader{source: s, linux: title == "KDiskMark", result: &Result{Baseline: contract.Baseline{
		Path: s.path, Format: contract.Ptr(contract.BaselineCrystalDiskMark), Version: &version,
	}}}
	if c.linux {
		c.result.Baseline.Version = contract.Ptr("KDiskMark " + version)
	}
	for line := range strings.Lines(s.text) {
		c.at++
		if err := c.readLine(strings.TrimSpace(line)); err != nil {
			return nil, err
		}
	}
	if c.lines == 0 {
		return nil, s.errorf(CodeNoResult, "", "there is no line with a figure in it. %s after a run, whole.", advice)
	}
	if !c.sized {
		return nil, s.errorf(CodeDamaged, s.line(int64(len(s.text))), "there is no line \"Test:\" with the size of the test file and the number of passes, so the text was cut off. %s, whole.", advice)
	}
	return c.result, nil
}

// readLine reads one line; those that say nothing about figures are passed over.
func (c *crystalReader) readLine(line string) error {
	if block := crystalBlock.FindStringSubmatch(line); block != nil {
		c.operation = block[1]
		return nil
	}
	if size := crystalSize.FindStringSubmatch(line); size != nil {
		return c.readSize(size)
	}
	if strings.HasPrefix(line, "Mode:") && strings.Contains(line, "<0Fill>") {
		return c.refuseZeros()
	}
	if !strings.Contains(line, measured) && !strings.HasSuffix(line, " us>") {
		return nil
	}
	parts := crystalLine.FindStringSubmatch(line)
	if parts == nil {
		return c.fault(CodeDamaged, "%q is not a line as CrystalDiskMark writes it. Save the result again as text, whole.", shorten(line))
	}
	if c.operation == "" {
		return c.fault(CodeDamaged, "there is a figure before [Read] or [Write], so its direction is not known. Save the result again as text, whole.")
	}
	if c.lines++; c.lines > maxCrystalLines {
		return c.fault(CodeTooLarge, "there are more than %d figures, more than one result has. Give one result in a file.", maxCrystalLines)
	}
	return c.readFigures(parts)
}

// maxCrystalLines bounds the figures of one result; the programs write twelve.
const maxCrystalLines = 100

func (c *crystalReader) fault(code, format string, args ...any) error {
	return c.errorf(code, fmt.Sprintf("line %d", c.at), format, args...)
}

// readFigures reads a matched line.
func (c *crystalReader) readFigures(parts []string) error {
	t := Test{ResolutionNs: 10}
	t.Valid, t.Operation, t.Pattern = true, contract.OperationRead, contract.PatternRandom
	if strings.HasPrefix(strings.ToUpper(parts[1]), "SEQ") {
		t.Pattern = contract.PatternSequential
	}
	unit := map[string]uint64{"K": 1 << 10, "M": 1 << 20}[parts[3]]
	var numbers [3]uint64
	for i, part := range []string{parts[2], parts[4], parts[5]} {
		numbers[i], _ = strconv.ParseUint(part, 10, 32)
	}
	t.BlockBytes, t.QueueDepth, t.Threads = numbers[0]*unit, numbers[1], numbers[2]
	if t.BlockBytes == 0 || t.QueueDepth == 0 || t.Threads == 0 {
		return c.fault(CodeDamaged, "a test of %s %siB with Q=%s and T=%s cannot be. Save the result again as text, whole.", parts[2], parts[3], parts[4], parts[5])
	}
	if c.operation == "Write" {
		t.Operation = contract.OperationWrite
		t.Durability = contract.Ptr(contract.DurabilityDeviceCache)
	}
	t.ID = profile.ID(t.spec())
	if c.operation == "Mix" {
		id := strings.TrimSuffix(t.ID, "read") + "mix"
		c.result.refuse("mixed-operation", id, "The baseline's %s mixes reads and writes in one figure, which none of our tests does. Compare its reads and writes.", id)
		return nil
	}
	mb, iops, us := decimalEither(parts[6]), decimalEither(parts[7]), decimalEither(parts[8])
	if mb == 0 || iops == 0 {
		c.result.refuse("no-figure", t.ID, "The baseline's %s was not measured: its figure is 0. Measure it, then save the text.", t.ID)
		return nil
	}
	// Both programs print both figures of one rate; a separator that was misread shows here.
	if ratio := iops * float64(t.BlockBytes) / (mb * 1e6); ratio > 1.5 && iops > 1 || ratio < 0.5 && iops > 1 {
		return c.fault(CodeDamaged, "%s MB/s and %s IOPS contradict each other for blocks of %d bytes. Save the result again as text.", parts[6], parts[7], t.BlockBytes)
	}
	if c.linux {
		// KDiskMark's MB/s are thousands of KiB/s; its IOPS are what fio counted (case P8).
		t.IOPS, mb = &iops, iops*float64(t.BlockBytes)/1e6
	}
	t.MBPerSecond, t.MiBPerSecond = &mb, contract.Ptr(mb*1e6/(1<<20))
	if us > 0 {
		t.LatencyNs.Mean = contract.Ptr(math.Round(us * 1000))
	}
	c.result.Tests = append(c.result.Tests, t)
	return nil
}

// readSize reads "Test: 1 GiB (x5)", which comes after the figures and holds for all of them.
func (c *crystalReader) readSize(parts []string) error {
	if c.sized {
		return c.fault(CodeSeveral, "a second result ends here. Which of them to compare with is not guessed; give one result in a file.")
	}
	c.sized = true
	size, _ := strconv.ParseUint(parts[1], 10, 32)
	size *= map[string]uint64{"M": 1 << 20, "G": 1 << 30}[parts[2]]
	for i := range c.result.Tests {
		if size > 0 {
			c.result.Tests[i].SpanBytes = &size
		}
	}
	text := fmt.Sprintf("CrystalDiskMark writes the best of %s passes, for MB/s and mean latency apart, where this program gives the median of its rounds. It waits for the device's cache only.", parts[3])
	if c.linux {
		text = fmt.Sprintf("KDiskMark writes a mean or a best of %s passes of fio. Its MB/s are thousands of KiB/s, so they were computed from its IOPS. It does not say whether it bypassed the system's cache.", parts[3])
	}
	c.result.Notes = append(c.result.Notes, note("crystaldiskmark-figures", text))
	return nil
}

// refuseZeros takes back what was read: a file of zeros is not what our tests read and write.
func (c *crystalReader) refuseZeros() error {
	for _, test := range c.result.Tests {
		c.result.refuse("data-differs", test.ID, "The baseline's %s used a file of zeros (<0Fill>), which a disk may not store at all. Measure with random data.", test.ID)
	}
	c.result.Tests = nil
	return nil
}

// decimalEither reads a number whose one separator, point or comma, is that of its decimals: the
// program groups no thousands, and the pattern of the line has fixed how many decimals there are.
func decimalEither(text string) float64 {
	value, _ := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	return value
}
