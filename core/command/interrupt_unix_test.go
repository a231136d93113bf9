//go:build unix

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"syscall"
	"testing"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
)

// hanging is a machine whose volumes never answer.
type hanging struct{ reached func() }

func (hanging) Host(context.Context, *machine.Report)   {}
func (hanging) Policy(context.Context, *machine.Report) {}
func (hanging) Disks(_ context.Context, report *machine.Report) {
	report.AddDisk(contract.Disk{ID: "sda"})
}
func (h hanging) Volumes(context.Context, *machine.Report) {
	h.reached()
	select {}
}

// Ctrl-C and SIGTERM while a disk hangs: exit 130 with a document that says so and has what was
// found by then.
func TestInterruptedWhileADiskHangs(t *testing.T) {
	for _, sent := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		var stdout, stderr bytes.Buffer
		exit := RunWith(t.Context(), []string{"diskaudit", "status"}, &stdout, &stderr, Sources{Computer: func(bool) machine.Machine {
			return hanging{reached: func() {
				if err := syscall.Kill(os.Getpid(), sent); err != nil {
					t.Error(err)
				}
			}}
		}})
		if exit != int(ExitInterrupted) || stderr.Len() != 0 {
			t.Errorf("%v: exit %d, stderr %q", sent, exit, stderr.String())
		}
		if err := contract.Validate(contract.KindStatus, stdout.Bytes()); err != nil {
			t.Errorf("%v: %v", sent, err)
		}
		var document contract.Status
		if err := json.Unmarshal(stdout.Bytes(), &document); err != nil {
			t.Fatal(err)
		}
		if document.Complete || len(document.Disks) != 1 || len(document.Problems) != 1 || document.Problems[0].Code != "interrupted" {
			t.Errorf("%v: complete %v, %d disks, problems %+v", sent, document.Complete, len(document.Disks), document.Problems)
		}
	}
}
