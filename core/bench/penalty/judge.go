package penalty

import (
	"fmt"
	"math"
	"strings"

	"diskaudit/core/contract"
)

// Judge says what a penalty means: material when its whole interval is at or above the threshold,
// negligible when it lies below, else undecided. The threshold is in percent of the latency
// without the layer; 0 is DefaultThresholdPercent.
func Judge(p contract.Penalty, thresholdPercent float64) contract.Verdict {
	if !(thresholdPercent > 0) || math.IsInf(thresholdPercent, 0) {
		thresholdPercent = DefaultThresholdPercent
	}
	verdict := contract.Verdict{Result: contract.VerdictUndecided, ThresholdPercent: thresholdPercent}
	if !p.Valid || p.AddedNs == nil || p.AddedPercent == nil {
		verdict.Text = "What encryption costs here is not known."
		if p.Reason != nil {
			verdict.Text += " " + p.Reason.Text
		} else {
			verdict.Text += " Measure both paths (--upper, --lower), compare with a plain volume of the same disk (--twin), or give a result from the other state (--baseline)."
		}
		return verdict
	}
	figures := figures(p)
	switch {
	case p.AddedPercent.Low >= thresholdPercent:
		verdict.Result = contract.VerdictMaterial
		verdict.Text = fmt.Sprintf("%s That is material: all of the interval is at or above the threshold of %g %%.", figures, thresholdPercent)
	case p.AddedPercent.High < thresholdPercent:
		verdict.Result = contract.VerdictNegligible
		verdict.Text = fmt.Sprintf("%s That is negligible: all of the interval is below the threshold of %g %%.", figures, thresholdPercent)
	default:
		verdict.Text = fmt.Sprintf("%s The threshold of %g %% lies within the interval, so it is undecided: measure longer (--penalty-time), on an idle computer.", figures, thresholdPercent)
	}
	return verdict
}

// figures says what was found, absolute and in percent, each with its interval.
func figures(p contract.Penalty) string {
	what := "an I/O"
	if p.Operation != nil && p.BlockBytes != nil {
		what = fmt.Sprintf("a %s %s", blockSize(*p.BlockBytes), *p.Operation)
	}
	bare := ""
	if p.BareNs != nil {
		bare = " of " + microseconds(*p.BareNs)
	}
	added, percent := p.AddedNs, p.AddedPercent
	subject, note := "Encryption", ""
	if p.Proof != nil {
		switch p.Proof.Result {
		case proofSame:
			subject = "The layer"
			note = " Both paths show the same bytes, so there is no cipher between them: this is the cost of the layer alone."
		case proofInconclusive:
			subject = "The layer"
			note = " The bytes on the two paths do not prove that the layer between them encrypts."
		}
	}
	adds := subject + " adds " + microseconds(added.Estimate) + " to " + what
	if added.Low <= 0 {
		adds = "What " + strings.ToLower(subject) + " adds to " + what + " cannot be told from nothing: " + microseconds(added.Estimate)
	}
	return fmt.Sprintf("%s (95 %% interval %s), which is %.1f %%%s (%.1f to %.1f %%).%s",
		adds, fromTo(added.Low, added.High), percent.Estimate, bare, percent.Low, percent.High, note)
}
