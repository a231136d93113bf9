package penalty

import "diskaudit/core/contract"

// Predict says what tests would have measured on this disk without the encryption layer: the
// median latency and the I/Os per second of those tests that did what the penalty was measured
// with, one I/O of the same size and direction at a time. For deeper queues, other sizes and writes
// nothing follows from it, nor from a penalty that is not valid, not shown to be above 0, or of
// paths without a cipher between them.
func Predict(p contract.Penalty, tests []contract.BenchTest) []contract.Headroom {
	if !p.Valid || p.AddedNs == nil || p.AddedNs.Low <= 0 || p.Operation == nil || p.BlockBytes == nil {
		return nil
	}
	if p.Proof != nil && p.Proof.Result != proofEncrypted {
		return nil
	}
	var headroom []contract.Headroom
	for _, test := range tests {
		if !test.Valid || test.Operation != *p.Operation || test.BlockBytes != *p.BlockBytes || test.QueueDepth != 1 || test.Threads != 1 {
			continue
		}
		if p50 := test.LatencyNs.P50; p50 != nil {
			if without, ok := minus(*p50, *p.AddedNs); ok {
				headroom = append(headroom, contract.Headroom{TestID: test.ID, Metric: "p50Ns", Measured: *p50, Predicted: without})
			}
		}
		if iops := test.IOPS; iops != nil && *iops > 0 {
			// With one I/O at a time, a second holds as many as their mean time fits into it.
			if mean, ok := minus(1e9 / *iops, *p.AddedNs); ok {
				headroom = append(headroom, contract.Headroom{TestID: test.ID, Metric: "iops", Measured: *iops,
					Predicted: contract.Range{Low: 1e9 / mean.High, Estimate: 1e9 / mean.Estimate, High: 1e9 / mean.Low}})
			}
		}
	}
	return headroom
}

// minus takes what the layer adds away from a latency in ns; false when nothing would be left.
func minus(ns float64, added contract.Range) (contract.Range, bool) {
	left := contract.Range{Low: ns - added.High, Estimate: ns - added.Estimate, High: ns - added.Low}
	return left, left.Low > 0
}
