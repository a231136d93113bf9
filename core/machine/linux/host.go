package linux

import (
	"context"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// architectures maps the names of uname to those of Go.
var architectures = map[string]string{
	"x86_64": "amd64", "aarch64": "arm64", "i386": "386", "i486": "386", "i586": "386",
	"i686": "386", "armv6l": "arm", "armv7l": "arm", "armv8l": "arm", "riscv64": "riscv64",
	"ppc64": "ppc64", "ppc64le": "ppc64le", "s390x": "s390x", "loongarch64": "loong64",
	"mips": "mips", "mips64": "mips64",
}

// Host reports the computer, and whether its block devices can be read.
func (m *Machine) Host(ctx context.Context, report *machine.Report) {
	info := readCPUInfo(m.tree)
	virtual := m.virtual()
	var unknown reasons

	host := contract.Machine{
		Source:         contract.SourceLinux,
		Build:          m.tree.textPtr("proc/sys/kernel/osrelease"),
		Elevated:       contract.Ptr(m.kernel.effectiveUser() == 0),
		VirtualMachine: virtual.VirtualMachine,
	}
	unknown.add("virtual machine", virtual.unknown)
	if m.options.Identify {
		host.ComputerName = m.tree.textPtr("proc/sys/kernel/hostname")
	}
	if host.OS = systemName(m.tree); host.OS == nil {
		unknown.add("name of the system", "there is no readable os-release file in /etc or /usr/lib")
	}
	if host.Build == nil {
		unknown.add("kernel release", "/proc/sys/kernel/osrelease cannot be read")
	}
	host.Architecture = m.architecture(&unknown)
	host.Power = findPower(m.tree, virtual.Detected, &unknown)
	host.CPU = findCPU(m.tree, info, &unknown)
	host.TPM = findTPM(m.tree, &unknown)
	host.SecureBoot = findSecureBoot(m.tree, &unknown)
	report.SetMachine(host)

	if len(unknown) > 0 {
		report.AddProblem(contract.Problem{
			Code: "host-facts-unknown", Level: contract.LevelInfo, Stage: machine.StageHost,
			Text: "Not known of this computer: " + unknown.String() + ".",
		})
	}
	report.AddProblem(contract.Problem{
		Code: "not-known-on-linux", Level: contract.LevelInfo, Stage: machine.StageHost,
		Text: "The edition of Windows, whether Windows can use the TPM, and who manages the computer (domain, Entra ID, MDM) can only be asked of a running Windows; on Linux they are null.",
	})
	provider, problem := m.provider(ctx)
	report.SetProvider(provider)
	if problem != nil {
		report.AddProblem(*problem)
	}
}

func (m *Machine) architecture(unknown *reasons) *string {
	name, err := m.kernel.hardware()
	if err != nil {
		unknown.add("architecture", err.Error())
		return nil
	}
	architecture, ok := architectures[name]
	if !ok {
		unknown.add("architecture", "uname calls it "+printable(name)+", for which there is no name here")
		return nil
	}
	return &architecture
}

// systemName is the name of the distribution. Source: os-release(5).
func systemName(t tree) *string {
	for _, name := range []string{"etc/os-release", "usr/lib/os-release"} {
		data, err := t.bytes(name, attributeLimit)
		if err != nil {
			continue
		}
		values := parseOSRelease(string(data))
		for _, key := range []string{"PRETTY_NAME", "NAME"} {
			if value := printable(values[key]); value != "" {
				return &value
			}
		}
	}
	return nil
}

// parseOSRelease reads the assignments of an os-release file, which are a small part of the
// shell's syntax: a value is bare, in single quotes, or in double quotes with backslashes.
func parseOSRelease(text string) map[string]string {
	values := map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		key, value, ok := strings.Cut(line, "=")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		values[key] = unquote(value)
	}
	return values
}

func unquote(value string) string {
	if len(value) < 2 || value[0] != value[len(value)-1] || !strings.ContainsRune(`"'`, rune(value[0])) {
		return value
	}
	quote, inner := value[0], value[1:len(value)-1]
	if quote == '\'' {
		return inner
	}
	var out strings.Builder
	for i := 0; i < len(inner); i++ {
		if inner[i] == '\\' && i+1 < len(inner) {
			i++
		}
		out.WriteByte(inner[i])
	}
	return out.String()
}

// reasons says of each fact that is missing why it is.
type reasons []string

// add notes a reason; an empty one means that the fact is known.
func (r *reasons) add(fact, reason string) {
	if reason != "" {
		*r = append(*r, fact+" ("+reason+")")
	}
}

func (r reasons) String() string {
	return strings.Join(r, "; ")
}
