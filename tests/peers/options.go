//go:build linux

package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// options are the command line.
type options struct {
	device, folder string
	diskaudit, fio string
	runs           int
	seconds        float64
	size, fileSize int64
	json           bool
	only           []string
	// wine compares the Windows programs, of which fioExe is fio's.
	wine              bool
	fioExe            string
	warmup, tolerance float64
}

func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	var size, fileSize, only string
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.device, "device", "", "block device or file to read; it is never written (default: a RAM disk, made and removed again; needs root)")
	flags.StringVar(&o.folder, "folder", "", "folder for the files of the write test (default: ext4 on a RAM disk; needs root)")
	flags.IntVar(&o.runs, "runs", 5, "how often each test is done with each program, in turns")
	flags.Float64Var(&o.seconds, "seconds", 3, "measured time of each test")
	flags.Float64Var(&o.warmup, "warmup", 0.5, "seconds before that, whose figures are discarded")
	flags.StringVar(&size, "size", "1G", "bytes of the device that are read, from its beginning, and the size of the RAM disk")
	flags.StringVar(&fileSize, "file-size", "256M", "size of each of the two files of the write test")
	flags.StringVar(&only, "only", "", "letters of the tests to do, such as a,c,f (default: all)")
	flags.Float64Var(&o.tolerance, "tolerance", 15, "spread in percent from which a test is called disturbed")
	flags.StringVar(&o.diskaudit, "diskaudit", "", "path of diskaudit (default: built from this repository)")
	flags.StringVar(&o.fio, "fio", "fio", "path of fio")
	flags.BoolVar(&o.wine, "wine", false, "compare the Windows programs under Wine, on a file; tests a and c")
	flags.StringVar(&o.fioExe, "fio-exe", os.Getenv(fioExeVariable), "path of fio's Windows program, for --wine (default: $"+fioExeVariable+")")
	flags.BoolVar(&o.json, "json", false, "print everything as JSON instead of a table")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("%q does not belong to a flag; see --help", flags.Arg(0))
	}
	var err error
	if o.size, err = parseSize(size); err != nil {
		return o, fmt.Errorf("--size: %w", err)
	}
	if o.fileSize, err = parseSize(fileSize); err != nil {
		return o, fmt.Errorf("--file-size: %w", err)
	}
	if o.runs < 1 || o.seconds <= 0 || o.warmup < 0 || o.tolerance <= 0 {
		return o, fmt.Errorf("--runs, --seconds and --tolerance have to be above 0, and --warmup not below 0")
	}
	if only != "" {
		o.only = strings.Split(only, ",")
	}
	if o.wine {
		if o.fioExe == "" {
			return o, fmt.Errorf("--wine compares with fio's Windows program: name it with --fio-exe or %s", fioExeVariable)
		}
		if len(o.only) == 0 {
			o.only = wineLetters
		}
		o.fio = o.fioExe
	}
	known := "f"
	for _, w := range works {
		known += w.Letter
	}
	for _, letter := range o.only {
		if len(letter) != 1 || !strings.Contains(known, letter) {
			return o, fmt.Errorf("--only: there is no test %q", letter)
		}
		if o.wine && !slices.Contains(wineLetters, letter) {
			return o, fmt.Errorf("--only: with --wine there are the tests %s", strings.Join(wineLetters, " and "))
		}
	}
	return o, nil
}

// parseSize reads a number of bytes, or of KiB, MiB, GiB with K, M, G. The largest block that is
// measured has to fit a whole number of times.
func parseSize(text string) (int64, error) {
	units := map[string]int64{"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
	number, unit := text, int64(1)
	if n := len(text); n > 0 && units[text[n-1:]] > 0 {
		number, unit = text[:n-1], units[text[n-1:]]
	}
	value, err := strconv.ParseInt(number, 10, 64)
	if err != nil || value <= 0 || value > 1<<50/unit {
		return 0, fmt.Errorf("%q is not a size such as 256M", text)
	}
	if value*unit%(16<<20) != 0 {
		return 0, fmt.Errorf("%s is not a multiple of 16M", text)
	}
	return value * unit, nil
}
