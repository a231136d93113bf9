//go:build linux

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// fioExeVariable names fio's Windows program when no flag does.
const fioExeVariable = "DISKAUDIT_FIO_EXE"

// wine runs the Windows programs of both sides.
type wine struct {
	program     string
	environment []string
}

// wineLetters are the tests that both programs do under Wine.
var wineLetters = []string{"a", "c"}

// setUpWine makes a Wine prefix, builds diskaudit for Windows, and writes the file that both read.
func (b *bench) setUpWine(ctx context.Context) error {
	program, err := exec.LookPath("wine")
	if err != nil {
		return fmt.Errorf("looking for Wine, which --wine needs: %w", err)
	}
	prefix := filepath.Join(b.temporary, "prefix")
	b.wine = &wine{program: program, environment: append(os.Environ(), "WINEPREFIX="+prefix, "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree,mshtml=")}
	// Taken away before the folder, which was made earlier.
	b.made = append(b.made, b.wine.stop)
	b.say("making a Wine prefix")
	// Its exit code also tells about what is missing and not needed, such as a screen.
	_ = b.wine.command(ctx, program+"boot", "-i").Run()
	system := filepath.Join(prefix, "drive_c", "windows", "system32")
	if _, err := os.Stat(system); err != nil {
		return fmt.Errorf("wineboot made no Windows folder: %w", err)
	}
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return fmt.Errorf("finding the repository: %w; run from it", err)
	}
	shim := filepath.Join(strings.TrimSpace(string(root)), "tests", "rig", "shim", "bcryptprimitives.c")
	if out, err := exec.CommandContext(ctx, "x86_64-w64-mingw32-gcc", "-shared", "-o", filepath.Join(system, "bcryptprimitives.dll"), shim, "-ladvapi32").CombinedOutput(); err != nil {
		return fmt.Errorf("building a library that programs made with Go need under Wine: %w: %s", err, out)
	}
	if b.diskaudit == "" {
		b.say("building diskaudit for Windows")
		b.diskaudit = filepath.Join(b.temporary, "diskaudit.exe")
		build := exec.CommandContext(ctx, "go", "build", "-o", b.diskaudit, "diskaudit/core")
		build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("building diskaudit for Windows: %w: %s", err, out)
		}
	}
	if b.device == "" {
		b.device, b.span = filepath.Join(b.temporary, "file.dat"), b.options.fileSize
		return writeRandom(b.device, b.span)
	}
	return nil
}

// writeRandom writes a file that cannot be compressed.
func writeRandom(path string, size int64) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.CopyN(file, rand.Reader, size)
	return errors.Join(err, file.Sync(), file.Close())
}

func (w *wine) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, program, args...)
	command.Env = w.environment
	return command
}

// stop ends what Wine left running. The first fails when nothing is; the second waits for the end.
func (w *wine) stop() error {
	for _, flag := range []string{"-k", "-w"} {
		_ = w.command(context.Background(), "wineserver", flag).Run()
	}
	return nil
}

// windowsPath is how programs under Wine call a file of this computer.
func windowsPath(path string) string { return "Z:" + strings.ReplaceAll(path, "/", `\`) }

// fioWineArgs are fio's options for a work under Wine: those of fioArgs, with the calls that
// Windows has. Without no_completion_thread fio hands each end of an I/O from one thread to
// another, which is a part of its latency.
func fioWineArgs(w work, path string, seconds, warmup float64) []string {
	args := slices.DeleteFunc(fioArgs(w, windowsPath(path), seconds, warmup), func(argument string) bool {
		return strings.HasPrefix(argument, "--ioengine=") || argument == "--fixedbufs=1" || argument == "--registerfiles=1" ||
			strings.HasSuffix(strings.SplitN(argument, "=", 2)[0], "_percentiles")
	})
	// At every depth its latency is the whole one: its windowsaio has no synchronous call.
	return append(args, "--ioengine=windowsaio", "--no_completion_thread=1", "--lat_percentiles=1", "--clat_percentiles=0")
}
