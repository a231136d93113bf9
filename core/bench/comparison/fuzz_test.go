package comparison

import (
	"errors"
	"math"
	"testing"

	"diskaudit/core/contract"
)

// FuzzRead gives one reader after the other any bytes: it answers with a result that can be
// compared and written, or with one error that names the file. Seeds are one of each format.
func FuzzRead(f *testing.F) {
	own, err := contract.Encode(document(result(spec(contract.OperationRead), around(50_000)...), result(spec(contract.OperationWrite), around(20_000)...)))
	if err != nil {
		f.Fatal(err)
	}
	fuzz(f, string(own), "", "{")
}

func FuzzReadCrystalDiskMark(f *testing.F) {
	fuzz(f, testdata(f, "crystaldiskmark-9.txt"), testdata(f, "kdiskmark-3.txt"), crystalText("7.0.0", oneLine), encodeUTF16(crystalText("8.0.4", oneLine), true))
}

func FuzzReadDiskspd(f *testing.F) {
	write := oneRead()
	write.writes, write.reads, write.written, write.latency = 100, 0, 500_000, diskspdLatency("Write", 0.014)
	fuzz(f, diskspdXML(nil), diskspdXML([]diskspdRun{oneRead(), write}), "<Results></Results>")
}

func FuzzReadFio(f *testing.F) {
	fuzz(f, fioJSON("fio-3.38", fioOptionsOf(), fioNs), fioJSON("fio-2.21", fioOptionsOf("rw", "randwrite", "sync", "1"), fioUs),
		fioJSON("fio-3.38", fioOptionsOf("numjobs", "2", "thinktime", "5ms"), fioNs), testdata(f, "fio-3.33-warning.json"))
}

func fuzz(f *testing.F, seeds ...string) {
	f.Helper()
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	now := document(result(spec(contract.OperationRead), around(50_000)...), result(spec(contract.OperationWrite), around(20_000)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := Read("old", data)
		if err != nil {
			var known *Error
			if !errors.As(err, &known) || known.Code == "" || known.Text == "" || known.Path != "old" {
				t.Fatalf("%#v", err)
			}
			return
		}
		for _, test := range read.Tests {
			got := figuresOf(test)
			for _, value := range []float64{got.p50, got.mean, got.iops, got.mb} {
				if read.Document == nil && (value == 0 || math.IsNaN(value)) {
					t.Errorf("%s has a figure of nothing: %+v", test.ID, got)
				}
			}
			if read.Document == nil && (test.ID == "" || test.BlockBytes == 0 || test.QueueDepth == 0 || test.Threads == 0) {
				t.Errorf("a test without its options: %+v", test.BenchTest)
			}
		}
		valid(t, Compare(read, now, 5))
	})
}
