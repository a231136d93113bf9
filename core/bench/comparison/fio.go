package comparison

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"diskaudit/core/contract"
)

// fio's output is written by show_thread_status_json and add_ddir_status_json of axboe/fio:stat.c;
// the meaning of its options is in its HOWTO (fio.readthedocs.io).

// isFio knows fio's JSON by the first member that it writes.
func isFio(text string) bool { return strings.Contains(text, fioFirst) }

const fioFirst = `"fio version"`

// fioOutput is the root of fio's JSON. Jobs are decoded one by one, so that their number is known first.
type fioOutput struct {
	Version   string            `json:"fio version"`
	Timestamp *int64            `json:"timestamp"`
	Global    map[string]string `json:"global options"`
	Jobs      []json.RawMessage `json:"jobs"`
}

// fioJob is one job, or one group of them.
type fioJob struct {
	Name       string             `json:"jobname"`
	Group      int64              `json:"groupid"`
	Error      int64              `json:"error"`
	TotalErr   int64              `json:"total_err"`
	FirstError int64              `json:"first_error"`
	Options    map[string]string  `json:"job options"`
	Read       *fioDirection      `json:"read"`
	Write      *fioDirection      `json:"write"`
	Mixed      *fioDirection      `json:"mixed"`
	RuntimeMs  *float64           `json:"job_runtime"`
	Depths     map[string]float64 `json:"iodepth_level"`
}

// fioDirection holds what was done in one direction.
type fioDirection struct {
	IOPS      float64  `json:"iops"`
	RuntimeMs float64  `json:"runtime"`
	TotalIOs  *float64 `json:"total_ios"`
	Dropped   float64  `json:"drop_ios"`
	Short     float64  `json:"short_ios"`
	// fio 3 counts in ns and says so in the name; fio 2 counts in us (case P29).
	WholeNs      *fioLatency `json:"lat_ns"`
	CompletionNs *fioLatency `json:"clat_ns"`
	WholeUs      *fioLatency `json:"lat"`
	CompletionUs *fioLatency `json:"clat"`
}

const (
	fioAdvice = "Run fio again with --output-format=json and --output=FILE, and give that file as it was written."
	// maxFioJobs bounds the jobs of one file; nobody runs more on one disk.
	maxFioJobs = 1024
)

var fioVersion = regexp.MustCompile(`^fio-(\d{1,4})\.(\d{1,4})`)

// readFio reads the JSON that fio writes, past the warnings that it prints before and after it.
func readFio(whole source) (*Result, error) {
	start, ok := fioStart(whole.text)
	if !ok {
		return nil, whole.errorf(CodeDamaged, whole.line(int64(start)), "%s is not the first member of a JSON object. %s", fioFirst, fioAdvice)
	}
	s := whole.from(start)
	if err := s.countValues(); err != nil {
		return nil, err
	}
	var output fioOutput
	decoder := json.NewDecoder(strings.NewReader(s.text))
	if err := decoder.Decode(&output); err != nil {
		return nil, s.badJSON(err, fioAdvice)
	}
	end := decoder.InputOffset()
	if isFio(s.text[end:]) {
		return nil, s.errorf(CodeSeveral, s.line(end), "a second result of fio follows. Give one result in a file; fio adds to a file when it is run again with >>, or told to report its status.")
	}
	major, err := s.fioMajor(output.Version)
	if err != nil {
		return nil, err
	}
	jobs, err := s.fioJobs(output.Jobs)
	if err != nil {
		return nil, err
	}
	result := &Result{Baseline: contract.Baseline{
		Path: s.path, Format: contract.Ptr(contract.BaselineFio), Version: contract.Ptr(shorten(strings.TrimPrefix(output.Version, "fio-"))),
	}}
	// The time at which fio wrote the result, in seconds since 1970.
	if at := output.Timestamp; at != nil && *at > 0 && *at < 1<<37 {
		result.Baseline.CollectedAt = contract.Ptr(time.Unix(*at, 0).UTC())
	}
	if strings.TrimSpace(whole.text[:start]) != "" || strings.TrimSpace(s.text[end:]) != "" {
		result.Notes = append(result.Notes, note("text-around-result", "The file has text before or after fio's JSON, warnings as a rule. It was passed over."))
	}
	f := fioReader{result: result, global: output.Global, major: major}
	f.readJobs(jobs)
	return result, nil
}

// fioStart finds the brace that opens fio's object, or the member that it should open with.
func fioStart(text string) (offset int, ok bool) {
	first := strings.Index(text, fioFirst)
	before := strings.TrimRight(text[:first], " \t\n")
	if !strings.HasSuffix(before, "{") {
		return first, false
	}
	return len(before) - 1, true
}

// fioMajor is the version that decides the unit of latencies.
func (s source) fioMajor(version string) (int, error) {
	parts := fioVersion.FindStringSubmatch(version)
	if parts == nil {
		return 0, s.errorf(CodeVersion, s.line(0), "%q is no version of fio, so the unit of its latencies is not known. Give output of fio 2 or 3 as it was written.", shorten(version))
	}
	major, _ := strconv.Atoi(parts[1])
	if major != 2 && major != 3 {
		return 0, s.errorf(CodeVersion, s.line(0), "this is output of %s, and that of fio 2 and 3 is known. Run one of these.", shorten(version))
	}
	return major, nil
}

func (s source) fioJobs(raw []json.RawMessage) ([]fioJob, error) {
	if len(raw) == 0 || len(raw) > maxFioJobs {
		return nil, s.errorf(CodeNoResult, s.line(0), "the output has %d jobs, and between 1 and %d can be compared. Look at fio's messages, and run it again.", len(raw), maxFioJobs)
	}
	jobs := make([]fioJob, len(raw))
	for i, one := range raw {
		if err := json.Unmarshal(one, &jobs[i]); err != nil {
			return nil, s.errorf(CodeDamaged, fmt.Sprintf("job %d", i+1), "%v. %s", err, fioAdvice)
		}
	}
	return jobs, nil
}
