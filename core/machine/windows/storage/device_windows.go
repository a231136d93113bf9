package storage

import (
	"errors"
	"io"

	"golang.org/x/sys/windows"
)

// handleOf is an open device. Its handle is synchronous: calls wait for each other.
type handleOf windows.Handle

// Control calls DeviceIoControl with one buffer for question and answer, as the queries of NVMe
// recommend (learn.microsoft.com/windows/win32/api/ioapiset/nf-ioapiset-deviceiocontrol).
func (h handleOf) Control(code uint32, in []byte, outMax int) ([]byte, error) {
	buffer := make([]byte, max(len(in), outMax, 1))
	copy(buffer, in)
	var n uint32
	err := quietly(func() error {
		return windows.DeviceIoControl(windows.Handle(h), code, &buffer[0], uint32(len(in)), &buffer[0], uint32(outMax), &n, nil)
	})
	out := buffer[:min(int(n), outMax)]
	if err != nil && !errors.Is(err, errMoreData) {
		return nil, err
	}
	return out, err
}

// ReadAt calls ReadFile at an offset, which on a synchronous handle is that of its OVERLAPPED
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-readfile).
func (h handleOf) ReadAt(p []byte, offset int64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	at := windows.Overlapped{Offset: uint32(offset), OffsetHigh: uint32(offset >> 32)}
	var n uint32
	err := quietly(func() error { return windows.ReadFile(windows.Handle(h), p, &n, &at) })
	if errors.Is(err, Errno(windows.ERROR_HANDLE_EOF)) || err == nil && n == 0 {
		err = io.EOF
	}
	return int(n), err
}

// End moves the file pointer, which nothing else here uses, to the end
// (learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-setfilepointerex).
func (h handleOf) End() (int64, error) {
	end, err := windows.Seek(windows.Handle(h), 0, io.SeekEnd)
	return end, coded(err)
}

// Close ends the use of the device.
func (h handleOf) Close() error {
	return coded(windows.CloseHandle(windows.Handle(h)))
}
