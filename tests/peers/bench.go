//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"diskaudit/tests/layers/held"
)

// bench is a comparison in progress, with all that was made for it.
type bench struct {
	options options
	stderr  io.Writer
	// device is read, folder is where the write test makes files: "" until that comes.
	device, folder         string
	diskaudit, loopProgram string
	span                   int64
	temporary              string
	// wine runs both programs, nil when they are programs of this system.
	wine *wine
	// made is taken away in reverse order.
	made []func() error
}

// setUp finds or builds the programs and makes the RAM disk.
func setUp(ctx context.Context, o options, stderr io.Writer) (_ *bench, err error) {
	b := &bench{options: o, stderr: stderr, device: o.device, folder: o.folder, diskaudit: o.diskaudit, span: o.size}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	if o.wine {
		_, err = os.Stat(o.fio)
	} else {
		b.options.fio, err = exec.LookPath(o.fio)
	}
	if err != nil {
		return nil, fmt.Errorf("fio is needed to compare with: %w; install it or name it with --fio, or with --fio-exe for --wine", err)
	}
	if b.temporary, err = os.MkdirTemp("", "diskaudit-peers-"); err != nil {
		return nil, err
	}
	b.made = append(b.made, func() error { return os.RemoveAll(b.temporary) })
	if o.wine {
		if err := b.setUpWine(ctx); err != nil {
			return nil, err
		}
	}
	if b.diskaudit == "" {
		b.say("building diskaudit")
		b.diskaudit = filepath.Join(b.temporary, "diskaudit")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", b.diskaudit, "diskaudit/core").CombinedOutput(); err != nil {
			return nil, fmt.Errorf("building diskaudit: %w: %s; run from the repository or name it with --diskaudit", err, out)
		}
	}
	if b.wanted("f") {
		if b.loopProgram, err = buildLoop(ctx, b.temporary); err != nil {
			return nil, err
		}
	}
	if b.device == "" {
		b.say("making a RAM disk of %s", sizeText(o.size))
		disk, err := held.RAMDisk(o.size, uint64(time.Now().UnixNano()))
		if err != nil {
			return nil, fmt.Errorf("%w; run as root, or name a device with --device and a folder with --folder", err)
		}
		b.made = append(b.made, disk.Release)
		b.say("made %s", disk.Path)
		b.device = disk.Path
		return b, nil
	}
	size, err := sizeOf(b.device)
	if err != nil {
		return nil, err
	}
	if size < b.span {
		if b.span = size / (16 << 20) * (16 << 20); b.span == 0 {
			return nil, fmt.Errorf("%s has %d bytes, too few to measure", b.device, size)
		}
	}
	return b, nil
}

// close takes everything away again.
func (b *bench) close() error {
	var err error
	for _, undo := range slices.Backward(b.made) {
		err = errors.Join(err, undo())
	}
	b.made = nil
	return err
}

func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(b.stderr, format+"\n", args...)
}

func (b *bench) wanted(letter string) bool {
	return len(b.options.only) == 0 || slices.Contains(b.options.only, letter)
}

// prepareWrites makes the folder for the write test, and fio's file in it. diskaudit makes its own
// file, of the same size, and removes it.
func (b *bench) prepareWrites(ctx context.Context) error {
	if b.folder == "" {
		disk := b.device
		if b.options.device != "" {
			b.say("making a RAM disk for the write test")
			made, err := held.RAMDisk(max(b.options.fileSize*3, 256<<20), 1)
			if err != nil {
				return fmt.Errorf("%w; run as root, or name a folder with --folder", err)
			}
			b.made = append(b.made, made.Release)
			disk = made.Path
		}
		mounted, err := held.FileSystem(disk, "ext4")
		if err != nil {
			return err
		}
		b.made = append(b.made, mounted.Release)
		b.folder = mounted.Path
	}
	path := b.fioFile()
	b.made = append(b.made, func() error {
		if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	})
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s is there already: remove it if it is a leftover of this program", path)
	}
	if output, err := b.output(ctx, b.options.fio, fioLayout(path, b.options.fileSize)...); err != nil {
		return fmt.Errorf("writing fio's file: %w: %.300s", err, output)
	}
	return nil
}

// output runs a program and returns its stdout. At the end of ctx it is asked to end, so that it
// can remove what it made, and killed when it does not.
func (b *bench) output(ctx context.Context, program string, args ...string) ([]byte, error) {
	var environment []string
	if b.wine != nil {
		program, args, environment = b.wine.program, append([]string{program}, args...), b.wine.environment
	}
	command := exec.CommandContext(ctx, program, args...)
	command.Env = environment
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = 10 * time.Second
	// What fio leaves, such as the state for a later verification, goes to the temporary folder.
	command.Dir = b.temporary
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	switch {
	case ctx.Err() != nil:
		err = errors.New("interrupted")
	case err != nil:
		err = fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.Bytes(), err
}

func sizeOf(path string) (int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, fmt.Errorf("finding the size of %s: %w", path, err)
	}
	return size, nil
}
