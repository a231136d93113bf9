package penalty

import (
	"bytes"
	"compress/flate"
	"math/rand/v2"
	"testing"
)

// What two paths are to each other follows from bytes alone.
func TestProof(t *testing.T) {
	other := func(offset int64, block []byte) { cipherBlock(offset+1<<50, block) }
	every := func(n int64, then, otherwise func(int64, []byte)) func(int64, []byte) {
		return func(offset int64, block []byte) {
			if offset>>12%n == 0 {
				then(offset, block)
			} else {
				otherwise(offset, block)
			}
		}
	}
	shifted := func(offset int64, block []byte) {
		plainBlock(offset, block)
		for i := range block {
			block[i] ^= 0x11
		}
	}
	for _, c := range []struct {
		name         string
		upper, lower func(int64, []byte)
		result       string
		reason       string
	}{
		{"plain above ciphertext", plainBlock, cipherBlock, proofEncrypted, ""},
		{"some compressed data above ciphertext", every(2, other, plainBlock), cipherBlock, proofEncrypted, ""},
		{"a few blocks the same, as BitLocker's own areas are", plainBlock, every(29, plainBlock, cipherBlock), proofEncrypted, ""},
		{"the same plain bytes", plainBlock, plainBlock, proofSame, ""},
		{"the same random bytes", cipherBlock, cipherBlock, proofSame, ""},
		{"the same, a few changed meanwhile", plainBlock, every(29, shifted, plainBlock), proofSame, ""},
		{"other plain bytes below", plainBlock, shifted, proofUnrelated, codeUnrelated},
		{"random above other plain bytes", cipherBlock, shifted, proofUnrelated, codeUnrelated},
		{"random above other random bytes", other, cipherBlock, proofInconclusive, ""},
		{"half of the volume encrypted", plainBlock, every(2, plainBlock, cipherBlock), proofInconclusive, codePartly},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, setup := quick(11)
			s.upper, s.lower = c.upper, c.lower
			p := measure(t.Context(), setup, s.conditions())
			if p.Proof == nil || p.Proof.Result != c.result {
				t.Fatalf("proof %+v, reason %+v", p.Proof, p.Reason)
			}
			if c.reason == "" && !p.Valid {
				t.Errorf("not valid: %+v", p.Reason)
			}
			if c.reason != "" && (p.Valid || p.Reason.Code != c.reason) {
				t.Errorf("valid %v, reason %+v", p.Valid, p.Reason)
			}
		})
	}
}

func TestLooksRandom(t *testing.T) {
	source := rand.NewChaCha8([32]byte{2})
	fill := func(block []byte) {
		if _, err := source.Read(block); err != nil {
			t.Fatal(err)
		}
	}
	for _, size := range []int{512, 4096, 65536} {
		missed := 0
		block := make([]byte, size)
		for range 1000 {
			fill(block)
			if !looksRandom(block) {
				missed++
			}
		}
		if missed > 1 {
			t.Errorf("%d of 1000 random blocks of %d bytes do not look random", missed, size)
		}
	}
	text := bytes.Repeat([]byte("The quick brown fox jumps over the lazy dog. "), 100)[:4096]
	counter := make([]byte, 4096)
	for i := range counter {
		counter[i] = byte(i)
	}
	mostlyZero := make([]byte, 4096)
	fill(mostlyZero[:2048])
	for name, block := range map[string][]byte{"text": text, "counter": counter, "half zeros": mostlyZero, "zeros": make([]byte, 4096)} {
		if looksRandom(block) {
			t.Errorf("%s looks random", name)
		}
	}
	// Compressed data is not told from ciphertext; the proof must not rest on it.
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	words := []string{"volume ", "extent ", "protector ", "latency ", "cluster ", "sector ", "queue ", "depth "}
	choice := rand.New(rand.NewPCG(1, 2))
	for packed.Len() < 16<<10 {
		if _, err := w.Write([]byte(words[choice.IntN(len(words))])); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("4 KiB of deflated words look random: %v", looksRandom(packed.Bytes()[8<<10:12<<10]))
}
