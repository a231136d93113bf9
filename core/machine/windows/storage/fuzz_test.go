package storage

import (
	"testing"

	"diskaudit/core/machine/nvme/nvmetest"
)

func FuzzDecodeDescriptor(f *testing.F) {
	f.Add(deviceDescriptor("WDC", "Blue", "1", "S", 17, false))
	f.Add(make([]byte, 36))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := decodeDescriptor(data)
		for _, text := range []string{d.vendor, d.product, d.revision, d.serial} {
			if err != nil && text != "" || len(text) > maxTextBytes {
				t.Errorf("the text %q with %v", text, err)
			}
			for _, c := range text {
				if c < ' ' || c > '~' {
					t.Errorf("%q has %q", text, c)
				}
			}
		}
	})
}

func FuzzDecodeExtents(f *testing.F) {
	f.Add(diskExtents([3]uint64{0, 1, 2}, [3]uint64{3, 4, 5}))
	f.Fuzz(func(t *testing.T, data []byte) {
		extents, err := decodeExtents(data)
		if err == nil && len(extents) != int(le.Uint32(data)) || len(extents)*24 > len(data) {
			t.Errorf("%d extents from %d bytes, %v", len(extents), len(data), err)
		}
		for _, e := range extents {
			if int64(e.offset) < 0 || int64(e.offset+e.length) < int64(e.offset) {
				t.Errorf("extent %+v", e)
			}
		}
	})
}

func FuzzDecodeLayout(f *testing.F) {
	f.Add(driveLayout(1, partitionInformation(1, 1, 2, typeEFI)))
	f.Add(driveLayout(0, mbrPartition(1, 1, 2, 7)))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := decodeLayout(data)
		if (err == nil) != (l.table != "") || len(l.partitions)*144 > len(data) {
			t.Errorf("table %q with %d partitions, %v", l.table, len(l.partitions), err)
		}
	})
}

func FuzzDecodeProtocol(f *testing.F) {
	f.Add(protocolReply(nvmetest.SMARTPage()))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, err := decodeProtocol(data, 512); err == nil && len(got) != 512 {
			t.Errorf("%d bytes", len(got))
		}
	})
}

func FuzzDecodePassThrough(f *testing.F) {
	f.Add(make([]byte, 200))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := decodePassThrough(data)
		if err == nil && (data[2] != 0 || len(got) > len(data)) {
			t.Errorf("%d bytes of %d with the status %d", len(got), len(data), data[2])
		}
	})
}

func FuzzDecodeDiscovery(f *testing.F) {
	f.Add(discovery(tper, locking(0x09), subsystem(0x0203)))
	f.Add(discovery(subsystem(0x0303), feature{2, nil}))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := decodeDiscovery(data)
		// Whether the disk can encrypt is known, or there is a reason why not.
		if (got.Supported == nil) != (err != nil) || got.LockingEnabled != nil && got.Supported == nil {
			t.Errorf("%s with %v", selfLine(got), err)
		}
	})
}

func FuzzListsTCG(f *testing.F) {
	f.Add(protocols(0, 1, 2))
	f.Fuzz(func(t *testing.T, data []byte) {
		if listed, err := listsTCG(data); listed && err != nil {
			t.Errorf("listed with %v", err)
		}
	})
}

func FuzzSplitNames(f *testing.F) {
	f.Add([]byte("C\x00:\x00\x00\x00D\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		units := make([]uint16, len(data)/2)
		for i := range units {
			units[i] = le.Uint16(data[2*i:])
		}
		for _, name := range splitNames(units) {
			if name == "" {
				t.Error("an empty name")
			}
		}
	})
}

func FuzzDecodeDirty(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		if dirty, err := decodeDirty(data); (err == nil) != (dirty != nil) || err == nil && *dirty != (data[0]&1 == 1) {
			t.Errorf("% x: %v, %v", data, show(dirty), err)
		}
	})
}
