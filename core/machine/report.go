package machine

import (
	"sync"

	"diskaudit/core/contract"
)

// Progress is called with how many things of a stage are done; total is 0 while it is unknown.
type Progress func(stage string, done, total int)

// Report gathers what a Machine finds. It may be used from several goroutines. Once it is
// closed it takes no more, so that a question which answers after its deadline changes nothing.
type Report struct {
	mu       sync.Mutex
	closed   bool
	status   contract.Status
	progress Progress
}

// NewReport returns an empty report; progress may be nil.
func NewReport(progress Progress) *Report {
	if progress == nil {
		progress = func(string, int, int) {}
	}
	return &Report{progress: progress}
}

func (r *Report) change(apply func(*contract.Status)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		apply(&r.status)
	}
}

// SetMachine records the computer.
func (r *Report) SetMachine(machine contract.Machine) {
	r.change(func(s *contract.Status) { s.Machine = machine })
}

// SetProvider records whether BitLocker's state can be read.
func (r *Report) SetProvider(provider contract.Provider) {
	r.change(func(s *contract.Status) { s.BitLocker = provider })
}

// SetPolicy records the policies.
func (r *Report) SetPolicy(policy contract.Policy) {
	r.change(func(s *contract.Status) { s.Policy = policy })
}

// AddDisk records a disk.
func (r *Report) AddDisk(disk contract.Disk) {
	r.change(func(s *contract.Status) { s.Disks = append(s.Disks, disk) })
}

// AddVolume records a volume. Its problems become the document's as well.
func (r *Report) AddVolume(volume contract.Volume) {
	r.change(func(s *contract.Status) { s.Volumes = append(s.Volumes, volume) })
}

// PutVolume records a volume in the place of one with the same id, or else as a new one. So a volume
// can be listed before everything about it is known.
func (r *Report) PutVolume(volume contract.Volume) {
	r.change(func(s *contract.Status) {
		for i := range s.Volumes {
			if s.Volumes[i].ID == volume.ID {
				s.Volumes[i] = volume
				return
			}
		}
		s.Volumes = append(s.Volumes, volume)
	})
}

// AddProblem records a problem that is not about one volume.
func (r *Report) AddProblem(problem contract.Problem) {
	r.change(func(s *contract.Status) { s.Problems = append(s.Problems, problem) })
}

// Progress tells that done of total things of a stage are done.
func (r *Report) Progress(stage string, done, total int) {
	r.progress(stage, done, total)
}

// Close ends the report and returns what it gathered.
func (r *Report) Close() contract.Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return r.status
}
