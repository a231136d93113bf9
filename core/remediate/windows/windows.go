// Package windows is the Windows computer that a remediation changes: its volumes by BitLocker's WMI
// provider, PreventDeviceEncryption in the registry, the flushing of disks' write caches by their
// driver. All three stand behind interfaces, so that it is tested anywhere.
package windows

import (
	"context"
	"sync"

	"diskaudit/core/machine/windows/provider"
	"diskaudit/core/machine/windows/registry"
	"diskaudit/core/remediate"
)

// Cache reads and sets whether the write cache of a disk is flushed. The errors of storage.Cache are
// explained better than others.
type Cache interface {
	// Flushing tells whether the cache of a disk, such as PhysicalDrive0, is flushed.
	Flushing(disk string) (bool, error)
	// SetFlushing turns that on or off.
	SetFlushing(disk string, on bool) error
}

// Sources are what a computer consists of; none may be nil.
type Sources struct {
	// Provider makes a way to BitLocker's provider; it is called for each connection.
	Provider func() provider.Caller
	// Registry holds PreventDeviceEncryption.
	Registry registry.Store
	// Cache sets the disks.
	Cache Cache
}

// Computer is a Windows computer. Its errors are of the type *remediate.Failure. It connects to
// BitLocker when it is first asked for it, and again after Close. Its methods are called one after the
// other; Close may be called beside them.
type Computer struct {
	sources Sources

	mu sync.Mutex
	// connection is the one to BitLocker, nil for none.
	connection *connection
}

// connection is a connection to BitLocker.
type connection struct {
	session *provider.Session
	// names are the provider's names for volumes by those names in lower case.
	names map[string]string
}

var _ remediate.Computer = (*Computer)(nil)

// New returns the computer that the sources make up.
func New(sources Sources) *Computer { return &Computer{sources: sources} }

// connected is the connection to BitLocker, made now where there is none.
func (c *Computer) connected(ctx context.Context) (*connection, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.connection != nil {
		return c.connection, nil
	}
	session, err := provider.Open(ctx, c.sources.Provider())
	if err != nil {
		return nil, unreachable(err)
	}
	c.connection = &connection{session: session, names: map[string]string{}}
	return c.connection, nil
}

// Reconnect gives up the connection to BitLocker and makes a new one. A question that hangs is left
// behind with its thread.
func (c *Computer) Reconnect(ctx context.Context) error {
	c.Close()
	_, err := c.connected(ctx)
	return err
}

// Close ends the connection to BitLocker. It never waits for a question that hangs.
func (c *Computer) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.connection != nil {
		c.connection.session.Close()
		c.connection = nil
	}
}
