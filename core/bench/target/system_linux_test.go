package target

import "syscall"

// tellsHolder: a refusal names the process that holds the lock.
const tellsHolder = true

// removedBySystem: a file goes with its process even when it has a name.
const removedBySystem = false

// fullErrors are what a write to a full disk can say, by the code of the refusal.
var fullErrors = map[string]syscall.Errno{"no-space1": syscall.ENOSPC, "no-space2": syscall.EDQUOT, "file-too-large": syscall.EFBIG, "read-only": syscall.EROFS}

// systemTasks are the tasks of this system alone.
var systemTasks = map[string]func(string) error{"open limited": openLimited, "prepare slowly": prepareSlowly}
