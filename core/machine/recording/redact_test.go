package recording

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/contract"
)

func ptr[T any](v T) *T { return &v }

const (
	guidC    = "A1B2C3D4-1111-4aaa-8bbb-0123456789AB"
	guidE    = "deadbeef-2222-4aaa-8bbb-0123456789ab"
	guidTpm  = "cafe0001-3333-4aaa-8bbb-0123456789ab"
	pathC    = `\\?\Volume{` + guidC + `}\`
	pathE    = `\\?\Volume{` + guidE + `}\`
	imageOne = `C:\Users\Alice Liddell\Wonderland-Project.VHDX`
)

// private is a computer with every kind of text that identifies someone.
func private() contract.Status {
	problems := contract.List[contract.Problem]{
		{Code: "a", Level: contract.LevelWarning, Stage: "volumes", Target: pathE, Text: `The volume "Holiday Snaps" (E:) of ALICE-PC could not be read.`},
	}
	return contract.Status{
		Header: contract.Header{
			SchemaVersion: contract.SchemaVersion, Kind: contract.KindStatus, Tool: contract.Tool{Name: "diskaudit", Version: "1"}, CollectedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Complete: true,
			Problems: append(contract.List[contract.Problem]{
				{Code: "b", Level: contract.LevelInfo, Stage: "host", Text: `Opening "C:\\Users\\Alice Liddell\\Wonderland-Project.VHDX" as alice.liddell@wonderland.example failed; see \\queen\hearts\log.txt.`},
				{Code: "c", Level: contract.LevelInfo, Stage: "disks", Target: imageOne, Text: "Wonderland-Project.VHDX is sparse, says user S-1-5-21-11-22-33-1001."},
				{Code: "d", Level: contract.LevelInfo, Stage: "disks", Target: "PhysicalDrive0", Text: "PhysicalDrive0 with serial S5GXNF0R123456 is in order; /sys/block/nvme0n1/queue and C:\\Windows\\System32\\fvevol.sys were read."},
				{Code: "e", Level: contract.LevelInfo, Stage: "volumes", Text: "/dev/mapper/luks-cheshire lies above /dev/nvme0n1p3, mounted at /run/media/mhatter/TEA PARTY."},
				{Code: "f", Level: contract.LevelInfo, Stage: "policy", Text: "Enrollment {9F00AA11-4444-4aaa-8bbb-0123456789AB} was not read."},
			}, problems...),
		},
		Machine: contract.Machine{
			Source: contract.SourceWindows, ComputerName: ptr("ALICE-PC"), OS: ptr("Windows 11 Pro"), Build: ptr("26100.1"), Edition: ptr("Professional"),
			VirtualMachine: contract.VirtualMachine{Hypervisor: ptr("KVM")}, Power: contract.Power{Plan: ptr("Alice's quiet plan")}, CPU: contract.CPU{Name: ptr("CPU")},
		},
		BitLocker: contract.Provider{Available: ptr(true), Provider: ptr("wmi"), Reason: ptr("connected to alice-pc")},
		Policy:    contract.Policy{Origins: contract.List[string]{"Intune", `HKLM\SOFTWARE\Microsoft\Enrollments\9f00aa11-4444-4aaa-8bbb-0123456789ab`}},
		Disks: contract.List[contract.Disk]{
			{ID: "PhysicalDrive0", Model: ptr("Samsung SSD 990 PRO 2TB"), Serial: ptr("S5GXNF0R123456"), Firmware: ptr("4B2Q"), PartitionTable: ptr("gpt"), Driver: contract.Driver{Name: ptr("stornvme"), Version: ptr("10")}},
			{ID: imageOne, Container: ptr("vhdx"), SelfEncrypting: contract.SelfEncrypting{Standard: ptr("Opal 2")}},
			{ID: "nvme-Samsung_SSD_S5GXNF0R999999"},
		},
		Volumes: contract.List[contract.Volume]{
			{
				ID: pathC, MountPoints: contract.List[string]{`C:\`, `D:\Mounts\Tweedledee\`}, Label: ptr("Jabberwock"), FileSystem: ptr("NTFS"),
				Extents: contract.List[contract.Extent]{{DiskID: "PhysicalDrive0", OffsetBytes: 1, LengthBytes: 2}},
				Encryption: contract.Encryption{
					Format: ptr("bitlocker"), Engine: ptr(contract.EngineSoftware), Protectors: []contract.Protector{{ID: guidTpm, Type: contract.Tpm}},
					VolumeGUID: ptr(strings.ToLower(guidE)), Description: ptr("ALICE-PC Jabberwock 1/2/2024"), CreatedAt: ptr(time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC)),
				},
			},
			{ID: pathE, MountPoints: contract.List[string]{`E:\`}, Label: ptr("Holiday Snaps"), Problems: slices.Clone(problems)},
			{ID: imageOne + "#partition2", Extents: contract.List[contract.Extent]{{DiskID: imageOne}}, Label: ptr("Grüße 🚸")},
			{
				ID: "/dev/mapper/luks-cheshire", MountPoints: contract.List[string]{"/run/media/mhatter/TEA PARTY", "/home", "/"},
				Layers: contract.List[contract.Layer]{
					{Device: "/dev/mapper/luks-cheshire", Kind: "crypt", Below: ptr("/dev/loop0")},
					{Device: "/dev/loop0", Kind: "loop", Below: ptr("/home/mhatter/rabbit hole.img")},
				},
			},
		},
		Findings: contract.List[contract.Finding]{{ID: "x", Target: pathC, Evidence: "Jabberwock"}},
	}
}

// secrets are the parts of private that must not be found in a recording.
var secrets = []string{
	"alice", "liddell", "wonderland", "holiday", "snaps", "jabberwock", "queen", "hearts", "cheshire", "mhatter", "hatter", "tea party", "rabbit",
	"tweedledee", "mounts", "s5gxnf0r", "grüße", `gr\u00fc`, "🚸", "1001", "quiet", strings.ToLower(guidC), guidE, guidTpm, "9f00aa11", "1/2/2024",
}

func TestRedactLeavesNoSecret(t *testing.T) {
	data, err := json.Marshal(Redact(private()))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ToLower(string(data))
	before, err := json.Marshal(private())
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets {
		if secret != `gr\u00fc` && !strings.Contains(strings.ToLower(string(before)), secret) {
			t.Errorf("%q was never there, so its absence shows nothing", secret)
		}
		if at := strings.Index(text, secret); at >= 0 {
			t.Errorf("%q is still there: ...%s...", secret, text[max(0, at-80):min(len(text), at+80)])
		}
	}
}

func TestRedactKeepsWhatIsNeededToUnderstand(t *testing.T) {
	r := Redact(private())
	if got := r.Volumes[0].ID; got != `\\?\Volume{00000000-0000-4000-8000-000000000001}\` {
		t.Errorf("a GUID path keeps its shape, got %s", got)
	}
	for what, pair := range map[string][2]string{
		"disk":             {r.Disks[0].ID, "PhysicalDrive0"},
		"model":            {*r.Disks[0].Model, "Samsung SSD 990 PRO 2TB"},
		"serial":           {*r.Disks[0].Serial, "serial-1"},
		"image":            {r.Disks[1].ID, "image-1.vhdx"},
		"disk by serial":   {r.Disks[2].ID, "disk-1"},
		"image's volume":   {r.Volumes[2].ID, "image-1.vhdx#partition2"},
		"its disk":         {r.Volumes[2].Extents[0].DiskID, "image-1.vhdx"},
		"letter":           {r.Volumes[0].MountPoints[0], `C:\`},
		"folder":           {r.Volumes[0].MountPoints[1], `D:\folder-1\`},
		"label":            {*r.Volumes[0].Label, "label-1"},
		"another label":    {*r.Volumes[1].Label, "label-2"},
		"description":      {*r.Volumes[0].Encryption.Description, "description-1"},
		"mapped":           {r.Volumes[3].ID, "/dev/mapper/name-1"},
		"its layer":        {r.Volumes[3].Layers[0].Device, "/dev/mapper/name-1"},
		"loop":             {r.Volumes[3].Layers[1].Device, "/dev/loop0"},
		"loop's file":      {*r.Volumes[3].Layers[1].Below, "image-2.img"},
		"stick":            {r.Volumes[3].MountPoints[0], "/run/media/folder-2"},
		"system folder":    {r.Volumes[3].MountPoints[1], "/home"},
		"computer":         {*r.Machine.ComputerName, "computer-1"},
		"hypervisor":       {*r.Machine.VirtualMachine.Hypervisor, "KVM"},
		"policy's origin":  {r.Policy.Origins[0], "Intune"},
		"registry path":    {r.Policy.Origins[1], `HKLM\SOFTWARE\Microsoft\Enrollments\00000000-0000-4000-8000-000000000004`},
		"target":           {r.Problems[5].Target, r.Volumes[1].ID},
		"target file":      {r.Problems[1].Target, "image-1.vhdx"},
		"prose with names": {r.Problems[5].Text, `The volume "label-2" (E:) of computer-1 could not be read.`},
		"prose with paths": {r.Problems[0].Text, `Opening "image-1.vhdx" as user-1@example.invalid failed; see \\server\path-1.`},
		"prose with SID":   {r.Problems[1].Text, "image-1.vhdx is sparse, says user S-1-5-21-0-0-0-1."},
		"prose to keep":    {r.Problems[2].Text, `PhysicalDrive0 with serial serial-1 is in order; /sys/block/nvme0n1/queue and C:\Windows\System32\fvevol.sys were read.`},
		"prose on devices": {r.Problems[3].Text, "/dev/mapper/name-1 lies above /dev/nvme0n1p3, mounted at /run/media/folder-2."},
		"prose with GUID":  {r.Problems[4].Text, "Enrollment {00000000-0000-4000-8000-000000000004} was not read."},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: got %s, want %s", what, pair[0], pair[1])
		}
	}
	if r.Volumes[1].Problems[0] != r.Problems[5] {
		t.Error("a volume's problem and its copy in the document came out differently")
	}
	if *r.Volumes[0].Encryption.VolumeGUID != "00000000-0000-4000-8000-000000000002" || !strings.Contains(r.Volumes[1].ID, "000000000002") {
		t.Error("the same GUID got different stand-ins")
	}
	if len(r.Findings) != 0 {
		t.Error("findings are derived again on replay, and were kept")
	}
}

func TestRedactChangesACopy(t *testing.T) {
	status := private()
	Redact(status)
	if diff := cmp.Diff(private(), status); diff != "" {
		t.Errorf("redacting changed its input:\n%s", diff)
	}
}

func TestRedactTwiceIsRedactOnce(t *testing.T) {
	for name, status := range map[string]contract.Status{
		"private": private(), "empty": {}, "nasty": nasty("label-2", "label-1"), "swapped": nasty("label-2", "computer-1"),
		"images": {
			Disks:   contract.List[contract.Disk]{{ID: "backup", Container: ptr("raw")}, {ID: "vm.img", Container: ptr("raw")}},
			Volumes: contract.List[contract.Volume]{{ID: "backup#partition1"}, {ID: "vm.img#partition2"}, {ID: "/srv/other"}, {ID: "alone"}},
		},
	} {
		once := Redact(status)
		if diff := cmp.Diff(once, Redact(once)); diff != "" {
			t.Errorf("%s (-once +twice):\n%s", name, diff)
		}
	}
}

func TestRedactSameMachineSameStandIns(t *testing.T) {
	if diff := cmp.Diff(Redact(private()), Redact(private())); diff != "" {
		t.Error(diff)
	}
}

func TestRedactImageIDsStayConsistent(t *testing.T) {
	r := Redact(contract.Status{
		Disks:   contract.List[contract.Disk]{{ID: "backup", Container: ptr("raw")}},
		Volumes: contract.List[contract.Volume]{{ID: "backup#partition1", Extents: contract.List[contract.Extent]{{DiskID: "backup"}}}},
	})
	if r.Disks[0].ID != "image-1" || r.Volumes[0].ID != "image-1#partition1" || r.Volumes[0].Extents[0].DiskID != "image-1" {
		t.Errorf("disk %s, volume %s, extent %s", r.Disks[0].ID, r.Volumes[0].ID, r.Volumes[0].Extents[0].DiskID)
	}
}

// nasty has labels that look like something else.
func nasty(labels ...string) contract.Status {
	var status contract.Status
	for i, label := range labels {
		status.Volumes = append(status.Volumes, contract.Volume{ID: fmt.Sprintf("/dev/sda%d", i+1), Label: ptr(label)})
	}
	status.Problems = contract.List[contract.Problem]{{Target: "/dev/sda1", Text: prose}}
	return status
}

const prose = `Reading the NTFS volume /dev/sda1 failed: Windows reports a damaged file system on C: (0x80310000), 100 % of the Data was read.`

func TestNastyLabelsLeaveSentencesAlone(t *testing.T) {
	for _, label := range []string{"a", "C", "C:", "NTFS", "ntfs", "the", "The", "Windows", "Data", "of", "volume", "100", "System", "file system", "dev", "sda1", "sda", "0x8031", "Read", "on", "dev/", " "} {
		r := Redact(nasty(label))
		if r.Problems[0].Text != prose {
			t.Errorf("the label %q damaged the sentence: %s", label, r.Problems[0].Text)
		}
		if r.Problems[0].Target != "/dev/sda1" {
			t.Errorf("the label %q damaged the target: %s", label, r.Problems[0].Target)
		}
		if got := *r.Volumes[0].Label; got != "label-1" {
			t.Errorf("the label %q became %q", label, got)
		}
	}
}

func TestNastyLabels(t *testing.T) {
	for _, test := range []struct {
		labels     []string
		text, want string
	}{
		{[]string{""}, "nothing", "nothing"},
		{[]string{"Windows"}, `Windows calls it "Windows".`, `Windows calls it "label-1".`},
		{[]string{"label-2", "Foo"}, "label-2 and Foo", "label-1 and label-2"},
		{[]string{"Foo", "Foo Bar"}, "Foo Bar, Foo, Foobar, FooBar", "label-2, label-1, Foobar, FooBar"},
		{[]string{"Foo", "Foo"}, "Foo", "label-1"},
		{[]string{"Ünïcode"}, "Ünïcode. xÜnïcode", "label-1. xÜnïcode"},
		{[]string{"日本語"}, `"日本語"は`, `"label-1"は`},
		{[]string{"🚸"}, `volume "🚸"`, `volume "label-1"`},
		{[]string{`C:\Secret`}, `at "C:\\Secret"`, `at "C:\\path-1"`},
		{[]string{"$1", "(x|"}, "$1 (x|", "$1 label-2"},
		{[]string{"Foo"}, "/dev/Foo and https://example.org/Foo/x", "/dev/Foo and https://example.org/label-1/x"},
	} {
		status := nasty(test.labels...)
		status.Problems[0].Text = test.text
		r := Redact(status)
		if got := r.Problems[0].Text; got != test.want {
			t.Errorf("labels %q: %s, want %s", test.labels, got, test.want)
		}
	}
}

func TestComputerNameWithinAPath(t *testing.T) {
	status := contract.Status{Machine: contract.Machine{ComputerName: ptr("media")}, Volumes: contract.List[contract.Volume]{{ID: "/dev/sdb1", MountPoints: contract.List[string]{"/media/bob/media"}}}}
	status.Problems = contract.List[contract.Problem]{{Text: "/media/bob/media of media is full, /media/bob/media/x.img and /media are not"}}
	r := Redact(status)
	if got, want := r.Volumes[0].MountPoints[0], "/media/folder-1"; got != want {
		t.Errorf("mount point %s, want %s", got, want)
	}
	if got, want := r.Problems[0].Text, "/media/folder-1 of media is full, /media/path-1 and /media are not"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// C27: what has the form of a recovery password is never passed on.
func TestC27_NoRecoveryPassword(t *testing.T) {
	const password = "111111-222222-333333-444444-555555-666666-777777-888888"
	r := Redact(contract.Status{Header: contract.Header{Problems: contract.List[contract.Problem]{{Text: "it said " + password + "!"}}}})
	if strings.Contains(r.Problems[0].Text, "111111-222222") {
		t.Errorf("%s", r.Problems[0].Text)
	}
}

func TestFolders(t *testing.T) {
	for path, want := range map[string]string{
		`C:`: `C:`, `c:\`: `c:\`, "/": "/", "/boot/efi": "/boot/efi", "/home": "/home", "/var/log": "/var/log", "[SWAP]": "[SWAP]", "": "",
		"/home/alice": "/home/folder-1", "/media/alice/STICK": "/media/folder-1", "/data": "/folder-1",
		`C:\Users\alice\mnt`: `C:\folder-1`, `D:\Mounts\X\`: `D:\folder-1\`, `\\server\share`: "folder-1",
		pathC: `\\?\Volume{00000000-0000-4000-8000-000000000001}\`,
	} {
		if got := newStandIns().folder(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestDevices(t *testing.T) {
	for id, want := range map[string]string{
		"PhysicalDrive12": "PhysicalDrive12", `\\.\PhysicalDrive0`: `\\.\PhysicalDrive0`, "/dev/nvme0n1p3": "/dev/nvme0n1p3", "/dev/sda": "/dev/sda",
		"/dev/mmcblk0p1": "/dev/mmcblk0p1", "/dev/dm-3": "/dev/dm-3", "/dev/zram0": "/dev/zram0", "/dev/md127": "/dev/md127", "": "",
		"/dev/mapper/vg0-alice": "/dev/mapper/name-1", "/dev/vg0/alice": "/dev/name-1", "/dev/disk/by-id/ata-ST2000_Z1X2": "/dev/name-1",
		`\\?\scsi#disk&ven_nvme#5&1234&0&000000#{53f56307-b6bf-11d0-94f2-00a0c91efb8b}`: "thing-1",
		"Foo": "thing-1", "foo.img": "image-1.img", "/srv/foo.VHDX#partition12": "image-1.vhdx#partition12", "/srv/foo.alice": "image-1",
	} {
		if got := newStandIns().device(id, "thing"); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}

// Every text of the contract is decided about: a new field has to be, too.
func TestEveryTextIsClassified(t *testing.T) {
	kept := words(`
		.schemaVersion .kind .tool.name .tool.version .tool.commit
		.problems[].code .problems[].level .problems[].stage .problems[].hresult .problems[].hresultName
		.machine.source .machine.os .machine.build .machine.edition .machine.architecture .machine.programArchitecture .machine.join.mdmProvider .machine.virtualMachine.hypervisor
		.machine.power.source .machine.cpu.name .machine.tpm.version .bitLocker.provider
		.disks[].model .disks[].firmware .disks[].container .disks[].partitionTable .disks[].driver.name .disks[].driver.version .disks[].selfEncrypting.standard
		.volumes[].fileSystem .volumes[].layers[].kind .policy.settings[].name .policy.settings[].key .policy.settings[].meaning
		.volumes[].encryption.format .volumes[].encryption.driveMethod .volumes[].encryption.engine .volumes[].encryption.protectionReason
		.volumes[].problems[].code .volumes[].problems[].level .volumes[].problems[].stage .volumes[].problems[].hresult .volumes[].problems[].hresultName`)
	const secret = "Xyzzy Plugh"
	var status contract.Status
	fillTexts(reflect.ValueOf(&status).Elem(), secret)
	redacted := Redact(status)
	visitTexts(reflect.ValueOf(&redacted).Elem(), "", func(path, text string) {
		isKept := strings.Contains(text, "Xyzzy") || strings.Contains(text, "Plugh")
		switch {
		case isKept && !kept[path]:
			t.Errorf("%s is passed on as it is: redact it, or list it here as harmless", path)
		case !isKept && kept[path]:
			t.Errorf("%s is listed as kept, but is replaced by %q", path, text)
		}
		delete(kept, path)
	})
	for path := range kept {
		t.Errorf("%s is listed, but is no text of the contract", path)
	}
}

func fillTexts(value reflect.Value, text string) {
	switch value.Kind() {
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		fillTexts(value.Elem(), text)
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		fillTexts(value.Index(0), text)
	case reflect.Struct:
		for i := range value.NumField() {
			if value.Type().Field(i).IsExported() {
				fillTexts(value.Field(i), text)
			}
		}
	case reflect.String:
		value.SetString(text)
	}
}

func visitTexts(value reflect.Value, path string, visit func(path, text string)) {
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			visitTexts(value.Elem(), path, visit)
		}
	case reflect.Slice:
		for i := range value.Len() {
			visitTexts(value.Index(i), path+"[]", visit)
		}
	case reflect.Struct:
		for i := range value.NumField() {
			field := value.Type().Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			switch {
			case !field.IsExported():
			case field.Anonymous:
				visitTexts(value.Field(i), path, visit)
			default:
				visitTexts(value.Field(i), path+"."+name, visit)
			}
		}
	case reflect.String:
		visit(path, value.String())
	}
}
