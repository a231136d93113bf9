package rig_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"diskaudit/tests/rig/simulator"
	"diskaudit/tests/rig/simulator/serve"
)

// fewestWineKills is how often the real program is killed at least.
const fewestWineKills = 24

// TestRemediateKilled kills the real program at its questions to Windows and while its journal
// grows. The next run brings everything to its end, and does nothing twice. Cases B37, B51 and B55.
func TestRemediateKilled(t *testing.T) {
	r := remediedComputer(t)
	begun, kills := time.Now(), 0
	// PreventDeviceEncryption stays as it is here: the registry is no question that can be seen.
	for _, at := range points(r.questions()) {
		kills += r.killed(at.String(), func(m *simulator.Machine, server *serve.Server, run *running) func() {
			between := newRelay(t, m, server.Address())
			run.cmd.Env = append(run.cmd.Env, between.variable())
			between.arm(run.cmd, at.question, at.answered)
			return func() {}
		})
	}
	// The lock, the beginning, two lines for each of the two changes, and the end.
	for growth := 1; growth <= 9; growth++ {
		if !r.prevented() {
			t.Errorf("PreventDeviceEncryption is not there before growth %d", growth)
		}
		kills += r.killed(fmt.Sprintf("at growth %d of the journal", growth), func(_ *simulator.Machine, _ *serve.Server, run *running) func() {
			return r.whenGrown(growth, run)
		})
	}
	if !r.prevented() {
		t.Error("PreventDeviceEncryption is not there in the end")
	}
	t.Logf("%d kills in %s", kills, time.Since(begun).Round(time.Second))
	if kills < fewestWineKills {
		t.Errorf("%d kills are fewer than %d", kills, fewestWineKills)
	}
}

// questions are those of a run that is not killed.
func (r *remedied) questions() []string {
	r.t.Helper()
	m, _ := encrypted()
	server := r.Simulate(m)
	between := newRelay(r.t, m, server.Address())
	run := r.prepare(command("--apply")...)
	run.cmd.Env = append(run.cmd.Env, between.variable())
	between.arm(run.cmd, 0, false)
	if err := run.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.checked(run.wait(), 0)
	return between.questions()
}

// point is a question at which the program is killed.
type point struct {
	question int
	method   string
	answered bool
}

func (p point) String() string {
	moment := "before"
	if p.answered {
		moment = "after"
	}
	return fmt.Sprintf("%s question %d %s", moment, p.question, p.method)
}

// points are, before and after, all questions that change something, and some of the others.
func points(questions []string) []point {
	const others = 8
	methods := 0
	for _, method := range questions {
		if method != "" {
			methods++
		}
	}
	var points []point
	seen := 0
	for i, method := range questions {
		changes := isDecrypt(method)
		if method != "" {
			seen++
		}
		if changes || method != "" && seen%max(1, methods/others) == 0 {
			points = append(points, point{i + 1, method, false}, point{i + 1, method, true})
		}
	}
	return points
}

// isDecrypt tells whether a call was of Decrypt: the bridge passes names on in lower case.
func isDecrypt(method string) bool { return strings.EqualFold(method, "Decrypt") }

// killed runs a decryption that is killed, and one that is not, on a computer of its own. It returns
// how many programs were killed. Arm prepares the kill and returns what ends that.
func (r *remedied) killed(at string, arm func(*simulator.Machine, *serve.Server, *running) func()) (kills int) {
	r.t.Helper()
	m, c := encrypted()
	server := r.Simulate(m)
	run := r.prepare(command("--apply")...)
	disarm := arm(m, server, run)
	if err := run.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	result := run.wait()
	disarm()
	switch {
	case run.killed():
		kills = 1
	case result.Code != 0:
		r.t.Errorf("%s: it was not killed, and its exit code is %d:\n%s%s", at, result.Code, result.Stdout, result.Stderr)
	}
	r.t.Logf("%s: killed is %v", at, run.killed())
	finished := r.run(0, command("--apply")...)
	if state(m, c) != simulator.Decrypted {
		r.t.Errorf("killed %s: C: is in the state %d in the end", at, state(m, c))
	}
	if calls := m.Forbidden(); len(calls) != 1 || !isDecrypt(calls[0].Name) {
		r.t.Errorf("killed %s: it called %v, want Decrypt once", at, calls)
	}
	if len(finished.Problems) > 0 {
		r.t.Errorf("killed %s: the next run had the problems %+v", at, finished.Problems)
	}
	r.lines()
	return kills
}

// whenGrown kills the program when the folder of the journals has changed for the n-th time: a file
// came into being, or grew. It returns what ends the watching.
func (r *remedied) whenGrown(n int, run *running) func() {
	r.t.Helper()
	watch, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		r.t.Fatal(err)
	}
	file := os.NewFile(uintptr(watch), "inotify")
	if _, err := unix.InotifyAddWatch(watch, r.journals(), unix.IN_CREATE|unix.IN_MODIFY); err != nil {
		r.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		// One event at a time: the kernel gives as many as fit, each with the name of its file.
		buffer := make([]byte, unix.SizeofInotifyEvent+unix.NAME_MAX+1)
		for seen := 0; ; {
			length, err := file.Read(buffer)
			if err != nil {
				return
			}
			for offset := 0; offset+unix.SizeofInotifyEvent <= length; {
				named := int(buffer[offset+12]) | int(buffer[offset+13])<<8
				offset += unix.SizeofInotifyEvent + named
				if seen++; seen == n {
					_ = run.cmd.Process.Kill()
				}
			}
		}
	}()
	return func() {
		file.Close()
		<-ended
	}
}
