package remediate

import (
	"testing"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
)

// plainEncryption is what BitLocker tells of a volume that it does not encrypt.
func plainEncryption() contract.Encryption {
	return contract.Encryption{
		Format: contract.Ptr("none"), Conversion: contract.Ptr(contract.FullyDecrypted), Percent: contract.Ptr(0.0),
		UsedSpaceOnly: contract.Ptr(false), Wiping: contract.Ptr(contract.NotWiped), Method: contract.Ptr(contract.MethodNone),
		Engine: contract.Ptr(contract.EngineNone), Protection: contract.Ptr(contract.ProtectionOff),
		ProtectionReason: contract.Ptr(contract.ReasonDecrypted), Lock: contract.Ptr(contract.Unlocked),
		Protectors: []contract.Protector{}, ClearKey: contract.Ptr(false), AutoUnlock: contract.Ptr(false),
	}
}

func problemOf(code string, level contract.Level) contract.Problem {
	return contract.Problem{Code: code, Level: level, Stage: "volumes", Text: "Something about it."}
}

func answered(code bitlocker.HResult) contract.Problem {
	problem := problemOf("windows-error", contract.LevelWarning)
	problem.HResult = contract.Ptr(code.String())
	return problem
}

// volumeChange changes a volume.
type volumeChange func(*contract.Volume)

func withProblems(problems ...contract.Problem) volumeChange {
	return func(v *contract.Volume) { v.Problems = append(v.Problems, problems...) }
}

func withEncryption(change func(*contract.Encryption)) volumeChange {
	return func(v *contract.Volume) { change(&v.Encryption) }
}

func unreadVolume(problems ...contract.Problem) volumeChange {
	return func(v *contract.Volume) { v.Encryption, v.Problems = contract.Encryption{}, problems }
}

func mountedAt(point string) volumeChange {
	return func(v *contract.Volume) { v.MountPoints = contract.List[string]{point} }
}

func untouched(*contract.Volume) {}

// The sound data volume, changed: what decrypting makes of it.
func TestBarEncrypted(t *testing.T) {
	conversionIs := func(c contract.Conversion) volumeChange {
		return withEncryption(func(e *contract.Encryption) { e.Conversion = &c })
	}
	for name, c := range map[string]struct {
		change volumeChange
		want   string
	}{
		"encrypted":         {untouched, ""},
		"encrypting":        {conversionIs(contract.EncryptionInProgress), ""},
		"decryption paused": {conversionIs(contract.DecryptionPaused), ""},
		"by the drive":      {withEncryption(func(e *contract.Encryption) { e.Engine = contract.Ptr(contract.EngineDrive) }), ""},
		// What is decoration is no reason.
		"without decoration": {withEncryption(func(e *contract.Encryption) {
			e.Description, e.CreatedAt, e.WipePercent, e.DriveMethod, e.Percent, e.VolumeGUID, e.SuspendCount, e.Protectors = nil, nil, nil, nil, nil, nil, nil, nil
		}), ""},
		"percent unknown":            {withProblems(problemOf("percent-unknown", contract.LevelError)), ""},
		"reason unknown":             {withProblems(problemOf("protection-reason-unknown", contract.LevelError)), ""},
		"extents unknown":            {withProblems(problemOf("extents-unknown", contract.LevelError)), ""},
		"a warning":                  {withProblems(problemOf("free-space-unknown", contract.LevelWarning)), ""},
		"metadata not read":          {withProblems(problemOf("metadata-not-read", contract.LevelInfo)), ""},
		"a copy of the last write":   {withProblems(problemOf("metadata-copy-stale", contract.LevelWarning)), ""},
		"mounted below another name": {mountedAt(`C:\ClusterStorages\one`), ""},

		// Case B4, and B71: nothing that was not read counts as decrypted.
		"conversion unknown":      {withEncryption(func(e *contract.Encryption) { e.Conversion = nil }), guardState},
		"conversion unrecognized": {conversionIs(9), guardState},
		"lock unknown":            {withEncryption(func(e *contract.Encryption) { e.Lock = nil }), guardState},
		"lock unrecognized":       {withEncryption(func(e *contract.Encryption) { e.Lock = contract.Ptr(contract.Lock(4)) }), guardState},
		"engine unknown":          {withEncryption(func(e *contract.Encryption) { e.Engine = nil }), guardState},
		"engine none":             {withEncryption(func(e *contract.Encryption) { e.Engine = contract.Ptr(contract.EngineNone) }), guardState},
		"engine of another name":  {withEncryption(func(e *contract.Encryption) { e.Engine = contract.Ptr(contract.Engine("magic")) }), guardState},
		"type unknown":            {func(v *contract.Volume) { v.Type = nil }, guardState},
		"type unrecognized":       {func(v *contract.Volume) { v.Type = contract.Ptr(contract.VolumeType(3)) }, guardState},
		"an error":                {withProblems(problemOf("windows-error", contract.LevelError)), guardState},
		"an error without level":  {withProblems(problemOf("windows-error", "")), guardState},
		"contradiction":           {withProblems(problemOf("states-contradict", contract.LevelWarning)), guardState},
		"not asked":               {withProblems(problemOf("not-asked", contract.LevelInfo)), guardState},
		"time limit":              {withProblems(problemOf("timeout", contract.LevelWarning)), guardState},
		"vanished":                {withProblems(problemOf("volume-vanished", contract.LevelWarning)), guardState},
		"locked for Windows only": {withProblems(problemOf("volume-locked", contract.LevelInfo)), guardState},
		"nothing known":           {unreadVolume(), guardState},
		"nothing known, by error": {unreadVolume(problemOf("not-listed-by-bitlocker", contract.LevelError)), guardState},
		// An explanation beside an error explains nothing.
		"outside, and an error":      {unreadVolume(problemOf("not-encryptable", contract.LevelInfo), problemOf("read-failed", contract.LevelError)), guardState},
		"outside by an error":        {unreadVolume(problemOf("not-encryptable", contract.LevelError)), guardState},
		"half of a list":             {unreadVolume(problemOf("not-listed-by-bitlocker", contract.LevelInfo)), guardState},
		"not formatted, unexplained": {unreadVolume(problemOf("file-system-unrecognized", contract.LevelInfo)), guardState},

		"locked":                           {withEncryption(func(e *contract.Encryption) { e.Lock = contract.Ptr(contract.Locked) }), guardLocked},
		"locked, nothing known":            {func(v *contract.Volume) { v.Encryption = contract.Encryption{Lock: contract.Ptr(contract.Locked)} }, guardLocked},
		"locked by the file system's word": {unreadVolume(problemOf("volume-locked", contract.LevelInfo)), guardLocked},
		"locked by its reason": {func(v *contract.Volume) {
			v.Encryption = contract.Encryption{ProtectionReason: contract.Ptr(contract.ReasonLocked)}
		}, guardLocked},
		"locked by its result": {unreadVolume(answered(bitlocker.FVE_E_LOCKED_VOLUME)), guardLocked},

		"damaged":                     {unreadVolume(problemOf("metadata-damaged", contract.LevelError)), guardDamaged},
		"one copy damaged":            {withProblems(problemOf("metadata-copy-damaged", contract.LevelWarning)), guardDamaged},
		"damaged by its result":       {withProblems(answered(bitlocker.FVE_E_BAD_INFORMATION)), guardDamaged},
		"damaged in its first sector": {unreadVolume(problemOf("header-damaged", contract.LevelError)), guardDamaged},
		"damaged and locked": {changes(withEncryption(func(e *contract.Encryption) { e.Lock = contract.Ptr(contract.Locked) }),
			withProblems(problemOf("metadata-copy-damaged", contract.LevelWarning))), guardDamaged},

		"CSVFS":                     {func(v *contract.Volume) { v.FileSystem = contract.Ptr("CSVFS") }, guardCluster},
		"CSVFS_ReFS":                {func(v *contract.Volume) { v.FileSystem = contract.Ptr("csvfs_ReFS") }, guardCluster},
		"below ClusterStorage":      {mountedAt(`E:\clusterstorage\Volume1`), guardCluster},
		"clustering not supported":  {withProblems(answered(0x8031001E)), guardCluster},
		"not the coordinator":       {withProblems(answered(0x803100AD)), guardCluster},
		"not allowed on a cluster":  {withProblems(answered(0x803100AE)), guardCluster},
		"cluster in unknown states": {changes(unreadVolume(answered(0x803100AE)), mountedAt(`C:\ClusterStorage\Volume2`)), guardCluster},
	} {
		t.Run(name, func(t *testing.T) {
			volume := soundDataVolume()
			c.change(&volume)
			if got, concerned := bar(volume, contract.ActionDecrypt); got != c.want || !concerned {
				t.Errorf("barred by %q, concerned %v, want %q", got, concerned, c.want)
			}
			if got, concerned := bar(volume, contract.ActionPrevent); got != "" || concerned {
				t.Errorf("preventing changes no volume, but: %q, %v", got, concerned)
			}
		})
	}
}

func changes(all ...volumeChange) volumeChange {
	return func(v *contract.Volume) {
		for _, change := range all {
			change(v)
		}
	}
}

// What concerns nobody, and what only looks so.
func TestBarPlainAndOutside(t *testing.T) {
	plain := func(v *contract.Volume) { v.Encryption = plainEncryption() }
	outsider := func(problems ...contract.Problem) volumeChange { return unreadVolume(problems...) }
	info := func(code string) contract.Problem { return problemOf(code, contract.LevelInfo) }
	for name, c := range map[string]struct {
		change volumeChange
		want   string
		// concerned tells whether the plan has to do with the volume.
		concerned bool
	}{
		"decrypted": {plain, "", false},
		// Cases B71 and C40: it is the conversion that counts, and nothing may speak against it.
		"decrypted with protectors left": {changes(plain, withEncryption(func(e *contract.Encryption) { e.Protectors = []contract.Protector{{ID: "a", Type: contract.Tpm}} })), "", false},
		"decrypted, 40 percent":          {changes(plain, withEncryption(func(e *contract.Encryption) { e.Percent = contract.Ptr(40.0) })), guardState, true},
		"decrypted, percent senseless":   {changes(plain, withProblems(problemOf("percent-unknown", contract.LevelError))), guardState, true},
		"decrypted and protected":        {changes(plain, withEncryption(func(e *contract.Encryption) { e.Protection = contract.Ptr(contract.ProtectionOn) })), guardState, true},
		"decrypted, contradicted":        {changes(plain, withProblems(problemOf("states-contradict", contract.LevelError))), guardState, true},
		"decrypted, lock unknown":        {changes(plain, withEncryption(func(e *contract.Encryption) { e.Lock = nil })), guardState, true},
		"decrypted and locked":           {changes(plain, withEncryption(func(e *contract.Encryption) { e.Lock = contract.Ptr(contract.Locked) })), guardLocked, true},
		"decrypted, protectors not read": {changes(plain, withProblems(problemOf("wmi-interrupted", contract.LevelError)), func(v *contract.Volume) { v.Encryption.Protectors = nil }), "", false},
		"decrypted, metadata damaged":    {changes(plain, withProblems(problemOf("metadata-copy-damaged", contract.LevelWarning))), guardDamaged, true},
		"decrypted, in a cluster":        {changes(plain, func(v *contract.Volume) { v.FileSystem = contract.Ptr("CSVFS") }), "", false},
		"decrypted, type unknown":        {changes(plain, func(v *contract.Volume) { v.Type = nil }), "", false},

		"not encryptable":        {outsider(info("not-encryptable")), "", false},
		"no medium":              {outsider(info("no-medium"), info("volume-not-ready")), "", false},
		"optical":                {outsider(info("optical-drive"), info("not-encryptable")), "", false},
		"a RAM disk":             {outsider(info("no-volume-guid"), info("not-encryptable")), "", false},
		"LUKS":                   {outsider(info("other-encryption")), "", false},
		"no file system":         {outsider(info("no-file-system")), "", false},
		"read-only and unlisted": {outsider(info("not-encryptable"), problemOf("volume-read-only", contract.LevelWarning)), "", false},
		"seen plain on the disk": {func(v *contract.Volume) {
			v.Encryption, v.Problems = plainEncryption(), contract.List[contract.Problem]{info("not-encryptable")}
			v.Encryption.Lock, v.Encryption.AutoUnlock = nil, nil
		}, "", false},
		"unlisted, but BitLocker's metadata": {func(v *contract.Volume) {
			v.Encryption, v.Problems = contract.Encryption{Format: contract.Ptr("bitlocker")}, contract.List[contract.Problem]{info("not-encryptable")}
		}, guardState, true},
		"unlisted, but encrypted": {func(v *contract.Volume) {
			v.Encryption.Lock, v.Problems = nil, contract.List[contract.Problem]{info("not-encryptable")}
		}, guardState, true},
		"unlisted, but locked": {func(v *contract.Volume) {
			v.Encryption, v.Problems = contract.Encryption{Lock: contract.Ptr(contract.Locked)}, contract.List[contract.Problem]{info("not-encryptable")}
		}, guardLocked, true},
	} {
		t.Run(name, func(t *testing.T) {
			volume := soundDataVolume()
			c.change(&volume)
			for _, action := range []contract.Action{contract.ActionDecrypt, "", contract.ActionPause, contract.ActionResume} {
				if got, concerned := bar(volume, action); got != c.want || concerned != c.concerned {
					t.Errorf("%q: barred by %q, concerned %v, want %q, %v", action, got, concerned, c.want, c.concerned)
				}
			}
		})
	}
}

// To pause or to resume is for what converts; another volume in doubt does not stand in the way.
func TestBarOfTurning(t *testing.T) {
	for _, action := range []contract.Action{contract.ActionPause, contract.ActionResume} {
		volume := soundDataVolume()
		volume.Encryption.Engine, volume.Type = nil, nil
		if got, concerned := bar(volume, action); got != "" || concerned {
			t.Errorf("%s of a volume that converts nothing: %q, %v", action, got, concerned)
		}
		volume.Encryption.Conversion = contract.Ptr(contract.DecryptionInProgress)
		if got, _ := bar(volume, action); got != guardState {
			t.Errorf("%s of a volume whose engine is unknown: %q", action, got)
		}
		volume.Encryption.Engine = contract.Ptr(contract.EngineSoftware)
		if got, concerned := bar(volume, action); got != "" || !concerned {
			t.Errorf("%s of a conversion: %q, %v", action, got, concerned)
		}
		volume.Encryption.Lock = contract.Ptr(contract.Locked)
		if got, _ := bar(volume, action); got != guardLocked {
			t.Errorf("%s of a locked volume: %q", action, got)
		}
	}
}
