package target

import (
	"syscall"

	"golang.org/x/sys/windows"
)

const (
	readOnlyWayOut = "A policy may do that to disks that BitLocker does not protect: \"Deny write access to fixed drives not protected by BitLocker\" (FDVDenyWriteAccess; RDVDenyWriteAccess for removable ones). Name a folder on another volume, or name an existing file to only read"
	deniedWayOut   = "Name a folder of your own; for a device such as \\\\.\\C: run as administrator"
)

// causes explains the error numbers that the user can do something about.
// Source: https://learn.microsoft.com/windows/win32/debug/system-error-codes
var causes = map[syscall.Errno]cause{
	windows.ERROR_DISK_FULL:                    {"no-space", "the disk is full", "Free some space, ask for a smaller size, or name a folder on another volume"},
	windows.ERROR_HANDLE_DISK_FULL:             {"no-space", "the disk is full", "Free some space, ask for a smaller size, or name a folder on another volume"},
	windows.ERROR_DISK_QUOTA_EXCEEDED:          {"no-space", "the user's disk quota is used up", "Remove files, ask for a smaller size, or name a folder on another volume"},
	windows.ERROR_FILE_TOO_LARGE:               {"file-too-large", "the file would be larger than the file system allows", "Ask for a smaller size, or name a folder on another volume"},
	windows.ERROR_IO_DEVICE:                    {"io-error", "the disk answered with an error", "Check its health before anything else: diskaudit status"},
	windows.ERROR_CRC:                          {"io-error", "the disk answered with an error", "Check its health before anything else: diskaudit status"},
	windows.ERROR_DISK_OPERATION_FAILED:        {"io-error", "the disk answered with an error", "Check its health before anything else: diskaudit status"},
	windows.ERROR_WRITE_FAULT:                  {"io-error", "the disk answered with an error", "Check its health before anything else: diskaudit status"},
	windows.ERROR_READ_FAULT:                   {"io-error", "the disk answered with an error", "Check its health before anything else: diskaudit status"},
	windows.ERROR_WRITE_PROTECT:                {"read-only", "the volume or the disk is write-protected", readOnlyWayOut},
	windows.ERROR_ACCESS_DENIED:                {"access-denied", "this user may not do that", deniedWayOut},
	windows.ERROR_PRIVILEGE_NOT_HELD:           {"access-denied", "this user may not do that", deniedWayOut},
	windows.ERROR_FILE_NOT_FOUND:               {"not-found", "it does not exist", "Check the path"},
	windows.ERROR_PATH_NOT_FOUND:               {"not-found", "it does not exist", "Check the path"},
	windows.ERROR_INVALID_DRIVE:                {"not-found", "there is no such drive", "Check the path"},
	windows.ERROR_INVALID_NAME:                 {"not-found", "it is not a valid name", "Check the path"},
	windows.ERROR_BAD_PATHNAME:                 {"not-found", "it is not a valid path", "Check the path"},
	windows.ERROR_DIRECTORY:                    {"not-found", "a part of the path is not a folder", "Check the path"},
	windows.ERROR_FILENAME_EXCED_RANGE:         {"not-found", "the path or a name in it is too long", "Choose a shorter one"},
	windows.ERROR_CANT_RESOLVE_FILENAME:        {"not-found", "its links lead in a circle", "Name the file or folder itself"},
	windows.ERROR_FILE_EXISTS:                  {"in-use", "something of that name was made in the same moment", "Try again, or name a folder"},
	windows.ERROR_ALREADY_EXISTS:               {"in-use", "something of that name was made in the same moment", "Try again, or name a folder"},
	windows.ERROR_SHARING_VIOLATION:            {"in-use", "another program has it open and does not share it", "Close that program, or name another"},
	windows.ERROR_LOCK_VIOLATION:               {"in-use", "another program has locked a part of it", "Close that program, or name another"},
	windows.ERROR_DRIVE_LOCKED:                 {"in-use", "another program has locked the disk", "Close that program, or name another"},
	windows.ERROR_NOT_READY:                    {"unavailable", "there is no medium in the drive, or it is not ready", "Insert one"},
	windows.ERROR_NO_MEDIA_IN_DRIVE:            {"unavailable", "there is no medium in the drive", "Insert one"},
	windows.ERROR_DEVICE_NOT_CONNECTED:         {"unavailable", "the disk is not attached", "Check that it is"},
	windows.ERROR_UNRECOGNIZED_VOLUME:          {"unavailable", "the volume has no file system that Windows knows; it may be locked or damaged", "Unlock it, or name the device to only read"},
	windows.ERROR_VIRUS_INFECTED:               {"access-denied", "the virus scanner stopped it", "Name another folder, or ask your administrator"},
	windows.ERROR_NETNAME_DELETED:              {"remote", "it is on a network share that went away", "Name a folder on a local disk"},
	windows.ERROR_SEM_TIMEOUT:                  {"unavailable", "the disk did not answer in time", "Look whether it is failing"},
	syscall.Errno(windows.FVE_E_LOCKED_VOLUME): {"locked", "the volume is locked by BitLocker", "Unlock it first (Unlock-BitLocker, or open it in Explorer), or name another volume"},
}
