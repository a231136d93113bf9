package disk

import (
	"errors"
	"io"
)

var errNegativeOffset = errors.New("negative offset")

// readBlocks is io.ReaderAt for content that is stored in blocks: it cuts a read at the block
// boundaries and asks readBlock for each piece.
func readBlocks(p []byte, offset, size, blockBytes int64, readBlock func(p []byte, block, within int64) error) (int, error) {
	if offset < 0 {
		return 0, errNegativeOffset
	}
	done := 0
	for done < len(p) {
		at := offset + int64(done)
		if at >= size {
			return done, io.EOF
		}
		block, within := at/blockBytes, at%blockBytes
		length := min(int64(len(p)-done), blockBytes-within, size-at)
		if err := readBlock(p[done:done+int(length)], block, within); err != nil {
			return done, err
		}
		done += int(length)
	}
	return done, nil
}

// orUnexpectedEOF gives a short read without a reason, or with the end as its reason, a name.
func orUnexpectedEOF(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
