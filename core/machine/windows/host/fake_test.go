package host

import (
	"encoding/binary"
	"errors"
	"maps"
	"strings"
	"testing"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/registry"
)

// fakeSystem is a Windows whose answers a test gives.
type fakeSystem struct {
	version    Version
	machines   Machines
	elevated   bool
	name       string
	firmware   uint32
	smbios     []byte
	cpuid      CPUID
	power      PowerStatus
	plan       PowerPlan
	cores      Cores
	aes        bool
	tpm        uint32
	domain     uint32
	entra      *uint32
	managed    bool
	errors     map[string]error // by the method's name
	hang       chan struct{}    // what DomainStatus waits for
	panicsWith any              // what TPMVersion panics with
}

func (f fakeSystem) Version() (Version, error)     { return f.version, f.errors["Version"] }
func (f fakeSystem) Machines() (Machines, error)   { return f.machines, f.errors["Machines"] }
func (f fakeSystem) Elevated() (bool, error)       { return f.elevated, f.errors["Elevated"] }
func (f fakeSystem) ComputerName() (string, error) { return f.name, f.errors["ComputerName"] }
func (f fakeSystem) FirmwareType() (uint32, error) { return f.firmware, f.errors["FirmwareType"] }
func (f fakeSystem) SMBIOS() ([]byte, error)       { return f.smbios, f.errors["SMBIOS"] }
func (f fakeSystem) Hypervisor() (CPUID, error)    { return f.cpuid, f.errors["Hypervisor"] }
func (f fakeSystem) Power() (PowerStatus, error)   { return f.power, f.errors["Power"] }
func (f fakeSystem) PowerPlan() (PowerPlan, error) { return f.plan, f.errors["PowerPlan"] }
func (f fakeSystem) Cores() (Cores, error)         { return f.cores, f.errors["Cores"] }
func (f fakeSystem) AES() (bool, error)            { return f.aes, f.errors["AES"] }
func (f fakeSystem) EntraJoin() (*uint32, error)   { return f.entra, f.errors["EntraJoin"] }
func (f fakeSystem) Managed() (bool, error)        { return f.managed, f.errors["Managed"] }
func (f fakeSystem) DomainStatus() (uint32, error) {
	if f.hang != nil {
		<-f.hang
	}
	return f.domain, f.errors["DomainStatus"]
}

func (f fakeSystem) TPMVersion() (uint32, error) {
	if f.panicsWith != nil {
		panic(f.panicsWith)
	}
	return f.tpm, f.errors["TPMVersion"]
}

var errNoTPM = &CallError{Call: "Tbsi_GetDeviceInfo", Code: bitlocker.TBS_E_TPM_NOT_FOUND}

// desktop is a healthy computer that nobody manages: Windows 11 Pro 24H2, a tower with a TPM.
func desktop() (fakeSystem, registry.Memory) {
	system := fakeSystem{
		version:  Version{Major: 10, Build: 26100, ProductType: 1},
		machines: Machines{Native: 0x8664},
		elevated: true, name: "WS-0117",
		firmware: 2,
		smbios:   smbiosTable(3),
		power:    PowerStatus{ACLine: acOnline, BatteryFlag: batteryNone, BatteryPercent: 255},
		plan:     PowerPlan{GUID: "381b4222-f694-41f0-9685-ff5bb260df2e", Name: "Balanced"},
		cores:    Cores{Data: coreList(8, 0b11, 0b1100), PointerBytes: 8},
		aes:      true, tpm: 2,
		domain: joinWorkgroup,
		errors: map[string]error{},
	}
	memory := registry.Memory{
		currentVersion: {"ProductName": "Windows 10 Pro", "EditionID": "Professional", "UBR": 1742},
		biosKey:        {"SystemManufacturer": "Dell Inc.", "SystemProductName": "Precision 3660"},
		processorKey:   {"ProcessorNameString": "Intel(R)  Core(TM) i9-12900K   "},
		secureBootKey:  {"UEFISecureBootEnabled": 1},
		schemesKey:     {"ActiveOverlayAcPowerScheme": "00000000-0000-0000-0000-000000000000"},
		`HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing\Packages`: {},
		enrolmentsKey + `\0C9C6A5D-0000-4000-8000-000000000001`:                             {"ProviderID": "Local Authority", "EnrollmentState": 1},
		enrolmentsKey + `\0C9C6A5D-0000-4000-8000-000000000002`:                             {"EnrollmentType": 12},
	}
	return system, memory
}

// with returns the registry with the values of others on top.
func with(base registry.Memory, others registry.Memory) registry.Memory {
	all := registry.Memory{}
	for _, memory := range []registry.Memory{base, others} {
		for key, values := range memory {
			if all[key] == nil {
				all[key] = map[string]any{}
			}
			maps.Copy(all[key], values)
		}
	}
	return all
}

// reader is a Reader of a program for amd64, on whatever the test runs.
func reader(system System, memory registry.Reader) *Reader {
	r := New(system, memory)
	r.program = "amd64"
	return r
}

// smbiosTable is a RawSMBIOSData of version 3.2 with a BIOS, the enclosures, and an end.
func smbiosTable(chassis ...byte) []byte {
	table := append([]byte{0, 24, 0, 0}, make([]byte, 20)...)
	table = append(table, "Maker\x00Version\x00\x00"...)
	for i, kind := range chassis {
		table = append(table, 3, 9, byte(i+1), 0, 1, kind, 0, 0, 0)
		table = append(table, "Maker\x00\x00"...)
	}
	table = append(table, 127, 4, 9, 0, 0, 0)
	return append(binary.LittleEndian.AppendUint32([]byte{0, 3, 2, 0}, uint32(len(table))), table...)
}

// coreList is a list of cores with one group's mask each, laid out as winnt.h does for pointers of
// this many bytes.
func coreList(pointerBytes int, masks ...uint64) []byte {
	var list []byte
	for _, mask := range masks {
		list = append(list, coreEntry(pointerBytes, mask)...)
	}
	return list
}

func coreEntry(pointerBytes int, masks ...uint64) []byte {
	entry := make([]byte, 32)
	binary.LittleEndian.PutUint16(entry[30:], uint16(len(masks)))
	for group, mask := range masks {
		if pointerBytes == 8 {
			entry = binary.LittleEndian.AppendUint64(entry, mask)
		} else {
			entry = binary.LittleEndian.AppendUint32(entry, uint32(mask))
		}
		entry = append(entry, byte(group), 0, 0, 0, 0, 0, 0, 0)
	}
	binary.LittleEndian.PutUint32(entry[4:], uint32(len(entry)))
	return entry
}

// codes are code, level and target of each problem.
func codes(problems []contract.Problem) string {
	var all []string
	for _, p := range problems {
		all = append(all, strings.TrimRight(p.Code+"/"+string(p.Level)+"/"+p.Target, "/"))
	}
	return strings.Join(all, " ")
}

// expectText tests that a problem of the code has each of the texts.
func expectText(t *testing.T, problems []contract.Problem, code string, texts ...string) {
	t.Helper()
	for _, p := range problems {
		if p.Code != code {
			continue
		}
		missing := false
		for _, text := range texts {
			missing = missing || !strings.Contains(p.Text, text)
		}
		if !missing {
			return
		}
	}
	t.Errorf("no problem %s with the texts %q in %+v", code, texts, problems)
}

func show[T any](value *T) any {
	if value == nil {
		return nil
	}
	return *value
}

var errBroken = errors.New("broken")
