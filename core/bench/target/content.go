package target

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"os"
)

const (
	// block is the unit in which the content is unlike everywhere: what file systems compress,
	// deduplicate and compare is as large or larger.
	block = 4096
	// defaultPool is longer than what disks and file systems look back over to compress.
	defaultPool = 64 << 20
)

// NewPool returns bytes that no disk can compress: random, the same for the same seed. The size
// is rounded up to a multiple of 4096.
func NewPool(seed uint64, size int) []byte {
	size = max(size, block)
	pool := make([]byte, (size+block-1)/block*block)
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	// It never fails: its documentation says so.
	_, _ = rand.NewChaCha8(key).Read(pool)
	return pool
}

// content is what a new file holds: the pool, over and over, each time changed, each block of it
// stamped with its place. Its first block is the signature that Sweep looks for, and so is the
// last of the file, which lies behind the part that tests write to.
type content struct {
	pool   []byte
	nonce  uint64
	header []byte
}

// signatureText is what each of our files begins and ends with. It says to whoever finds one what
// it is.
const signatureText = "diskaudit bench: test file, safe to delete when no bench is running\n"

// The layout of the signature: the text, which file it is, its process, a hash of that.
const (
	identityAt = 72
	processAt  = 80
	hashAt     = 88
	signed     = hashAt + sha256.Size
)

func newContent(pool []byte, seed, identity uint64) *content {
	header := make([]byte, signed)
	copy(header, signatureText)
	binary.LittleEndian.PutUint64(header[identityAt:], identity)
	binary.LittleEndian.PutUint64(header[processAt:], uint64(os.Getpid()))
	sum := sha256.Sum256(header[:hashAt])
	copy(header[hashAt:], sum[:])
	return &content{pool: pool, nonce: mix(seed ^ uint64(os.Getpid())<<32), header: header}
}

// signature reads the identity out of a block that begins with a signature of ours.
func signature(data []byte) (identity uint64, ok bool) {
	if len(data) < signed || !bytes.HasPrefix(data, []byte(signatureText)) {
		return 0, false
	}
	sum := sha256.Sum256(data[:hashAt])
	return binary.LittleEndian.Uint64(data[identityAt:]), bytes.Equal(sum[:], data[hashAt:signed])
}

// fill writes to p what the file holds at offset; both are multiples of 4096.
func (c *content) fill(p []byte, offset int64) {
	blocks := int64(len(c.pool) / block)
	for i := 0; i < len(p); i += block {
		number := (offset + int64(i)) / block
		at := number % blocks * block
		c.block(p[i:i+block], c.pool[at:at+block], number, number/blocks)
	}
}

// block writes one block: one of the pool's, changed by a number that differs each time the pool
// comes round, and stamped.
func (c *content) block(p, pool []byte, number, round int64) {
	if round == 0 {
		copy(p, pool)
	} else {
		key := mix(c.nonce + uint64(round))
		for i := 0; i < block; i += 8 {
			binary.LittleEndian.PutUint64(p[i:], binary.LittleEndian.Uint64(pool[i:])^key)
		}
	}
	binary.LittleEndian.PutUint64(p, uint64(number)^c.nonce)
	binary.LittleEndian.PutUint64(p[8:], mix(uint64(number)+c.nonce))
	if number == 0 {
		copy(p, c.header)
	}
}

// trailer writes what lies behind the part for the tests: at its end a block with the signature,
// which stays when the tests overwrite the first one.
func (c *content) trailer(p []byte, offset int64) {
	c.fill(p, offset)
	copy(p[len(p)-block:], c.header)
}

// mix spreads a number over 64 bits, no two alike: the finalizer of SplitMix64.
// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
