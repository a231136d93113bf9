package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// maxVolumes bounds the list, whatever the provider says.
const maxVolumes = 4096

// Volumes lists the volumes. Each row has a DeviceID that is a GUID path and stands in no other
// row. When the provider fails in the middle, the rows before that are kept, with a problem that
// says the list may lack volumes. When there is no row at all because of it, the error is an
// *Unavailable.
func (s *Session) Volumes(ctx context.Context) ([]Row, []contract.Problem, error) {
	const doing = "listing the volumes"
	var all []Row
	err := s.ask(ctx, doing, func() error {
		var err error
		all, err = s.caller.Volumes()
		return err
	})
	var silent *silence
	if errors.As(err, &silent) {
		// What the question fills in may still be written to.
		return nil, nil, unavailable(err)
	}
	if err != nil && len(all) == 0 {
		return nil, nil, unavailable(err)
	}
	rows, problems := sound(all)
	switch {
	case err != nil:
		problems = append(problems, incomplete(err))
	case len(all) > maxVolumes:
		problems = append(problems, incomplete(fmt.Errorf("it lists more than %d volumes", maxVolumes)))
	case len(all) == 0:
		problems = append(problems, contract.Problem{
			Code: "no-volumes", Level: contract.LevelError, Stage: machine.StageVolumes, Target: Namespace,
			Text: "BitLocker's WMI provider lists no volume at all, although Windows itself runs from one. The state of every volume is unknown; restart the computer and run this again.",
		})
	}
	return rows, problems, nil
}

func incomplete(err error) contract.Problem {
	p := contract.Problem{
		Code: "enumeration-incomplete", Level: contract.LevelError, Stage: machine.StageVolumes, Target: Namespace,
		Text: fmt.Sprintf("BitLocker's WMI provider failed in the middle of listing the volumes (%v). Volumes may be missing from its list, and a volume that is missing there is unknown, not decrypted. Run this again.", err),
	}
	var coded *Error
	if errors.As(err, &coded) {
		described := coded.Code.Problem(p.Level, p.Stage, p.Target)
		p.HResult, p.HResultName, p.Retryable = described.HResult, described.HResultName, described.Retryable
	}
	return p
}

// sound keeps the rows that name a volume which no earlier row does, and says what the others lack.
func sound(all []Row) (rows []Row, problems []contract.Problem) {
	seen := map[string]bool{}
	for _, row := range all[:min(len(all), maxVolumes)] {
		switch {
		case row.DeviceID == nil || *row.DeviceID == "":
			problems = append(problems, rowProblem("volume-unnamed", Namespace,
				"BitLocker's WMI provider lists a volume without its path%s: the state of that volume is unknown. Run this again; if that repeats, look at the volume in Disk Management.", lettered(row)))
		case !IsDeviceID(*row.DeviceID):
			problems = append(problems, rowProblem("volume-name-malformed", printable(*row.DeviceID),
				"BitLocker's WMI provider lists a volume with the path %q, which is not that of a volume: its state is unknown.", printable(*row.DeviceID)))
		case seen[strings.ToLower(*row.DeviceID)]:
			p := rowProblem("volume-listed-twice", *row.DeviceID,
				"BitLocker's WMI provider lists the volume %s more than once; it is reported once.", *row.DeviceID)
			p.Level = contract.LevelWarning
			problems = append(problems, p)
		default:
			seen[strings.ToLower(*row.DeviceID)] = true
			rows = append(rows, row)
		}
	}
	return rows, problems
}

func rowProblem(code, target, format string, args ...any) contract.Problem {
	return contract.Problem{
		Code: code, Level: contract.LevelError, Stage: machine.StageVolumes, Target: target, Text: fmt.Sprintf(format, args...),
	}
}

func lettered(row Row) string {
	if row.DriveLetter == nil || *row.DriveLetter == "" {
		return ""
	}
	return " (drive letter " + printable(*row.DriveLetter) + ")"
}

// printable shortens a text that may be anything.
func printable(text string) string {
	const most = 100
	text = strings.ToValidUTF8(text, "\uFFFD")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}
