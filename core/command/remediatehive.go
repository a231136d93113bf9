package command

import (
	"errors"
	"fmt"
	"path/filepath"

	"diskaudit/core/contract"
	"diskaudit/core/remediate/hive"
)

// offline plans the prevention for a Windows that does not run, by the file of its registry. The file
// is only read: Windows' own reg.exe changes it, by the commands of the plan.
func (r *remediation) offline(path string) {
	// An elevated prompt begins in another folder.
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	state, err := hive.Read(path)
	if err != nil {
		var refused *hive.Error
		problem := contract.Problem{
			Code: "hive-unreadable", Level: contract.LevelError, Stage: string(contract.KindRemediate), Target: path,
			Text: fmt.Sprintf("The registry hive %s could not be read: %v.", path, err),
		}
		if errors.As(err, &refused) {
			problem = refused.Problem()
		}
		r.problem(problem)
		r.session.code = ExitFailed
		if problem.Code == "needs-elevation" {
			r.session.code = ExitElevation
		}
		return
	}
	r.document.Complete = true
	r.document.Plan.Commands = hive.Lines(path, state)
	if len(r.document.Plan.Commands) == 0 {
		return
	}
	r.problem(contract.Problem{
		Code: "run-by-hand", Level: contract.LevelWarning, Stage: string(contract.KindRemediate), Target: path,
		Text: "Nothing was changed: this program only reads the registry of a Windows that does not run. Run the commands of the plan in an elevated Command Prompt on Windows. If that Windows was shut down with fast startup, shut it down fully first (shutdown /s /t 0), or it may overwrite the change.",
	})
	for _, set := range state.Sets {
		if set.Prevention == hive.Prevented {
			continue
		}
		r.document.Plan.Steps = append(r.document.Plan.Steps, contract.PlanStep{
			ID: fmt.Sprintf("%d-%s", len(r.document.Plan.Steps)+1, contract.ChangePrevent), Change: contract.ChangePrevent,
			Target: set.Value(), Before: set.Prevention, After: hive.Prevented,
			Text: fmt.Sprintf("Keep that Windows from encrypting by itself (PreventDeviceEncryption = 1 in %s). This decrypts nothing.", set.Name),
			Undo: "Delete the value, or write back what was there before, in the same way.",
		})
	}
}
