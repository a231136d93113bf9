package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// writeFile writes data so that path holds either what it held before or all of data: through a
// new file beside it that is flushed and renamed. What is not a regular file, such as a device
// or a pipe, is written to and never replaced; a link is followed.
func writeFile(path string, data []byte) error {
	return writeFileBy(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// writeFileBy is writeFile for what is written bit by bit. When write fails, the file keeps what it
// held before.
func writeFileBy(path string, write func(io.Writer) error) error {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		target, err = path, nil
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return replace(target, write, 0)
	case info.IsDir():
		return fmt.Errorf("%s is a folder", path)
	case !info.Mode().IsRegular():
		return writeThrough(target, write)
	}
	return replace(target, write, info.Mode().Perm())
}

// probeFolder makes a file in a folder and removes it, to see whether that works.
func probeFolder(folder string) error {
	file, err := os.CreateTemp(folder, "diskaudit-*.tmp")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

func writeThrough(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// replace puts a new file in path's place, with the permissions of the old one unless they are 0.
// On Windows a new file takes those of its folder.
func replace(path string, write func(io.Writer) error, permissions fs.FileMode) (err error) {
	// Opened with the permissions of any new file, which os.CreateTemp would narrow.
	temporary := fmt.Sprintf("%s.%d.tmp", path, os.Getpid())
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temporary))
		}
	}()
	if permissions != 0 && runtime.GOOS != "windows" {
		if err := file.Chmod(permissions); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	if err := write(file); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Sync(); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}
