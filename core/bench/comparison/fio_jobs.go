package comparison

import (
	"fmt"

	"diskaudit/core/contract"
)

// fault says why something that can be read is not compared: a code, and the reason with the way
// out.
type fault struct{ code, reason string }

func faultf(code, format string, args ...any) *fault {
	return &fault{code, fmt.Sprintf(format, args...)}
}

// fioReader turns fio's jobs into tests.
type fioReader struct {
	result *Result
	global map[string]string
	major  int
}

// readJobs takes together the entries that numjobs makes of one job, and refuses jobs of different
// names in one group: a group ends at stonewall, so they ran at the same time.
func (f *fioReader) readJobs(jobs []fioJob) {
	type identity struct {
		name  string
		group int64
	}
	names := map[int64]int{}
	entries := map[identity][]fioJob{}
	var order []identity
	for _, job := range jobs {
		id := identity{job.Name, job.Group}
		if entries[id] == nil {
			order = append(order, id)
			names[job.Group]++
		}
		entries[id] = append(entries[id], job)
	}
	for _, id := range order {
		f.readJob(entries[id], names[id.group])
	}
}

// readJob reads the entries of one job as one test. together is how many jobs ran in its group.
func (f *fioReader) readJob(entries []fioJob, together int) {
	job := entries[0]
	options := fioOptions{}
	options.merge(f.global)
	options.merge(job.Options)
	test, wrong := options.test()
	if wrong == nil && together > 1 {
		wrong = faultf("ran-together", "it ran at the same time as other jobs of its group, which share the disk with it. Put stonewall into each job, or run them one by one.")
	}
	if wrong == nil {
		wrong = f.measure(test, options, entries)
	}
	if wrong == nil {
		f.result.Tests = append(f.result.Tests, *test)
		return
	}
	id := shorten(job.Name)
	if test != nil {
		id = test.ID
	}
	f.result.refuse(wrong.code, id, "The baseline's job %q is not compared: %s", shorten(job.Name), wrong.reason)
}

// done is what an entry did in the direction of its test, and in the other.
func (j *fioJob) done(operation contract.Operation) (done, other *fioDirection) {
	if operation == contract.OperationWrite {
		return j.Write, j.Read
	}
	return j.Read, j.Write
}

// measure fills in the figures of a test from its entries.
func (f *fioReader) measure(test *Test, options fioOptions, entries []fioJob) *fault {
	if len(entries) != 1 && uint64(len(entries)) != test.Threads {
		return faultf("options-unknown", "it has %d entries where numjobs is %d. Give fio's output as it was written.", len(entries), test.Threads)
	}
	var iops, runtime float64
	for i := range entries {
		if wrong := f.checkEntry(&entries[i], test, len(entries) == 1); wrong != nil {
			return wrong
		}
		done, _ := entries[i].done(test.Operation)
		iops += done.IOPS
		runtime = max(runtime, done.RuntimeMs)
	}
	test.RoundMs = &runtime
	if bytes := iops * float64(test.BlockBytes); test.SpacingMs == 0 {
		test.IOPS, test.MBPerSecond, test.MiBPerSecond = &iops, contract.Ptr(bytes/1e6), contract.Ptr(bytes/(1<<20))
	}
	if options.flushes() {
		f.result.noteOnce("fio-flush", "fio times the flush after a write apart from the write, so of flushed writes only the rate is compared.")
		return nil
	}
	f.latency(test, entries)
	return nil
}

// checkEntry tells whether an entry's figures are those of its test and nothing else.
func (f *fioReader) checkEntry(job *fioJob, test *Test, alone bool) *fault {
	done, other := job.done(test.Operation)
	switch {
	case job.Error != 0 || job.TotalErr != 0 || job.FirstError != 0:
		return faultf("job-failed", "fio reports error %d in it. Find its cause in fio's messages and run it again.", max(job.Error, job.FirstError))
	case job.Mixed != nil:
		return faultf("mixed-operation", "it has reads and writes in one figure (unified_rw_reporting). Run it without that.")
	case done == nil || done.RuntimeMs <= 0 || done.IOPS <= 0:
		return faultf("no-figure", "it did no I/O of the kind that it was asked for. Look at fio's messages, and run it again.")
	case other != nil && other.IOPS > 0:
		return faultf("mixed-operation", "it did both reads and writes. Run them as two jobs, one after the other.")
	case done.Dropped > 0 || done.Short > 0:
		return faultf("job-failed", "some of its I/Os were short or dropped. Check the size of its target and run it again.")
	case test.QueueDepth > 1 && job.Depths["1"] > 50:
		// Case P23: asked for and reached are two things.
		return faultf("achieved-depth-differs", "it asked for a queue depth of %d, but most of its I/Os were alone. Use an engine that queues, such as libaio, io_uring or windowsaio.", test.QueueDepth)
	}
	// The job_runtime of a group is the sum over its jobs, which shows those that options do not.
	const slackMs = 100
	if alone && job.RuntimeMs != nil && *job.RuntimeMs > done.RuntimeMs*(float64(test.Threads)+0.5)+slackMs {
		return faultf("ran-together", "more jobs than the %d of its numjobs were put into one figure. Run them one by one.", test.Threads)
	}
	return nil
}
