package audit

import (
	"slices"
	"strings"

	"diskaudit/core/contract"
)

// powerSaver finds a plan that slows processor and disk down, which looks like a slow disk.
func powerSaver(f facts) *conclusion {
	power := f.status.Machine.Power
	if !yes(power.Saver) {
		return nil
	}
	change := say("%s shows the plans, %s chooses the balanced one; on recent Windows also turn energy saver off.", "powercfg /list", "powercfg /setactive SCHEME_BALANCED")
	reference := ""
	if f.linux() {
		change = say("%s shows the governors that there are, %s chooses one of them.", "cpupower frequency-info", "cpupower frequency-set -g")
		reference = pageCPUFreq
	}
	return &conclusion{
		title:     say("The power plan trades speed for power"),
		evidence:  evidence(fact("saver", power.Saver), fact("plan", power.Plan), fact("power source", power.Source)),
		advice:    sentences(say("A slower clock and sleeping links make the disk look slower, and encryption in software dearer, than they are. Do not judge the cost of encryption in this state."), change, say("The price is battery time and heat.")),
		reference: reference,
	}
}

// providerUnavailable keeps "could not be asked" from looking like "nothing is encrypted".
func providerUnavailable(f facts) *conclusion {
	provider := f.status.BitLocker
	if !no(provider.Available) {
		return nil
	}
	c := &conclusion{
		title: say("BitLocker could not be asked: whether volumes are encrypted is unknown"),
		evidence: evidence(fact("available", provider.Available), fact("provider", provider.Provider), fact("reason", provider.Reason),
			fact("edition", f.status.Machine.Edition), fact("elevated", f.status.Machine.Elevated)),
	}
	var elevate phrase
	if no(f.status.Machine.Elevated) {
		elevate = say("The program ran without administrator rights, which can be the reason: run it again from an elevated console.")
	}
	switch {
	case f.server():
		c.reference = pageInstallServer
		c.advice = sentences(elevate,
			say("On Windows Server BitLocker is a feature that is not installed by default: if %s says so, nothing on this server is encrypted by this server.", "Get-WindowsFeature BitLocker"),
			say("Disks that came from elsewhere can be encrypted all the same. To ask for their state, install it with %s and restart; until the restart it cannot be asked.",
				"Install-WindowsFeature BitLocker -IncludeAllSubFeature -IncludeManagementTools"))
	case f.windows():
		c.advice = sentences(elevate,
			say("Check that the WMI service runs (%s) and that a feature or an update is not waiting for a restart, then run diskaudit status again.", "Get-Service Winmgmt"))
	default:
		c.advice = sentences(elevate, say("The reason in the evidence says what stands in the way; run diskaudit status again once it is gone. Until then every volume may be encrypted."))
	}
	return c
}

// needsElevation says once what the document says for each fact.
func needsElevation(f facts) *conclusion {
	var about []string
	met := false
	for _, problem := range f.problems {
		if problem.Code != "needs-elevation" {
			continue
		}
		met = true
		subject := problem.Stage
		if problem.Target != "" {
			subject = problem.Target
		}
		if subject != "" && !slices.Contains(about, subject) {
			about = append(about, subject)
		}
	}
	if !met {
		return nil
	}
	again := say("Run diskaudit status again from a console that was opened with \"Run as administrator\".")
	if f.linux() {
		again = say("Run diskaudit status again as root, for example with sudo.")
	}
	unread := ""
	if len(about) > 0 {
		unread = "not read without administrator rights: " + strings.Join(about, ", ")
	}
	return &conclusion{
		title:    say("Some facts could not be read without administrator rights"),
		evidence: evidence("problem needs-elevation", unread, fact("elevated", f.status.Machine.Elevated)),
		advice:   sentences(say("What is missing is unknown, not in order."), again, say("Reading changes nothing.")),
	}
}

// metadataDamaged passes on what reading the metadata met. BitLocker keeps three copies of it.
func metadataDamaged(_ facts, p contract.Problem) *conclusion {
	seen := evidence("problem "+p.Code, p.Text, fact("code", p.HResult), fact("name", p.HResultName))
	switch p.Code {
	// A first sector that is not sound keeps Windows from finding the metadata.
	case "metadata-damaged", "header-damaged":
		return &conclusion{
			title:    say("The BitLocker metadata of %s is damaged", problemTarget(p)),
			evidence: seen,
			advice: sentences(
				say("Without it the data cannot be decrypted. Write nothing to the volume: no chkdsk, no format, no attempt to encrypt or decrypt."),
				say("First copy the whole disk to an image and work on the copy."),
				say("Then repair-bde can rescue the data to another, empty disk; with damaged metadata it needs the key package beside the recovery password, which the organization may have stored in Active Directory. It cannot rescue a volume whose encryption or decryption was not complete."),
				say("If the disk reports errors as well, leave the copying to a data rescue service."),
			),
		}
	case "metadata-copy-damaged":
		return &conclusion{
			severity: contract.SeverityWarning,
			title:    say("A copy of the BitLocker metadata of %s is damaged", problemTarget(p)),
			evidence: seen,
			advice: sentences(
				say("The volume works as long as one copy is good, so nothing is lost yet. chkdsk does not mend this: it looks at the file system inside."),
				say("Back up the data and make sure that the recovery password is at hand, then look at the disk's health: bad sectors are the usual cause, and then the disk should go."),
				say("On a healthy disk, decrypting the volume and encrypting it again writes new metadata. Should all copies fail, repair-bde is what is left."),
			),
		}
	}
	return nil
}

// problemTarget is what a problem is about; "machine" for one that is about no single thing.
func problemTarget(p contract.Problem) string {
	if p.Target == "" {
		return machineTarget
	}
	return p.Target
}
