package metrics

import "diskaudit/core/contract"

// computerFacts are the numbers of the computer as a whole.
var computerFacts = []fact[contract.Status]{
	{name: "diskaudit_up", kind: gauge, help: "1 when disks or volumes were found, 0 when nothing could be found out.", of: func(s contract.Status) *float64 {
		return truth(contract.Ptr(len(s.Volumes)+len(s.Disks) > 0))
	}},
	{name: "diskaudit_complete", kind: gauge, help: "1 when every fact that was asked for could be read.", of: func(s contract.Status) *float64 { return truth(&s.Complete) }},
	{name: "diskaudit_collected_timestamp_seconds", kind: gauge, help: "When the facts were gathered.", of: func(s contract.Status) *float64 {
		return contract.Ptr(float64(s.CollectedAt.Unix()))
	}},
	{name: "diskaudit_elevated", kind: gauge, help: "Whether the program ran with administrator rights.", of: func(s contract.Status) *float64 { return truth(s.Machine.Elevated) }},
	{name: "diskaudit_bitlocker_available", kind: gauge, help: "Whether BitLocker could be asked.", of: func(s contract.Status) *float64 { return truth(s.BitLocker.Available) }},
	{name: "diskaudit_encryption_prevented", kind: gauge, help: "Whether a setting keeps Windows from encrypting by itself.", of: func(s contract.Status) *float64 {
		return truth(s.Policy.PreventDeviceEncryption)
	}, optional: true},
	{name: "diskaudit_encryption_required", kind: gauge, help: "Whether a policy makes Windows encrypt again what was decrypted.", of: func(s contract.Status) *float64 {
		return truth(s.Policy.RequireDeviceEncryption)
	}, optional: true},
	{name: "diskaudit_volumes", kind: gauge, help: "Volumes on fixed disks that were judged.", of: counted(func(s contract.Summary) *uint64 { return s.Volumes })},
	{name: "diskaudit_volumes_software_encrypted", kind: gauge, help: "Of these, volumes that hold data encrypted by software.", of: counted(func(s contract.Summary) *uint64 { return s.SoftwareEncrypted })},
	{name: "diskaudit_volumes_hardware_encrypted", kind: gauge, help: "Of these, volumes that hold data encrypted by the drive or a processor's engine.", of: counted(func(s contract.Summary) *uint64 { return s.HardwareEncrypted })},
	{name: "diskaudit_volumes_not_encrypted", kind: gauge, help: "Of these, volumes that are known not to be encrypted by BitLocker.", of: counted(func(s contract.Summary) *uint64 { return s.NotEncrypted })},
	{name: "diskaudit_volumes_unprotected", kind: gauge, help: "Of these, volumes that hold encrypted data and are known not to be protected.", of: counted(func(s contract.Summary) *uint64 { return s.Unprotected })},
	{name: "diskaudit_volumes_converting", kind: gauge, help: "Of these, volumes that are being encrypted or decrypted, paused or not.", of: counted(func(s contract.Summary) *uint64 { return s.Converting })},
	{name: "diskaudit_volumes_unknown", kind: gauge, help: "Of these, volumes whose state is not known, locked ones included.", of: counted(func(s contract.Summary) *uint64 { return s.UnknownVolumes })},
}

// counted is a count of the summary; a document that nobody judged has none.
func counted(of func(contract.Summary) *uint64) func(contract.Status) *float64 {
	return func(s contract.Status) *float64 {
		if s.Summary == nil {
			return nil
		}
		return number(of(*s.Summary))
	}
}

func writeComputer(e *exposition, s contract.Status) []string {
	e.begin("diskaudit_info", gauge, "What gathered the facts, and from what.")
	source := s.Machine.Source
	if source == "" {
		source = contract.SourceNone
	}
	e.sample(1, label{"version", s.Tool.Version}, label{"source", string(source)}, label{"os", text(s.Machine.OS)}, label{"build", text(s.Machine.Build)})

	all := []contract.Status{s}
	unknown := writeFacts(e, computerFacts, all, func(contract.Status) []label { return nil }, func(contract.Status) bool { return true }, scopeComputer)

	e.begin("diskaudit_computer_state", gauge, "The computer in one state, by the fixed volume that needs most attention: 1 for the state that it is in.")
	state := contract.ComputerUnknown
	if s.Summary != nil && s.Summary.State != "" {
		state = s.Summary.State
	}
	var states []string
	for _, one := range contract.ComputerStates() {
		states = append(states, string(one))
	}
	e.states("state", states, string(state))

	e.begin("diskaudit_problems", gauge, "Problems of the document: of level error, a fact is missing.")
	problems := map[contract.Level]int{}
	for _, problem := range s.Problems {
		problems[problem.Level.OrError()]++
	}
	for _, level := range []contract.Level{contract.LevelInfo, contract.LevelWarning, contract.LevelError} {
		e.sample(float64(problems[level]), label{"level", string(level)})
	}
	return unknown
}
