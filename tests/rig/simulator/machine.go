// Package simulator is a computer with BitLocker that exists in memory only: its volumes, what
// Windows' provider says of them, how they change in time, and what can go wrong on the way. The
// Windows executable reaches it over COM (package serve), Linux tests through NewCaller.
package simulator

import (
	"strings"
	"sync"
	"time"
)

// Machine is a simulated computer. Fill in its fields before it is used; from then on change them
// only in Update, since calls may be under way.
type Machine struct {
	// Volumes are the volumes, in the order in which the provider gives them.
	Volumes []*Volume
	// NoBitLocker leaves the provider's namespace out, as where Windows has no BitLocker.
	NoBitLocker bool
	// Features are the instances of Win32_OptionalFeature by name, and their InstallState: 1 enabled,
	// 2 disabled, 3 absent (learn.microsoft.com/windows/win32/cimwin32prov/win32-optionalfeature).
	Features map[string]int32
	// Shell is what the shell's property System.Volume.BitLockerProtection holds of each root path,
	// such as "C:\"; a path that is not here is empty (VT_EMPTY).
	Shell map[string]Value
	// Faults are what goes wrong.
	Faults []*Fault
	// Speed is how many seconds pass on the machine in one second. With 0 its clock stands still,
	// and only Advance moves it.
	Speed float64

	mu      sync.Mutex
	at      time.Time
	calls   []Call
	release chan struct{}
}

// Call is one thing that the machine was asked.
type Call struct {
	// DeviceID is the volume; empty for what is not about one.
	DeviceID string
	// Name is the method, or "ConnectServer", "ExecQuery", "NameSpace", "ExtendedProperty".
	Name string
	// In are the arguments that were passed in, in their order.
	In []Value
	// Result is what came back: the return value, or an *Error.
	Result Value
}

// Update changes the machine while it may be in use.
func (m *Machine) Update(change func(*Machine)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pass()
	change(m)
}

// Advance moves the machine's clock, and with it the conversions that are under way.
func (m *Machine) Advance(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pass()
	m.let(d)
}

// Release ends whatever hangs, now and from now on, with the failure of a call that was cancelled.
func (m *Machine) Release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-m.released():
	default:
		close(m.release)
	}
}

// Calls are what the machine was asked so far, oldest first.
func (m *Machine) Calls() []Call {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Call(nil), m.calls...)
}

// Called counts the calls by that name.
func (m *Machine) Called(name string) int {
	n := 0
	for _, call := range m.Calls() {
		if strings.EqualFold(call.Name, name) {
			n++
		}
	}
	return n
}

// Forbidden are the calls so far of methods that hand out a secret or change the volume: an audit
// makes none.
func (m *Machine) Forbidden() []Call {
	var forbidden []Call
	for _, call := range m.Calls() {
		if method, known := find(call.Name); known && (method.secret || method.changes) {
			forbidden = append(forbidden, call)
		}
	}
	return forbidden
}

// Secrets are the secrets planted in the volumes, as texts that no output may hold.
func (m *Machine) Secrets() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var secrets []string
	for _, volume := range m.Volumes {
		for _, protector := range volume.Protectors {
			for _, secret := range []string{protector.Password, string(protector.Key), string(protector.Package)} {
				if secret != "" {
					secrets = append(secrets, secret)
				}
			}
		}
	}
	return secrets
}

// log records a call; the oldest are forgotten when there are very many.
func (m *Machine) log(call Call) {
	const most = 100_000
	if len(m.calls) >= most {
		m.calls = append(m.calls[:0], m.calls[most/2:]...)
	}
	m.calls = append(m.calls, call)
}

func (m *Machine) released() chan struct{} {
	if m.release == nil {
		m.release = make(chan struct{})
	}
	return m.release
}

// pass lets the time pass that did since the last look at the clock.
func (m *Machine) pass() {
	now := time.Now()
	if !m.at.IsZero() && m.Speed > 0 {
		m.let(time.Duration(float64(now.Sub(m.at)) * m.Speed))
	}
	m.at = now
}

func (m *Machine) let(d time.Duration) {
	for _, volume := range m.Volumes {
		volume.pass(d)
	}
}

// volume finds the volume with that DeviceID.
func (m *Machine) volume(deviceID string) *Volume {
	for _, volume := range m.Volumes {
		if strings.EqualFold(volume.DeviceID, deviceID) {
			return volume
		}
	}
	return nil
}
