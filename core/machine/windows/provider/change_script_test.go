package provider_test

import (
	"context"
	"errors"
	"fmt"

	"diskaudit/core/machine/windows/provider"
)

// changed changes every volume by every method and says what became of it.
func changed(ctx context.Context, caller provider.Caller) (lines []string) {
	session, err := provider.Open(ctx, caller)
	if err != nil {
		return []string{err.Error()}
	}
	defer session.Close()
	rows, _, err := session.Volumes(ctx)
	if err != nil {
		return []string{err.Error()}
	}
	for _, row := range rows {
		for _, method := range []string{provider.PauseConversion, provider.ResumeConversion, provider.ClearAllAutoUnlockKeys, provider.Decrypt, "DeleteKeyProtectors"} {
			line := fmt.Sprintf("%s %s: ", *row.DeviceID, method)
			var failed *provider.ChangeError
			switch err := session.Change(ctx, *row.DeviceID, method); {
			case errors.As(err, &failed):
				line += fmt.Sprintf("%s, fatal %v, unsure %v", failed.Problem.Code, failed.Fatal, failed.Unsure)
				if failed.Problem.HResult != nil {
					line += " " + *failed.Problem.HResult
				}
			case err != nil:
				line += err.Error()
			default:
				line += "accepted"
			}
			reading := session.Conversion(ctx, *row.DeviceID)
			line += "; then "
			if e := reading.Encryption; e.Conversion != nil && e.Percent != nil {
				line += fmt.Sprintf("%s %v", e.Conversion, *e.Percent)
			}
			for _, problem := range reading.Problems {
				line += " " + problem.Code
			}
			lines = append(lines, line)
		}
	}
	return lines
}
