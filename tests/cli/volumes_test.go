package cli_test

import (
	"os"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"diskaudit/core/bitlocker/ondisk/ondisktest"
	"diskaudit/core/disk/disktest"
)

// makeVolume writes a BitLocker volume: "makevolume FILE [damage COPY...] [cut BYTES] [clear]
// [state CURRENT NEXT] [vista] [togo]".
func makeVolume(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: makevolume FILE [damage COPY...] [cut BYTES] [clear] [state CURRENT NEXT] [vista] [togo]")
	}
	spec := ondisktest.Default()
	number := func(text string) int64 {
		n, err := strconv.ParseInt(text, 10, 64)
		ts.Check(err)
		return n
	}
	var damaged []int64
	cut := int64(0)
	for rest := args[1:]; len(rest) > 0; rest = rest[1:] {
		switch rest[0] {
		case "damage":
			damaged = append(damaged, number(rest[1]))
			rest = rest[1:]
		case "cut":
			cut = number(rest[1])
			rest = rest[1:]
		case "clear":
			spec.Protectors = []ondisktest.Protector{{ID: [16]byte{7}, Version: 3}}
		case "state":
			spec.State, spec.Next = uint16(number(rest[1])), uint16(number(rest[2]))
			rest = rest[2:]
		case "vista":
			spec.Vista = true
		case "togo":
			spec.ToGo = true
		default:
			ts.Fatalf("unknown word %q", rest[0])
		}
	}
	volume := ondisktest.Build(spec)
	for _, copy := range damaged {
		volume.Parts[copy].Data[100] ^= 1
	}
	file, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	for _, part := range volume.Parts {
		_, err := file.WriteAt(part.Data, part.Offset)
		ts.Check(err)
	}
	size := volume.Size
	if cut != 0 {
		size = cut
	}
	ts.Check(file.Truncate(size))
	ts.Check(file.Close())
}

// makePlain writes an NTFS volume: "makeplain FILE".
func makePlain(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: makeplain FILE")
	}
	ts.Check(disktest.NTFS(32<<20, "Data").WriteFile(ts.MkAbs(args[0])))
}
