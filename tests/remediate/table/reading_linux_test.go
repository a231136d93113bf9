package table_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"diskaudit/core/bitlocker"
	"diskaudit/core/contract"
	"diskaudit/tests/rig/simulator"
)

// TestRefusedQuestion: at each question that is asked while a plan is carried out, a code that passes, once and
// for ever, one of the disk, another one, and no answer at all; and each code of either sort at each kind of question.
func TestRefusedQuestion(t *testing.T) {
	base := inMemory(t)
	before := rows.Load()
	t.Cleanup(func() { t.Logf("%d rows", rows.Load()-before) })
	retryable, fatal := codes()
	for _, r := range troubledRows() {
		seen := map[string]bool{}
		for i, call := range r.undisturbed(t, base) {
			if _, changes := permitted[call.method]; changes {
				continue
			}
			var put []trouble
			for _, code := range []bitlocker.HResult{bitlocker.FVE_E_TRANSIENT_STATE, bitlocker.RPC_S_SERVER_UNAVAILABLE} {
				for _, times := range []int{1, 0} {
					put = append(put, trouble{way: raised, code: code, at: i + 1, times: times})
				}
			}
			put = append(put, trouble{way: returned, code: fatal[i%len(fatal)], at: i + 1, times: 1})
			put = append(
				put, trouble{way: raised, code: bitlocker.WBEM_E_FAILED, at: i + 1, times: 1},
				trouble{way: hanging, code: bitlocker.WBEM_E_CALL_CANCELLED, at: i + 1, times: 1},
				trouble{way: hanging, code: bitlocker.WBEM_E_CALL_CANCELLED, at: i + 1},
			)
			if !seen[call.method] {
				seen[call.method] = true
				for _, code := range fatal {
					put = append(put, trouble{way: returned, code: code, at: i + 1, times: 1})
				}
				for _, code := range retryable {
					put = append(put, trouble{way: returned, code: code, at: i + 1, times: 1}, trouble{way: returned, code: code, at: i + 1})
				}
			}
			t.Run(fmt.Sprintf("%s call %d %s", r.action, i+1, call.method), func(t *testing.T) {
				t.Parallel()
				for _, one := range put {
					r.unanswered(t, base, one)
				}
			})
		}
	}
}

// unanswered holds what comes of a question that is refused against the rules.
func (r row) unanswered(t *testing.T, base string, put trouble) {
	t.Helper()
	r.troubledRun(t, base, put, func(w *world, result ran, met *troubled, took time.Duration) {
		switch {
		case put.code.Fatal() && (met.device == "" || met.coarse(put.at-1)):
			// Connecting and listing ask no disk; the coarse percentage is only for people.
		case put.code.Fatal():
			w.stops(result, met, put)
		case put.times == 1 && (put.code.Retryable() || put.way == hanging):
			if result.code != 0 {
				w.wrongf("it passes: want exit code 0, got %d: %+v", result.code, result.document.Problems)
			}
		case result.code != 0 && result.code != 1 && result.code != 7:
			w.wrongf("unexpected exit code %d: %+v", result.code, result.document.Problems)
		case put.times == 0 && put.way == returned && slices.Contains([]string{"GetConversionStatus", "GetLockStatus"}, met.method):
			w.stops(result, met, put)
		}
		if took > 31*time.Minute {
			w.wrongf("it took %v", took)
		}
		if result.code == 0 {
			w.holdEnd(judge(r.computer, r.request), result)
		}
		// What was begun goes on, and the document says so.
		for _, one := range w.volumes {
			now, _ := w.simulatedVolume(one.letter)
			began := slices.ContainsFunc(result.calls, func(call simulator.Call) bool { return call.DeviceID == one.id() && call.Name == "Decrypt" })
			listed := slices.ContainsFunc(result.document.Running, func(running contract.Running) bool { return running.VolumeID == one.id() })
			if r.action == contract.ActionDecrypt && began && now.Conversion == simulator.Decrypting && !listed {
				w.wrongf("%c: is being decrypted, and is not among what goes on: %+v", one.letter, result.document.Running)
			}
		}
	})
}

// coarse tells whether a call is the second of two that ask for one conversion, of which the first gave the state
// and the fine percentage.
func (t *troubled) coarse(at int) bool {
	return at > 0 && t.calls[at].method == "GetConversionStatus" && t.calls[at-1].method == t.calls[at].method && t.calls[at-1].deviceID == t.calls[at].deviceID
}
