// Package machine asks a computer for its facts. The Machine interface is what can be asked;
// the packages below it answer: for this Linux computer, for image files, for a recording.
// Collect puts the answers into a contract.Status.
package machine

import (
	"context"
	"errors"
)

// ErrInterrupted is the cause with which a context ends when a person stops the program.
var ErrInterrupted = errors.New("interrupted")

// The stages of collecting, as they appear in problems and in progress.
const (
	StageHost    = "host"
	StagePolicy  = "policy"
	StageDisks   = "disks"
	StageVolumes = "volumes"
)

// Machine is what a computer is asked. Each method reports facts as it finds them, so that what
// was found stays when a later question never returns. What cannot be found out is left nil and
// explained by a problem; no method fails as a whole. Methods stop early when ctx ends.
type Machine interface {
	// Host reports the computer and whether BitLocker's state can be read on it.
	Host(ctx context.Context, report *Report)
	// Policy reports the policies that decide about encryption.
	Policy(ctx context.Context, report *Report)
	// Disks reports the disks.
	Disks(ctx context.Context, report *Report)
	// Volumes reports the volumes with their encryption.
	Volumes(ctx context.Context, report *Report)
}
