//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "peers: %v\n", err)
		os.Exit(1) //nolint:forbidigo // This is the program's main.
	}
}

// run measures and prints. What it made is gone when it returns, whatever the reason.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	options, err := parseOptions(args, stderr)
	if err != nil {
		return err
	}
	bench, err := setUp(ctx, options, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bench.close()) }()
	report, err := bench.compare(ctx)
	if err != nil {
		return err
	}
	if options.json {
		encoder := json.NewEncoder(stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(report)
	}
	return report.print(stdout)
}
