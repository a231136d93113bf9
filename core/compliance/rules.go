package compliance

import (
	"bytes"
	"encoding/json"
	"fmt"

	"diskaudit/core/contract"
)

// Path is where the rules are committed, below the repository's root.
const Path = "module/scripts/intune/BitLockerCompliance.rules.json"

// What Intune takes at most: learn.microsoft.com/intune/device-security/compliance/create-custom-json.
const (
	maxRules = 100
	maxBytes = 100_000
)

// Operator compares a setting with a rule's operand; the names are Intune's.
type Operator string

// The operators that the rules use.
const (
	IsEquals      Operator = "IsEquals"
	NotEquals     Operator = "NotEquals"
	GreaterEquals Operator = "GreaterEquals"
)

// rule is what a computer has to fulfil, in the form of Intune's file.
type rule struct {
	SettingName        string
	Operator           Operator
	DataType           DataType
	Operand            any
	MoreInfoURL        string `json:"MoreInfoUrl"`
	RemediationStrings []remediationString
}

// remediationString is what the Company Portal shows to the person at the computer; {ActualValue} stands
// for the value that was reported.
type remediationString struct {
	Language    string
	Title       string
	Description string
}

// oldest is the first version whose program has a summary.
const oldest = "0.1.0"

// Pages for the person at the computer.
const (
	pageSync      = "https://learn.microsoft.com/intune/user-help/device-actions/sync-device-windows"
	pageBitLocker = "https://learn.microsoft.com/windows/security/operating-system-security/data-protection/bitlocker/"
	pageBackup    = "https://support.microsoft.com/windows/back-up-your-windows-pc-87a81f8a-78fa-456e-b521-ac0560e32338"
)

// policy is the default: disks are known, what is encrypted is protected, and nothing is about to be lost.
// It demands neither encryption nor decryption. It does not demand that Complete is true: a locked drive
// on USB, or one that does not answer, makes it false, and says nothing about the computer.
var policy = []struct {
	setting  string
	operator Operator
	operand  any
	page     string
}{
	{ModuleInstalled, IsEquals, true, pageSync},
	{"ToolVersion", GreaterEquals, oldest, pageSync},
	{"State", NotEquals, string(contract.ComputerUnknown), pageBitLocker},
	{"UnknownVolumes", IsEquals, int64(0), pageBitLocker},
	// Unprotected counts what is known not to be protected, so that what is not known passes it.
	{"Unprotected", IsEquals, int64(0), pageBitLocker},
	{"OsProtection", NotEquals, unknowns[String], pageBitLocker},
	{"Critical", IsEquals, int64(0), pageBackup},
}

// File returns the rules as Intune takes them: JSON in ASCII, so that no editor damages the texts. The
// error tells which rule does not fit the settings.
func File() ([]byte, error) {
	settings, err := Settings()
	if err != nil {
		return nil, err
	}
	types := map[string]DataType{}
	for _, setting := range settings {
		types[setting.Name] = setting.Type
	}
	var rules []rule
	for _, each := range policy {
		dataType, found := types[each.setting]
		if !found {
			return nil, fmt.Errorf("making the rule for %s: the discovery script reports no such setting", each.setting)
		}
		if !fits(each.operand, dataType) {
			return nil, fmt.Errorf("making the rule for %s: %v is no %s", each.setting, each.operand, dataType)
		}
		said, err := stringsOf(each.setting)
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule{each.setting, each.operator, dataType, each.operand, each.page, said})
	}
	return encode(rules)
}

// fits tells whether an operand is of a type, as Intune's own examples write them.
func fits(operand any, dataType DataType) bool {
	switch operand.(type) {
	case bool:
		return dataType == Boolean
	case int64:
		return dataType == Int64
	case string:
		return dataType == String || dataType == Version
	}
	return false
}

func encode(rules []rule) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(struct{ Rules []rule }{rules}); err != nil {
		return nil, fmt.Errorf("encoding the rules: %w", err)
	}
	file := contract.ASCII(buffer.Bytes())
	if len(rules) > maxRules || len(file) > maxBytes {
		return nil, fmt.Errorf("encoding the rules: %d rules in %d bytes, and Intune takes %d in %d", len(rules), len(file), maxRules, maxBytes)
	}
	return file, nil
}
