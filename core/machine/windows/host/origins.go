package host

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/machine/windows/registry"
)

const (
	controlKey    = `HKLM\SYSTEM\CurrentControlSet\Control\BitLocker`
	managerKey    = `HKLM\SOFTWARE\Microsoft\PolicyManager\current\device\BitLocker`
	policyKey     = `HKLM\SOFTWARE\Policies\Microsoft\FVE`
	denyKey       = `HKLM\SYSTEM\CurrentControlSet\Policies\Microsoft\FVE`
	managementKey = policyKey + `\MDOPBitLockerManagement`
	fipsKey       = `HKLM\SYSTEM\CurrentControlSet\Control\Lsa\FipsAlgorithmPolicy`
	// agentKey is the service that carries out what managementKey says
	// (learn.microsoft.com/microsoft-desktop-optimization-pack/mbam-v25).
	agentKey = `HKLM\SYSTEM\CurrentControlSet\Services\MBAMAgent`
)

// origins names where the settings come from. Both a group policy and a device management write
// below Policies, so a path there names no more than the path; PolicyManager tells who won.
func (p *policyReading) origins() {
	for _, s := range p.set {
		origin := ""
		switch s.key {
		case policyKey, denyKey:
			origin = s.key
		case managementKey:
			origin = "MBAM or Configuration Manager (" + s.key + ")"
		case managerKey:
			origin = p.provider(s)
		}
		if origin != "" && !slices.Contains(p.policy.Origins, origin) {
			p.policy.Origins = append(p.policy.Origins, origin)
		}
	}
}

// provider names the device management that set a setting of PolicyManager.
func (p *policyReading) provider(s setting) string {
	const unnamed = "device management (" + managerKey + ")"
	winner, err := registry.Text(p.reader.registry, s.key, s.name+"_WinningProvider")
	if err != nil || winner == nil || !isGUID(*winner) {
		return unnamed
	}
	name, err := registry.Text(p.reader.registry, enrolmentsKey+`\`+strings.Trim(*winner, "{}"), "ProviderID")
	switch {
	case err != nil:
		return unnamed
	case name == nil || *name == "":
		// Case C39: what another management left behind goes on being in force.
		p.problem(contract.LevelWarning, "policy-origin-unknown", s.key+`\`+s.name,
			`%s\%s was set by a provider that is not enrolled on this computer, as %s_WinningProvider names it. That can be a provisioning package, or a leftover of an earlier device management, which stays in force.`, s.key, s.name, s.name)
		return unnamed
	case *name == intune:
		return "Intune"
	case *name == bridgeProvider:
		return "Configuration Manager or a script, through the MDM bridge"
	}
	return printable(*name, nameLimit)
}

// isGUID tells whether a text is a GUID, with braces or without: it becomes a part of a key's path.
func isGUID(text string) bool {
	text = strings.Trim(text, "{}")
	if len(text) != 36 {
		return false
	}
	for i, c := range []byte(text) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		hex := c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
		if dash != (c == '-') || !dash && !hex {
			return false
		}
	}
	return true
}

// leftBehind warns of a demand that nothing carries out: case C39.
func (p *policyReading) leftBehind() {
	if p.policy.ManagementEnforces == nil || !*p.policy.ManagementEnforces {
		return
	}
	if _, err := p.reader.registry.Names(agentKey); errors.Is(err, fs.ErrNotExist) {
		p.warn("management-agent-missing", managementKey,
			"%s demands that the operating system volume is encrypted, but the service that would do it, BitLocker Management Client (MBAMAgent), is not installed. The setting may be a leftover; it counts all the same, because the service can come back.", managementKey)
	}
}
