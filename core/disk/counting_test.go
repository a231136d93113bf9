package disk_test

import "io"

// countingReader counts what is read.
type countingReader struct {
	r     io.ReaderAt
	bytes int64
}

func (c *countingReader) ReadAt(p []byte, at int64) (int, error) {
	c.bytes += int64(len(p))
	return c.r.ReadAt(p, at)
}
