package remediate

import (
	"fmt"
	"slices"
	"strings"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
)

// bar decides from a volume's facts whether the action concerns it, and which guard keeps every step
// away from it; empty for none. A volume concerns an action unless it is known that there is nothing
// to do about it. What is not known never counts as decrypted: case B4.
func bar(volume contract.Volume, action contract.Action) (guard string, concerned bool) {
	if action == contract.ActionPrevent || bitlocker.Outside(volume) {
		return "", false
	}
	doubt := doubtOf(volume, action)
	damage := damageOf(volume)
	if settled(volume, action) && doubt == "" && damage == "" {
		return "", false
	}
	switch {
	case damage != "":
		return guardDamaged, true
	case clusterOf(volume) != "":
		return guardCluster, true
	case isLocked(volume):
		return guardLocked, true
	case doubt != "":
		return guardState, true
	}
	return "", true
}

// settled tells whether there is nothing that the action could do about the volume: it is decrypted,
// or, for pausing and resuming, converts nothing.
func settled(volume contract.Volume, action contract.Action) bool {
	e := volume.Encryption
	if e.Conversion == nil || e.Lock == nil || *e.Lock != contract.Unlocked {
		return false
	}
	switch *e.Conversion {
	case contract.FullyDecrypted:
		return true
	case contract.FullyEncrypted:
		return !decrypts(action)
	}
	return false
}

func decrypts(action contract.Action) bool {
	return action == contract.ActionDecrypt || action == ""
}

// doubtOf names what is not known of a volume and must be before it is changed; empty for nothing.
func doubtOf(volume contract.Volume, action contract.Action) string {
	e := volume.Encryption
	var doubts []string
	add := func(format string, arguments ...any) { doubts = append(doubts, fmt.Sprintf(format, arguments...)) }
	if e.Conversion == nil || !e.Conversion.Recognized() {
		add("its conversion is %s", worded(e.Conversion))
	}
	if e.Lock == nil || !e.Lock.Recognized() {
		add("its lock is %s", worded(e.Lock))
	}
	plain := e.Conversion != nil && *e.Conversion == contract.FullyDecrypted
	// Microsoft's pages allow neither of a volume that is fully decrypted. Cases B71 and C40.
	if plain && e.Percent != nil && *e.Percent > 0 {
		add("it is said to be fully decrypted and %g %% encrypted", *e.Percent)
	}
	if plain && e.Protection != nil && *e.Protection == contract.ProtectionOn {
		add("it is said to be fully decrypted and protected")
	}
	touched := !settled(volume, action)
	if touched && e.Conversion != nil && !plain {
		if e.Engine == nil || !slices.Contains([]contract.Engine{contract.EngineSoftware, contract.EngineDrive, contract.EngineSoC}, *e.Engine) {
			add("what encrypts it is %s", worded(e.Engine))
		}
		if decrypts(action) && (volume.Type == nil || !volume.Type.Recognized()) {
			add("its type is %s", worded(volume.Type))
		}
	}
	for _, problem := range volume.Problems {
		if unsettling(problem, plain, touched) {
			add("%s says: %s", problem.Code, problem.Text)
			break
		}
	}
	return strings.Join(doubts, "; ")
}

// isLocked tells whether a volume is known to be locked, by BitLocker or, where that does not say, by
// the file system.
func isLocked(volume contract.Volume) bool {
	e := volume.Encryption
	if e.Lock != nil {
		return *e.Lock == contract.Locked
	}
	return e.ProtectionReason != nil && *e.ProtectionReason == contract.ReasonLocked || hasProblem(volume, codeLocked, bitlocker.FVE_E_LOCKED_VOLUME)
}

// damageOf names what shows that the metadata is damaged; empty for nothing.
func damageOf(volume contract.Volume) string {
	for _, problem := range volume.Problems {
		if bitlocker.Damaged(problem.Code) || hasResult(problem, bitlocker.FVE_E_BAD_INFORMATION) {
			return problem.Text
		}
	}
	return ""
}

// clusterOf names what shows that the volume belongs to a cluster; empty for nothing. A cluster shared
// volume is mounted in a folder below ClusterStorage on the system's drive, with a file system of its
// own name (learn.microsoft.com/windows-server/failover-clustering/failover-cluster-csvs).
func clusterOf(volume contract.Volume) string {
	const csvfs = "CSVFS"
	if system := volume.FileSystem; system != nil && len(*system) >= len(csvfs) && strings.EqualFold((*system)[:len(csvfs)], csvfs) {
		return fmt.Sprintf("its file system is %s", *system)
	}
	for _, point := range volume.MountPoints {
		const folder = `:\ClusterStorage\`
		if len(point) > len(folder) && strings.EqualFold(point[1:1+len(folder)], folder) {
			return fmt.Sprintf("it is mounted at %s", point)
		}
	}
	for _, problem := range volume.Problems {
		for _, code := range clusterResults {
			if hasResult(problem, code) {
				return fmt.Sprintf("Windows answered %s", code)
			}
		}
		if problem.Code == codeCluster {
			return "Windows says so"
		}
	}
	return ""
}
