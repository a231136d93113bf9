package audit

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

// What management tools act on: the state of the whole computer (cases B4, B71, C40).
func TestSummaryState(t *testing.T) {
	software := func(s *contract.Status) { encrypt(volC(s)) }
	conversion := func(state contract.Conversion) change {
		return func(s *contract.Status) { encC(s).Conversion = ptr(state) }
	}
	problem := func(code string, level contract.Level) change {
		return func(s *contract.Status) {
			volC(s).Problems = append(volC(s).Problems, contract.Problem{Code: code, Level: level, Stage: "volumes"})
		}
	}
	byDrive := func(s *contract.Status) {
		encC(s).Engine, encC(s).Method = ptr(contract.EngineDrive), ptr(contract.MethodHardware)
	}
	for name, row := range map[string]struct {
		changes []change
		want    contract.ComputerState
	}{
		"nothing encrypted":                    {nil, contract.ComputerNotEncrypted},
		"software":                             {[]change{software}, contract.ComputerSoftwareEncrypted},
		"software beside a plain one":          {[]change{func(s *contract.Status) { encrypt(volD(s)) }}, contract.ComputerSoftwareEncrypted},
		"the drive":                            {[]change{software, byDrive}, contract.ComputerHardwareEncrypted},
		"the drive, with a cipher of software": {[]change{software, byDrive, func(s *contract.Status) { encC(s).Method = ptr(contract.XtsAes128) }}, contract.ComputerUnknown},
		"the drive, which uses software":       {[]change{software, byDrive, func(s *contract.Status) { encC(s).HardwareEncryption = ptr(contract.HardwareUsesSoftware) }}, contract.ComputerUnknown},
		"a drive that never locks": {[]change{func(s *contract.Status) {
			encC(s).Engine, encC(s).Method = ptr(contract.EngineDrive), ptr(contract.MethodHardware)
		}}, contract.ComputerNotEncrypted},
		"decrypted by software":   {[]change{func(s *contract.Status) { encC(s).Engine = ptr(contract.EngineSoftware) }}, contract.ComputerUnknown},
		"decrypted with a cipher": {[]change{func(s *contract.Status) { encC(s).Method = ptr(contract.XtsAes128) }}, contract.ComputerUnknown},
		"a hardware test is pending": {[]change{func(s *contract.Status) {
			encC(s).Method, encC(s).HardwareTest = ptr(contract.XtsAes128), ptr(contract.HardwareTestPending)
		}}, contract.ComputerNotEncrypted},
		"decrypted, with a format of BitLocker": {[]change{func(s *contract.Status) { encC(s).Format = ptr("bitlocker") }}, contract.ComputerUnknown},
		"decrypted, protection not known":       {[]change{func(s *contract.Status) { encC(s).Protection = ptr(contract.ProtectionUnknown) }}, contract.ComputerUnknown},
		"decrypted, lock not known":             {[]change{func(s *contract.Status) { encC(s).Lock = nil }}, contract.ComputerUnknown},
		"a lock without a name":                 {[]change{software, func(s *contract.Status) { encC(s).Lock = ptr(contract.Lock(9)) }}, contract.ComputerUnknown},
		"decrypted, and the percentage is not":  {[]change{func(s *contract.Status) { encC(s).Percent = nil }, problem("percent-unknown", contract.LevelError)}, contract.ComputerUnknown},
		"decrypted, and reading it failed":      {[]change{problem("read-failed", contract.LevelError)}, contract.ComputerUnknown},
		"software, and reading it failed":       {[]change{software, problem("read-failed", contract.LevelError)}, contract.ComputerSoftwareEncrypted},
		"BitLocker could not be asked":          {[]change{func(s *contract.Status) { s.BitLocker.Available = ptr(false) }}, contract.ComputerUnknown},
		"the only volumes are sticks": {[]change{func(s *contract.Status) {
			volC(s).Type, volD(s).Type = ptr(contract.Removable), ptr(contract.Removable)
		}}, contract.ComputerUnknown},
		"no volume of the operating system": {[]change{func(s *contract.Status) { volC(s).Type = ptr(contract.Removable) }}, contract.ComputerUnknown},
		"no volume at all":                  {[]change{func(s *contract.Status) { s.Volumes = nil }}, contract.ComputerUnknown},
		"none for BitLocker, but protected": {[]change{func(s *contract.Status) {
			*volD(s) = unread(*volD(s))
			volD(s).Encryption.Protection = ptr(contract.ProtectionOn)
			volD(s).Problems = contract.List[contract.Problem]{{Code: "not-encryptable", Level: contract.LevelInfo, Stage: "volumes"}}
		}}, contract.ComputerUnknown},
		"the SoC":                               {[]change{software, func(s *contract.Status) { encC(s).Engine = ptr(contract.EngineSoC) }}, contract.ComputerHardwareEncrypted},
		"an engine that is not known":           {[]change{software, func(s *contract.Status) { encC(s).Engine = nil }}, contract.ComputerUnknown},
		"decrypting":                            {[]change{software, conversion(contract.DecryptionInProgress)}, contract.ComputerDecrypting},
		"decrypting beside software":            {[]change{software, conversion(contract.DecryptionInProgress), func(s *contract.Status) { encrypt(volD(s)) }}, contract.ComputerDecrypting},
		"encrypting":                            {[]change{software, conversion(contract.EncryptionInProgress)}, contract.ComputerEncrypting},
		"encryption paused":                     {[]change{software, conversion(contract.EncryptionPaused)}, contract.ComputerPaused},
		"decryption paused":                     {[]change{software, conversion(contract.DecryptionPaused)}, contract.ComputerPaused},
		"a code without a name":                 {[]change{conversion(contract.Conversion(17))}, contract.ComputerUnknown},
		"conversion not known":                  {[]change{func(s *contract.Status) { encC(s).Conversion = nil }}, contract.ComputerUnknown},
		"locked":                                {[]change{func(s *contract.Status) { lock(volD(s)) }}, contract.ComputerUnknown},
		"locked beside software":                {[]change{software, func(s *contract.Status) { lock(volD(s)) }}, contract.ComputerUnknown},
		"a locked stick":                        {[]change{software, func(s *contract.Status) { lock(volD(s)); volD(s).Type = ptr(contract.Removable) }}, contract.ComputerSoftwareEncrypted},
		"an encrypted stick":                    {[]change{func(s *contract.Status) { encrypt(volD(s)); volD(s).Type = ptr(contract.Removable) }}, contract.ComputerNotEncrypted},
		"a volume whose type is not known":      {[]change{func(s *contract.Status) { encrypt(volD(s)); volD(s).Type = nil }}, contract.ComputerSoftwareEncrypted},
		"decrypted and 40 % encrypted":          {[]change{func(s *contract.Status) { encC(s).Percent = ptr(40.0) }}, contract.ComputerUnknown},
		"decrypted and protected":               {[]change{func(s *contract.Status) { encC(s).Protection = ptr(contract.ProtectionOn) }}, contract.ComputerUnknown},
		"answers that contradict one another":   {[]change{problem("states-contradict", contract.LevelWarning)}, contract.ComputerUnknown},
		"damaged metadata":                      {[]change{software, problem("metadata-damaged", contract.LevelError)}, contract.ComputerUnknown},
		"the list lacks some":                   {[]change{func(s *contract.Status) { s.Problems = gap() }}, contract.ComputerUnknown},
		"no volume, and why is not known":       {[]change{func(s *contract.Status) { s.Volumes, s.Complete = nil, false }}, contract.ComputerUnknown},
		"not elevated: Explorer's word is none": {[]change{func(s *contract.Status) { *volC(s) = unread(*volC(s)); *volD(s) = unread(*volD(s)) }}, contract.ComputerUnknown},
		"a partition that is none for BitLocker": {[]change{software, func(s *contract.Status) {
			*volD(s) = unread(*volD(s))
			volD(s).Problems = contract.List[contract.Problem]{{Code: "not-encryptable", Level: contract.LevelInfo, Stage: "volumes"}}
		}}, contract.ComputerSoftwareEncrypted},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Summarize(with(row.changes...)); got.State != row.want {
				t.Errorf("the state is %s, want %s (%s)", got.State, row.want, got.Detail)
			}
		})
	}
}

func gap() contract.List[contract.Problem] {
	return contract.List[contract.Problem]{{Code: "enumeration-incomplete", Level: contract.LevelError, Stage: "volumes"}}
}

// unread takes away all that BitLocker says about a volume.
func unread(v contract.Volume) contract.Volume {
	v.Encryption = contract.Encryption{}
	return v
}

// No fact that is missing makes a computer look more settled than it is.
func TestSummaryOfUnknownFacts(t *testing.T) {
	status := with(func(s *contract.Status) { encrypt(volC(s)) })
	known := Summarize(status).State
	fields := reflect.TypeFor[contract.Encryption]()
	for i := range fields.NumField() {
		changed := with(func(s *contract.Status) { encrypt(volC(s)) })
		reflect.ValueOf(encC(&changed)).Elem().Field(i).SetZero()
		if got := Summarize(changed).State; got != known && got != contract.ComputerUnknown {
			t.Errorf("without %s the state is %s instead of %s or unknown", fields.Field(i).Name, got, known)
		}
	}
}

func TestSummaryCounts(t *testing.T) {
	status := with(func(s *contract.Status) {
		encrypt(volC(s))
		disarm(volC(s), ptr(contract.ReasonSuspended))
		for _, change := range []func(*contract.Volume){
			func(v *contract.Volume) {
				encrypt(v)
				v.Encryption.Engine, v.Encryption.Method = ptr(contract.EngineDrive), ptr(contract.MethodHardware)
			},
			func(v *contract.Volume) { encrypt(v); v.Encryption.Conversion = ptr(contract.DecryptionInProgress) },
			lock,
		} {
			volume := decrypted(fmt.Sprintf(`\\?\Volume{00000000-0000-4000-8000-%012d}\`, len(s.Volumes)), "", contract.Data, 1<<41)
			volume.MountPoints = contract.List[string]{`C:\secret folder`}
			change(&volume)
			s.Volumes = append(s.Volumes, volume)
		}
		stick := decrypted("stick", "S:", contract.Removable, 1<<42)
		s.Volumes = append(s.Volumes, stick)
		s.Findings = contract.List[contract.Finding]{
			{ID: "metadata-damaged", Severity: contract.SeverityCritical, Target: "stick"},
			{ID: "disk-health", Severity: contract.SeverityCritical}, {ID: "protection-suspended", Severity: contract.SeverityWarning},
			{ID: "volume-locked", Severity: contract.SeverityNotice},
		}
		s.Tool.Version = "1.2.3"
	})
	got := Summarize(status)
	for name, pair := range map[string]struct {
		got  *uint64
		want uint64
	}{
		"volumes": {got.Volumes, 5}, "software": {got.SoftwareEncrypted, 2}, "hardware": {got.HardwareEncrypted, 1}, "plain": {got.NotEncrypted, 1},
		"unprotected": {got.Unprotected, 1}, "unknown": {got.UnknownVolumes, 1}, "converting": {got.Converting, 1},
		"critical": {&got.Critical, 1}, "warnings": {&got.Warnings, 1},
	} {
		if pair.got == nil || *pair.got != pair.want {
			t.Errorf("%s: %v, want %d", name, pair.got, pair.want)
		}
	}
	if *got.WorstFinding != "disk-health" || *got.OSVolume != "C:" || *got.OSMethod != "XtsAes256" || *got.OSProtection != "Off" || *got.OSProtectionReason != "suspended" || got.ToolVersion != "1.2.3" {
		t.Errorf("the summary is %+v", got)
	}
	if strings.Contains(got.Detail, "secret") || !strings.HasPrefix(got.Detail, "C:=software/XtsAes256/FullyEncrypted/Off D:=none/None/FullyDecrypted/Off Volume{00000000-") {
		t.Errorf("the detail is %q", got.Detail)
	}

	status.Problems = gap()
	if got := Summarize(status); got.Volumes != nil || got.UnknownVolumes != nil || got.NotEncrypted != nil {
		t.Errorf("counts of a list that lacks some volumes: %+v", got)
	}
}

// A count of what is known would be taken for one of what there is.
func TestSummaryCountsNothingThatIsNotKnown(t *testing.T) {
	for name, test := range map[string]struct {
		change  func(e *contract.Encryption)
		unknown func(contract.Summary) []*uint64
	}{
		"protection": {
			func(e *contract.Encryption) { e.Protection, e.ProtectionReason, e.ClearKey = nil, nil, nil },
			func(s contract.Summary) []*uint64 { return []*uint64{s.Unprotected} },
		},
		"engine of a volume that is converted": {
			func(e *contract.Encryption) {
				e.Conversion, e.Engine, e.Method = ptr(contract.DecryptionInProgress), nil, nil
			},
			func(s contract.Summary) []*uint64 { return []*uint64{s.SoftwareEncrypted, s.HardwareEncrypted} },
		},
	} {
		known := with(func(s *contract.Status) { encrypt(volC(s)) })
		changed := with(func(s *contract.Status) { encrypt(volC(s)); test.change(encC(s)) })
		for i, count := range test.unknown(*Summarize(changed)) {
			if before := test.unknown(*Summarize(known))[i]; before == nil || count != nil {
				t.Errorf("%s: count %d is %v where it is known and %v where it is not", name, i, before, count)
			}
		}
	}
}

// C32: what a management tool cuts off at 4 KB is not reached, however many volumes there are and
// whatever they are called.
func TestSummaryDetailIsShort(t *testing.T) {
	status := with(func(s *contract.Status) {
		s.Volumes = nil
		for i := range 60 {
			volume := decrypted(fmt.Sprintf(`\\?\Volume{00000000-0000-4000-8000-%012d}\`, i), "", contract.Data, 1<<41)
			volume.MountPoints = nil
			s.Volumes = append(s.Volumes, volume)
		}
		s.Volumes[1].ID = "C:\\Users\\Ann\\image \u00e4.vhdx#partition1"
	})
	got := Summarize(status).Detail
	if len(got) > maxDetail {
		t.Errorf("%d characters", len(got))
	}
	tokens := strings.Split(got, " ")
	if tokens[1] != "volume2=none/None/FullyDecrypted/Off" {
		t.Errorf("a path is passed on: %s", tokens[1])
	}
	var left int
	if _, err := fmt.Sscanf(strings.Join(tokens[len(tokens)-2:], " "), "+%d more", &left); err != nil || left+len(tokens)-2 != 60 {
		t.Errorf("%d volumes are told and the end is %q", len(tokens)-2, tokens[len(tokens)-2:])
	}
}
