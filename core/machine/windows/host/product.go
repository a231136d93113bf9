package host

import (
	"context"
	"fmt"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/registry"
)

const (
	currentVersion = `HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion`
	// windows11 is the first build of Windows 11
	// (learn.microsoft.com/windows/release-health/windows11-release-information).
	windows11 = 22000
	// nameLimit is how many characters of a name are taken over.
	nameLimit = 256
)

// product tells which Windows this is. The build is that of RtlGetVersion, which no manifest and
// no compatibility setting changes (learn.microsoft.com/windows-hardware/drivers/ddi/wdm/nf-wdm-rtlgetversion).
func (r *Reader) product(ctx context.Context, notes *notes, machine *contract.Machine) {
	version := fact(ctx, notes, "build", r.system.Version)
	revision := stored(r, notes, "revision of the build", currentVersion, "UBR", registry.Number)
	name := stored(r, notes, "name of the system", currentVersion, "ProductName", registry.Text)
	edition := stored(r, notes, "edition", currentVersion, "EditionID", registry.Text)

	if version != nil {
		machine.Build = contract.Ptr(buildNumber(version.Build, revision))
	}
	if edition != nil {
		machine.Edition = named(notes, "edition", *edition)
	}
	switch {
	case name != nil && version != nil:
		machine.OS = named(notes, "name of the system", productName(*name, version.Build))
	case name != nil && !strings.Contains(*name, windows10):
		machine.OS = named(notes, "name of the system", productName(*name, 0))
	}
}

func buildNumber(build uint32, revision *uint64) string {
	if revision == nil {
		return fmt.Sprint(build)
	}
	return fmt.Sprintf("%d.%d", build, *revision)
}

const windows10 = "Windows 10"

// productName corrects ProductName, which says "Windows 10" on Windows 11 too, whatever the
// edition: "Windows 10 Enterprise LTSC 2024" is Windows 11, and so is a multi-session host, which
// counts as a server. Servers are named rightly.
func productName(name string, build uint32) string {
	name = strings.TrimPrefix(name, "Microsoft ")
	if rest, ok := strings.CutPrefix(name, windows10); ok && build >= windows11 && (rest == "" || rest[0] == ' ') {
		return "Windows 11" + rest
	}
	return name
}

// named makes a name that Windows gives printable; nil when nothing is left of it.
func named(notes *notes, fact, text string) *string {
	text = printable(text, nameLimit)
	if text == "" {
		notes.unknown(fact, "Windows has an empty text for it")
		return nil
	}
	return &text
}
