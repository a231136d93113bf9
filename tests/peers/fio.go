//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
)

// fioArgs are fio's options for a work on a device or file. What is not named is left at fio's
// defaults: the random map (no block twice until all were used), the clock source, and that
// threads may run on any processor (fio.readthedocs.io).
func fioArgs(w work, path string, seconds, warmup float64) []string {
	operation := map[bool]string{false: "read", true: "write"}[w.Write]
	if !w.Sequential {
		operation = "rand" + operation
	}
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	milliseconds := func(s float64) string { return number(int64(math.Round(s*1000))) + "ms" }
	args := []string{
		"--name=" + w.Letter, "--filename=" + strings.ReplaceAll(path, ":", `\:`), "--rw=" + operation,
		"--bs=" + number(w.BlockBytes), "--size=" + number(w.SpanBytes), "--direct=1",
		"--iodepth=" + number(w.QueueDepth), "--numjobs=" + number(w.Threads), "--group_reporting=1", "--thread=1",
		"--time_based=1", "--runtime=" + milliseconds(seconds), "--ramp_time=" + milliseconds(warmup),
		"--percentile_list=50:99", "--output-format=json",
		// The file is there already; and if it is not, fio does not make a hole of it.
		"--allow_file_create=0",
	}
	if w.Write {
		// Without it fio changes one buffer a little for each write, and the result can be compressed
		// in part: a RAM disk, or a controller that compresses, then does other work than with ours.
		args = append(args, "--refill_buffers=1")
	} else {
		args = append(args, "--readonly")
	}
	if w.QueueDepth == 1 {
		return append(args, "--ioengine=psync")
	}
	// Of a deep queue the whole latency is compared, from before the submission on, as ours: fio's
	// clat begins after the call that submits, in which a RAM disk has done the I/O already.
	return append(args, "--ioengine=io_uring", "--fixedbufs=1", "--registerfiles=1", "--lat_percentiles=1", "--clat_percentiles=0")
}

// fioLayout are the options that write a file of size bytes, all of it.
func fioLayout(path string, size int64) []string {
	return []string{
		"--name=layout", "--filename=" + strings.ReplaceAll(path, ":", `\:`), "--rw=write", "--bs=1m",
		"--size=" + strconv.FormatInt(size, 10), "--direct=1", "--ioengine=psync", "--fallocate=none",
		"--refill_buffers=1", "--end_fsync=1", "--output-format=json",
	}
}

// fioDocument is what is used of fio's JSON.
type fioDocument struct {
	Version string `json:"fio version"`
	// GlobalOptions hold those that are the same for all jobs when they come from a job file.
	GlobalOptions map[string]string `json:"global options"`
	Jobs          []fioJob          `json:"jobs"`
}

type fioJob struct {
	Error int `json:"error"`
	// JobRuntime is the sum over the group's jobs, in ms.
	JobRuntime float64 `json:"job_runtime"`
	// UserCPU and SystemCPU are percent of that.
	UserCPU   float64           `json:"usr_cpu"`
	SystemCPU float64           `json:"sys_cpu"`
	Options   map[string]string `json:"job options"`
	Read      fioDirection      `json:"read"`
	Write     fioDirection      `json:"write"`
}

type fioDirection struct {
	TotalIOs int64      `json:"total_ios"`
	IOPS     float64    `json:"iops"`
	Clat     fioLatency `json:"clat_ns"`
	Lat      fioLatency `json:"lat_ns"`
}

type fioLatency struct {
	Percentiles map[string]float64 `json:"percentile"`
}

// parseFio reads the JSON of one job, or of one group that reports together. fio may print lines
// of its own before it.
func parseFio(output []byte) (figures, error) {
	start := strings.IndexByte(string(output), '{')
	if start < 0 {
		return figures{}, fmt.Errorf("fio printed no JSON: %.200q", output)
	}
	var document fioDocument
	if err := json.Unmarshal(output[start:], &document); err != nil {
		return figures{}, fmt.Errorf("reading fio's JSON: %w", err)
	}
	if len(document.Jobs) != 1 {
		return figures{}, fmt.Errorf("fio reports %d jobs, want one", len(document.Jobs))
	}
	job := document.Jobs[0]
	if job.Error != 0 {
		return figures{}, fmt.Errorf("fio reports error %d (errno)", job.Error)
	}
	option := func(name string) string {
		if value, ok := job.Options[name]; ok {
			return value
		}
		return document.GlobalOptions[name]
	}
	number := func(name string, otherwise int64) int64 {
		if value, err := strconv.ParseInt(option(name), 10, 64); err == nil {
			return value
		}
		return otherwise
	}
	direction := job.Read
	write := strings.HasSuffix(option("rw"), "write")
	if write {
		direction = job.Write
	}
	if direction.TotalIOs <= 0 || direction.IOPS <= 0 {
		return figures{}, fmt.Errorf("fio did no I/O in the time given")
	}
	latency, kind := direction.Clat, "clat"
	if len(latency.Percentiles) == 0 {
		latency, kind = direction.Lat, "lat"
	}
	result := figures{
		Work: work{
			BlockBytes: number("bs", 0), QueueDepth: number("iodepth", 1), Threads: number("numjobs", 1),
			SpanBytes: number("size", 0), Write: write, Sequential: !strings.HasPrefix(option("rw"), "rand"),
		},
		Ops: direction.TotalIOs, IOPS: direction.IOPS,
		P50Ns: latency.Percentiles["50.000000"], P99Ns: latency.Percentiles["99.000000"],
		CPUNsPerIO: (job.UserCPU + job.SystemCPU) / 100 * job.JobRuntime * 1e6 / float64(direction.TotalIOs),
		How:        fmt.Sprintf("%s %s, %s", document.Version, option("ioengine"), kind),
	}
	result.P50StepNs, result.P99StepNs = fioStep(result.P50Ns), fioStep(result.P99Ns)
	return result, nil
}

// fioStep is the width of the class that a percentile comes from: fio counts latencies in 64
// classes for each power of two (FIO_IO_U_PLAT_BITS in its stat.h) and reports a class's middle.
func fioStep(ns float64) float64 {
	if ns < 128 {
		return math.Min(ns, 1)
	}
	return math.Exp2(math.Floor(math.Log2(ns)) - 6)
}

// fio measures a work. A write needs a file of fio's own, which is there already.
func (b *bench) fio(ctx context.Context, w work) (figures, error) {
	path := b.device
	if w.Write {
		path = b.fioFile()
	}
	args := fioArgs
	if b.wine != nil {
		args = fioWineArgs
	}
	output, err := b.output(ctx, b.options.fio, args(w, path, b.options.seconds, b.options.warmup)...)
	if err != nil {
		return figures{}, fmt.Errorf("fio: %w", err)
	}
	return parseFio(output)
}

func (b *bench) fioFile() string { return filepath.Join(b.folder, "peers-fio") }
