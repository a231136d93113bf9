package bench

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"diskaudit/core/bench/engine"
	"diskaudit/core/bench/penalty"
	"diskaudit/core/contract"
)

// priceBlockBytes is the block of the paired reads: that of the figure which encryption hurts most.
const priceBlockBytes = 4096

// price finds out what the encryption layer adds, by the best evidence there is.
func (r *run) price(ctx context.Context) {
	options := r.options.Penalty
	p := &r.document.Penalty
	switch {
	case options.Off:
		p.Reason = because("not-asked", "The penalty was not asked for (--no-penalty).")
		return
	case ctx.Err() != nil:
		p.Reason = because("interrupted", "The run ended before the penalty was measured.")
		r.ended(ctx, StagePenalty)
		return
	case options.Upper == "" && r.document.Target.Kind == nil:
		p.Reason = because("target-unusable", "There was no target to measure on; the problems say why.")
		return
	case options.Upper != "":
		*p = r.paired(ctx, paths{upper: options.Upper, lower: options.Lower, offset: options.LowerOffset})
		return
	}
	found, reason := layersOf(r.status, r.document.Context.Volume)
	if reason == nil {
		*p = r.paired(ctx, found)
		if p.Valid {
			return
		}
		reason = p.Reason
	}
	if options.Twin != "" {
		*p = r.twin(ctx, options.Twin)
		if p.Valid {
			return
		}
		reason = p.Reason
	}
	if options.Saved != nil {
		now := r.document
		now.Tests = r.results()
		if with := penalty.BeforeAfter(now, *options.Saved); with.Valid || with.Reason != nil && options.Twin == "" && reason.Code != "not-encrypted" {
			*p = with
			return
		}
	}
	p.Reason = reason
}

// paired compares two paths.
func (r *run) paired(ctx context.Context, over paths) contract.Penalty {
	failed := contract.Penalty{Paths: &contract.PenaltyPaths{Upper: over.upper, Lower: over.lower, LowerOffsetBytes: uint64(over.offset)}}
	if failed.Reason = unrelated(r.status.Volumes, over, namesOf); failed.Reason != nil {
		return failed
	}
	open, reason := r.openPair(over)
	if reason != nil {
		failed.Reason = reason
		return failed
	}
	answered := true
	region := r.plainRegion(over)
	defer func() {
		// What an I/O still works on stays open.
		if answered {
			open.close()
			region.close()
		}
	}()
	ranges, source, err := inUse(over)
	if err != nil {
		failed.Reason = because("extents-unreadable", "Which bytes are in use could not be read: %v.", err)
		return failed
	}
	setup := penalty.Setup{
		Upper: open.upper, Lower: open.lower, Ranges: ranges, LowerOffset: over.offset, BlockBytes: priceBlockBytes,
		Control: region.asControl(),
		Seed:    r.options.Seed, Budget: r.priceBudget(), ThresholdPercent: r.options.ThresholdPercent,
		// Not bound to a processor, as programs are not: the threads of a layer, which are woken by
		// the reader, find other places to run when it is.
		Processor: -1, SystemCPU: engine.SystemCPU,
		Progress: func(done, total time.Duration) {
			r.options.Progress(StagePenalty, int(done.Milliseconds()), int(total.Milliseconds()))
		},
	}
	results := make(chan contract.Penalty, 1)
	if answered = patiently(ctx, func() { results <- penalty.Measure(ctx, setup) }); !answered {
		failed.Reason = because("no-answer", "One of the paths did not answer a read that was under way when the run was to end. Check the disk's health and its connection.")
		r.unanswered(StagePenalty, over.upper)
		r.ended(ctx, StagePenalty)
		return failed
	}
	measured := <-results
	failed.Paths.Extents = source
	failed.Paths.SpanBytes = lengthOf(ranges)
	measured.Paths = failed.Paths
	r.ended(ctx, StagePenalty)
	return measured
}

func lengthOf(ranges []penalty.Range) uint64 {
	total := uint64(0)
	for _, part := range ranges {
		total += uint64(part.Length)
	}
	return total
}

func (r *run) openPath(path string) (*engine.Path, *contract.InvalidReason) {
	opened, err := engine.OpenPath(path, priceBlockBytes)
	if err == nil {
		return opened, nil
	}
	reason := because("path-unreadable", "%s could not be opened for reading: %v.", path, err)
	code := "path-unreadable"
	if errors.Is(err, fs.ErrPermission) {
		code = "needs-elevation"
		reason = because(code, "%s may only be read by an administrator or root: %v. Run again elevated. %s", path, err, otherEvidence)
	}
	level := contract.LevelWarning
	if r.options.Penalty.Upper != "" {
		level = contract.LevelError
	}
	r.problem(contract.Problem{Code: code, Level: level, Stage: StagePenalty, Target: path, Text: reason.Text})
	return nil, reason
}

// priceBudget is the time for the paired reads, within what is left of the profile's limit.
func (r *run) priceBudget() time.Duration {
	budget := r.options.Penalty.For
	if limit := r.options.Profile.Limit; limit > 0 && r.options.Target != "" {
		budget = min(budget, limit+2*time.Second-r.now().Sub(r.started))
	}
	return max(budget, time.Second)
}

// twin measures the single reads on a plain volume of the same disk too.
func (r *run) twin(ctx context.Context, folder string) contract.Penalty {
	const id = "RND4K-Q1T1-read"
	var own *contract.BenchTest
	for _, test := range r.results() {
		if test.ID == id {
			own = &test
		}
	}
	if own == nil {
		return contract.Penalty{Reason: because("test-missing", "The twin is compared by %s, which this profile does not have. Choose the profile quick.", id)}
	}
	options := Options{
		Target: folder, Profile: r.options.Profile, Seed: r.options.Seed, MaxWritten: r.options.MaxWritten,
		Penalty: PenaltyOptions{Off: true}, Observe: func(context.Context) contract.Status { return r.status },
		Progress: r.options.Progress, Ended: r.options.Ended,
	}
	options.Profile.Tests = nil
	for _, test := range r.options.Profile.Tests {
		if test.ID == id {
			options.Profile.Tests = []contract.TestSpec{test}
		}
	}
	options.Profile.Limit = 0
	other := devices.run(r.devices, ctx, options)
	for _, problem := range other.Problems {
		if problem.Level.OrError() != contract.LevelInfo {
			r.problem(problem)
		}
	}
	if len(other.Tests) == 0 {
		return contract.Penalty{Reason: because("twin-unusable", "The twin %s could not be measured; the problems say why.", folder)}
	}
	if mine, its := r.document.Target.DiskID, other.Target.DiskID; mine == nil || its == nil || *mine != *its {
		return contract.Penalty{Reason: because("twin-elsewhere", "The twin %s is not known to lie on the same disk, so a difference could be that of the disks. Name a folder on a plain volume of the same disk.", folder)}
	}
	volume, twin := r.document.Context.Volume, other.Context.Volume
	switch {
	case volume == nil || twin == nil:
		return contract.Penalty{Reason: because("twin-unknown", "Whether the volumes are encrypted is not known.")}
	case encrypted(volume) && plain(twin):
		return penalty.Twin(*own, other.Tests[0])
	case encrypted(twin) && plain(volume):
		return penalty.Twin(other.Tests[0], *own)
	}
	return contract.Penalty{Reason: because("twin-alike", "One volume has to be encrypted by software and the other not; that is not known of these two.")}
}

// encrypted tells whether a volume is known to be encrypted by software, all of it. One whose conversion
// is paused holds both: what a file on it shows is known of neither state.
func encrypted(volume *contract.Volume) bool {
	e := volume.Encryption
	partly := e.Conversion != nil && *e.Conversion != contract.FullyEncrypted && *e.Conversion != contract.FullyDecrypted
	return penalty.CryptLayer(volume) || is(e.Engine, contract.EngineSoftware) && !partly
}
