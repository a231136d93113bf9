//go:build linux

// Command slowfs is a file system with known delays and faults, for tests of what measures disks.
// It reads one line of JSON, a layer.Setup, from stdin, mounts, prints one line, a layer.Report,
// and then obeys commands until its stdin ends; so it never outlives the test that started it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"diskaudit/tests/layers/layer"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == spinning {
		if err := spinForever(os.Args[2]); err != nil {
			os.Exit(1) //nolint:forbidigo // This is the program's main.
		}
		return
	}
	raise()
	// A terminal's Ctrl-C is for the test, whose end closes stdin.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// Few collections, so that they seldom fall into an answer.
	debug.SetGCPercent(1000)
	if err := serve(os.Stdin, os.Stdout); err != nil {
		json.NewEncoder(os.Stdout).Encode(layer.Report{Error: err.Error()}) //nolint:errcheck // The exit code says it too.
		os.Exit(1)                                                          //nolint:forbidigo // This is the program's main.
	}
}

// serve mounts as the first line says and obeys the ones after it.
func serve(commands io.Reader, answers io.Writer) error {
	lines := bufio.NewScanner(commands)
	if !lines.Scan() {
		return fmt.Errorf("no setup was given: %w", lines.Err())
	}
	var setup layer.Setup
	if err := json.Unmarshal(lines.Bytes(), &setup); err != nil {
		return fmt.Errorf("reading the setup: %w", err)
	}
	root, book, err := build(setup)
	if err != nil {
		return err
	}
	server, err := fs.Mount(setup.Mount, root, &fs.Options{
		MountOptions: fuse.MountOptions{
			FsName: "slowfs", Name: "slowfs",
			// As large as the kernel allows, so that 1 MiB is one request.
			MaxWrite: 1 << 20, MaxBackground: 128,
			DirectMount: true, DisableXAttrs: true, DisableSplice: true, AllowOther: os.Geteuid() == 0,
		},
	})
	if err != nil {
		return fmt.Errorf("mounting on %s: %w", setup.Mount, err)
	}
	defer end(setup.Mount, server, book)
	if setup.Views != nil && setup.Views.KeepAwake {
		stop, err := keepAwake()
		if err != nil {
			return err
		}
		defer stop()
	}
	out := json.NewEncoder(answers)
	if err := out.Encode(layer.Report{}); err != nil {
		return nil
	}
	for lines.Scan() {
		switch lines.Text() {
		case "resume":
			book.resume()
		case "counters":
			if err := out.Encode(layer.Report{Counters: book.report()}); err != nil {
				return nil
			}
		}
	}
	return nil
}

// end unmounts, and cuts off whoever still waits for an answer: what hangs gets an error, and the
// end of this process ends every other request. The folder goes too, as it is of no use to anyone.
func end(mount string, server *fuse.Server, book *book) {
	defer os.Remove(mount) //nolint:errcheck // The test does it where it still lives.
	book.close()
	for range 20 {
		if unix.Unmount(mount, 0) == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	if unix.Unmount(mount, unix.MNT_DETACH) != nil {
		server.Unmount() //nolint:errcheck // Without root, this asks fusermount; nothing is left to try after it.
	}
}

// build makes the tree of files.
func build(setup layer.Setup) (fs.InodeEmbedder, *book, error) {
	switch {
	case setup.Views != nil:
		return newViews(setup.Backing, *setup.Views)
	case setup.Folder != nil:
		return newFolder(setup.Backing, *setup.Folder)
	}
	return nil, nil, fmt.Errorf("the setup names neither views nor a folder")
}
