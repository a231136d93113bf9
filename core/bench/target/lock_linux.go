package target

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// lockPrefix is what the names of locks begin with; tests have their own.
var lockPrefix = "@diskaudit-bench-"

// lock keeps other runs away from the volume, with a socket in the abstract name space: it
// belongs to this process, ends with it whatever way it ends, and leaves no file.
// Source: unix(7), "Abstract sockets".
func lock(s *site, path string) (release func() error, err error) {
	name := lockPrefix + s.key
	socket, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("locking the volume of %s: %w", path, err)
	}
	err = unix.Bind(socket, &unix.SockaddrUnix{Name: name})
	if err == nil {
		// Nobody is answered; it lets others ask who listens.
		err = unix.Listen(socket, 16)
	}
	if err == nil {
		return func() error { return unix.Close(socket) }, nil
	}
	_ = unix.Close(socket)
	if !errors.Is(err, unix.EADDRINUSE) {
		return nil, fmt.Errorf("locking the volume of %s: %w", path, err)
	}
	refusal := refuse("in-use", "%s: another diskaudit bench is measuring this volume%s, and both would measure each other. Wait until it has ended", path, holder(name))
	refusal.cause = err
	return nil, refusal
}

// holder tells which process holds the lock, "" when it cannot. Source: unix(7), SO_PEERCRED.
func holder(name string) string {
	socket, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer func() { _ = unix.Close(socket) }()
	if err := unix.Connect(socket, &unix.SockaddrUnix{Name: name}); err != nil {
		return ""
	}
	peer, err := unix.GetsockoptUcred(socket, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil || peer.Pid <= 0 {
		return ""
	}
	return fmt.Sprintf(" (process %d)", peer.Pid)
}
