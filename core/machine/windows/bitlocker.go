package windows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/windows/provider"
	"diskaudit/core/machine/windows/shell"
	"diskaudit/core/machine/windows/storage"
)

// The names of who answers for BitLocker.
const (
	// ByWMI is BitLocker's WMI provider.
	ByWMI = "wmi"
	// ByShell is the property that Explorer shows, which tells a part of it to everyone.
	ByShell = "shell"
)

// bitLocker is who answers for BitLocker on this computer.
type bitLocker struct {
	provider contract.Provider
	problems []contract.Problem
	// session and rows are there when the provider answers.
	session *provider.Session
	rows    []provider.Row
	// shell is there when the provider refuses for want of rights.
	shell shell.Property
	// elevated is whether this program has an administrator's rights; nil when unknown.
	elevated *bool
}

// ask asks the provider first, whatever the rights of this program are: whether they suffice only
// the answer tells.
func (m *Machine) ask(ctx context.Context, elevated, restartPending *bool) *bitLocker {
	limited, cancel := context.WithTimeout(ctx, part(ctx, providerLimit))
	defer cancel()
	session, err := provider.Open(limited, m.options.Provider)
	if err == nil {
		rows, problems, failed := session.Volumes(limited)
		if failed == nil {
			return &bitLocker{
				provider: contract.Provider{Available: contract.Ptr(true), Provider: contract.Ptr(ByWMI)},
				problems: problems, session: session, rows: rows, elevated: elevated,
			}
		}
		session.Close()
		err = failed
	}
	if cause := context.Cause(ctx); cause != nil {
		// Collect tells that the run has ended.
		return &bitLocker{provider: contract.Provider{Provider: contract.Ptr(ByWMI), Reason: contract.Ptr("It was not found out: " + cause.Error() + ".")}}
	}
	var refused *provider.Unavailable
	if !errors.As(err, &refused) {
		return unanswered(contract.Problem{
			Code: "provider-unavailable", Level: contract.LevelError, Stage: machine.StageHost, Target: provider.Namespace,
			Text: "BitLocker's provider cannot be asked: " + err.Error() + ". Every volume's state is unknown.",
		})
	}
	if refused.Kind != provider.AccessDenied {
		features, _ := m.options.Provider.(provider.Features)
		return unanswered(provider.Explain(ctx, refused, features, restartPending))
	}
	if elevated != nil && *elevated {
		return unanswered(deniedToAdministrator(refused.Problem))
	}
	return &bitLocker{
		provider: contract.Provider{Available: contract.Ptr(true), Provider: contract.Ptr(ByShell)},
		problems: []contract.Problem{refused.Problem},
		shell:    m.options.Shell(),
	}
}

// unanswered is a provider that does not answer, for the reason that the problem gives.
func unanswered(problem contract.Problem) *bitLocker {
	return &bitLocker{
		provider: contract.Provider{Available: contract.Ptr(false), Provider: contract.Ptr(ByWMI), Reason: &problem.Text},
		problems: []contract.Problem{problem},
	}
}

// deniedToAdministrator says what refuses an administrator: not the want of rights, which running
// elevated does not change.
func deniedToAdministrator(problem contract.Problem) contract.Problem {
	problem.Code = "access-denied"
	problem.Text = "WMI refuses this program access to BitLocker's namespace although it runs as administrator, so every volume's state is unknown. The namespace's security settings were changed, or a security product stands in between: compare them (wmimgmt.msc, WMI Control, Security, " + provider.Namespace + ") with those of a computer that answers."
	return problem
}

// about finds out what BitLocker's provider, or else Explorer, says of a volume.
func (b *bitLocker) about(ctx context.Context, volume *contract.Volume) standing {
	row, listed := b.row(volume.ID)
	switch {
	case listed:
		read := b.session.Read(ctx, row, volume.ID)
		volume.Encryption = read.Encryption
		if read.Type != nil {
			volume.Type = read.Type
		}
		for _, problem := range soften(*volume, b.rightly(read.Problems)) {
			// People know the volume by its letter.
			problem.Text = strings.Replace(problem.Text, volume.ID, named(*volume), 1)
			volume.Problems = append(volume.Problems, problem)
		}
		if silenced(read.Problems) {
			return unavailable
		}
		return answered
	case b.session != nil:
		return unlisted
	case b.shell != nil:
		b.askShell(ctx, volume)
		return shown
	}
	return unavailable
}

// silenced tells whether the provider gave no answer about a volume.
func silenced(problems []contract.Problem) bool {
	return slices.ContainsFunc(problems, func(p contract.Problem) bool {
		return p.Code == "timeout" || p.Code == "not-asked" || p.Code == "interrupted"
	})
}

// soften lowers what is no loss: BitLocker has nothing to tell of a drive without a medium, nor of
// a volume that it says it does not encrypt, such as a recovery partition.
func soften(volume contract.Volume, problems []contract.Problem) []contract.Problem {
	empty := slices.ContainsFunc(volume.Problems, func(p contract.Problem) bool { return p.Code == storage.CodeNoMedium })
	for i := range problems {
		if code := problems[i].Code; code == "not-encryptable" || empty && code == "volume-not-ready" {
			problems[i].Level = contract.LevelInfo
		}
	}
	return problems
}

// incomplete tells whether the provider broke off its list of volumes.
func (b *bitLocker) incomplete() bool {
	return slices.ContainsFunc(b.problems, func(p contract.Problem) bool { return p.Code == "enumeration-incomplete" })
}

// rightly corrects problems that tell an administrator to become one.
func (b *bitLocker) rightly(problems []contract.Problem) []contract.Problem {
	if b.elevated == nil || !*b.elevated {
		return problems
	}
	for i := range problems {
		if problem := &problems[i]; problem.Code == "needs-elevation" {
			problem.Code = "access-denied"
			problem.Text = fmt.Sprintf("BitLocker's provider refuses access to %s although this program runs as administrator, so what it was asked is unknown. A security product or a changed permission stands in between; SYSTEM may be allowed more.", problem.Target)
		}
	}
	return problems
}

// row finds the provider's row of a volume.
func (b *bitLocker) row(id string) (provider.Row, bool) {
	for _, row := range b.rows {
		if volumeKey(*row.DeviceID) == volumeKey(id) {
			return row, true
		}
	}
	return provider.Row{}, false
}

// askShell reads what Explorer shows of a volume.
func (b *bitLocker) askShell(ctx context.Context, volume *contract.Volume) {
	if len(volume.MountPoints) == 0 {
		volume.Problems = append(volume.Problems, contract.Problem{
			Code: "needs-elevation", Level: contract.LevelError, Stage: machine.StageVolumes, Target: volume.ID,
			Text: "The volume " + volume.ID + " is mounted nowhere, and of such a volume Windows tells BitLocker's state to administrators only: it is unknown. Run as administrator.",
		})
		return
	}
	limited, cancel := context.WithTimeout(ctx, part(ctx, shellLimit))
	defer cancel()
	root := strings.TrimRight(volume.MountPoints[0], `\`) + `\`
	value, err := b.shell.BitLocker(limited, root)
	if err != nil {
		volume.Problems = append(volume.Problems, shellProblem(volume.ID, err))
		return
	}
	var problems []contract.Problem
	volume.Encryption, problems = shell.Decode(value, volume.ID)
	volume.Problems = append(volume.Problems, problems...)
}

func shellProblem(target string, err error) contract.Problem {
	var coded *provider.Error
	problem := contract.Problem{
		Code: "needs-elevation", Level: contract.LevelError, Stage: machine.StageVolumes, Target: target,
		Text: "Without administrator rights only Explorer's property tells something of BitLocker on " + target + ", and reading it failed (" + err.Error() + "): its state is unknown. Run as administrator.",
	}
	if errors.As(err, &coded) {
		described := coded.Code.Problem(problem.Level, problem.Stage, target)
		problem.HResult, problem.HResultName = described.HResult, described.HResultName
	}
	return problem
}

func (b *bitLocker) close() {
	if b.session != nil {
		b.session.Close()
	}
	if b.shell != nil {
		b.shell.Close()
	}
}
