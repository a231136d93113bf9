// Diskaudit tells whether BitLocker encrypts this computer's disks by software, and what to do
// about it.
package main

import (
	"context"
	"io"
	"os"

	"diskaudit/core/command"
)

func main() {
	os.Exit(run(context.Background(), os.Args, os.Stdin, os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	return command.Run(ctx, args, stdout, stderr)
}
