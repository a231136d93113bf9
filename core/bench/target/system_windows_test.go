package target

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// tellsHolder: a refusal names the process that holds the lock.
const tellsHolder = false

// removedBySystem: a file goes with its process even when it has a name.
const removedBySystem = true

// fullErrors are what a write to a full disk can say, by the code of the refusal.
var fullErrors = map[string]syscall.Errno{
	"no-space1": windows.ERROR_DISK_FULL, "no-space2": windows.ERROR_HANDLE_DISK_FULL, "no-space3": windows.ERROR_DISK_QUOTA_EXCEEDED,
	"file-too-large": windows.ERROR_FILE_TOO_LARGE, "read-only": windows.ERROR_WRITE_PROTECT,
}

// systemTasks are the tasks of this system alone.
var systemTasks = map[string]func(string) error{}
