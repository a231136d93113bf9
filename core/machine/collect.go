package machine

import (
	"context"
	"errors"
	"fmt"

	"diskaudit/core/contract"
)

// Collect asks a machine everything and returns what it answered. The result's facts are
// complete unless a problem of level error says otherwise; findings, tool and time are left to
// the caller. A stage that does not return before ctx ends is left behind, with what it had
// found by then and a problem that names it: a disk that hangs must not hang the audit.
func Collect(ctx context.Context, m Machine, progress Progress) contract.Status {
	report := NewReport(progress)
	stages := []struct {
		name string
		ask  func(context.Context, *Report)
	}{
		{StageHost, m.Host},
		{StagePolicy, m.Policy},
		{StageDisks, m.Disks},
		{StageVolumes, m.Volumes},
	}
	for _, stage := range stages {
		report.Progress(stage.name, 0, 0)
		if err := await(ctx, func() { stage.ask(ctx, report) }, func(panicked any) {
			report.AddProblem(contract.Problem{
				Code: "internal-error", Level: contract.LevelError, Stage: stage.name,
				Text: fmt.Sprintf("Reading the %s failed by a fault of this program: %v. Please report it with a recording (--record FILE).", stage.name, panicked),
			})
		}); err != nil {
			report.AddProblem(endProblem(stage.name, err))
			break
		}
	}
	return finish(report.Close())
}

// await runs work until it returns or ctx ends. A panic of work is passed to failed.
func await(ctx context.Context, work func(), failed func(any)) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if panicked := recover(); panicked != nil {
				failed(panicked)
			}
		}()
		work()
	}()
	select {
	case <-done:
		return context.Cause(ctx)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func endProblem(stage string, err error) contract.Problem {
	problem := contract.Problem{
		Code: "interrupted", Level: contract.LevelError, Stage: stage, Retryable: true,
		Text: fmt.Sprintf("Interrupted while reading the %s; what was found by then is in the document.", stage),
	}
	if errors.Is(err, context.DeadlineExceeded) {
		problem.Code = "timeout"
		problem.Text = fmt.Sprintf("The time limit was reached while reading the %s; what was found by then is in the document. Raise --timeout.", stage)
	}
	return problem
}

// finish gathers the volumes' problems into the document's and derives whether it is complete.
func finish(status contract.Status) contract.Status {
	for _, volume := range status.Volumes {
		status.Problems = append(status.Problems, volume.Problems...)
	}
	status.Complete = true
	for _, problem := range status.Problems {
		if problem.Level.OrError() == contract.LevelError {
			status.Complete = false
		}
	}
	return status
}
