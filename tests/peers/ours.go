//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"diskaudit/core/contract"
)

// oursArgs are our options for the same work. Six rounds share the measured time.
func oursArgs(w work, path string, seconds, warmup float64) []string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	duration := func(s float64) string { return strconv.FormatFloat(s*1000, 'f', -1, 64) + "ms" }
	operation := map[bool]string{false: "read", true: "write"}[w.Write]
	pattern := map[bool]string{false: "random", true: "sequential"}[w.Sequential]
	args := []string{
		"bench", "--target", path, "--profile", "custom", "--operation", operation, "--pattern", pattern,
		"--block", number(w.BlockBytes), "--queue-depth", number(w.QueueDepth), "--threads", number(w.Threads),
		"--size", number(w.SpanBytes), "--duration", duration(seconds), "--rounds", "6", "--warmup", duration(warmup),
		"--no-penalty", "--format", "json",
	}
	if w.Write {
		args = append(args, "--durability", "device-cache")
	}
	return args
}

// parseOurs reads a document of "diskaudit bench" with one test.
func parseOurs(output []byte) (figures, error) {
	if err := contract.Validate(contract.KindBench, output); err != nil {
		return figures{}, fmt.Errorf("the document does not follow its schema: %w", err)
	}
	var document contract.Bench
	if err := json.Unmarshal(output, &document); err != nil {
		return figures{}, fmt.Errorf("reading the document: %w", err)
	}
	var problems error
	for _, p := range document.Problems {
		if p.Level.OrError() == contract.LevelError {
			problems = errors.Join(problems, errors.New(p.Text))
		}
	}
	if len(document.Tests) != 1 || len(document.Profile.Tests) != 1 {
		return figures{}, errors.Join(fmt.Errorf("the document has %d tests, want one", len(document.Tests)), problems)
	}
	test, spec := document.Tests[0], document.Profile.Tests[0]
	if test.IOPS == nil || test.LatencyNs.P50 == nil || *test.IOPS <= 0 {
		return figures{}, errors.Join(errors.New("the document has no figures"), problems)
	}
	result := figures{
		Work: work{
			BlockBytes: int64(test.BlockBytes), QueueDepth: int64(test.QueueDepth), Threads: int64(test.Threads),
			SpanBytes: int64(spec.SpanBytes), Write: test.Operation == contract.OperationWrite,
			Sequential: test.Pattern == contract.PatternSequential,
		},
		Ops: int64(test.Ops), IOPS: *test.IOPS, P50Ns: *test.LatencyNs.P50, P99Ns: known(test.LatencyNs.P99),
		CPUNsPerIO: known(test.CPUNsPerIO), Processors: test.Processors,
	}
	if test.API != nil {
		result.How = *test.API
	}
	if test.APIFallback != nil {
		result.Notes = append(result.Notes, "not the first choice of calls: "+*test.APIFallback)
	}
	for _, reason := range append(append([]contract.InvalidReason{}, test.InvalidReasons...), test.Notes...) {
		result.Notes = append(result.Notes, reason.Code)
	}
	return result, nil
}

func known(value *float64) float64 {
	if value == nil {
		return 0
	}
	return *value
}

// ours measures a work. The file of a write test is made and removed by diskaudit.
func (b *bench) ours(ctx context.Context, w work) (figures, error) {
	path := b.device
	if w.Write {
		path = b.folder
	}
	if b.wine != nil {
		path = windowsPath(path)
	}
	output, err := b.output(ctx, b.diskaudit, oursArgs(w, path, b.options.seconds, b.options.warmup)...)
	result, parseErr := parseOurs(output)
	// The document says more than the exit code; and a document can be whole with figures that are
	// called invalid, as a RAM disk's are.
	if parseErr != nil {
		return figures{}, errors.Join(fmt.Errorf("diskaudit bench: %w", parseErr), err)
	}
	return result, nil
}
