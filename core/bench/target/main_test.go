package target

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// The environment of this test program when it runs as another process: what to do, where, and
// with whose locks.
const (
	childTask  = "DISKAUDIT_TARGET_TEST_TASK"
	childPath  = "DISKAUDIT_TARGET_TEST_PATH"
	childLocks = "DISKAUDIT_TARGET_TEST_LOCKS"
)

// rawDevice, an environment variable, names a device with random content that tests may read.
const rawDevice = "DISKAUDIT_TARGET_TEST_DEVICE"

// tasks are what this program does as another process, until it is killed or its input ends.
var tasks = map[string]func(path string) error{}

func init() {
	// Here, for a task that refers to tasks would be a circle.
	tasks["use"] = func(path string) error { return useUntilKilled(path, choices{}) }
	tasks["use named"] = func(path string) error { return useUntilKilled(path, choices{named: true}) }
	tasks["hold"] = holdUntilEnd
	tasks["open"] = openOnce
	for name, task := range systemTasks {
		tasks[name] = task
	}
}

func TestMain(m *testing.M) {
	task := os.Getenv(childTask)
	if task == "" {
		// Other tests may measure the same volumes meanwhile.
		lockPrefix = fmt.Sprintf("%s%d-", lockPrefix, os.Getpid())
		os.Exit(m.Run())
	}
	lockPrefix = os.Getenv(childLocks)
	if err := tasks[task](os.Getenv(childPath)); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// child is this program as another process.
func child(t *testing.T, task, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childTask+"="+task, childPath+"="+path, childLocks+"="+lockPrefix)
	return cmd
}

// useUntilKilled makes files and writes to them, as a run does, over and over.
func useUntilKilled(path string, c choices) error {
	pool := NewPool(1, 1<<20)
	fmt.Println("ready")
	for range 1000 {
		r := asking(path)
		r.Pool, r.Writes = pool, true
		opened, err := open(context.Background(), r, c)
		if err != nil {
			return err
		}
		worker, err := reopen(opened.Path)
		if err != nil {
			return err
		}
		data := aligned(1<<20, 4096)
		for at := int64(0); at < opened.SizeBytes; at += int64(len(data)) {
			if _, err := worker.WriteAt(data, at); err != nil {
				return err
			}
			time.Sleep(2 * time.Millisecond)
		}
		worker.Close()
		if err := opened.Close(); err != nil {
			return err
		}
	}
	return nil
}

// holdUntilEnd measures until its input ends.
func holdUntilEnd(path string) error {
	opened, err := Open(context.Background(), asking(path))
	if err != nil {
		return err
	}
	fmt.Println("ready")
	_, _ = os.Stdin.Read(make([]byte, 1))
	return opened.Close()
}

// openOnce opens and closes.
func openOnce(path string) error {
	opened, err := Open(context.Background(), asking(path))
	if err != nil {
		return err
	}
	return opened.Close()
}
