package remediate

import (
	"fmt"
	"strconv"
	"strings"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
)

// worded is a fact's value for people, with the number of one that has no name.
func worded[T any](fact *T) string {
	if fact == nil {
		return "not known"
	}
	switch value := any(*fact).(type) {
	case bool:
		if value {
			return "on"
		}
		return "off"
	case interface{ Recognized() bool }:
		if !value.Recognized() {
			return fmt.Sprintf("the unlisted number %d", any(*fact))
		}
	}
	return fmt.Sprint(*fact)
}

// listed joins names to "C:, D: and E:". A list that is too long is cut, and says by how many.
func listed(names []string) string {
	const most = 10
	if len(names) > most {
		names = append(names[:most:most], strconv.Itoa(len(names)-most)+" more")
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// leaving is the verdict on a volume that the plan does not touch.
func leaving(c candidate, action contract.Action) verdict {
	volume, who := c.volume, named(c.volume)
	v := verdict{target: volume.ID, result: contract.GuardRefuse}
	switch c.bar {
	case guardLocked:
		v.fact = who + " is locked."
		v.risk = "Nothing can be changed on it without its key, and how far it is encrypted cannot be read: a computer with a locked volume must not pass for a decrypted one."
		v.way = "Unlock it with Unlock-BitLocker, or manage-bde -unlock, and run this again."
	case guardDamaged:
		v.fact = sentence("BitLocker's metadata on " + who + " is damaged: " + damageOf(volume))
		v.risk = "Rewriting the volume now can make all of its data unreadable."
		v.way = "Copy the data to another disk first; a volume that no longer opens can be tried with repair-bde."
	case guardCluster:
		v.fact = sentence(who + " belongs to a cluster: " + clusterOf(volume))
		v.risk = "Another node may be using it, and a conversion at the wrong one can take it offline and lose data."
		v.way = "Put it into maintenance and decrypt it with the cluster's own tools, on the node that owns it."
	default:
		v.result = contract.GuardUnknown
		doubt := doubtOf(volume, action)
		if doubt == "" {
			doubt = "a fact that the plan rests on is missing"
		}
		v.fact = sentence("The state of " + who + " is not known: " + doubt)
		v.risk = "Not known is not decrypted, and a change that rests on a guess can lose data."
		v.way = "Run diskaudit status as administrator, remove what its problems name, and run this again."
	}
	return v
}

// sentence ends a text as one.
func sentence(text string) string {
	return strings.TrimRight(text, ". ") + "."
}

// causeOf points to the problem that says why a fact about a volume, or about the computer, is missing.
func causeOf(who string) string {
	return fmt.Sprintf("The problems about %s in diskaudit status say why: remove the cause and run this again.", who)
}

// turnOff is the command that turns BitLocker off for a volume, in both shells
// (learn.microsoft.com/windows-server/administration/windows-commands/manage-bde-off).
func turnOff(volume contract.Volume) string {
	who := named(volume)
	plain := who
	if strings.ContainsAny(who, " &()") {
		// A backslash before the closing quotation mark would escape it.
		plain = `"` + strings.TrimSuffix(who, `\`) + `"`
	}
	return fmt.Sprintf("manage-bde -off %s (or Disable-BitLocker -MountPoint %s)", plain, bitlocker.Quoted(who))
}
