//go:build unix

package command

import (
	"errors"
	"os/signal"
	"syscall"
)

func ignoreBrokenPipe() {
	signal.Ignore(syscall.SIGPIPE)
}

func isBrokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE)
}
