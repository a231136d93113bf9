package linux

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

func TestHost(t *testing.T) {
	p := contract.Ptr[string]
	yes, no := contract.Ptr(true), contract.Ptr(false)
	n := contract.Ptr[uint64]
	tests := []struct {
		tree   string
		kernel *fakeKernel
		want   contract.Machine
		// unknown are the facts that the document must explain, and no others.
		unknown []string
	}{
		{
			tree: "laptop", kernel: &fakeKernel{arch: "x86_64"},
			want: contract.Machine{
				Source: contract.SourceLinux, OS: p(`Fedora Linux 41 (Workstation "Edition")`), Build: p("6.11.4-301.fc41.x86_64"),
				Architecture: p("amd64"), Elevated: yes, VirtualMachine: contract.VirtualMachine{Detected: no},
				Power: contract.Power{Source: contract.Ptr(contract.PowerBattery), Portable: yes, BatteryPercent: contract.Ptr(57.0), Plan: p("powersave"), Saver: no},
				CPU:   contract.CPU{Name: p("13th Gen Intel(R) Core(TM) i7-1365U"), Cores: n(2), LogicalProcessors: n(3), AES: yes},
				TPM:   contract.TPM{Present: yes, Version: p("2.0")}, SecureBoot: yes,
			},
		},
		{
			tree: "desktop", kernel: &fakeKernel{arch: "x86_64", user: 1000},
			want: contract.Machine{
				Source: contract.SourceLinux, OS: p("Debian GNU/Linux"), Build: p("6.1.0-26-amd64"),
				Architecture: p("amd64"), Elevated: no, VirtualMachine: contract.VirtualMachine{Detected: no},
				Power: contract.Power{Source: contract.Ptr(contract.PowerAC), Portable: no, Plan: p("powersave"), Saver: yes},
				CPU:   contract.CPU{Name: p("Intel(R) Core(TM)2 Duo CPU     E8400  @ 3.00GHz"), Cores: n(1), LogicalProcessors: n(1), AES: no},
				TPM:   contract.TPM{Present: no}, SecureBoot: no,
			},
		},
		{
			tree: "guest", kernel: &fakeKernel{arch: "x86_64"},
			want: contract.Machine{
				Source: contract.SourceLinux, OS: p("Alpine"), Build: p("6.6.58-0-virt"),
				Architecture: p("amd64"), Elevated: yes, VirtualMachine: contract.VirtualMachine{Detected: yes, Hypervisor: p("KVM")},
				CPU: contract.CPU{Name: p("AMD EPYC"), Cores: n(1), LogicalProcessors: n(1), AES: yes},
			},
			unknown: []string{"whether it is portable", "power source", "power plan", "TPM", "Secure Boot"},
		},
		{
			tree: "server", kernel: &fakeKernel{arch: "aarch64"},
			want: contract.Machine{
				Source: contract.SourceLinux, Build: p("5.14.0-503.el9.aarch64"),
				Architecture: p("arm64"), Elevated: yes,
				Power: contract.Power{Source: contract.Ptr(contract.PowerAC), Portable: no},
				CPU:   contract.CPU{LogicalProcessors: n(1), AES: yes},
			},
			unknown: []string{"virtual machine", "name of the system", "power plan", "name of the processor", "cores", "TPM", "Secure Boot"},
		},
	}
	for _, test := range tests {
		t.Run(test.tree, func(t *testing.T) {
			status := collect(t, recorded(t, test.tree), test.kernel, Options{})
			if diff := cmp.Diff(test.want, status.Machine); diff != "" {
				t.Errorf("unexpected host (-want +got):\n%s", diff)
			}
			for _, stage := range []string{machine.StageHost, machine.StageDisks, machine.StageVolumes} {
				problem(t, ofStage(status.Problems, stage), "not-known-on-linux", "")
			}
			text := ""
			if len(test.unknown) > 0 {
				text = problem(t, status.Problems, "host-facts-unknown", "").Text
			}
			facts := strings.Split(strings.TrimPrefix(text, "Not known of this computer: "), "; ")
			for i, fact := range test.unknown {
				if i >= len(facts) || !strings.HasPrefix(facts[i], fact+" (") {
					t.Errorf("the problem does not explain %q: %s", fact, text)
				}
			}
			if len(test.unknown) != 0 && len(facts) != len(test.unknown) {
				t.Errorf("%d facts explained instead of %d: %s", len(facts), len(test.unknown), text)
			}
		})
	}
}

func TestComputerNameOnlyWithIdentify(t *testing.T) {
	for _, identify := range []bool{false, true} {
		status := collect(t, recorded(t, "laptop"), &fakeKernel{}, Options{Identify: identify})
		want := map[bool]string{false: "null", true: "lena-laptop"}[identify]
		if got := show(status.Machine.ComputerName); got != want {
			t.Errorf("identify %t: computer name %s, want %s", identify, got, want)
		}
	}
}

func TestUnknownArchitectureIsExplained(t *testing.T) {
	status := collect(t, recorded(t, "laptop"), &fakeKernel{arch: "vax"}, Options{})
	if status.Machine.Architecture != nil {
		t.Errorf("architecture %s, want null", *status.Machine.Architecture)
	}
	if text := problem(t, status.Problems, "host-facts-unknown", "").Text; !strings.Contains(text, "vax") {
		t.Errorf("the problem does not name what uname says: %s", text)
	}
}

func files(pairs ...string) tree {
	out := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return tree{out}
}

func TestVirtualMachine(t *testing.T) {
	yes, no := contract.Ptr(true), contract.Ptr(false)
	const vendor, product = "sys/class/dmi/id/sys_vendor", "sys/class/dmi/id/product_name"
	const clocks = "sys/devices/system/clocksource/clocksource0/available_clocksource"
	const dsdt = "sys/firmware/acpi/tables/DSDT"
	tests := []struct {
		name string
		tree tree
		flag *bool // of the processor
		want string
	}{
		{"real x86 computer", files(vendor, "Dell Inc."), no, "false null"},
		{"Surface is no guest of its maker", files(vendor, "Microsoft Corporation", product, "Surface Pro 9"), no, "false null"},
		{"Hyper-V", files(vendor, "Microsoft Corporation", product, "Virtual Machine"), yes, "true Hyper-V"},
		{"VMware with the flag hidden", files(vendor, "VMware, Inc.", product, "VMware20,1"), no, "true VMware"},
		{"VirtualBox", files(vendor, "innotek GmbH", product, "VirtualBox"), yes, "true VirtualBox"},
		{"QEMU without KVM", files(vendor, "QEMU"), yes, "true QEMU"},
		{"QEMU with KVM", files(vendor, "QEMU", clocks, "kvm-clock tsc"), yes, "true KVM"},
		{"Firecracker", files(dsdt, "DSDT\x53\x0f\x00\x00\x02\x77FIRECKFCVMDSDT", clocks, "kvm-clock"), yes, "true Firecracker"},
		{"EC2 guest on ARM", files(vendor, "Amazon EC2", product, "m7g.large"), nil, "true KVM"},
		{"EC2 real computer on ARM", files(vendor, "Amazon EC2", product, "m7g.metal"), nil, "null null"},
		{"EC2 real computer on x86", files(vendor, "Amazon EC2", product, "m7i.metal-24xl"), no, "false null"},
		{"rented real computer", files(vendor, "Google", product, "Google Compute Engine"), no, "false null"},
		{"Xen guest", files("sys/hypervisor/type", "xen"), yes, "true Xen"},
		{"Xen's privileged domain", files("sys/hypervisor/type", "xen", "proc/xen/capabilities", "control_d"), yes, "false Xen"},
		{"ARM guest by device tree", files("proc/device-tree/hypervisor/compatible", "linux,kvm\x00"), nil, "true null"},
		{"ARM board", files(), nil, "null null"},
		{"guest without a name", files(), yes, "true null"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			found := findVirtualMachine(test.tree, cpuInfo{hypervisor: test.flag})
			if got := show(found.Detected) + " " + show(found.Hypervisor); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if missing := strings.HasPrefix(test.want, "null") || test.want == "true null"; missing != (found.unknown != "") {
				t.Errorf("explanation %q for %s", found.unknown, test.want)
			}
		})
	}
}

func TestPower(t *testing.T) {
	const supplies = "sys/class/power_supply/"
	const cpufreq = "sys/devices/system/cpu/cpufreq/policy0/"
	const chassis = "sys/class/dmi/id/chassis_type"
	tests := []struct {
		name  string
		tree  tree
		guest bool
		want  string // source portable percent plan saver
	}{
		{"laptop on the mains", files(supplies+"AC/type", "Mains", supplies+"AC/online", "1", supplies+"BAT0/type", "Battery", supplies+"BAT0/status", "Not charging", supplies+"BAT0/capacity", "80"), false, "ac true 80 null null"},
		{"laptop on USB-C", files(supplies+"ucsi/type", "USB", supplies+"ucsi/online", "1", supplies+"AC/type", "Mains", supplies+"AC/online", "0", supplies+"BAT0/type", "Battery", supplies+"BAT0/status", "Charging"), false, "ac true null null null"},
		{"battery full, mains unplugged", files(supplies+"AC/type", "Mains", supplies+"AC/online", "0", supplies+"BAT0/type", "Battery", supplies+"BAT0/status", "Full", supplies+"BAT0/capacity", "100"), false, "battery true 100 null null"},
		{"two batteries", files(supplies+"BAT0/type", "Battery", supplies+"BAT0/status", "Discharging", supplies+"BAT0/capacity", "10", supplies+"BAT1/type", "Battery", supplies+"BAT1/capacity", "50"), false, "battery true 30 null null"},
		{"battery that tells nothing", files(supplies+"BAT0/type", "Battery", supplies+"BAT0/status", "Unknown"), false, "null true null null null"},
		{"empty battery bay", files(supplies+"BAT0/type", "Battery", supplies+"BAT0/present", "0", chassis, "10"), false, "null true null null null"},
		{"only a mouse", files(supplies+"m/type", "Battery", supplies+"m/scope", "Device", supplies+"m/status", "Discharging", chassis, "3"), false, "ac false null null null"},
		{"guest that claims to be a desktop", files(chassis, "3"), true, "null null null null null"},
		{"energy preference", files(cpufreq+"scaling_governor", "powersave", cpufreq+"scaling_driver", "amd-pstate-epp", cpufreq+"energy_performance_preference", "power"), false, "null null null powersave true"},
		{"amd-pstate active", files(cpufreq+"scaling_governor", "powersave", cpufreq+"scaling_driver", "amd-pstate-epp", cpufreq+"energy_performance_preference", "balance_performance"), false, "null null null powersave false"},
		{"intel_pstate passive", files(cpufreq+"scaling_governor", "powersave", cpufreq+"scaling_driver", "intel_cpufreq"), false, "null null null powersave true"},
		{"schedutil", files(cpufreq+"scaling_governor", "schedutil", cpufreq+"scaling_driver", "acpi-cpufreq"), false, "null null null schedutil false"},
		{"firmware's low power profile", files(cpufreq+"scaling_governor", "performance", "sys/firmware/acpi/platform_profile", "low-power"), false, "null null null performance true"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var unknown reasons
			power := findPower(test.tree, &test.guest, &unknown)
			got := fmt.Sprintf("%s %s %s %s %s", show(power.Source), show(power.Portable), show(power.BatteryPercent), show(power.Plan), show(power.Saver))
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// deniedFS refuses one file.
type deniedFS struct {
	fs.FS
	name string
}

func (d deniedFS) Open(name string) (fs.File, error) {
	if name == d.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return d.FS.Open(name)
}

func TestFirmware(t *testing.T) {
	with := func(content string) tree { return files(secureBootVariable, content) }
	tests := []struct {
		name           string
		tree           tree
		secure, reason string
	}{
		{"on", with("\x06\x00\x00\x00\x01"), "true", ""},
		{"off", with("\x06\x00\x00\x00\x00"), "false", ""},
		{"cut short", with("\x06\x00\x00\x00"), "null", "unexpected content"},
		{"odd value", with("\x06\x00\x00\x00\x02"), "null", "unexpected content"},
		{"BIOS", files("sys/firmware/memmap/0/start", "0"), "false", ""},
		{"UEFI without the variable", files(efiFolder+"/efivars/BootOrder-8be4df61", "x"), "false", ""},
		{"efivarfs not mounted", files(efiFolder+"/fw_platform_size", "64"), "null", "not mounted"},
		{"hidden by a container", files("sys/kernel/x", "1"), "null", "shows nothing"},
		{"refused", tree{deniedFS{with("\x06\x00\x00\x00\x01").fsys, secureBootVariable}}, "null", "permission denied"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var unknown reasons
			if got := show(findSecureBoot(test.tree, &unknown)); got != test.secure {
				t.Errorf("Secure Boot %s, want %s", got, test.secure)
			}
			if text := unknown.String(); !strings.Contains(text, test.reason) || (test.reason == "") != (text == "") {
				t.Errorf("reason %q, want %q", text, test.reason)
			}
		})
	}
	tpms := []struct {
		name, want string
		tree       tree
	}{
		{"1.2", "true 1.2", files(tpmClass+"/tpm0/tpm_version_major", "1")},
		{"driven, version not told", "true null", files(tpmClass+"/tpm0/dev", "10:224")},
		{"announced, not driven", "true 2.0", files(acpiTables+"/TPM2", "", acpiTables+"/DSDT", "")},
		{"none", "false null", files(acpiTables+"/DSDT", "")},
		{"tables hidden", "null null", files()},
	}
	for _, test := range tpms {
		t.Run("TPM "+test.name, func(t *testing.T) {
			var unknown reasons
			tpm := findTPM(test.tree, &unknown)
			if got := show(tpm.Present) + " " + show(tpm.Version); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestPolicyIsExplained(t *testing.T) {
	status := collect(t, recorded(t, "laptop"), &fakeKernel{}, Options{})
	if diff := cmp.Diff(contract.Policy{}, status.Policy); diff != "" {
		t.Errorf("a policy is not null:\n%s", diff)
	}
	text := problem(t, status.Problems, "policy-not-on-this-system", "").Text
	if !strings.Contains(text, "list of their origins is empty") {
		t.Errorf("the problem does not explain the empty list: %s", text)
	}
}
