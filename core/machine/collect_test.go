package machine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"diskaudit/core/contract"
)

// fake is a machine whose answers a test gives.
type fake struct {
	host, policy, disks, volumes func(context.Context, *Report)
}

func call(answer func(context.Context, *Report), ctx context.Context, report *Report) {
	if answer != nil {
		answer(ctx, report)
	}
}

func (f fake) Host(ctx context.Context, r *Report)    { call(f.host, ctx, r) }
func (f fake) Policy(ctx context.Context, r *Report)  { call(f.policy, ctx, r) }
func (f fake) Disks(ctx context.Context, r *Report)   { call(f.disks, ctx, r) }
func (f fake) Volumes(ctx context.Context, r *Report) { call(f.volumes, ctx, r) }

func addVolume(id string, problems ...contract.Problem) func(context.Context, *Report) {
	return func(_ context.Context, r *Report) { r.AddVolume(contract.Volume{ID: id, Problems: problems}) }
}

func codes(problems []contract.Problem) string {
	text := ""
	for _, problem := range problems {
		text += problem.Code + "/" + problem.Target + " "
	}
	return text
}

// Cases B14, B25, B26, B27, C35, P69: one bad volume is one problem; the others are reported.
func TestOneBadVolumeIsOneProblem(t *testing.T) {
	status := Collect(t.Context(), fake{volumes: func(ctx context.Context, r *Report) {
		addVolume("C:")(ctx, r)
		addVolume("D:", contract.Problem{Code: "read-failed", Target: "D:", Level: contract.LevelError})(ctx, r)
		addVolume("E:")(ctx, r)
	}}, nil)
	if len(status.Volumes) != 3 || status.Complete || codes(status.Problems) != "read-failed/D: " {
		t.Errorf("%d volumes, complete %v, problems %s", len(status.Volumes), status.Complete, codes(status.Problems))
	}
}

func TestCompleteUnlessAFactIsMissing(t *testing.T) {
	for level, complete := range map[contract.Level]bool{
		contract.LevelInfo: true, contract.LevelWarning: true, contract.LevelError: false, "": false,
	} {
		status := Collect(t.Context(), fake{host: func(_ context.Context, r *Report) {
			r.AddProblem(contract.Problem{Code: "x", Level: level})
		}}, nil)
		if status.Complete != complete {
			t.Errorf("level %q: complete is %v", level, status.Complete)
		}
	}
}

// Cases C38, C43: a question that never returns ends at the time limit, and what was found by
// then is kept; its late answer changes nothing.
func TestHangingQuestion(t *testing.T) {
	ctx, end := context.WithCancelCause(t.Context())
	release, answered := make(chan struct{}), make(chan struct{})
	status := Collect(ctx, fake{
		host:  func(_ context.Context, r *Report) { r.SetMachine(contract.Machine{Source: contract.SourceLinux}) },
		disks: func(_ context.Context, r *Report) { r.AddDisk(contract.Disk{ID: "sda"}) },
		volumes: func(ctx context.Context, r *Report) {
			addVolume("C:")(ctx, r)
			end(context.DeadlineExceeded)
			<-release
			addVolume("late")(ctx, r)
			close(answered)
		},
	}, nil)
	close(release)
	<-answered
	if codes(status.Problems) != "timeout/ " || status.Complete {
		t.Errorf("problems %s, complete %v", codes(status.Problems), status.Complete)
	}
	if len(status.Volumes) != 1 || status.Volumes[0].ID != "C:" || len(status.Disks) != 1 {
		t.Errorf("volumes %+v, disks %+v: what was found in time, and no more, is wanted", status.Volumes, status.Disks)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	status := Collect(ctx, fake{disks: func(_ context.Context, r *Report) {
		r.AddDisk(contract.Disk{ID: "sda"})
		cancel(errors.New("Ctrl-C"))
	}, volumes: addVolume("C:")}, nil)
	if len(status.Disks) != 1 || len(status.Volumes) != 0 || codes(status.Problems) != "interrupted/ " {
		t.Errorf("%+v", status)
	}
}

// Case C47: a fault in one stage is a problem, and the other stages are asked.
func TestPanicInAStage(t *testing.T) {
	status := Collect(t.Context(), fake{
		disks:   func(context.Context, *Report) { panic("index out of range") },
		volumes: addVolume("C:"),
	}, nil)
	if codes(status.Problems) != "internal-error/ " || len(status.Volumes) != 1 {
		t.Errorf("problems %s, %d volumes", codes(status.Problems), len(status.Volumes))
	}
}

func TestProgressNamesEveryStage(t *testing.T) {
	var mu sync.Mutex
	said := ""
	Collect(t.Context(), fake{volumes: func(_ context.Context, r *Report) { r.Progress(StageVolumes, 1, 2) }},
		func(stage string, done, total int) {
			mu.Lock()
			defer mu.Unlock()
			said += fmt.Sprintf("%s %d/%d ", stage, done, total)
		})
	if said != "host 0/0 policy 0/0 disks 0/0 volumes 0/0 volumes 1/2 " {
		t.Errorf("progress was %s", said)
	}
}

func TestReportFromManyGoroutines(t *testing.T) {
	report := NewReport(nil)
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() { report.AddVolume(contract.Volume{ID: fmt.Sprint(i)}) })
	}
	group.Wait()
	if got := len(report.Close().Volumes); got != 50 {
		t.Errorf("%d volumes", got)
	}
}
