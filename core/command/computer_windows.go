package command

import (
	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/windows"
	"diskaudit/core/remediate/journal"
)

func thisComputer(identify bool) machine.Machine {
	return windows.ThisComputerWith(identify, speedUps)
}

// speedUps are the journals of remediations that turned a disk's flushing off to convert faster and
// have not turned it on again, by the disk's id. What cannot be read of them is no fact of the disks
// that is missing, so it is a warning.
func speedUps() (map[string]string, []contract.Problem) {
	folder, err := journal.DefaultFolder()
	if err != nil {
		return nil, []contract.Problem{{
			Code: "journal-unreadable", Level: contract.LevelWarning, Stage: machine.StageDisks,
			Text: "Where the journals of remediations lie is not known (" + err.Error() + "), and so not whether one turned the flushing of a disk off. Run again.",
		}}
	}
	history, problems := journal.Read(folder)
	for i := range problems {
		if problems[i].Level.OrError() == contract.LevelError {
			problems[i].Level = contract.LevelWarning
		}
	}
	byDisk := map[string]string{}
	for _, off := range history.FlushingOff() {
		byDisk[off.Target] = off.Journal
	}
	return byDisk, problems
}
