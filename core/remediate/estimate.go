package remediate

import "diskaudit/core/contract"

// Rates at which a conversion is assumed to go while the computer is used, in bytes a second. Nobody
// publishes any; these are on the slow side of what owners report. A run measures its own, and later
// plans for the same volume take that.
const (
	rateSolid    = 100e6
	rateSpinning = 30e6
)

// estimate is how long the decryption of a volume may take; nil when its size is unknown. What was
// encrypted only where it was in use is decrypted only there.
func (p *planning) estimate(volume contract.Volume) (*float64, *contract.Estimate) {
	size := volume.SizeBytes
	if size == nil {
		return nil, nil
	}
	left := float64(*size)
	used, free := volume.Encryption.UsedSpaceOnly, volume.FreeBytes
	if used != nil && *used && free != nil && *free <= *size {
		left = float64(*size - *free)
	}
	if percent := volume.Encryption.Percent; percent != nil {
		left *= *percent / 100
	}
	estimate := contract.Estimate{Bytes: uint64(left), BytesPerSecond: p.rate(volume), Basis: contract.BasisAssumed}
	encrypted := volume.Encryption.Percent
	// A rate was measured in percent, so that what is left is measured in percent too.
	if rate, known := p.request.History.Rate(volume.ID); known && encrypted != nil && *encrypted > 0 && left > 0 {
		estimate.BytesPerSecond, estimate.Basis = left*rate / *encrypted, contract.BasisMeasured
	}
	seconds := left / estimate.BytesPerSecond
	return &seconds, &estimate
}

// rate is the assumed rate of the slowest disk below a volume.
func (p *planning) rate(volume contract.Volume) float64 {
	solid := len(volume.Extents) > 0
	for _, extent := range volume.Extents {
		for _, disk := range p.request.Status.Disks {
			if disk.ID == extent.DiskID {
				solid = solid && disk.Media != nil && (*disk.Media == contract.MediaSSD || *disk.Media == contract.MediaSCM)
			}
		}
	}
	if solid {
		return rateSolid
	}
	return rateSpinning
}
