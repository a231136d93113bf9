package engine

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// I/Os that hang are broken off, and the port has the end of every one.
func TestBreakOff(t *testing.T) {
	const pipeName, overlapped = `\\.\pipe\diskaudit-engine-test`, windows.FILE_FLAG_OVERLAPPED
	handle, err := windows.CreateNamedPipe(windows.StringToUTF16Ptr(pipeName), windows.PIPE_ACCESS_DUPLEX|overlapped, 0, 1, 4096, 4096, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := windows.CreateFile(windows.StringToUTF16Ptr(pipeName), windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = windows.CloseHandle(client) }()
	f := &file{handle: handle, call: readFile}
	defer func() { _ = f.close() }()
	const depth = 4
	memory, err := mapMemory(depth * testBlock)
	if err != nil {
		t.Fatal(err)
	}
	q, err := openQueue(f, memory, Spec{Path: pipeName, QueueDepth: depth})
	if err != nil {
		t.Fatal(err)
	}
	task := newTask(100)
	task.slots = newSlots(memory, depth, testBlock, dataPage)
	task.stop = new(atomic.Bool)
	left := make(chan int)
	go func() {
		left <- task.runQueued(q, make([]int64, depth), make([]int64, depth), make([]int, 0, depth))
	}()
	deadline := time.After(30 * time.Second)
	for {
		breakOff(f)
		select {
		case inFlight := <-left:
			if inFlight != 0 || !errors.Is(task.fault.errno, windows.ERROR_OPERATION_ABORTED) || task.done.Load() != 0 {
				t.Errorf("%d in flight, %d done, %v", inFlight, task.done.Load(), task.fault.errno)
			}
			if err := errors.Join(q.close(), unmapMemory(memory)); err != nil {
				t.Error(err)
			}
			return
		case <-time.After(50 * time.Millisecond):
		case <-deadline:
			t.Fatal("the reads did not end")
		}
	}
}
