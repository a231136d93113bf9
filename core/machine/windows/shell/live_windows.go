package shell

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-ole/go-ole"
	"github.com/go-ole/go-ole/oleutil"

	"diskaudit/core/machine/windows/com"
	"diskaudit/core/machine/windows/provider"
)

const (
	// automation is the shell's automation object (learn.microsoft.com/windows/win32/shell/shell).
	automation = "Shell.Application"
	// propertyName is documented as a property that shell verbs can test
	// (learn.microsoft.com/windows/win32/shell/context-menu-handlers), its values are not.
	propertyName = "System.Volume.BitLockerProtection"
)

// Live reads the property on this computer.
func Live() Property { return &live{} }

// live enters COM at the first question.
type live struct {
	start   sync.Once
	worker  *com.Worker
	failed  error
	program *ole.IDispatch
}

// BitLocker reads Shell.NameSpace(root).Self.ExtendedProperty(name)
// (learn.microsoft.com/windows/win32/shell/shell-namespace, .../folder-self,
// .../shellfolderitem-extendedproperty). The shell's objects need a single-threaded apartment.
func (l *live) BitLocker(ctx context.Context, root string) (*int32, error) {
	if !strings.HasSuffix(root, `\`) {
		return nil, fmt.Errorf("asking the shell about %s: the path has no backslash at its end", root)
	}
	l.start.Do(func() { l.worker, l.failed = com.Start(com.STA) })
	if l.failed != nil {
		return nil, l.failed
	}
	answer := make(chan *int32, 1)
	if err := l.worker.Do(ctx, func() error {
		value, err := l.read(root)
		answer <- value
		return err
	}); err != nil {
		return nil, fmt.Errorf("asking the shell about %s: %w", root, err)
	}
	return <-answer, nil
}

// read runs on the worker's thread.
func (l *live) read(root string) (*int32, error) {
	if l.program == nil {
		unknown, err := oleutil.CreateObject(automation)
		if err != nil {
			return nil, provider.Failure("creating "+automation, err)
		}
		defer unknown.Release()
		if l.program, err = unknown.QueryInterface(ole.IID_IDispatch); err != nil {
			return nil, provider.Failure("creating "+automation, err)
		}
	}
	folder, err := l.program.CallMethod("NameSpace", root)
	defer free(folder)
	if err != nil {
		return nil, provider.Failure("opening "+root, err)
	}
	// NameSpace has no object, and no error, for a path that the shell does not know.
	if folder.ToIDispatch() == nil {
		return nil, nil
	}
	self, err := folder.ToIDispatch().GetProperty("Self")
	defer free(self)
	if err != nil {
		return nil, provider.Failure("reading Self of "+root, err)
	}
	if self.ToIDispatch() == nil {
		return nil, nil
	}
	value, err := self.ToIDispatch().CallMethod("ExtendedProperty", propertyName)
	defer free(value)
	if err != nil {
		return nil, provider.Failure("reading "+propertyName, err)
	}
	return number(value.VT, value.Val), nil
}

// Close lets go of the shell.
func (l *live) Close() {
	// A question can no longer start COM after this.
	l.start.Do(func() { l.failed = com.ErrClosed })
	if l.worker == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = l.worker.Do(ctx, func() error {
		if l.program != nil {
			l.program.Release()
			l.program = nil
		}
		return nil
	})
	l.worker.Close()
}

func free(v *ole.VARIANT) {
	if v != nil {
		_ = v.Clear()
	}
}
