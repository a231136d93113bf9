package target

import "syscall"

// causes explains the error numbers that the user can do something about. Source: errno(3).
var causes = map[syscall.Errno]cause{
	syscall.ENOSPC:       {"no-space", "the disk is full", "Free some space, ask for a smaller size, or name a folder on another volume"},
	syscall.EDQUOT:       {"no-space", "the user's disk quota is used up", "Remove files, ask for a smaller size, or name a folder on another volume"},
	syscall.EFBIG:        {"file-too-large", "the file would be larger than the file system or a limit of this process (ulimit -f) allows", "Ask for a smaller size, or name a folder on another volume"},
	syscall.EIO:          {"io-error", "the disk answered with an error", "Check its health before anything else: diskaudit status"},
	syscall.EROFS:        {"read-only", "the file system or the device is read-only", "Make it writable, name another folder, or name an existing file to only read"},
	syscall.EACCES:       {"access-denied", "this user may not do that", "Name a folder of your own, or run as root (sudo)"},
	syscall.EPERM:        {"access-denied", "this user may not do that", "Name a folder of your own, or run as root (sudo)"},
	syscall.ENOENT:       {"not-found", "it does not exist", "Check the path"},
	syscall.ENOTDIR:      {"not-found", "a part of the path is not a folder", "Check the path"},
	syscall.ELOOP:        {"not-found", "its links lead in a circle", "Name the file or folder itself"},
	syscall.ENAMETOOLONG: {"not-found", "the path or a name in it is too long", "Choose a shorter one"},
	syscall.EEXIST:       {"in-use", "something of that name was made in the same moment", "Try again, or name a folder"},
	syscall.ETXTBSY:      {"in-use", "it is being executed or used as swap space", "Name another"},
	syscall.EBUSY:        {"in-use", "it is in use", "Wait until it is free, or name another"},
	syscall.ENXIO:        {"unavailable", "there is no such device", "Check that the disk is attached"},
	syscall.ENODEV:       {"unavailable", "there is no such device", "Check that the disk is attached"},
	syscall.ENOMEDIUM:    {"unavailable", "there is no medium in the drive", "Insert one"},
	syscall.EOPNOTSUPP:   {"not-a-target", "the file system cannot do that", "Name a folder on another file system"},
}
