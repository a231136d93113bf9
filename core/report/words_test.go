package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"diskaudit/core/contract"
)

func TestSize(t *testing.T) {
	for _, c := range []struct {
		bytes uint64
		want  string
	}{
		{0, "0 B"}, {1, "1 B"}, {1023, "1023 B"}, {1024, "1.0 KiB"}, {1536, "1.5 KiB"},
		// Never more than there is, and never "1024.0".
		{1<<20 - 1, "1023.9 KiB"}, {1 << 20, "1.0 MiB"}, {1<<40 - 1, "1023.9 GiB"}, {1 << 40, "1.0 TiB"},
		{512_110_190_592, "476.9 GiB"}, {2_000_398_934_016, "1.8 TiB"},
		{1 << 50, "1.0 PiB"}, {1 << 60, "1.0 EiB"}, {math.MaxUint64, "15.9 EiB"},
	} {
		if got := english.size(&c.bytes); got != c.want {
			t.Errorf("%d bytes are %q, want %q", c.bytes, got, c.want)
		}
	}
	if got := english.size(nil); got != "unknown" {
		t.Errorf("no size is %q, want unknown", got)
	}
}

func TestConversionWords(t *testing.T) {
	for _, c := range []struct {
		name string
		e    contract.Encryption
		want string
	}{
		{"unknown", contract.Encryption{}, "unknown"},
		{"encrypted", contract.Encryption{Conversion: p(contract.FullyEncrypted), Percent: p(100.0)}, "FullyEncrypted 100%"},
		{"without percentage", contract.Encryption{Conversion: p(contract.FullyEncrypted)}, "FullyEncrypted"},
		{"never rounded up", contract.Encryption{Conversion: p(contract.EncryptionInProgress), Percent: p(99.99)}, "EncryptionInProgress, 99.9% encrypted"},
		{"the part left to decrypt", contract.Encryption{Conversion: p(contract.DecryptionPaused), Percent: p(12.0)}, "DecryptionPaused, 12% encrypted"},
		{"B7 running, percentage unknown", contract.Encryption{Conversion: p(contract.EncryptionInProgress)}, "EncryptionInProgress, percentage unknown"},
		{"no number", contract.Encryption{Conversion: p(contract.DecryptionInProgress), Percent: p(math.NaN())}, "DecryptionInProgress, percentage unknown"},
		{"used space, wiping", contract.Encryption{Conversion: p(contract.FullyEncrypted), UsedSpaceOnly: p(true), Wiping: p(contract.WipeInProgress)}, "FullyEncrypted, used space only, wiping free space"},
		{"code without a name", contract.Encryption{Conversion: p(contract.Conversion(9))}, "Unrecognized (9), percentage unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := english.conversion(c.e).text; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestProtectionWords(t *testing.T) {
	suspend := func(kind *contract.VolumeType, left *uint64) contract.Volume {
		return contract.Volume{Type: kind, Encryption: contract.Encryption{Conversion: p(contract.FullyEncrypted),
			Protection: p(contract.ProtectionOff), ProtectionReason: p(contract.ReasonSuspended), SuspendCount: left}}
	}
	for _, c := range []struct {
		name   string
		volume contract.Volume
		want   string
	}{
		{"unknown", contract.Volume{}, "unknown"},
		{"Windows does not know", contract.Volume{Encryption: contract.Encryption{Protection: p(contract.ProtectionUnknown)}}, "unknown"},
		{"on", contract.Volume{Encryption: contract.Encryption{Protection: p(contract.ProtectionOn), ProtectionReason: p(contract.ReasonProtected)}}, "On"},
		{"on, reason unknown", contract.Volume{Encryption: contract.Encryption{Protection: p(contract.ProtectionOn)}}, "On"},
		{"off, reason unknown", contract.Volume{Encryption: contract.Encryption{Protection: p(contract.ProtectionOff)}}, "Off (reason unknown)"},
		{"B5 two restarts", suspend(p(contract.OperatingSystem), p[uint64](2)), "Off (suspended, 2 restarts left)"},
		{"B5 one restart", suspend(p(contract.OperatingSystem), p[uint64](1)), "Off (suspended, 1 restart left)"},
		{"until resumed", suspend(p(contract.OperatingSystem), p[uint64](0)), "Off (suspended until resumed)"},
		{"count unknown", suspend(p(contract.OperatingSystem), nil), "Off (suspended, restarts left unknown)"},
		{"a data volume has no count", suspend(p(contract.Data), nil), "Off (suspended)"},
		{"B32 waiting", contract.Volume{Encryption: contract.Encryption{Protection: p(contract.ProtectionOff), ProtectionReason: p(contract.ReasonWaitingForActivation)}}, "Off (waiting for activation: key in the clear)"},
		{"locked", contract.Volume{Encryption: contract.Encryption{Protection: p(contract.ProtectionUnknown), ProtectionReason: p(contract.ReasonLocked), Lock: p(contract.Locked)}}, "unknown (locked)"},
		{"lock known from elsewhere", contract.Volume{Encryption: contract.Encryption{Lock: p(contract.Locked)}}, "unknown, locked"},
		{"reason of a later version", contract.Volume{Encryption: contract.Encryption{Protection: p(contract.ProtectionOff), ProtectionReason: p(contract.ProtectionReason("new-reason"))}}, "Off (new-reason)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := english.protection(c.volume).text; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// An unprotected volume is never painted as a good one.
func TestProtectionStyles(t *testing.T) {
	off := contract.Volume{Encryption: contract.Encryption{Protection: p(contract.ProtectionOff)}}
	if got := english.protection(off).style; got != caution {
		t.Errorf("off is painted %q", got)
	}
	if got := english.protection(contract.Volume{}).style; got == good {
		t.Errorf("unknown is painted as good")
	}
}

func TestProtectorWords(t *testing.T) {
	for _, c := range []struct {
		list []contract.Protector
		want string
	}{
		{nil, "unknown"},
		{[]contract.Protector{}, "none"},
		{[]contract.Protector{{Type: contract.RecoveryPassword}, {Type: contract.Tpm}, {Type: contract.RecoveryPassword}}, "2 RecoveryPassword, Tpm"},
		{[]contract.Protector{{Type: contract.ProtectorUnknown}, {Type: contract.ProtectorType(77)}}, "unknown, Unrecognized (77)"},
	} {
		if got := english.protectors(c.list); got != c.want {
			t.Errorf("%v is %q, want %q", c.list, got, c.want)
		}
	}
}

func TestBus(t *testing.T) {
	for _, c := range []struct {
		disk contract.Disk
		want string
	}{
		{contract.Disk{}, "unknown"},
		{contract.Disk{Bus: p(contract.BusUnknown)}, "unknown"},
		{contract.Disk{Bus: p(contract.BusNVMe), NVMe: p(true)}, "NVMe"},
		// B64: behind RAID or VMD it is not known what the disk speaks.
		{contract.Disk{Bus: p(contract.BusRAID)}, "RAID (NVMe unknown)"},
		{contract.Disk{Bus: p(contract.BusRAID), NVMe: p(true)}, "RAID (NVMe)"},
		{contract.Disk{Bus: p(contract.BusRAID), NVMe: p(false)}, "RAID"},
		{contract.Disk{Bus: p(contract.BusUSB)}, "USB"},
		{contract.Disk{Bus: p(contract.Bus(42))}, "Unrecognized (42)"},
	} {
		if got := english.bus(c.disk); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestProviderWords(t *testing.T) {
	for _, c := range []struct {
		provider contract.Provider
		want     string
	}{
		{contract.Provider{}, "unknown whether its state can be read"},
		{contract.Provider{Reason: p("WMI did not answer")}, "unknown: WMI did not answer"},
		{contract.Provider{Available: p(true), Provider: p("wmi")}, "available (wmi)"},
		// B10: a missing provider is said with its reason, not shown as nothing encrypted.
		{contract.Provider{Available: p(false), Reason: p("the namespace is missing")}, "not available: the namespace is missing"},
		{contract.Provider{Available: p(false)}, "not available, reason unknown"},
	} {
		if got := english.provider(c.provider); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestSummary(t *testing.T) {
	encrypted := func(engine *contract.Engine, protection *contract.Protection) contract.Volume {
		return contract.Volume{Encryption: contract.Encryption{Conversion: p(contract.FullyEncrypted), Engine: engine, Protection: protection}}
	}
	none := contract.Volume{Encryption: contract.Encryption{Format: p("none")}}
	for _, c := range []struct {
		name   string
		status contract.Status
		want   string
	}{
		{"none", contract.Status{Header: contract.Header{Complete: true}}, "No volumes."},
		{"none read", contract.Status{}, "No volumes; some facts could not be read."},
		{"two", contract.Status{Header: contract.Header{Complete: true}, Volumes: contract.List[contract.Volume]{
			encrypted(p(contract.EngineSoftware), p(contract.ProtectionOn)), {}}}, "2 volumes: 1 software-encrypted and protected, 1 unknown."},
		{"counted in order", contract.Status{Header: contract.Header{Complete: true}, Volumes: contract.List[contract.Volume]{
			encrypted(p(contract.EngineDrive), p(contract.ProtectionOff)), encrypted(nil, nil), encrypted(p(contract.EngineDrive), p(contract.ProtectionOff))}},
			"3 volumes: 2 encrypted by the drive but not protected, 1 encrypted by an unknown engine with protection unknown."},
		// Only the volume's own metadata can say that there is no BitLocker; a question that failed cannot.
		{"B4 read on disk", contract.Status{Header: contract.Header{Complete: true}, BitLocker: contract.Provider{Provider: p("on-disk")},
			Volumes: contract.List[contract.Volume]{none}}, "1 volume: 1 without BitLocker."},
		{"B4 WMI failed", contract.Status{Header: contract.Header{Complete: true}, BitLocker: contract.Provider{Provider: p("wmi")},
			Volumes: contract.List[contract.Volume]{none}}, "1 volume: 1 unknown."},
		{"code without a name", contract.Status{Header: contract.Header{Complete: true}, Volumes: contract.List[contract.Volume]{
			{Encryption: contract.Encryption{Conversion: p(contract.Conversion(9))}}}}, "1 volume: 1 unknown."},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := english.summary(c.status); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestLegible(t *testing.T) {
	for _, c := range []struct{ text, want, ascii string }{
		{"plain text", "plain text", "plain text"},
		{"\x1b[31mred\x07", "?[31mred?", "?[31mred?"},
		{"a\nb\tc", "a?b?c", "a?b?c"},
		{"\u202Eevil\u2066", "?evil?", "?evil?"},
		{"\x80\xff", "??", "??"},
		{"\u00a0\u3000", "  ", "  "},
		{"\u0301x", "?x", "?x"},
		{"Größe", "Größe", `Gr\u00f6\u00dfe`},
		{"\U0001F44D\U0001F3FD", "\U0001F44D", `\U0001f44d`},
		{"a" + strings.Repeat("\u0300", 50), "a\u0300\u0300\u0300", `a\u0300\u0300\u0300`},
	} {
		if got := legible(c.text, false); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.text, got, c.want)
		}
		if got := legible(c.text, true); got != c.ascii {
			t.Errorf("%q becomes %q in ASCII, want %q", c.text, got, c.ascii)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    []string
	}{
		{"", 10, []string{""}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one https://example.org/a/long/path two", 10, []string{"one", "https://example.org/a/long/path", "two"}},
		{"生命保険", 4, []string{"生命", "保険"}},
		{"生命。保険", 4, []string{"生", "命。", "保険"}},
		{"ab生c", 3, []string{"ab", "生c"}},
		{"anything", 0, []string{"anything"}},
	} {
		if got := wrap(c.text, c.columns); !slices.Equal(got, c.want) {
			t.Errorf("%q at %d is %q, want %q", c.text, c.columns, got, c.want)
		}
	}
}
