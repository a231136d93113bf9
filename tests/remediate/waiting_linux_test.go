package remediate_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"diskaudit/core/contract"
	"diskaudit/tests/rig/simulator"
)

// waiting starts a decryption that stands still, and returns when it is waited for.
func (s scenario) waiting(t *testing.T, volume int) (*attempt, *run, func() (ended, error)) {
	t.Helper()
	a := s.begin(t)
	a.turn = 0
	r := &run{}
	wait, err := a.launch(r, s.command...)
	if err != nil {
		t.Fatal(err)
	}
	// Some looks after the decryption was begun, it is the waiting that looks.
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		looks := 0
		a.mu.Lock()
		if a.machine.Volumes[volume].Conversion == simulator.Decrypting {
			for i := len(r.events) - 1; i >= 0 && strings.HasPrefix(r.events[i].what, "Get"); i-- {
				looks++
			}
		}
		a.mu.Unlock()
		if looks > 12 {
			return a, r, wait
		}
		if time.Now().After(end) {
			t.Fatal("the decryption was not waited for within a minute")
		}
	}
}

// the finds a scenario.
func the(t *testing.T, name string) scenario {
	t.Helper()
	for _, s := range scenarios {
		if s.name == name {
			return s
		}
	}
	t.Fatalf("there is no scenario %q", name)
	return scenario{}
}

// A person or a service that ends the program while it waits ends the waiting only: the decryption
// goes on, which the document says with the way to watch it. The disk's flushing is turned on again
// all the same. Cases B37 and B55.
func TestInterruptedWhileWaiting(t *testing.T) {
	requireDisks(t)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		a, r, wait := the(t, "hard disk is sped up").waiting(t, 1)
		a.doing = signal.String()
		if err := syscall.Kill(r.pid, signal); err != nil {
			t.Fatal(err)
		}
		e, err := wait()
		if err != nil || e.code != 7 {
			t.Errorf("%v: %v %s", signal, err, e.account())
		}
		if len(e.document.Running) != 1 || e.document.Running[0].VolumeID != dataID || !strings.Contains(e.document.Running[0].Watch, "diskaudit status") {
			t.Errorf("%v: running is %+v", signal, e.document.Running)
		}
		if !a.flushing[hardDisk] {
			t.Errorf("%v: the write cache is not flushed", signal)
		}
		if now := contract.Conversion(a.machine.Volumes[1].Conversion); now != contract.DecryptionInProgress {
			t.Errorf("%v: D: is %s", signal, now)
		}
		a.turn = 15 * time.Second
		a.finish()
		a.check()
	}
}

// Of two runs one acts. The other says who that is, and changes nothing.
func TestTwoAtOnce(t *testing.T) {
	requireDisks(t)
	a, r, wait := the(t, "system volume").waiting(t, 0)
	e, err := a.complete(decrypt...)
	if err != nil || e.code != 7 || len(e.document.Problems) != 1 || e.document.Problems[0].Code != "another-run" {
		t.Errorf("%v %s", err, e.account())
	} else if text := e.document.Problems[0].Text; !strings.Contains(text, fmt.Sprint(r.pid)) || !strings.Contains(text, "decrypt") {
		t.Errorf("it does not say that process %d decrypts: %s", r.pid, text)
	}
	for _, event := range e.events {
		if event.changes {
			t.Errorf("the second run did %s", event.what)
		}
	}
	a.mu.Lock()
	a.turn = 15 * time.Second
	a.mu.Unlock()
	if e, err := wait(); err != nil || e.code != 0 {
		t.Errorf("%v %s", err, e.account())
	}
	a.check()
}

// A run that was killed holds nothing: the next one acts at once.
func TestDeadHoldsNothing(t *testing.T) {
	requireDisks(t)
	a, r, wait := the(t, "system volume").waiting(t, 0)
	if err := syscall.Kill(r.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if e, err := wait(); err != nil || !e.killed {
		t.Errorf("%v %s", err, e.account())
	}
	a.turn = 15 * time.Second
	a.finish()
	a.check()
}
