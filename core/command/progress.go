package command

import (
	"encoding/json"
	"io"
	"math"
	"sync"
	"time"

	"diskaudit/core/bench"
	"diskaudit/core/contract"
	"diskaudit/core/report/fleet"
)

// progress writes progress lines.
type progress struct {
	mu    sync.Mutex
	w     io.Writer
	stage string
	since time.Time
}

// progressLine is one line of progress on stderr. It is part of the contract.
type progressLine struct {
	Stage string `json:"stage"`
	Done  int    `json:"done"`
	// Total is null while it is not known.
	Total *int   `json:"total"`
	Unit  string `json:"unit"`
	// ETASeconds is null while it cannot be told.
	ETASeconds *float64 `json:"etaSeconds"`
}

// stageUnits are what the stages count whose name does not say it.
var stageUnits = map[string]string{bench.StagePrepare: "bytes", bench.StageMeasure: "rounds", bench.StagePenalty: "milliseconds", fleet.StageRead: "files", fleet.StageCount: "files"}

func newProgress(w io.Writer) *progress {
	return &progress{w: w}
}

// report writes one line. A stderr that cannot be written to stops nothing.
func (p *progress) report(stage string, done, total int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if stage != p.stage {
		p.stage, p.since = stage, now
	}
	unit, ok := stageUnits[stage]
	if !ok {
		unit = stage
	}
	line := progressLine{Stage: stage, Done: done, Unit: unit}
	if total > 0 {
		line.Total = &total
		if done > 0 {
			left := now.Sub(p.since).Seconds() / float64(done) * float64(total-done)
			line.ETASeconds = &left
		}
	}
	p.write(line)
}

// watched writes one line about a decryption that goes on: how much is done, in percent.
func (p *progress) watched(running contract.Running) {
	if p == nil || running.Percent == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	total := 100
	p.stage = stageDecrypt
	p.write(progressLine{Stage: stageDecrypt, Done: total - int(math.Ceil(*running.Percent)), Total: &total, Unit: "percent", ETASeconds: running.ETASeconds})
}

// stageDecrypt is the stage of waiting for a decryption.
const stageDecrypt = "decrypt"

func (p *progress) write(line progressLine) {
	if data, err := json.Marshal(line); err == nil {
		_, _ = p.w.Write(append(data, '\n'))
	}
}
