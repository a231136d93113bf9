package documents

import (
	"math"
	"time"

	"diskaudit/core/audit"
	"diskaudit/core/contract"
)

// The years between which documents can have been written. A clock that is far off would let its
// document supersede all others for ever.
const firstYear, yearAfterLast = 1970, 2100

func checkTime(collected time.Time) error {
	if year := collected.UTC().Year(); year < firstYear || year >= yearAfterLast {
		return refusef(CodeTime, "It says that it was written at %s, which cannot be. Set the clock of that computer right and write the document again.", collected.Format(time.RFC3339))
	}
	return nil
}

// settleStatus refuses what is no computer's own document, and judges the computer anew: by what the
// document lists, and not by the summary that it came with.
func settleStatus(status *contract.Status) error {
	written := status.Summary
	switch {
	case written == nil:
		return refusef(CodeRecording, "It is a recording (status --record), which holds facts alone and no judgement. To count it, run diskaudit status --recording on it with --output, and give that document.")
	case status.Machine.Source == contract.SourceImage:
		return refusef(CodeImage, "It is of a disk image (status --image), which is no computer. Leave it out, or look at it by itself with diskaudit status.")
	}
	status.Summary = audit.Summarize(*status)
	listed := status.Summary.Volumes
	if written.Volumes != nil && *written.Volumes > 0 && (listed == nil || *written.Volumes > *listed) {
		return refusef(CodeNarrowed, "It does not list all volumes that its summary counts: it was narrowed by --volume, so that it does not tell of the whole computer. Run diskaudit status there without --volume.")
	}
	return nil
}

// mostReal bounds figures: in ns it is eleven days, in percent more than any ratio of two latencies.
const mostReal = 1e15

// settlePenalty takes a penalty that has no figures for one that is not valid, and a verdict without a
// valid penalty for undecided, whatever the document calls them.
func settlePenalty(bench *contract.Bench) {
	penalty, verdict := &bench.Penalty, &bench.Verdict
	if penalty.AddedPercent != nil && !sane(*penalty.AddedPercent) {
		penalty.AddedPercent = nil
	}
	if penalty.Valid && (penalty.AddedNs == nil || !sane(*penalty.AddedNs)) {
		penalty.Valid, penalty.AddedNs, penalty.AddedPercent = false, nil, nil
		penalty.Reason = &contract.InvalidReason{Code: "figures-missing", Text: "The document calls its penalty valid, but its figures are missing or cannot be. Give the file as diskaudit wrote it, or measure again."}
	}
	if !penalty.Valid && (verdict.Result == contract.VerdictMaterial || verdict.Result == contract.VerdictNegligible) {
		verdict.Result = contract.VerdictUndecided
		verdict.Text = "There is no valid evidence of what encryption adds, so it is undecided whether it is material."
	}
}

func sane(r contract.Range) bool {
	for _, x := range []float64{r.Low, r.Estimate, r.High} {
		if !(math.Abs(x) <= mostReal) {
			return false
		}
	}
	return true
}
