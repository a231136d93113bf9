package scripts_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"diskaudit/core/contract"
)

// answer is what a script has to say on a computer, and the exit code; without a line it has to say
// nothing. A line that ends in an ellipsis goes on with what depends on more than the computer's state.
type answer struct {
	code int
	line string
}

// goesOn ends a line of which only the beginning is certain.
const goesOn = "..."

// differs says how a run differs from the answer; empty when it does not.
func (a answer) differs(d done) string {
	switch {
	case d.Exit == nil:
		return "it ended without an exit code"
	case *d.Exit != a.code:
		return fmt.Sprintf("exit code %d, want %d", *d.Exit, a.code)
	case a.line == "" && len(d.Output) == 0:
		return ""
	case len(d.Output) != 1:
		return fmt.Sprintf("%d objects on stdout, want one line", len(d.Output))
	}
	if begin, open := strings.CutSuffix(a.line, goesOn); open && strings.HasPrefix(d.last(), begin) || d.last() == a.line {
		return ""
	}
	return "another line than\n" + a.line
}

// hostedScript is a script of module/scripts that is asked for a computer's state.
type hostedScript struct {
	// name is its path below module/scripts.
	name string
	// changes says that it is a remediation.
	changes bool
	// asJSON says that its host converts what it returns; arguments are what the host passes.
	asJSON    bool
	arguments map[string]any
	// answer is what it says; check looks at a line that is JSON instead.
	answer func(computer) answer
	check  func(computer, done) string
}

// hostedScripts are those that run on every computer.
var hostedScripts = []hostedScript{
	{name: "intune/Detect-SoftwareBitLocker.ps1", answer: intuneDetection},
	{name: "intune/Remediate-SoftwareBitLocker.ps1", changes: true, answer: intuneRemediation},
	{name: "intune/Discover-BitLockerCompliance.ps1", check: compliance},
	{name: "configmgr/Discover-SoftwareBitLocker.ps1", answer: configmgrDiscovery},
	{name: "configmgr/Remediate-SoftwareBitLocker.ps1", changes: true, answer: configmgrRemediation},
	{name: "configmgr/Invoke-BitLockerDiskAudit.ps1", asJSON: true, check: runScript, arguments: map[string]any{"Action": "summary"}},
}

// unread says that the executable gave no document.
func (c computer) unread() bool { return c.module != "" && c.module != sound }

// resumable says that a decryption is paused, and nothing else is.
func (c computer) resumable() bool { return strings.Contains(c.detail, "/DecryptionPaused/") }

// decryptable says that there is something to decrypt.
func (c computer) decryptable() bool {
	return c.state == contract.ComputerSoftwareEncrypted || c.resumable()
}

func joined(list []string, separator string) string {
	return strings.Join(slices.Sorted(slices.Values(list)), separator)
}

// factLine is the line of the detection: its word, the facts, what it means and the volumes.
func (c computer) factLine(word, more, meaning string) string {
	line := fmt.Sprintf("%s: state=%s %s tool=%s%s | %s | %s", word, c.state, c.facts, toolVersion, more, meaning, c.detail)
	if c.name == "26 volumes" {
		line += goesOn
	}
	return line
}

func intuneDetection(c computer) answer {
	guards := " guards=" + joined(c.guards, ",")
	switch {
	case c.module == missing:
		return answer{0, "UNKNOWN: module not installed | Deploy the app BitLockerDiskAudit to this computer first. Nothing was changed."}
	case c.unread():
		text := "BitLocker's state could not be found out."
		if c.module == quarantined {
			text = "The executable diskaudit.exe is not in the module: antivirus software may have put it into quarantine. Install the app again."
		}
		return answer{0, "UNKNOWN: error=" + joined(c.reasons, ",") + " | " + text + " Nothing was changed."}
	case c.resumable():
		return answer{1, c.factLine("FOUND", guards, "A decryption is paused. The remediation resumes it unless a guard stands against that.")}
	}
	switch c.state {
	case contract.ComputerSoftwareEncrypted:
		return answer{1, c.factLine("FOUND", guards, "Software encrypts a volume. The remediation decrypts it unless a guard stands against that.")}
	case contract.ComputerDecrypting:
		return answer{0, c.factLine("IN PROGRESS", "", "Windows decrypts a volume. Do not reinstall, reset or repartition until it has ended.")}
	case contract.ComputerEncrypting:
		return answer{0, c.factLine("IN PROGRESS", "", "Windows encrypts a volume. Nothing is done meanwhile.")}
	case contract.ComputerPaused:
		return answer{0, c.factLine("PAUSED", "", "An encryption is paused. Nothing is done: it has to be resumed or decrypted by hand.")}
	case contract.ComputerHardwareEncrypted:
		return answer{0, c.factLine("OK", "", "The drive or the processor's engine encrypts, and not software. Nothing is to be done.")}
	case contract.ComputerNotEncrypted:
		return answer{0, c.factLine("OK", "", "Nothing is encrypted by BitLocker. Nothing is to be done.")}
	}
	return answer{0, c.factLine("UNKNOWN", " reasons="+joined(c.reasons, ","), "Not everything is known of the fixed volumes, so nothing is done. A locked volume is not known.")}
}

// block is what is to be put into the configuration of Intune's remediation.
func (c computer) block() string {
	overrides := slices.DeleteFunc(slices.Sorted(slices.Values(c.guards)), func(guard string) bool { return guard == autoUnlockKeys })
	text := "$Override = @('" + strings.Join(overrides, "', '") + "')"
	if slices.Contains(c.guards, autoUnlockKeys) {
		text += "; $ClearAutoUnlock = $true"
	}
	return text
}

func intuneRemediation(c computer) answer {
	switch {
	case c.module == missing:
		return answer{1, "UNKNOWN: module not installed | Deploy the app BitLockerDiskAudit to this computer first. Nothing was changed."}
	case c.unread():
		return answer{1, "FAILED: errors=" + joined(c.reasons, ",") + " | Nothing was changed. Disable-SoftwareBitLocker -WhatIf on the computer shows the whole text."}
	case c.decryptable():
		return answer{1, "REFUSED: guards=" + joined(c.guards, ",") + " | Nothing was changed. To go on all the same, weigh what each guard warns of and put into the configuration block: " + c.block() + "."}
	}
	switch c.state {
	case contract.ComputerDecrypting:
		return answer{0, "IN PROGRESS: state=decrypting | A decryption is at work already. Nothing was changed."}
	case contract.ComputerEncrypting:
		return answer{0, "IN PROGRESS: state=encrypting | Windows encrypts a volume. Nothing was changed."}
	case contract.ComputerPaused:
		return answer{1, "REFUSED: state=paused | An encryption is paused: it has to be resumed or decrypted by hand. Nothing was changed."}
	case contract.ComputerHardwareEncrypted:
		return answer{0, "OK: state=hardware-encrypted | The drive or the processor's engine encrypts, and not software. Nothing was changed."}
	case contract.ComputerNotEncrypted:
		return answer{0, "OK: state=not-encrypted | Nothing is encrypted by BitLocker. Nothing was changed."}
	}
	return answer{1, "UNKNOWN: state=unknown reasons=" + joined(c.reasons, ",") + " | Not everything is known of the fixed volumes. Nothing was changed."}
}

func configmgrDiscovery(c computer) answer {
	words := map[contract.ComputerState]string{
		contract.ComputerNotEncrypted: "Compliant", contract.ComputerHardwareEncrypted: "Compliant",
		contract.ComputerSoftwareEncrypted: "SoftwareEncrypted", contract.ComputerDecrypting: "DecryptionInProgress",
		contract.ComputerEncrypting: "EncryptionInProgress", contract.ComputerPaused: "Paused",
		contract.ComputerUnknown: "Unknown: " + strings.Join(c.reasons, " "),
	}
	switch {
	case c.module == missing:
		return answer{0, "ModuleNotInstalled"}
	case c.resumable():
		return answer{0, "DecryptionPaused"}
	}
	return answer{0, words[c.state]}
}

func configmgrRemediation(c computer) answer {
	const unknown = ". The state of this computer is not known; Get-BitLockerDiskAudit on it tells why."
	switch {
	case c.module == missing:
		return answer{1, "NotChanged: ModuleNotInstalled. Deploy the module BitLockerDiskAudit to this computer first."}
	case c.state == contract.ComputerUnknown:
		return answer{1, "NotChanged: " + strings.Join(c.reasons, " ") + unknown}
	case c.decryptable():
		// In the order of the guards, not of the alphabet.
		guards := "managed disk-health file-system"
		if slices.Contains(c.guards, autoUnlockKeys) {
			guards += " " + autoUnlockKeys
		}
		return answer{1, "Refused: " + guards + ". Nothing was changed. Weigh what each guard says (Disable-SoftwareBitLocker -WhatIf on the computer), then name it in $Override of this script (auto-unlock-keys: $ClearAutoUnlock)."}
	}
	switch c.state {
	case contract.ComputerDecrypting:
		return answer{0, "Decrypting: Windows decrypts in the background. Do not reinstall, reset or repartition until Get-BitLockerDiskAudit says FullyDecrypted."}
	case contract.ComputerEncrypting:
		return answer{0, "Encrypting: something else has begun to encrypt a volume. Nothing was changed."}
	case contract.ComputerPaused:
		return answer{1, "NotChanged: paused. Something else has begun to convert a volume and paused that; have it resumed or undone by hand."}
	}
	return answer{0, fmt.Sprintf("NothingToDo: %s", c.state)}
}

// fact is the value of a name in the facts; empty when it is not there.
func (c computer) fact(name string) string {
	for _, fact := range strings.Fields(c.facts) {
		if key, value, _ := strings.Cut(fact, "="); key == name {
			return value
		}
	}
	return ""
}

// summaryNames are the properties of a summary by their names in the facts of a line.
var summaryNames = map[string]string{
	"os": "OsVolume", "conversion": "OsConversion", "method": "OsMethod", "engine": "OsEngine", "protection": "OsProtection",
	"reason": "OsProtectionReason", "volumes": "Volumes", "software": "SoftwareEncrypted", "hardware": "HardwareEncrypted",
	"plain": "NotEncrypted", "unprotected": "Unprotected", "unknown": "UnknownVolumes", "converting": "Converting",
	"critical": "Critical", "warnings": "Warnings",
}

// flat decodes a line that is one JSON object of texts, whole numbers and booleans.
func flat(d done, code int) (map[string]any, string) {
	if wrong := (answer{code, goesOn}).differs(d); wrong != "" {
		return nil, wrong
	}
	var values map[string]any
	decoder := json.NewDecoder(bytes.NewReader([]byte(d.last())))
	decoder.UseNumber()
	if err := decoder.Decode(&values); err != nil || decoder.More() {
		return nil, fmt.Sprintf("this is not one JSON object: %v", err)
	}
	for name, value := range values {
		switch value := value.(type) {
		case string, bool:
		case json.Number:
			if _, err := value.Int64(); err != nil {
				return nil, fmt.Sprintf("%s is %s, which is no whole number", name, value)
			}
		default:
			return nil, fmt.Sprintf("%s is %v: neither text, number nor boolean", name, value)
		}
	}
	return values, ""
}

// compareSummary compares the properties of a summary with the facts.
func (c computer) compareSummary(values map[string]any) string {
	if got := fmt.Sprint(values["State"]); got != string(c.state) {
		return fmt.Sprintf("State is %s, want %s", got, c.state)
	}
	for fact, name := range maps.All(summaryNames) {
		want := c.fact(fact)
		if got := fmt.Sprint(values[name]); c.facts != "" && got != want {
			return fmt.Sprintf("%s is %s, want %s", name, got, want)
		}
	}
	return ""
}

// compliance looks at the line of the discovery script of Intune's custom compliance (cases C28, C29, B70).
func compliance(c computer, d done) string {
	values, wrong := flat(d, 0)
	if wrong != "" {
		return wrong
	}
	if c.unread() {
		c.facts = unknownC + "volumes=-1 software=-1 hardware=-1 plain=-1 unprotected=-1 unknown=-1 converting=-1 critical=-1 warnings=-1"
	}
	complete := len(c.reasons) == 0 && c.module != missing
	for name, want := range map[string]any{"ModuleInstalled": c.module != missing, "Complete": complete} {
		if values[name] != want {
			return fmt.Sprintf("%s is %v, want the boolean %v", name, values[name], want)
		}
	}
	for _, name := range []string{"Volumes", "Critical", "Warnings", "UnknownVolumes"} {
		if _, isNumber := values[name].(json.Number); !isNumber {
			return fmt.Sprintf("%s is %v, which is no number", name, values[name])
		}
	}
	return c.compareSummary(values)
}

// runScript looks at what Run Scripts shows (case C32): the size that Configuration Manager keeps is 4 KB
// (learn.microsoft.com/intune/configmgr/apps/deploy-use/create-deploy-scripts).
func runScript(c computer, d done) string {
	code, result := 0, "done"
	switch {
	case c.module == missing:
		code, result = 1, "module-not-installed"
	case c.unread():
		code, result = 1, "failed"
	}
	values, wrong := flat(d, code)
	if wrong != "" {
		return wrong
	}
	if len(d.last()) >= 4000 {
		return fmt.Sprintf("%d bytes", len(d.last()))
	}
	if values["Result"] != result || values["Action"] != "summary" {
		return fmt.Sprintf("Result is %v, want %s; Action is %v", values["Result"], result, values["Action"])
	}
	if reasons := strings.Join(c.reasons, " "); c.module != missing && values["Problems"] != reasons {
		return fmt.Sprintf("Problems are %q, want %q", values["Problems"], reasons)
	}
	for name, value := range values {
		if _, isBoolean := value.(bool); isBoolean {
			return name + " is a boolean, which Configuration Manager does not show as text"
		}
	}
	if result != "done" {
		return ""
	}
	return c.compareSummary(values)
}
