package command

import (
	"context"
	"io"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/linux"
)

func thisComputer(identify bool) machine.Machine {
	return linux.New(linux.Options{Identify: identify, Probe: probe})
}

func probe(_ context.Context, target string, r io.ReaderAt, size int64) (contract.Encryption, linux.ProbeFacts, []contract.Problem) {
	seen := machine.Inspect(machine.Subject{ID: target, Reader: r, Size: size})
	return seen.Encryption, linux.ProbeFacts{
		FileSystem: seen.FileSystem, Label: seen.Label, ClusterBytes: seen.ClusterBytes, SizeBytes: seen.SizeBytes,
	}, seen.Problems
}
