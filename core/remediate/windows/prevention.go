package windows

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/patience"
	"diskaudit/core/machine/windows/registry"
	"diskaudit/core/remediate"
)

// preventionValue is the key and the name of PreventDeviceEncryption.
func preventionValue() (key, name string) {
	i := strings.LastIndex(remediate.PreventionTarget, `\`)
	return remediate.PreventionTarget[:i], remediate.PreventionTarget[i+1:]
}

// Prevention reads PreventDeviceEncryption: remediate.Absent, or its number in decimal. It is a
// REG_DWORD; a value of another type is one that could not be put back, and an error.
func (c *Computer) Prevention(ctx context.Context) (string, error) {
	stored, err := patience.Within(ctx, registryLimit, func(context.Context) (registry.Value, error) {
		return c.sources.Registry.Value(preventionValue())
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return remediate.Absent, nil
	case err != nil:
		return "", &remediate.Failure{Problem: registryProblem("reading", err)}
	case stored.Type != registry.TypeDWord:
		return "", &remediate.Failure{Problem: unusable(fmt.Sprintf("is of the registry's type %d", stored.Type))}
	}
	number, err := stored.Number()
	if err != nil {
		return "", &remediate.Failure{Problem: unusable(fmt.Sprintf("has %d bytes", len(stored.Data)))}
	}
	return strconv.FormatUint(number, 10), nil
}

// SetPrevention writes PreventDeviceEncryption, or removes it, and reads it back.
func (c *Computer) SetPrevention(ctx context.Context, value string) error {
	number, err := strconv.ParseUint(value, 10, 32)
	if value != remediate.Absent && (err != nil || strconv.FormatUint(number, 10) != value) {
		return &remediate.Failure{Problem: preventionProblem("value-unusable",
			"%q is no value that %s can have, which takes a number from 0 to 4294967295 or %q. Nothing was changed; please report it.", value, remediate.PreventionTarget, remediate.Absent)}
	}
	// One that could not be put back is left alone.
	before, err := c.Prevention(ctx)
	if err != nil {
		return err
	}
	if before == value {
		return nil
	}
	_, err = patience.Within(ctx, registryLimit, func(context.Context) (struct{}, error) {
		key, name := preventionValue()
		if value != remediate.Absent {
			return struct{}{}, c.sources.Registry.SetNumber(key, name, uint32(number))
		}
		err := c.sources.Registry.Delete(key, name)
		if errors.Is(err, fs.ErrNotExist) {
			// Somebody was faster.
			err = nil
		}
		return struct{}{}, err
	})
	if err != nil {
		return &remediate.Failure{Problem: registryProblem("writing", err), Unsure: !errors.Is(err, fs.ErrPermission)}
	}
	after, err := c.Prevention(ctx)
	var unread *remediate.Failure
	if errors.As(err, &unread) {
		unread.Unsure = true
		return unread
	}
	if after != value {
		return &remediate.Failure{Unsure: true, Problem: preventionProblem("write-not-kept",
			"%s was set to %s and is %s all the same: a policy or a security product puts it back. Find that out first, for Windows may encrypt by itself as long as the value is not 1.", remediate.PreventionTarget, value, after)}
	}
	return nil
}

// registryLimit is how long a call of the registry may take: one that hangs, as on a disk that fails, is
// left behind.
const registryLimit = 20 * time.Second

func preventionProblem(code, format string, args ...any) contract.Problem {
	return contract.Problem{
		Code: code, Level: contract.LevelError, Stage: machine.StagePolicy, Target: remediate.PreventionTarget, Text: fmt.Sprintf(format, args...),
	}
}

func unusable(why string) contract.Problem {
	return preventionProblem("value-unusable",
		"%s %s, and not the REG_DWORD that Windows reads: what it does is unknown, and it could not be put back as it is. Look at it in regedit and delete it if nobody needs it, then run this again.", remediate.PreventionTarget, why)
}

func registryProblem(doing string, err error) contract.Problem {
	if errors.Is(err, fs.ErrPermission) {
		return preventionProblem("access-denied",
			"Windows denies %s %s (%v). Run this as administrator; if it already is, the key's permissions or a security product forbid it.", doing, remediate.PreventionTarget, err)
	}
	return preventionProblem("registry-failed",
		"In %s %s the registry failed: %v. Its value is unknown; look at it in regedit and at the System event log, then run this again.", doing, remediate.PreventionTarget, err)
}
