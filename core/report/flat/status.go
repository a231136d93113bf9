package flat

import "diskaudit/core/contract"

// statusRecords are the records of one status document: the computer, its volumes, its findings.
func statusRecords(place place, s contract.Status) []any {
	origin := originOf(place, s.Header, s.Machine.ComputerName)
	records := make([]any, 0, 1+len(s.Volumes)+len(s.Findings))
	records = append(records, computerRecord(origin, s))
	disks := byID(s.Disks, func(d contract.Disk) string { return d.ID })
	for _, volume := range s.Volumes {
		records = append(records, volumeRecord(origin, volume, disks))
	}
	volumes := byID(s.Volumes, func(v contract.Volume) string { return v.ID })
	for _, finding := range s.Findings {
		records = append(records, findingRecord(origin, finding, volumes, disks))
	}
	return records
}

func originOf(place place, head contract.Header, computerName *string) Origin {
	return Origin{Computer: computerOf(place, computerName), File: file(place.path), CollectedAt: moment(&head.CollectedAt), ToolVersion: named(head.Tool.Version)}
}

func (o Origin) as(record string) Origin {
	o.Record = record
	return o
}

func byID[T any](list []T, id func(T) string) map[string]T {
	found := make(map[string]T, len(list))
	for _, item := range list {
		if _, twice := found[id(item)]; !twice && id(item) != "" {
			found[id(item)] = item
		}
	}
	return found
}

func computerRecord(origin Origin, s contract.Status) Computer {
	m := s.Machine
	summary := s.Summary
	if summary == nil {
		// Nobody judged the computer.
		summary = &contract.Summary{}
	}
	return Computer{
		Origin: origin.as(recordComputer), State: orDefault(summary.State, contract.ComputerUnknown), Complete: s.Complete,
		FactsFrom: orDefault(m.Source, contract.SourceNone),
		OSName:    name(m.OS), OSBuild: name(m.Build), OSEdition: name(m.Edition), Architecture: name(m.Architecture),
		Elevated: m.Elevated, VirtualMachine: m.VirtualMachine.Detected, Portable: m.Power.Portable,
		CPUName: name(m.CPU.Name), CPUAes: m.CPU.AES, TPMPresent: m.TPM.Present, SecureBoot: m.SecureBoot,
		DomainJoined: m.Join.Domain, EntraJoined: m.Join.Entra, MDMEnrolled: m.Join.MDM,
		BitLockerAvailable:  s.BitLocker.Available,
		EncryptionPrevented: s.Policy.PreventDeviceEncryption, EncryptionRequired: s.Policy.RequireDeviceEncryption,
		Volumes: whole(summary.Volumes), SoftwareEncrypted: whole(summary.SoftwareEncrypted), HardwareEncrypted: whole(summary.HardwareEncrypted),
		NotEncrypted: whole(summary.NotEncrypted), Unprotected: whole(summary.Unprotected), UnknownVolumes: whole(summary.UnknownVolumes), Converting: whole(summary.Converting),
		CriticalFindings: count(s.Findings, contract.SeverityCritical), WarningFindings: count(s.Findings, contract.SeverityWarning),
		WorstFinding: worst(s.Findings),
		Errors:       int64(len(errorCodes(s.Problems))), ErrorCodes: list(errorCodes(s.Problems), " "),
	}
}

func count(findings []contract.Finding, severity contract.Severity) int64 {
	n := int64(0)
	for _, finding := range findings {
		if finding.Severity == severity {
			n++
		}
	}
	return n
}

// worst is the id of the first of the worst findings.
func worst(findings []contract.Finding) *string {
	var id *string
	rank := -1
	for _, finding := range findings {
		if r := max(finding.Severity.Rank(), 0); r > rank {
			id, rank = named(finding.ID), r
		}
	}
	return id
}

func errorCodes(problems []contract.Problem) []string {
	var codes []string
	for _, problem := range problems {
		if problem.Level.OrError() == contract.LevelError {
			codes = append(codes, problem.Code)
		}
	}
	return codes
}

func volumeRecord(origin Origin, v contract.Volume, disks map[string]contract.Disk) Volume {
	e := v.Encryption
	record := Volume{
		Origin: origin.as(recordVolume), Place: placeOf(v), MountPoints: list(v.MountPoints, " | "),
		VolumeLabel: name(v.Label), VolumeType: coded(v.Type), FileSystem: name(v.FileSystem),
		ClusterBytes: whole(v.ClusterBytes), SizeBytes: whole(v.SizeBytes), FreeBytes: whole(v.FreeBytes),
		CipherFacts: cipherOf(e), EncryptedPercent: decimal(e.Percent), UsedSpaceOnly: e.UsedSpaceOnly,
		Protection: coded(e.Protection), ProtectionReason: word(e.ProtectionReason), Lock: coded(e.Lock),
		ProtectorTypes: protectorTypes(e.Protectors), ClearKey: e.ClearKey, EncryptedAt: moment(e.CreatedAt),
		ErrorCodes: list(errorCodes(v.Problems), " "),
	}
	ids := diskIDs(v)
	if len(ids) > 0 {
		n := int64(len(ids))
		record.DiskCount = &n
	}
	if len(ids) == 1 {
		disk := disks[ids[0]]
		disk.ID = ids[0]
		record.DiskFacts = diskOf(disk)
		record.DiskNvme, record.DiskSizeBytes, record.DiskHealthy, record.WriteCacheEnabled = disk.NVMe, whole(disk.SizeBytes), disk.Health.OK, disk.WriteCache.Enabled
	}
	return record
}

// protectorTypes is null when the protectors could not be read, and empty when there are none.
func protectorTypes(protectors []contract.Protector) *string {
	if protectors == nil {
		return nil
	}
	var types []string
	for _, protector := range protectors {
		types = append(types, protector.Type.String())
	}
	joined := list(types, " ")
	return &joined
}

func placeOf(v contract.Volume) Place {
	place := Place{Volume: named(v.ID), VolumeID: named(v.ID)}
	for _, mountPoint := range v.MountPoints {
		if mounted := named(mountPoint); mounted != nil {
			place.Volume = mounted
			break
		}
	}
	return place
}

func cipherOf(e contract.Encryption) CipherFacts {
	return CipherFacts{Conversion: coded(e.Conversion), Method: coded(e.Method), Engine: word(e.Engine)}
}

// diskIDs are the disks that a volume lies on, each once.
func diskIDs(v contract.Volume) []string {
	var ids []string
	seen := map[string]bool{}
	for _, extent := range v.Extents {
		if !seen[extent.DiskID] {
			seen[extent.DiskID] = true
			ids = append(ids, extent.DiskID)
		}
	}
	return ids
}

func diskOf(d contract.Disk) DiskFacts {
	return DiskFacts{DiskID: named(d.ID), DiskModel: name(d.Model), DiskFirmware: name(d.Firmware), DiskBus: coded(d.Bus), DiskMedia: coded(d.Media)}
}

func findingRecord(origin Origin, f contract.Finding, volumes map[string]contract.Volume, disks map[string]contract.Disk) Finding {
	record := Finding{
		Origin: origin.as(recordFinding), FindingID: within(f.ID, nameBytes), Severity: orDefault(f.Severity, contract.SeverityInfo),
		SeverityRank: int64(max(f.Severity.Rank(), 0)), FindingTarget: named(f.Target),
		FindingTitle: within(f.Title, listBytes), FindingEvidence: within(f.Evidence, proseBytes), FindingAdvice: within(f.Advice, proseBytes), FindingReference: within(f.Reference, listBytes),
	}
	disk, ofDisk := disks[f.Target]
	if volume, ofVolume := volumes[f.Target]; ofVolume {
		record.Place = placeOf(volume)
		if ids := diskIDs(volume); len(ids) == 1 {
			disk, ofDisk = disks[ids[0]]
		}
	}
	if ofDisk {
		record.DiskFacts = diskOf(disk)
	}
	return record
}

// orDefault is a word that the document's type allows to be left out.
func orDefault[T ~string](value, standard T) string {
	if value == "" {
		value = standard
	}
	return within(string(value), nameBytes)
}

// skippedRecord is the record of a file that could not be used.
func skippedRecord(path, code, text string) Skipped {
	origin := Origin{Record: recordSkipped, Computer: computerOf(place{path: path}, nil), File: file(path)}
	return Skipped{Origin: origin, SkipCode: within(code, nameBytes), SkipText: within(text, proseBytes)}
}
