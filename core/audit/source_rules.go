package audit

import (
	"fmt"
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
	change := "powercfg /list shows the plans, powercfg /setactive SCHEME_BALANCED chooses the balanced one; on recent Windows also turn energy saver off."
	reference := ""
	if f.linux() {
		change = "cpupower frequency-info shows the governors that there are, cpupower frequency-set -g chooses one of them."
		reference = pageCPUFreq
	}
	return &conclusion{
		title:     "The power plan trades speed for power",
		evidence:  evidence(fact("saver", power.Saver), fact("plan", power.Plan), fact("power source", power.Source)),
		advice:    sentences("A slower clock and sleeping links make the disk look slower, and encryption in software dearer, than they are. Do not judge the cost of encryption in this state.", change, "The price is battery time and heat."),
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
		title: "BitLocker could not be asked: whether volumes are encrypted is unknown",
		evidence: evidence(fact("available", provider.Available), fact("provider", provider.Provider), fact("reason", provider.Reason),
			fact("edition", f.status.Machine.Edition), fact("elevated", f.status.Machine.Elevated)),
	}
	elevate := ""
	if no(f.status.Machine.Elevated) {
		elevate = "The program ran without administrator rights, which can be the reason: run it again from an elevated console."
	}
	switch {
	case f.server():
		c.reference = pageInstallServer
		c.advice = sentences(elevate,
			"On Windows Server BitLocker is a feature that is not installed by default: if Get-WindowsFeature BitLocker says so, nothing on this server is encrypted by this server.",
			"Disks that came from elsewhere can be encrypted all the same. To ask for their state, install it with Install-WindowsFeature BitLocker -IncludeAllSubFeature -IncludeManagementTools and restart; until the restart it cannot be asked.")
	case f.windows():
		c.advice = sentences(elevate,
			"Check that the WMI service runs (Get-Service Winmgmt) and that a feature or an update is not waiting for a restart, then run diskaudit status again.")
	default:
		c.advice = sentences(elevate, "The reason in the evidence says what stands in the way; run diskaudit status again once it is gone. Until then every volume may be encrypted.")
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
	again := "Run diskaudit status again from a console that was opened with \"Run as administrator\"."
	if f.linux() {
		again = "Run diskaudit status again as root, for example with sudo."
	}
	unread := ""
	if len(about) > 0 {
		unread = "not read without administrator rights: " + strings.Join(about, ", ")
	}
	return &conclusion{
		title:    "Some facts could not be read without administrator rights",
		evidence: evidence("problem needs-elevation", unread, fact("elevated", f.status.Machine.Elevated)),
		advice:   sentences("What is missing is unknown, not in order.", again, "Reading changes nothing."),
	}
}

// metadataDamaged passes on what reading the metadata met. BitLocker keeps three copies of it.
func metadataDamaged(_ facts, p contract.Problem) *conclusion {
	seen := evidence("problem "+p.Code, p.Text, fact("code", p.HResult), fact("name", p.HResultName))
	switch p.Code {
	case "metadata-damaged":
		return &conclusion{
			title:    fmt.Sprintf("The BitLocker metadata of %s is damaged", problemTarget(p)),
			evidence: seen,
			advice: sentences(
				"Without it the data cannot be decrypted. Write nothing to the volume: no chkdsk, no format, no attempt to encrypt or decrypt.",
				"First copy the whole disk to an image and work on the copy.",
				"Then repair-bde can rescue the data to another, empty disk; with damaged metadata it needs the key package beside the recovery password, which the organization may have stored in Active Directory. It cannot rescue a volume whose encryption or decryption was not complete.",
				"If the disk reports errors as well, leave the copying to a data rescue service.",
			),
		}
	case "metadata-copy-damaged":
		return &conclusion{
			severity: contract.SeverityWarning,
			title:    fmt.Sprintf("A copy of the BitLocker metadata of %s is damaged", problemTarget(p)),
			evidence: seen,
			advice: sentences(
				"The volume works as long as one copy is good, so nothing is lost yet. chkdsk does not mend this: it looks at the file system inside.",
				"Back up the data and make sure that the recovery password is at hand, then look at the disk's health: bad sectors are the usual cause, and then the disk should go.",
				"On a healthy disk, decrypting the volume and encrypting it again writes new metadata. Should all copies fail, repair-bde is what is left.",
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
