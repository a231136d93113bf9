package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"diskaudit/core/audit"
	"diskaudit/core/contract"
	"diskaudit/core/language"
	"diskaudit/core/language/languagetest"
)

// All words of the status table have their translation in each language, and no other words have one.
func TestEveryWordIsTranslated(t *testing.T) {
	languagetest.Check(t, catalogue, 90)
}

// inLanguage gives a document the findings that its facts call for, in a language too.
func inLanguage(status contract.Status, in language.Language) contract.Status {
	status.Findings = audit.FindingsIn(status, in)
	return status
}

// In German, whose words are long, and in Chinese, whose characters take two columns, tables keep to
// the width of the terminal.
func TestNoLineIsTooWideInAnyLanguage(t *testing.T) {
	for _, in := range []language.Language{language.German, language.Chinese} {
		for name, status := range documents() {
			status = inLanguage(status, in)
			for _, columns := range []int{40, 80, 120} {
				for line := range strings.Lines(render(t, status, Options{Width: columns, Language: in})) {
					line = strings.TrimRight(line, "\n")
					if text.StringWidthWithoutEscSequences(line) > columns && len(strings.Fields(line)) > 1 {
						t.Errorf("%s, %s at %d: %d columns: %q", in, name, columns, text.StringWidthWithoutEscSequences(line), line)
					}
				}
			}
		}
	}
}

// cells spreads a line over the columns of a terminal; the second column of a wide character is 0.
func cells(line string) []rune {
	var all []rune
	for _, r := range line {
		all = append(all, r)
		for range text.RuneWidth(r) - 1 {
			all = append(all, 0)
		}
	}
	return all
}

// Each cell stands below its heading: before the column where a heading begins, no line has text.
func TestColumnsAreAlignedInEveryLanguage(t *testing.T) {
	for in, heads := range map[language.Language][]string{
		language.English: {"MODEL", "SECTORS", "HEALTH", "CONVERSION", "PROTECTION"},
		language.German:  {"MODELL", "GRÖSSE", "SEKTOREN", "ZUSTAND", "KONVERTIERUNG", "SCHUTZ"},
		language.Chinese: {"型号", "大小", "扇区", "健康状况", "转换", "保护"},
	} {
		lines := strings.Split(render(t, inLanguage(laptop(), in), Options{Width: 130, Language: in}), "\n")
		for _, head := range heads {
			checkColumn(t, lines, string(in), head)
		}
	}
}

func checkColumn(t *testing.T, lines []string, in, head string) {
	t.Helper()
	start, rows := -1, 0
	for _, line := range lines {
		if at := strings.Index(line+"  ", "  "+head+"  "); start < 0 && at >= 0 {
			start = text.StringWidthWithoutEscSequences(line[:at]) + len("  ")
			continue
		}
		if start < 0 {
			continue
		}
		if line == "" {
			break
		}
		row := cells(line)
		// The long name of a volume has a line of its own.
		if len(row) <= start || strings.HasPrefix(line, `\\?\`) {
			continue
		}
		rows++
		if row[start-2] != ' ' || row[start-1] != ' ' || row[start] == ' ' && strings.TrimSpace(string(row[start:])) == "" {
			t.Errorf("%s: %s begins at column %d, but not this line: %q", in, head, start, line)
		}
	}
	if rows == 0 {
		t.Errorf("%s: nothing stands below %s in\n%s", in, head, strings.Join(lines, "\n"))
	}
}

// squeeze takes all spaces and line ends away.
func squeeze(text string) string { return strings.Join(strings.Fields(text), "") }

// A person who reads no English reads the table's own words; Microsoft's names for states stay.
func TestTableInEachLanguage(t *testing.T) {
	for in, wants := range map[language.Language][]string{
		language.German: {
			"Computer: Windows 11 Pro, Build 26100.4652, amd64, mit Administratorrechten, keine virtuelle Maschine",
			"BitLocker: verfügbar (wmi)", "Datenträger", "Volumes", "Befunde", "Probleme",
			"1,8 TiB", "ein (WriteBack), Leeren unterdrückt", "FullyEncrypted 100%, nur verwendeter Speicherplatz", "DecryptionInProgress, 43,5% verschlüsselt",
			"Off (wird konvertiert)", "unbekannt (gesperrt)", "KRITISCH: Datenträger PhysicalDrive1 meldet einen drohenden Ausfall",
			"  Betrifft: PhysicalDrive1 (disk-health)", "  Belege: ", "  Empfehlung: ", "  Quelle: ", "FEHLER: The volume is locked.",
			"1 Anmerkung: mit --format json zu sehen.",
			"4 Volumes: 1 durch Software verschlüsselt und geschützt, 1 wird entschlüsselt, 1 nicht verschlüsselt, 1 gesperrt; einige Angaben konnten nicht gelesen werden.",
		},
		language.Chinese: {
			"计算机: Windows 11 Pro、内部版本 26100.4652、amd64、已提升权限、不是虚拟机",
			"BitLocker: 可用（wmi）", "磁盘", "卷", "检查结果", "问题",
			"1.8 TiB", "开 (WriteBack)、刷新被丢弃", "FullyEncrypted 100%，仅已用空间", "DecryptionInProgress，已加密 43.5%",
			"Off (正在转换)", "未知 (已锁定)", "严重: 磁盘 PhysicalDrive1 报告即将发生故障",
			"  对象: PhysicalDrive1 (disk-health)", "  依据: ", "  建议: ", "  参考: ", "错误: The volume is locked.",
			"1 条说明：使用 --format json 查看。",
			"4 个卷：1 个由软件加密且受保护、1 个正在解密、1 个未加密、1 个已锁定；部分信息无法读取。",
		},
	} {
		page := render(t, inLanguage(laptop(), in), Options{Width: 400, Language: in})
		for _, want := range wants {
			// Running text is wrapped, whatever the width.
			if !strings.Contains(squeeze(page), squeeze(want)) {
				t.Errorf("%s: %q is not on the page:\n%s", in, want, page)
			}
		}
	}
}

// Words of the English table, other than Microsoft's names, are in no other one.
func TestNoEnglishIsLeft(t *testing.T) {
	left := regexp.MustCompile(`\b(?:unknown|elevated|volume|encrypted|decrypted|protected|locked|suspended|restart|none listed|available|reason|build|free space|Evidence|Advice|Reference|About|Findings|Problems|Disks)\b`)
	for _, in := range []language.Language{language.German, language.Chinese} {
		for name, status := range documents() {
			status = inLanguage(status, in)
			status.Problems, status.BitLocker.Reason = nil, nil
			for i := range status.Findings {
				// What findings say is the rules' to translate.
				status.Findings[i] = contract.Finding{Severity: status.Findings[i].Severity, Target: status.Findings[i].Target}
			}
			page := render(t, status, Options{Width: 120, Language: in})
			if word := left.FindString(page); word != "" {
				t.Errorf("%s, %s: %q in\n%s", in, name, word, page)
			}
		}
	}
}

// A terminal that shows nothing beyond ASCII gets the English table rather than escapes; so does who
// asks for a language and has a document without it.
func TestLanguageOnPoorTerminals(t *testing.T) {
	status := laptop()
	for _, in := range []language.Language{language.German, language.Chinese} {
		if got, want := render(t, inLanguage(status, in), Options{ASCII: true, Language: in}), render(t, inLanguage(status, language.English), Options{ASCII: true}); got != want {
			t.Errorf("%s in ASCII:\n%s", in, got)
		}
		page := render(t, status, Options{Language: in})
		if !strings.Contains(page, status.Findings[0].Title) {
			t.Errorf("%s: a finding that is in English only is missing:\n%s", in, page)
		}
	}
}

func TestCountedWords(t *testing.T) {
	for left, want := range map[uint64]string{1: "angehalten, noch 1 Neustart", 2: "angehalten, noch 2 Neustarts"} {
		volume := contract.Volume{Encryption: contract.Encryption{Protection: p(contract.ProtectionOff), ProtectionReason: p(contract.ReasonSuspended), SuspendCount: &left}}
		if got := tongue(language.German).protection(volume).text; got != fmt.Sprintf("Off (%s)", want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
