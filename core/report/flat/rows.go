package flat

import (
	"strconv"
	"time"

	"diskaudit/core/contract"
)

// Row is one line of CSV. A cell is empty where the line's document does not tell of such a thing, and
// for a number that is not known; text that is not known reads "unknown".
type Row struct {
	// Which document the line is from: status (a volume), bench (a measurement) or skipped (a file that could not be used).
	Document string `csv:"document"`
	// Name of the computer: the document's, which is there with --identify alone, else the file's.
	Computer string `csv:"computer"`
	// When the facts were gathered, UTC.
	CollectedAt *time.Time `csv:"collectedAt"`
	// The computer in one state.
	State string `csv:"state"`
	// Where the volume is mounted first, else its id.
	Volume string `csv:"volume"`
	// Label of the file system.
	VolumeLabel string `csv:"volumeLabel"`
	// What the volume is to BitLocker.
	VolumeType string `csv:"volumeType"`
	// Size of the volume, in bytes.
	SizeBytes *int64 `csv:"sizeBytes"`
	// How far the data is encrypted by BitLocker.
	Conversion string `csv:"conversion"`
	// Part of the volume that is encrypted, 0 to 100.
	EncryptedPercent *Decimal `csv:"encryptedPercent"`
	// The cipher.
	Method string `csv:"method"`
	// What does the encrypting.
	Engine string `csv:"engine"`
	// Whether the volume's key is kept from a thief.
	Protection string `csv:"protection"`
	// Why protection is what it is.
	ProtectionReason string `csv:"protectionReason"`
	// Model of the disk.
	DiskModel string `csv:"diskModel"`
	// Revision of its firmware.
	DiskFirmware string `csv:"diskFirmware"`
	// What it is attached to.
	DiskBus string `csv:"diskBus"`
	// What encryption adds to one I/O, in ns; empty unless it is valid, as the five cells after it.
	AddedNs *Decimal `csv:"addedNs"`
	// Lower end of the 95 % interval of addedNs.
	AddedNsLow *Decimal `csv:"addedNsLow"`
	// Upper end of the 95 % interval of addedNs.
	AddedNsHigh *Decimal `csv:"addedNsHigh"`
	// The same in percent of the latency without encryption.
	AddedPercent *Decimal `csv:"addedPercent"`
	// Lower end of the 95 % interval of addedPercent.
	AddedPercentLow *Decimal `csv:"addedPercentLow"`
	// Upper end of the 95 % interval of addedPercent.
	AddedPercentHigh *Decimal `csv:"addedPercentHigh"`
	// What the penalty means: material, negligible, undecided.
	Verdict string `csv:"verdict"`
	// Findings of the computer of severity critical.
	CriticalFindings *int64 `csv:"criticalFindings"`
	// Findings of the computer of severity warning.
	WarningFindings *int64 `csv:"warningFindings"`
	// Id of the computer's worst finding.
	WorstFinding string `csv:"worstFinding"`
	// Codes of the problems of level error of the whole computer.
	ComputerErrors string `csv:"computerErrors"`
	// Why something of this line is missing: codes of the volume's errors, the code of why there is no valid penalty, or why the file was skipped.
	Reason string `csv:"reason"`
	// File that the line was read from.
	File string `csv:"file"`
}

func statusRows(place place, s contract.Status) []Row {
	records := statusRecords(place, s)
	var rows []Row
	var computer Computer
	for _, record := range records {
		switch record := record.(type) {
		case Computer:
			computer = record
		case Volume:
			rows = append(rows, volumeRow(computer, record))
		}
	}
	if len(rows) == 0 {
		rows = append(rows, computerRow(computer))
	}
	return rows
}

// computerRow is what a status document says of the computer itself.
func computerRow(c Computer) Row {
	row := rowOf("status", c.Origin)
	row.State, row.ComputerErrors = c.State, c.ErrorCodes
	row.CriticalFindings, row.WarningFindings = &c.CriticalFindings, &c.WarningFindings
	if c.WorstFinding != nil {
		row.WorstFinding = *c.WorstFinding
	}
	return row
}

func volumeRow(c Computer, v Volume) Row {
	row := computerRow(c)
	row.place(v.Place, v.CipherFacts, v.DiskFacts)
	row.VolumeLabel, row.VolumeType, row.SizeBytes = orUnknown(v.VolumeLabel), orUnknown(v.VolumeType), v.SizeBytes
	row.EncryptedPercent, row.Protection, row.ProtectionReason = v.EncryptedPercent, orUnknown(v.Protection), orUnknown(v.ProtectionReason)
	row.Reason = v.ErrorCodes
	if v.DiskCount != nil && *v.DiskCount > 1 {
		row.DiskModel = strconv.FormatInt(*v.DiskCount, 10) + " disks"
		row.DiskFirmware, row.DiskBus = "", ""
	}
	return row
}

func benchRow(place place, b contract.Bench) Row {
	records := benchRecords(place, b)
	p := records[len(records)-1].(Penalty)
	row := rowOf("bench", p.Origin)
	row.place(p.Place, p.CipherFacts, p.DiskFacts)
	row.Verdict = p.Verdict
	if p.PenaltyValid {
		row.AddedNs, row.AddedNsLow, row.AddedNsHigh = p.AddedNs, p.AddedNsLow, p.AddedNsHigh
		row.AddedPercent, row.AddedPercentLow, row.AddedPercentHigh = p.AddedPercent, p.AddedPercentLow, p.AddedPercentHigh
	} else if p.PenaltyReasonCode != nil {
		row.Reason = *p.PenaltyReasonCode
	}
	return row
}

func skippedRow(path, code, text string) Row {
	record := skippedRecord(path, code, text)
	row := rowOf("skipped", record.Origin)
	row.Reason = record.SkipCode + ": " + record.SkipText
	return row
}

func rowOf(document string, o Origin) Row {
	return Row{Document: document, Computer: orUnknown(o.Computer), CollectedAt: o.CollectedAt, File: orUnknown(o.File)}
}

func (r *Row) place(place Place, cipher CipherFacts, disk DiskFacts) {
	r.Volume = orUnknown(place.Volume)
	r.Conversion, r.Method, r.Engine = orUnknown(cipher.Conversion), orUnknown(cipher.Method), orUnknown(cipher.Engine)
	r.DiskModel, r.DiskFirmware, r.DiskBus = orUnknown(disk.DiskModel), orUnknown(disk.DiskFirmware), orUnknown(disk.DiskBus)
}

func orUnknown(text *string) string {
	if text == nil {
		return unknown
	}
	return *text
}
