package windows

import (
	"context"
	"errors"
	"fmt"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/windows/storage"
	"diskaudit/core/remediate"
)

// Flushing reads whether a disk's write cache is flushed: remediate.On, or remediate.Off.
func (c *Computer) Flushing(_ context.Context, disk string) (string, error) {
	on, err := c.sources.Cache.Flushing(disk)
	if err != nil {
		return "", cacheFailure(disk, err)
	}
	if on {
		return remediate.On, nil
	}
	return remediate.Off, nil
}

// SetFlushing turns that on or off.
func (c *Computer) SetFlushing(_ context.Context, disk, value string) error {
	if value != remediate.On && value != remediate.Off {
		return &remediate.Failure{Problem: contract.Problem{
			Code: "value-unusable", Level: contract.LevelError, Stage: machine.StageDisks, Target: disk,
			Text: fmt.Sprintf("%q is neither on nor off, and the write cache of %s was left as it is. Please report it.", value, disk),
		}}
	}
	if err := c.sources.Cache.SetFlushing(disk, value == remediate.On); err != nil {
		failed := cacheFailure(disk, err)
		var told *storage.CacheError
		failed.Unsure = !errors.As(err, &told) || told.Begun
		return failed
	}
	return nil
}

func cacheFailure(disk string, err error) *remediate.Failure {
	problem := storage.CacheProblem(disk, err)
	return &remediate.Failure{Problem: problem, Fatal: isFatal(problem)}
}
