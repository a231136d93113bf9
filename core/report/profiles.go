package report

import (
	"fmt"
	"io"

	"diskaudit/core/contract"
)

// Profiles writes the profiles with the tests of each, and the command lines of diskspd and fio
// that do the same.
func Profiles(w io.Writer, document contract.ProfilesDocument, options Options) error {
	p := newPage(options)
	for i, profile := range document.Profiles {
		if i > 0 {
			p.blank()
		}
		p.labelled(profile.Name+":", strong, span{text: profile.Purpose}, 0, indent)
		for _, test := range profile.Tests {
			p.labelled(test.ID, strong, span{text: testLine(test)}, indent, 2*indent)
			if test.Diskspd != nil {
				p.labelled("", normal, span{text: *test.Diskspd}, 2*indent, 3*indent)
			}
			if test.Fio != nil {
				p.labelled("", normal, span{text: *test.Fio}, 2*indent, 3*indent)
			}
		}
	}
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing the profiles: %w", err)
	}
	return nil
}

func testLine(test contract.TestSpec) string {
	line := fmt.Sprintf("%s, %s of %s, queue depth %d, %s, within %s", test.Operation, test.Pattern, english.size(&test.BlockBytes), test.QueueDepth,
		plural(test.Threads, "thread"), english.size(&test.SpanBytes))
	if test.Durability != nil {
		line += ", done when in the " + map[contract.Durability]string{
			contract.DurabilityDeviceCache:  "device's cache",
			contract.DurabilityWriteThrough: "device's storage (written through)",
			contract.DurabilityFlush:        "device's storage (flushed)",
		}[*test.Durability]
	}
	if test.SpacingMs > 0 {
		line += fmt.Sprintf(", one every %.0f ms", test.SpacingMs)
	}
	line += fmt.Sprintf(", %d rounds of %.0f ms after %.0f ms of warm-up", test.Rounds, test.RoundMs, test.WarmupMs)
	if test.MaxWrittenBytes > 0 {
		line += fmt.Sprintf(", at most %s written", english.size(&test.MaxWrittenBytes))
	}
	return line
}
