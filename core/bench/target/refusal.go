package target

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// Refusal is why something cannot be measured, with what the user can do about it.
type Refusal struct {
	// Code is a stable kebab-case id: "access-denied", "block-not-aligned", "file-too-large", "in-use", "io-error",
	// "is-written-to", "locked", "no-direct-io", "no-space", "not-a-target", "not-found",
	// "read-only", "remote", "too-slow", "too-small", "unavailable".
	Code string
	// Text names the thing, the reason and the way out.
	Text string
	// Retryable tells that the same request can succeed later.
	Retryable bool
	cause     error
}

// Error returns the text.
func (r *Refusal) Error() string { return r.Text }

// Unwrap returns the system's error, nil when there was none.
func (r *Refusal) Unwrap() error { return r.cause }

// retryable are the codes whose reason passes by itself.
var retryable = map[string]bool{"in-use": true, "no-space": true, "too-slow": true, "unavailable": true}

func refuse(code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Text: fmt.Sprintf(format, args...), Retryable: retryable[code]}
}

// cause is what an error number means here.
type cause struct{ code, reason, wayOut string }

// explain gives an error of the system a code, a reason and a way out. What the user can do
// nothing about stays an ordinary error.
func explain(doing, path string, err error) error {
	if err == nil {
		return nil
	}
	var number syscall.Errno
	if errors.As(err, &number) {
		if c, ok := causes[number]; ok {
			refusal := refuse(c.code, "%s %s: %s (%s). %s", doing, path, c.reason, systemText(number), c.wayOut)
			refusal.cause = err
			return refusal
		}
	}
	// The system's own text names the path again.
	var about *fs.PathError
	if errors.As(err, &about) && about.Path == path {
		err = about.Err
	}
	return fmt.Errorf("%s %s: %w", doing, path, err)
}

// refuseNoDirect is for where a file cannot be opened past the cache.
func refuseNoDirect(path string, err error) error {
	refusal := refuse("no-direct-io", "%s: its file system does not do unbuffered I/O (%v); through the system's cache memory would be measured, not the disk. Name a folder on another file system, or the block device itself to only read", path, err)
	refusal.cause = err
	return refusal
}

// bytesText writes a number of bytes for people, with the exact number where it is rounded.
func bytesText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB (%d bytes)", float64(n)/(1<<30), n)
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB (%d bytes)", float64(n)/(1<<20), n)
	}
	return fmt.Sprintf("%d bytes", n)
}

// systemText is the system's own text for an error, without the full stop that Windows ends it with.
func systemText(err error) string {
	return strings.TrimSuffix(err.Error(), ".")
}
