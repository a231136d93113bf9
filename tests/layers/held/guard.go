//go:build linux

// Package held makes things on this computer that have to be taken away again: RAM disks, loop
// devices, mounted file systems, opened BitLocker volumes. Each one is made, and taken away, by a
// small process of its own that waits for the end of its standard input. That comes when Release
// is called and also when the process that wanted the thing ends in any other way, killed
// included; so nothing stays behind.
//
// Everything here needs root and is for tests and measurements only.
package held

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Thing is something that Release takes away.
type Thing struct {
	// Path is where the thing is: a device, or the folder of a mount.
	Path string

	release func() error
}

// Release takes the thing away and returns why that failed. Calling it again returns the same.
func (t *Thing) Release() error { return t.release() }

// patience is how long taking a thing away may last. Each script tries for 10 s at most.
const patience = 40 * time.Second

// hold runs a script which makes a thing, prints its path as one line, waits for the end of its
// standard input by the function "hold", and takes the thing away. What the script writes to
// stderr is the reason for a failure. Arguments are $1, $2 and so on.
func hold(what, script string, args ...string) (*Thing, error) {
	// The script has a process group of its own and ignores what a terminal sends on Ctrl-C.
	const prelude = `set -e
PATH=$PATH:/usr/sbin:/sbin
trap '' INT TERM HUP QUIT
hold() { printf '%s\n' "$1"; cat >/dev/null || :; }
retry() { n=0; until "$@" 2>/dev/null; do n=$((n+1)); if [ $n -ge 100 ]; then "$@"; return; fi; sleep 0.1; done; }
`
	command := exec.Command("sh", append([]string{"-c", prelude + script, "sh"}, args...)...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var complaint bytes.Buffer
	command.Stderr = &complaint
	input, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", what, err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", what, err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("making %s: %w", what, err)
	}
	path, readErr := bufio.NewReader(output).ReadString('\n')
	finish := sync.OnceValue(func() error {
		input.Close()
		ended := make(chan error, 1)
		go func() { ended <- command.Wait() }()
		select {
		case err := <-ended:
			if err != nil {
				return fmt.Errorf("taking away %s: %w: %s", what, err, strings.TrimSpace(complaint.String()))
			}
			return nil
		case <-time.After(patience):
			return fmt.Errorf("taking away %s: not done after %v", what, patience)
		}
	})
	if readErr != nil {
		err := finish()
		if err == nil || !errors.Is(readErr, io.EOF) {
			err = readErr
		}
		return nil, fmt.Errorf("making %s: %w", what, err)
	}
	return &Thing{Path: strings.TrimSuffix(path, "\n"), release: finish}, nil
}
