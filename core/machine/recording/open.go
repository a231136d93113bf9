package recording

import (
	"errors"
	"fmt"
	"io"
	"os"

	"diskaudit/core/contract"
)

// largest bounds the size of a recording. That of a server with hundreds of volumes has less
// than one mebibyte.
const largest = 32 << 20

// ErrNotARecording means that a file was read, but is no recording that this build understands.
var ErrNotARecording = errors.New("not a recording")

// Open reads a recording. The file is a status document as "diskaudit status" writes it, in UTF-8
// with or without byte order mark, or in UTF-16 with one, as Windows PowerShell 5.1 redirects
// output into files. Fields that this build does not know are left out. The error names the
// file, what is wrong with it and, for a file that was read, wraps ErrNotARecording.
func Open(path string) (*Machine, error) {
	data, err := read(path)
	if err != nil {
		return nil, fmt.Errorf("reading the recording %s: %w", path, err)
	}
	opened, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("reading the recording %s: %w", path, err)
	}
	return opened, nil
}

func read(path string) ([]byte, error) {
	// Asked before opening, since opening a pipe waits for its other end.
	about, err := os.Stat(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	if about.IsDir() {
		return nil, errors.New("it is a directory; name the file")
	}
	if !about.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file; save the recording to a file first")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, largest+1))
	if err != nil {
		return nil, err
	}
	if len(data) > largest {
		return nil, fmt.Errorf("%w: it has more than %d MiB, and no recording is that large", ErrNotARecording, largest>>20)
	}
	return data, nil
}

// withoutPath leaves out the path that the message has already.
func withoutPath(err error) error {
	var pathError *os.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

// Parse reads a recording from memory. Errors wrap ErrNotARecording.
func Parse(data []byte) (*Machine, error) {
	if len(data) > largest {
		return nil, fmt.Errorf("%w: it has more than %d MiB, and no recording is that large", ErrNotARecording, largest>>20)
	}
	status, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotARecording, err)
	}
	return &Machine{status: status, problems: reasoned(status)}, nil
}

// reasoned returns the problems that are not about one volume. A recording that calls itself
// incomplete without saying why must not come out as complete.
func reasoned(status contract.Status) []contract.Problem {
	problems := ownProblems(status)
	if status.Complete {
		return problems
	}
	for _, problem := range status.Problems {
		if problem.Level == contract.LevelError {
			return problems
		}
	}
	for _, volume := range status.Volumes {
		for _, problem := range volume.Problems {
			if problem.Level == contract.LevelError {
				return problems
			}
		}
	}
	return append(problems, contract.Problem{
		Code: "recording-incomplete", Level: contract.LevelError, Stage: "recording",
		Text: "The recording says that facts are missing, but not which. Record the computer again.",
	})
}
