package serve

import (
	"context"
	"strings"

	"diskaudit/tests/rig/simulator"
)

// shell is Shell.Application (learn.microsoft.com/windows/win32/shell/shell).
type shell struct{ machine *simulator.Machine }

func (shell) has(name string) bool { return name == "namespace" }

func (s shell) invoke(_ context.Context, name string, arguments []simulator.Value) (simulator.Value, []simulator.Value, *simulator.Error) {
	if name != "namespace" {
		return nil, nil, unknownMember()
	}
	path := text(arguments, 0)
	if path == "" {
		return nil, arguments, nil
	}
	return folder(s.item(path)), arguments, nil
}

func (s shell) item(path string) folderItem { return folderItem{s.machine, path} }

// folder is Folder (learn.microsoft.com/windows/win32/shell/folder2-object) with the only member
// that matters here, the item that it is itself.
type folder folderItem

func (folder) has(name string) bool { return name == "self" }

func (f folder) invoke(_ context.Context, name string, arguments []simulator.Value) (simulator.Value, []simulator.Value, *simulator.Error) {
	if name != "self" {
		return nil, nil, unknownMember()
	}
	return folderItem(f), arguments, nil
}

// folderItem is ShellFolderItem (learn.microsoft.com/windows/win32/shell/shellfolderitem-extendedproperty).
type folderItem struct {
	machine *simulator.Machine
	path    string
}

func (folderItem) has(name string) bool { return name == "extendedproperty" }

func (f folderItem) invoke(ctx context.Context, name string, arguments []simulator.Value) (simulator.Value, []simulator.Value, *simulator.Error) {
	if name != "extendedproperty" {
		return nil, nil, unknownMember()
	}
	if !strings.EqualFold(text(arguments, 0), "System.Volume.BitLockerProtection") {
		return simulator.Empty{}, arguments, nil
	}
	value, err := f.machine.Protection(ctx, f.path)
	return value, arguments, err
}
