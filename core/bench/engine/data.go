package engine

import (
	"encoding/binary"
	"unsafe"
)

// variationBytes is how far the window moves from which a slot's writes take their bytes, so that
// one write does not have the bytes of the one before. It is kept small: the bytes of a thread
// stay in its cache, as they do in other measuring programs.
const variationBytes = 64 << 10

// slot is the memory of one I/O in flight.
type slot struct {
	// memory is aligned. For reads it is one block; for writes a copy of a part of the pool,
	// longer than a block by variationBytes.
	memory []byte
	// window is where in memory the next write's bytes begin; it moves by step, which keeps them
	// aligned.
	window, step int
}

// newSlots divides memory into slots of bytes each, for I/O in units of unit bytes.
func newSlots(memory []byte, count int, bytes int64, unit int) []slot {
	slots := make([]slot, count)
	for i := range slots {
		slots[i].step = unit
		slots[i].memory = memory[int64(i)*bytes : int64(i+1)*bytes : int64(i+1)*bytes]
	}
	return slots
}

// aligned leaves the part of memory that begins at a multiple of unit.
func aligned(memory []byte, unit int) []byte {
	beyond := int(uintptr(unsafe.Pointer(unsafe.SliceData(memory))) % uintptr(unit))
	if beyond == 0 {
		return memory
	}
	return memory[unit-beyond:]
}

// fill copies the pool into the slots, each beginning elsewhere in it, from page on.
func fill(slots []slot, pool []byte, page int) {
	pages := len(pool) / dataPage
	for i := range slots {
		memory := slots[i].memory
		for len(memory) > 0 {
			copied := copy(memory, pool[page%pages*dataPage:])
			memory = memory[copied:]
			page += max(1, copied/dataPage)
		}
	}
}

// prepare chooses the bytes of the next write and stamps each 4 KiB of them with its place and
// with a number that no other write of the session has, so that no two pages that are written
// are equal. Nothing is copied: the stamps go into the slot's own memory.
//
//go:norace
//go:nosplit
func (s *slot) prepare(blockBytes int, offset int64, number uint64) []byte {
	block := s.memory[s.window : s.window+blockBytes]
	if s.window += s.step; s.window+blockBytes > len(s.memory) {
		s.window = 0
	}
	for at := 0; at < len(block); at += dataPage {
		binary.LittleEndian.PutUint64(block[at:], uint64(offset)+uint64(at))
		binary.LittleEndian.PutUint64(block[at+8:], number)
	}
	return block
}
