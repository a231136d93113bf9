package host

import (
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/registry"
)

func TestHealthyDesktop(t *testing.T) {
	system, memory := desktop()
	machine, problems := reader(system, memory).Machine(t.Context(), false)
	for _, c := range []struct {
		fact      string
		got, want any
	}{
		{"source", machine.Source, contract.SourceWindows},
		{"name", show(machine.ComputerName), nil},
		{"system", show(machine.OS), "Windows 11 Pro"},
		{"build", show(machine.Build), "26100.1742"},
		{"edition", show(machine.Edition), "Professional"},
		{"architecture", show(machine.Architecture), "amd64"},
		{"program", show(machine.ProgramArchitecture), "amd64"},
		{"restart", show(machine.RebootPending), false},
		{"elevated", show(machine.Elevated), true},
		{"guest", show(machine.VirtualMachine.Detected), false},
		{"hypervisor", show(machine.VirtualMachine.Hypervisor), nil},
		{"power", show(machine.Power.Source), contract.PowerAC},
		{"portable", show(machine.Power.Portable), false},
		{"charge", show(machine.Power.BatteryPercent), nil},
		{"plan", show(machine.Power.Plan), "Balanced"},
		{"saver", show(machine.Power.Saver), false},
		{"processor", show(machine.CPU.Name), "Intel(R) Core(TM) i9-12900K"},
		{"cores", show(machine.CPU.Cores), uint64(2)},
		{"processors", show(machine.CPU.LogicalProcessors), uint64(4)},
		{"AES", show(machine.CPU.AES), true},
		{"TPM", show(machine.TPM.Present), true},
		{"TPM's version", show(machine.TPM.Version), "2.0"},
		{"TPM's readiness", show(machine.TPM.Ready), nil},
		{"Secure Boot", show(machine.SecureBoot), true},
		{"domain", show(machine.Join.Domain), false},
		{"Entra", show(machine.Join.Entra), false},
		{"MDM", show(machine.Join.MDM), false},
		{"MDM's name", show(machine.Join.MDMProvider), nil},
	} {
		if c.got != c.want {
			t.Errorf("%s is %v, not %v", c.fact, c.got, c.want)
		}
	}
	if codes(problems) != "host-facts-unknown/info" {
		t.Errorf("problems %s", codes(problems))
	}
	expectText(t, problems, "host-facts-unknown", "TPM is ready", "Win32_Tpm")
}

func TestNameOnlyWithIdentify(t *testing.T) {
	system, memory := desktop()
	if machine, _ := reader(system, memory).Machine(t.Context(), true); show(machine.ComputerName) != "WS-0117" {
		t.Errorf("the name is %v", show(machine.ComputerName))
	}
}

// The registry says "Windows 10" on Windows 11; servers and long-term editions it names rightly.
func TestProducts(t *testing.T) {
	for _, c := range []struct {
		stored, edition string
		build           uint32
		revision        int
		os, number      string
	}{
		{"Windows 10 Home", "Core", 26100, 2033, "Windows 11 Home", "26100.2033"},
		{"Windows 10 Pro", "Professional", 26200, 6584, "Windows 11 Pro", "26200.6584"},
		{"Windows 10 Enterprise", "Enterprise", 22000, 1, "Windows 11 Enterprise", "22000.1"},
		{"Windows 10 Enterprise LTSC 2024", "EnterpriseS", 26100, 1742, "Windows 11 Enterprise LTSC 2024", "26100.1742"},
		{"Windows 10 Enterprise for Virtual Desktops", "ServerRdsh", 22631, 4317, "Windows 11 Enterprise for Virtual Desktops", "22631.4317"},
		{"Windows 11 Pro", "Professional", 26100, 1, "Windows 11 Pro", "26100.1"},
		{"Windows 10", "Core", 22621, 5, "Windows 11", "22621.5"},
		{"Windows 10 Pro", "Professional", 19045, 4894, "Windows 10 Pro", "19045.4894"},
		{"Windows 10 Enterprise LTSC 2021", "EnterpriseS", 19044, 4894, "Windows 10 Enterprise LTSC 2021", "19044.4894"},
		{"Windows 10 Pro", "Professional", 21999, 1, "Windows 10 Pro", "21999.1"},
		{"Windows Server 2019 Standard", "ServerStandard", 17763, 6293, "Windows Server 2019 Standard", "17763.6293"},
		{"Windows Server 2022 Datacenter", "ServerDatacenter", 20348, 2700, "Windows Server 2022 Datacenter", "20348.2700"},
		{"Windows Server 2025 Standard", "ServerStandard", 26100, 1742, "Windows Server 2025 Standard", "26100.1742"},
	} {
		system, memory := desktop()
		system.version.Build = c.build
		memory[currentVersion] = map[string]any{"ProductName": c.stored, "EditionID": c.edition, "UBR": c.revision}
		machine, _ := reader(system, memory).Machine(t.Context(), false)
		if show(machine.OS) != c.os || show(machine.Build) != c.number || show(machine.Edition) != c.edition {
			t.Errorf("%s %d: %v, %v, %v", c.stored, c.build, show(machine.OS), show(machine.Build), show(machine.Edition))
		}
	}
}

// Without the build, "Windows 10" may be either; a server's name is certain.
func TestProductWithoutItsBuild(t *testing.T) {
	for stored, want := range map[string]any{"Windows 10 Pro": nil, "Windows Server 2022 Datacenter": "Windows Server 2022 Datacenter"} {
		system, memory := desktop()
		system.errors["Version"] = errBroken
		memory[currentVersion]["ProductName"] = stored
		machine, problems := reader(system, memory).Machine(t.Context(), false)
		if show(machine.OS) != want || machine.Build != nil || !strings.Contains(codes(problems), "host-fact-unreadable/warning/build") {
			t.Errorf("%s: %v, build %v, %s", stored, show(machine.OS), show(machine.Build), codes(problems))
		}
	}
}

func TestMissingRegistryValuesAreUnknown(t *testing.T) {
	system, memory := desktop()
	delete(memory, currentVersion)
	delete(memory, processorKey)
	machine, problems := reader(system, memory).Machine(t.Context(), false)
	if machine.OS != nil || machine.Edition != nil || machine.CPU.Name != nil || show(machine.Build) != "26100" {
		t.Errorf("%+v", machine)
	}
	expectText(t, problems, "host-facts-unknown", "revision of the build", "name of the system", "edition", "name of the processor")
}

func TestTextsOfTheRegistryAreTamed(t *testing.T) {
	system, memory := desktop()
	memory[currentVersion]["ProductName"] = "Windows 10\r\n\x1b[31m " + strings.Repeat("x", 1000)
	memory[currentVersion]["EditionID"] = " \t "
	machine, _ := reader(system, memory).Machine(t.Context(), false)
	if name := fmt.Sprint(show(machine.OS)); !strings.HasPrefix(name, "Windows 10 [31m xxx") && !strings.HasPrefix(name, "Windows 11") || len(name) > 300 || strings.ContainsAny(name, "\r\n\x1b") {
		t.Errorf("%q", name)
	}
	if machine.Edition != nil {
		t.Errorf("an empty text is an edition: %q", *machine.Edition)
	}
}

// Case B47: a program that was built for something else than the computer.
func TestEmulatedProgram(t *testing.T) {
	for _, c := range []struct {
		native       uint16
		program      string
		want         string
		code         string
		aes, virtual any
		says         string
	}{
		{0x8664, "amd64", "amd64", "", true, false, ""},
		{0xAA64, "arm64", "arm64", "", true, false, ""},
		{0xAA64, "amd64", "arm64", "program-emulated/warning", nil, false, "figures of a benchmark"},
		{0x8664, "386", "amd64", "program-emulated/warning", true, false, "32-bit program"},
		{0xAA64, "386", "arm64", "program-emulated/warning", nil, false, "emulated"},
	} {
		system, memory := desktop()
		system.machines.Native = c.native
		r := reader(system, memory)
		r.program = c.program
		machine, problems := r.Machine(t.Context(), false)
		if show(machine.Architecture) != c.want || show(machine.ProgramArchitecture) != c.program {
			t.Errorf("%s on %04X: %v", c.program, c.native, show(machine.Architecture))
		}
		if show(machine.CPU.AES) != c.aes || show(machine.VirtualMachine.Detected) != c.virtual {
			t.Errorf("%s on %04X: AES %v, guest %v", c.program, c.native, show(machine.CPU.AES), show(machine.VirtualMachine.Detected))
		}
		if !strings.Contains(codes(problems), c.code) || (c.code == "") == strings.Contains(codes(problems), "program-emulated") {
			t.Errorf("%s on %04X: %s", c.program, c.native, codes(problems))
		}
		if c.says != "" {
			expectText(t, problems, "program-emulated", c.says, "built for "+c.want)
		}
	}
}

func TestUnknownArchitecture(t *testing.T) {
	system, memory := desktop()
	system.machines.Native = 0x5064
	machine, problems := reader(system, memory).Machine(t.Context(), false)
	if machine.Architecture != nil || machine.CPU.AES != nil {
		t.Errorf("%v, AES %v", show(machine.Architecture), show(machine.CPU.AES))
	}
	expectText(t, problems, "host-facts-unknown", "0x5064")
}

// Each call that fails leaves its fact unknown, and says which; the others are told.
func TestFailingCalls(t *testing.T) {
	denied := fmt.Errorf("calling it: %w", syscall.Errno(5))
	for method, fact := range map[string]func(contract.Machine) any{
		"Elevated":     func(m contract.Machine) any { return show(m.Elevated) },
		"Machines":     func(m contract.Machine) any { return show(m.Architecture) },
		"Power":        func(m contract.Machine) any { return show(m.Power.Source) },
		"PowerPlan":    func(m contract.Machine) any { return show(m.Power.Saver) },
		"Cores":        func(m contract.Machine) any { return show(m.CPU.Cores) },
		"AES":          func(m contract.Machine) any { return show(m.CPU.AES) },
		"TPMVersion":   func(m contract.Machine) any { return show(m.TPM.Present) },
		"DomainStatus": func(m contract.Machine) any { return show(m.Join.Domain) },
		"EntraJoin":    func(m contract.Machine) any { return show(m.Join.Entra) },
		"Managed":      func(m contract.Machine) any { return show(m.Join.MDM) },
		"Hypervisor":   func(m contract.Machine) any { return show(m.VirtualMachine.Detected) },
	} {
		system, memory := desktop()
		system.errors[method] = denied
		machine, problems := reader(system, memory).Machine(t.Context(), false)
		if got := fact(machine); got != nil {
			t.Errorf("%s fails, and its fact is %v", method, got)
		}
		if !strings.Contains(codes(problems), "host-fact-unreadable/warning/") {
			t.Errorf("%s fails: %s", method, codes(problems))
		}
		if machine.SecureBoot == nil || machine.OS == nil {
			t.Errorf("%s fails, and others with it", method)
		}
	}
}

func TestErrorsKeepTheirCode(t *testing.T) {
	system, memory := desktop()
	system.errors["TPMVersion"] = &CallError{Call: "Tbsi_GetDeviceInfo", Code: 0x80284008}
	system.errors["DomainStatus"] = syscall.Errno(1702)
	_, problems := reader(system, memory).Machine(t.Context(), false)
	got := map[string]string{}
	for _, p := range problems {
		got[p.Target] = fmt.Sprint(show(p.HResult), " ", show(p.HResultName))
	}
	if got["TPM"] != "0x80284008 TBS_E_SERVICE_NOT_RUNNING" || !strings.HasPrefix(got["domain"], "0x800706A6 ") {
		t.Errorf("%v", got)
	}
}

// Cases C38, C43: a service of Windows that hangs costs one fact and a few seconds.
func TestHangingCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		system, memory := desktop()
		system.hang = make(chan struct{})
		machine, problems := reader(system, memory).Machine(t.Context(), false)
		if machine.Join.Domain != nil || show(machine.Join.Entra) != false || codes(problems) != "host-fact-unreadable/warning/domain host-facts-unknown/info" {
			t.Errorf("domain %v, Entra %v, %s", show(machine.Join.Domain), show(machine.Join.Entra), codes(problems))
		}
		close(system.hang)
	})
}

// Case C47: a fault in a call is a problem.
func TestPanickingCall(t *testing.T) {
	system, memory := desktop()
	system.panicsWith = "index out of range"
	machine, problems := reader(system, memory).Machine(t.Context(), false)
	if machine.TPM.Present != nil || machine.OS == nil {
		t.Errorf("%+v", machine)
	}
	expectText(t, problems, "host-fact-unreadable", "TPM", "index out of range")
}

// Case B11: a feature that was installed needs a restart before it is there.
func TestRebootPending(t *testing.T) {
	const (
		servicing = `HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing`
		update    = `HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\WindowsUpdate\Auto Update`
		sessions  = `HKLM\SYSTEM\CurrentControlSet\Control\Session Manager`
	)
	for name, c := range map[string]struct {
		memory registry.Memory
		want   any
	}{
		"nothing":             {registry.Memory{}, false},
		"a feature":           {registry.Memory{servicing + `\RebootPending`: {}}, true},
		"an update":           {registry.Memory{update + `\RebootRequired`: {"a0d1": 1}}, true},
		"other keys":          {registry.Memory{servicing + `\SessionsPending`: {}, update + `\Results`: {}}, false},
		"files to remove":     {registry.Memory{sessions: {"PendingFileRenameOperations": []string{`\??\C:\Windows\Temp\a.tmp`, ""}}}, false},
		"refused":             {registry.Memory{servicing: {"*": fs.ErrPermission}}, nil},
		"refused, and update": {registry.Memory{servicing: {"*": fs.ErrPermission}, update + `\RebootRequired`: {}}, true},
	} {
		system, _ := desktop()
		if got := reader(system, c.memory).RebootPending(); show(got) != c.want {
			t.Errorf("%s: %v, not %v", name, show(got), c.want)
		}
	}
}

func TestSecureBoot(t *testing.T) {
	for name, c := range map[string]struct {
		state    map[string]any
		firmware uint32
		err      error
		want     any
	}{
		"on":               {map[string]any{"UEFISecureBootEnabled": 1}, 2, nil, true},
		"off":              {map[string]any{"UEFISecureBootEnabled": 0}, 2, nil, false},
		"BIOS":             {nil, 1, nil, false},
		"UEFI without key": {nil, 2, nil, nil},
		"no firmware type": {nil, 0, ErrNotOffered, nil},
		"denied":           {map[string]any{"UEFISecureBootEnabled": fs.ErrPermission}, 1, nil, nil},
		"another number":   {map[string]any{"UEFISecureBootEnabled": 7}, 1, nil, nil},
		"a text":           {map[string]any{"UEFISecureBootEnabled": "1"}, 2, nil, nil},
	} {
		system, memory := desktop()
		system.firmware, system.errors["FirmwareType"] = c.firmware, c.err
		delete(memory, secureBootKey)
		if c.state != nil {
			memory[secureBootKey] = c.state
		}
		machine, problems := reader(system, memory).Machine(t.Context(), false)
		if show(machine.SecureBoot) != c.want {
			t.Errorf("%s: %v, not %v", name, show(machine.SecureBoot), c.want)
		}
		if c.want == nil && !strings.Contains(fmt.Sprint(problems), "Secure Boot") {
			t.Errorf("%s: unknown without a word", name)
		}
	}
}

func TestTPM(t *testing.T) {
	for name, c := range map[string]struct {
		version uint32
		err     error
		want    string
	}{
		"2.0":          {2, nil, "true 2.0 <nil>"},
		"1.2":          {1, nil, "true 1.2 <nil>"},
		"none":         {0, errNoTPM, "false <nil> false"},
		"undocumented": {9, nil, "true <nil> <nil>"},
		"not offered":  {0, ErrNotOffered, "<nil> <nil> <nil>"},
	} {
		system, memory := desktop()
		system.tpm, system.errors["TPMVersion"] = c.version, c.err
		machine, problems := reader(system, memory).Machine(t.Context(), false)
		if got := fmt.Sprint(show(machine.TPM.Present), " ", show(machine.TPM.Version), " ", show(machine.TPM.Ready)); got != c.want {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
		if strings.Contains(codes(problems), "error") {
			t.Errorf("%s: %s", name, codes(problems))
		}
	}
}
