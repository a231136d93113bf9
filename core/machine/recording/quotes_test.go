package recording

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diskaudit/core/contract"
)

// What policies, providers and drives say can be anything; no form gives it away.
func TestForeignTextsAreNotTold(t *testing.T) {
	const policy = `HKLM\SOFTWARE\Policies\Microsoft\FVE\EncryptionMethodWithXtsOs`
	for _, secret := range []string{"Contoso says 1", `Contoso "quotes" \ and`, "Contoso) (drive letter", "a1b2c3d4Contoso00004aaa8bbb0123456789ab", "yes Contoso", "Contoso\nGmbH", "Größe Contoso"} {
		volume := contract.Volume{ID: pathC, Encryption: contract.Encryption{DriveMethod: ptr("ü" + secret)}}
		for _, problem := range []contract.Problem{
			{Code: "policy-value-unusable", Stage: "policy", Target: policy, Text: fmt.Sprintf(`%s is %q: this is not what Windows documents for it.`, policy, secret)},
			{Code: "volume-guid-malformed", Stage: "volumes", Target: pathC, Text: fmt.Sprintf("BitLocker's WMI provider gives %q as the GUID of %s, which is none; volumeGuid is null.", secret, pathC)},
			{Code: "volume-name-malformed", Stage: "volumes", Target: secret, Text: fmt.Sprintf("BitLocker's WMI provider lists a volume with the path %q, which is not that of a volume: its state is unknown.", secret)},
			{Code: "volume-unnamed", Stage: "volumes", Target: namespace, Text: "BitLocker's WMI provider lists a volume without its path (drive letter " + secret + "): the state of that volume is unknown."},
		} {
			status := contract.Status{Volumes: contract.List[contract.Volume]{volume}}
			status.Volumes[0].Problems = contract.List[contract.Problem]{problem}
			status.Problems = contract.List[contract.Problem]{problem}
			status.Policy.Settings = contract.List[contract.PolicySetting]{{Name: "x", Data: secret}}
			redacted := Redact(status)
			if text := mustEncode(t, redacted); strings.Contains(text, "Contoso") {
				t.Errorf("%s, %q: %s", problem.Code, secret, redacted.Problems[0].Text)
			}
			if diff := cmp.Diff(redacted, Redact(redacted)); diff != "" {
				t.Errorf("%s (-once +twice):\n%s", problem.Code, diff)
			}
			if text := redacted.Problems[0].Text; !strings.Contains(text, "text") || !strings.Contains(text, problem.Text[len(problem.Text)-10:]) {
				t.Errorf("%s lost more than its quotation: %s", problem.Code, text)
			}
		}
	}
}

const namespace = `root\CIMV2\Security\MicrosoftVolumeEncryption`

// What tells nothing of a person stays, or the recording is of no use.
func TestForeignNumbersStay(t *testing.T) {
	for _, problem := range []contract.Problem{
		{Code: "policy-value-unusable", Stage: "policy", Target: "p", Text: `HKLM\SYSTEM\x is "7": its numbers are 0, 1.`},
		{Code: "volume-unnamed", Stage: "volumes", Target: namespace, Text: "A volume without its path (drive letter E:): it is unknown."},
		{Code: "no-volumes", Stage: "volumes", Target: namespace, Text: namespace + " lists no volume at all."},
		{Code: "another", Stage: "host", Text: `The policy "Configure use of hardware-based encryption" is not set.`},
	} {
		redacted := Redact(contract.Status{Header: contract.Header{Problems: contract.List[contract.Problem]{problem}}}).Problems[0]
		if redacted.Text != problem.Text || redacted.Target != problem.Target {
			t.Errorf("%s: %q about %q", problem.Code, redacted.Text, redacted.Target)
		}
	}
	for method, want := range map[string]string{
		"2.16.840.1.101.3.4.1.42": "2.16.840.1.101.3.4.1.42", "AES 256": "AES 256", "": "",
		strings.Repeat("A", 100): strings.Repeat("A", 100), strings.Repeat("A", 101): "text", strings.Repeat("1.2", 100): "text", "Grüße": "text", "a\x00b": "text",
	} {
		status := contract.Status{Volumes: contract.List[contract.Volume]{{ID: pathC, Encryption: contract.Encryption{DriveMethod: &method}}}}
		if got := *Redact(status).Volumes[0].Encryption.DriveMethod; got != want {
			t.Errorf("%q: %q, not %q", method, got, want)
		}
	}
}
