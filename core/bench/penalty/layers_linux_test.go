package penalty_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"diskaudit/core/bench/engine"
	"diskaudit/core/bench/penalty"
	"diskaudit/core/contract"
	"diskaudit/tests/require"
)

// root skips a test that makes devices.
func root(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		require.Missing(t, "root", "RAM disks and loop devices are made by root alone")
	}
}

// output runs a command.
func output(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	command := exec.Command(require.Tool(t, name), arguments...)
	var complaint strings.Builder
	command.Stderr = &complaint
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(arguments, " "), err, complaint.String())
	}
	return strings.TrimSpace(string(out))
}

// ramDisk makes a compressed RAM disk, a fast and steady device. It is removed with the test.
func ramDisk(t *testing.T, bytes int64) string {
	t.Helper()
	root(t)
	const control = "/sys/class/zram-control/"
	number, err := os.ReadFile(control + "hot_add")
	if err != nil {
		require.Missing(t, "zram", err.Error())
	}
	name := strings.TrimSpace(string(number))
	t.Cleanup(func() {
		// The device can be held for a moment by what looks at new devices.
		for range 50 {
			if err = os.WriteFile(control+"hot_remove", []byte(name), 0o200); err == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Errorf("removing RAM disk %s: %v", name, err)
	})
	if err := os.WriteFile("/sys/block/zram"+name+"/disksize", fmt.Append(nil, bytes), 0o200); err != nil {
		t.Fatal(err)
	}
	return "/dev/zram" + name
}

// fill writes random bytes, which no RAM disk can compress.
func fill(t *testing.T, device string, bytes int64) {
	t.Helper()
	file, err := os.OpenFile(device, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.NewChaCha8([32]byte{1})
	if _, err := io.CopyN(file, random, bytes); err != nil {
		t.Fatal(err)
	}
	if err := file.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// loop lays a loop device over a device.
func loop(t *testing.T, device string, direct bool) string {
	t.Helper()
	mode := "off"
	if direct {
		mode = "on"
	}
	name := output(t, "losetup", "-f", "--show", "-r", "--direct-io="+mode, device)
	t.Cleanup(func() { output(t, "losetup", "-d", name) })
	return name
}

// fioLatency is the completion latency that fio finds for single random reads, in ns.
type fioLatency struct{ median, mean float64 }

func fio(t *testing.T, path string, bytes int64, processor int, seconds float64) fioLatency {
	t.Helper()
	out := output(t, "fio", "--name=peer", "--filename="+path, "--ioengine=psync", "--direct=1", "--rw=randread",
		"--bs=4k", fmt.Sprintf("--size=%d", bytes), "--time_based", fmt.Sprintf("--runtime=%dms", int(seconds*1000)),
		fmt.Sprintf("--cpus_allowed=%d", processor), "--readonly", "--output-format=json")
	var document struct {
		Jobs []struct {
			Read struct {
				Latency struct {
					Mean       float64            `json:"mean"`
					Percentile map[string]float64 `json:"percentile"`
				} `json:"clat_ns"`
			} `json:"read"`
		} `json:"jobs"`
	}
	if err := json.Unmarshal([]byte(out), &document); err != nil || len(document.Jobs) != 1 {
		t.Fatalf("fio's result: %v\n%s", err, out)
	}
	latency := document.Jobs[0].Read.Latency
	return fioLatency{latency.Percentile["50.000000"], latency.Mean}
}

// measured opens two paths and measures them.
func measured(t *testing.T, upper, lower string, ranges []penalty.Range, budget time.Duration, seed uint64) contract.Penalty {
	t.Helper()
	open := func(path string) *engine.Path {
		p, err := engine.OpenPath(path, 4096)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		return p
	}
	return penalty.Measure(t.Context(), penalty.Setup{
		Upper: open(upper), Lower: open(lower), Ranges: ranges, BlockBytes: 4096, Seed: seed,
		Budget: budget, Processor: engine.Processors()[0], SystemCPU: engine.SystemCPU,
	})
}

// peers measures with fio and with this package in turns, and returns fio's differences (ascending)
// and the results.
func peers(t *testing.T, upper, lower string, bytes int64, ranges []penalty.Range, times int) (medians, means []float64, results []contract.Penalty) {
	t.Helper()
	processor := engine.Processors()[0]
	for i := range times {
		above, below := fio(t, upper, bytes, processor, 1), fio(t, lower, bytes, processor, 1)
		medians, means = append(medians, above.median-below.median), append(means, above.mean-below.mean)
		t.Logf("fio: upper median %.2f mean %.2f us, lower median %.2f mean %.2f us, difference median %.2f mean %.2f us",
			above.median/1000, above.mean/1000, below.median/1000, below.mean/1000, medians[i]/1000, means[i]/1000)
		p := measured(t, upper, lower, ranges, 4*time.Second, uint64(i))
		t.Log("here: " + figures(p))
		results = append(results, p)
	}
	slices.Sort(medians)
	slices.Sort(means)
	return medians, means, results
}

// costs asks that a layer which fio finds to cost as much as the disk itself is not called
// negligible. What it costs exactly is for the log: the layers' threads wake up on the reader's
// processor, on an idle or on a busy one, as it happens, and the two programs do not always meet
// the same.
func costs(t *testing.T, p contract.Penalty, differences []float64) {
	t.Helper()
	verdict := penalty.Judge(p, 10)
	t.Logf("fio's differences of the medians are %.2f to %.2f us. %s", differences[0]/1000, differences[len(differences)-1]/1000, verdict.Text)
	if verdict.Result == contract.VerdictNegligible || p.AddedNs.High <= 0 {
		t.Errorf("the layer is called %s", verdict.Result)
	}
}

const ramBytes = 384 << 20

// A loop device is a layer with a known cost: fio measures it too.
func TestLoopDeviceAgainstFio(t *testing.T) {
	require.Tool(t, "fio")
	require.Tool(t, "losetup")
	disk := ramDisk(t, ramBytes)
	fill(t, disk, ramBytes)
	for _, direct := range []bool{true, false} {
		t.Run(fmt.Sprintf("direct-io=%v", direct), func(t *testing.T) {
			upper := loop(t, disk, direct)
			medians, _, results := peers(t, upper, disk, ramBytes, []penalty.Range{{Offset: 0, Length: ramBytes}}, 2)
			for _, p := range results {
				if !p.Valid || p.Proof.Result != "same" {
					t.Errorf("valid %v (%+v), proof %+v", p.Valid, p.Reason, p.Proof)
					continue
				}
				costs(t, p, medians)
			}
		})
	}
}

// The same device on both sides is no layer, and must not be called one.
func TestLoopDeviceAgainstItself(t *testing.T) {
	require.Tool(t, "losetup")
	disk := ramDisk(t, ramBytes)
	fill(t, disk, ramBytes)
	device := loop(t, disk, true)
	const times = 10
	different, material := 0, 0
	for i := range times {
		p := measured(t, device, device, []penalty.Range{{Offset: 0, Length: ramBytes}}, 1500*time.Millisecond, uint64(i))
		t.Log(figures(p))
		if p.AddedNs == nil {
			continue
		}
		if p.AddedNs.Low > 0 || p.AddedNs.High < 0 {
			different++
		}
		if penalty.Judge(p, 10).Result == contract.VerdictMaterial {
			material++
		}
	}
	t.Logf("called different in %d of %d runs, material in %d", different, times, material)
	// Chance alone calls more than 3 of 10 different once in a thousand times.
	if different > 3 || material > 1 {
		t.Errorf("the device differs from itself in %d of %d runs, materially in %d", different, times, material)
	}
}
