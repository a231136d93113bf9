package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"diskaudit/core/audit"
	"diskaudit/core/contract"
	"diskaudit/core/machine"
	"diskaudit/core/machine/windows"
	"diskaudit/core/remediate"
	"diskaudit/core/remediate/journal"
	"diskaudit/core/report"
)

func (s *session) remediateCommand(kind *contract.Kind) *cli.Command {
	return &cli.Command{
		Name:  "remediate",
		Usage: "plan how to undo software BitLocker, and with --apply do it",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "action", Value: string(contract.ActionDecrypt), Usage: "what to bring about: " + actionList()},
			&cli.BoolFlag{Name: "apply", Usage: "carry the plan out; without it nothing is changed"},
			&cli.StringFlag{Name: "expect-plan", Usage: "refuse unless the plan still has this `ID`"},
			&cli.StringSliceFlag{Name: "volume", Usage: "only this `VOLUME`: C, C:, a GUID path, a mount folder or an id; may be repeated"},
			&cli.StringSliceFlag{Name: "override", Usage: "go on although this `GUARD` refuses; may be repeated"},
			&cli.BoolFlag{Name: "clear-auto-unlock", Usage: "allow the keys to be removed by which data volumes unlock by themselves"},
			&cli.BoolFlag{Name: "speed-up-conversion", Usage: "turn the flushing of a hard disk's write cache off while it converts, and on again afterwards"},
			&cli.BoolFlag{Name: "wait", Value: true, Usage: "wait until the volumes are decrypted; --wait=false exits 7 when that has begun"},
			&cli.StringFlag{Name: "recording", Usage: "plan for the facts in `FILE`, written by status --record on another machine"},
			&cli.StringFlag{Name: "offline-hive", Usage: "with --action prevent: tell how to prevent it in a Windows that does not run, whose SYSTEM hive is this `FILE`"},
			&cli.StringFlag{Name: "journal", Usage: "keep the journal in this `FOLDER`; on Windows it is always in ProgramData"},
			&cli.BoolFlag{Name: "identify", Usage: "include serial numbers and the name of this computer"},
		}, runFlags(documentFormats, cli.DurationFlag{Usage: "stop waiting after this `TIME`, such as 8h, and exit 7; 0 is no limit"})...),
		Action: func(c *cli.Context) error {
			*kind = contract.KindRemediate
			return s.remediate(c)
		},
	}
}

func actionList() string {
	var words []string
	for _, action := range contract.Actions() {
		words = append(words, string(action))
	}
	return strings.Join(words, ", ")
}

func (s *session) remediate(c *cli.Context) error {
	settings, err := s.settings(c)
	if err != nil {
		return err
	}
	if err := s.checkRemediation(c); err != nil {
		return err
	}
	if err := refuseEmpty(c); err != nil {
		return err
	}
	if err := refuseOverwriting(c, "offline-hive"); err != nil {
		return err
	}
	ctx, cancel := settings.limit(c.Context)
	defer cancel()
	r := &remediation{session: s, settings: settings, flags: c, ctx: ctx}
	r.document.Header = header(contract.KindRemediate)
	r.document.Plan.Action = contract.Action(c.String("action"))
	if c.IsSet("offline-hive") {
		r.offline(c.String("offline-hive"))
	} else {
		r.run()
		r.finish()
	}
	return s.write(settings, contract.KindRemediate, &r.document, &r.document.Header, func(out *output) error {
		options := out.options()
		options.Arguments = s.arguments[min(1, len(s.arguments)):]
		return tableError(report.Remediation(out.w, r.document, options))
	})
}

// checkRemediation refuses what cannot be meant: an option that the action does not have would
// otherwise do nothing.
func (s *session) checkRemediation(c *cli.Context) error {
	action := contract.Action(c.String("action"))
	if !slices.Contains(contract.Actions(), action) {
		return usagef("--action %q: choose %s", action, actionList())
	}
	for _, guard := range c.StringSlice("override") {
		if !slices.Contains(remediate.Guards(), guard) {
			return usagef("--override %q: there is no such guard; there are %s", guard, strings.Join(remediate.Guards(), ", "))
		}
	}
	for _, flag := range []string{"clear-auto-unlock", "speed-up-conversion", "wait"} {
		if c.IsSet(flag) && action != contract.ActionDecrypt {
			return usagef("--%s is for --action decrypt only, not for %s", flag, action)
		}
	}
	if c.IsSet("volume") && (action == contract.ActionPrevent || action == contract.ActionUndo) {
		return usagef("--volume: --action %s is about the whole computer, not about single volumes", action)
	}
	switch {
	case slices.Contains(c.StringSlice("volume"), ""):
		return usagef("--volume needs a volume, such as C:")
	case c.Bool("speed-up-conversion") && !c.Bool("wait"):
		return usagef("--speed-up-conversion and --wait=false exclude each other: the flushing is turned on again when the decryption has ended, and for that somebody has to wait")
	case c.IsSet("expect-plan") && c.String("expect-plan") == "":
		return usagef("--expect-plan needs the id of a plan")
	case c.IsSet("recording") && c.String("recording") == "":
		return usagef("--recording needs a file name")
	case c.IsSet("recording") && c.Bool("apply"):
		return usagef("--recording and --apply exclude each other: a recording is of another computer, or of another time")
	case c.IsSet("offline-hive") && action != contract.ActionPrevent:
		return usagef("--offline-hive is for --action prevent only, not for %s", action)
	case c.IsSet("offline-hive") && c.String("offline-hive") == "":
		return usagef("--offline-hive needs the SYSTEM file of a Windows that does not run")
	case c.IsSet("offline-hive") && c.IsSet("recording"):
		return usagef("--offline-hive and --recording exclude each other: each replaces the computer that is planned for")
	case c.IsSet("offline-hive") && c.Bool("apply"):
		return usagef("--offline-hive and --apply exclude each other: the file is only read; the document has the commands that change it, for an elevated prompt of Windows")
	case c.IsSet("offline-hive") && c.IsSet("journal"):
		return usagef("--offline-hive and --journal exclude each other: nothing is changed that a journal would record")
	case c.IsSet("journal") && runtime.GOOS == "windows":
		return usagef("--journal: on Windows the journal is always kept in ProgramData, where the next run finds it")
	case c.IsSet("journal") && c.String("journal") == "":
		return usagef("--journal needs a folder")
	case c.IsSet("journal") && c.IsSet("recording"):
		return usagef("--journal and --recording exclude each other: the journal tells what was done to this computer")
	}
	return nil
}

// remediation is one run of the verb.
type remediation struct {
	session  *session
	settings settings
	flags    *cli.Context
	ctx      context.Context
	document contract.Remediation
	status   contract.Status
	// past is what earlier runs did, identities tell the disks of this computer from others.
	past       journal.History
	identities map[string]string
	outcome    remediate.Outcome
	// ended is an exit code that a part of the run called for before its end; 0 for none.
	ended ExitCode
}

func (r *remediation) run() {
	apply := r.flags.Bool("apply")
	if !r.possible() || apply && !r.writable() {
		return
	}
	var folder *journal.Folder
	if !r.flags.IsSet("recording") {
		path, ok := r.folder()
		if !ok {
			return
		}
		if apply {
			locked, release := r.lock(path)
			if locked == nil {
				return
			}
			defer release()
			folder = locked
		}
		r.past = r.history(path)
	}
	if !r.gather() || !r.permitted() || r.stopped() {
		return
	}
	left := r.leftovers()
	var computer remediate.Computer
	if apply {
		computer = r.session.changes()
		defer computer.Close()
		if !r.recover(folder, left, computer) {
			return
		}
		left = nil
	}
	if !r.asked() {
		return
	}
	made, ok := r.plan(left)
	if !ok {
		return
	}
	if r.flags.IsSet("expect-plan") {
		made.Expect(r.flags.String("expect-plan"))
	}
	made.Projected.Findings = audit.Findings(made.Projected)
	made.Projected.Summary = audit.Summarize(made.Projected)
	r.document.Plan, r.document.Projected = made.Plan, &made.Projected
	r.document.Problems = append(r.document.Problems, made.Problems...)
	if !apply || remediate.Refuses(made.Plan.Guards) || r.stopped() {
		return
	}
	r.document.Applied = true
	if len(made.Plan.Steps) > 0 {
		r.outcome = r.apply(folder, computer, made.Plan)
	}
}

// possible tells whether this system can be remedied at all.
func (r *remediation) possible() bool {
	if r.flags.IsSet("recording") || r.session.changes != nil {
		return true
	}
	r.problem(contract.Problem{
		Code: "system-not-supported", Level: contract.LevelError, Stage: machine.StageHost,
		Text: fmt.Sprintf("diskaudit remediate changes BitLocker through Windows, and this is %s. Run it on the Windows computer itself, or plan for that with --recording FILE, which diskaudit status --record FILE writes there.", runtime.GOOS),
	})
	return false
}

func (r *remediation) problem(problem contract.Problem) {
	r.document.Problems = append(r.document.Problems, problem)
}

func (r *remediation) stop(code ExitCode, problem contract.Problem) {
	r.ended = code
	r.problem(problem)
}

// stopped tells whether there is a problem because of which nothing may be planned.
func (r *remediation) stopped() bool {
	return slices.ContainsFunc(r.document.Problems, func(problem contract.Problem) bool { return problem.Level.OrError() == contract.LevelError })
}

// folder is where the journal is kept; empty for nowhere.
func (r *remediation) folder() (string, bool) {
	if r.flags.IsSet("journal") {
		return r.flags.String("journal"), true
	}
	path, err := r.session.journals()
	switch {
	case err != nil:
		r.problem(contract.Problem{
			Code: "journal-folder-unknown", Level: contract.LevelError, Stage: string(contract.KindRemediate),
			Text: fmt.Sprintf("Where the journal is kept could not be found out: %v. Nothing is changed without it.", err),
		})
		return "", false
	case path == "" && r.flags.Bool("apply"):
		r.problem(contract.Problem{
			Code: "journal-folder-missing", Level: contract.LevelError, Stage: string(contract.KindRemediate),
			Text: "Nothing is changed without a journal, and this system has no usual place for it: name a folder with --journal FOLDER.",
		})
		return "", false
	}
	return path, true
}

// lock makes this run the only one that changes anything.
func (r *remediation) lock(path string) (*journal.Folder, func()) {
	folder, err := journal.Open(path)
	if err != nil {
		problem := contract.Problem{
			Code: "journal-folder-unusable", Level: contract.LevelError, Stage: string(contract.KindRemediate), Target: path,
			Text: fmt.Sprintf("The journal cannot be kept in %s: %s. Nothing is changed without it. See what lies there in its way, and move it.", path, strings.TrimSuffix(err.Error(), ".")),
		}
		var refused *journal.Refusal
		if errors.As(err, &refused) {
			problem = refused.Problem()
		}
		r.problem(problem)
		if errors.Is(err, os.ErrPermission) && runtime.GOOS == "windows" {
			r.ended = ExitElevation
		}
		return nil, nil
	}
	lock, err := folder.Lock(journal.Owner{Process: os.Getpid(), Started: time.Now().UTC(), Action: r.document.Plan.Action})
	var busy *journal.Busy
	if errors.As(err, &busy) {
		r.stop(ExitInProgress, contract.Problem{
			Code: "another-run", Level: contract.LevelError, Stage: string(contract.KindRemediate), Target: path, Retryable: true, Text: busy.Error(),
		})
		return nil, nil
	}
	if err != nil {
		r.problem(contract.Problem{
			Code: "journal-lock-failed", Level: contract.LevelError, Stage: string(contract.KindRemediate), Target: path,
			Text: fmt.Sprintf("Whether another run is at work could not be found out: %s. Nothing is changed. See what lies at that place, and move it.", strings.TrimSuffix(err.Error(), ".")),
		})
		return nil, nil
	}
	return folder, func() {
		if err := lock.Release(); err != nil {
			r.settings.log.Warn("releasing the lock", "error", err)
		}
	}
}

// history is what earlier runs did. What cannot be read of it stops an undo, which rests on it, and
// nothing else.
func (r *remediation) history(path string) journal.History {
	if path == "" {
		return journal.History{}
	}
	history, problems := journal.Read(path)
	for _, problem := range problems {
		undoing := r.document.Plan.Action == contract.ActionUndo
		switch {
		case !undoing && problem.Level.OrError() == contract.LevelError:
			problem.Level = contract.LevelWarning
		case undoing && problem.Code == journal.CodeAccessDenied:
			problem.Level = contract.LevelError
			r.ended = ExitElevation
		}
		if !slices.Contains(r.document.Problems, problem) {
			r.problem(problem)
		}
	}
	return history
}

// gather collects the facts; false when that was interrupted or found nothing.
func (r *remediation) gather() bool {
	status, identities, cause := r.collect(r.ctx)
	r.status, r.identities = status, identities
	switch {
	case errors.Is(cause, machine.ErrInterrupted) || errors.Is(cause, context.Canceled):
		r.take(ExitInterrupted, "interrupted")
	case cause != nil && r.ctx.Err() != nil:
		r.take(ExitFailed, "timeout")
	case status.Machine.Source == contract.SourceNone || len(status.Volumes) == 0 && len(status.Disks) == 0:
		r.take(ExitFailed, "")
	default:
		return true
	}
	return false
}

// collectLimit is how long the facts may take.
const collectLimit = time.Minute

// collect asks the computer, and tells why it ended early, if it did. Serial numbers are looked at, to
// tell disks from each other, and withheld.
func (r *remediation) collect(ctx context.Context) (contract.Status, map[string]string, error) {
	asked := r.session.computer(true)
	if recorded := r.flags.String("recording"); recorded != "" {
		asked = openRecording(recorded)
	}
	ctx, cancel := context.WithTimeout(ctx, collectLimit)
	defer cancel()
	status := machine.Collect(ctx, asked, r.settings.progress.report)
	cause := context.Cause(ctx)
	identities := map[string]string{}
	for _, disk := range status.Disks {
		if identity := remediate.Identity(disk); identity != "" {
			identities[disk.ID] = identity
		}
	}
	if !r.flags.Bool("identify") {
		withhold(&status)
	}
	problems, complete := status.Problems, status.Complete
	status.Header = header(contract.KindStatus)
	status.Problems, status.Complete = problems, complete
	return status, identities, cause
}

// plan makes the plan from the facts.
func (r *remediation) plan(left []journal.Done) (remediate.Made, bool) {
	volumes, found := r.volumes()
	if !found {
		return remediate.Made{}, false
	}
	return remediate.Make(r.request(r.status, volumes, left)), true
}

func (r *remediation) request(status contract.Status, volumes []string, left []journal.Done) remediate.Request {
	request := remediate.Request{
		Action: r.document.Plan.Action, Status: status, Volumes: volumes, Overrides: r.flags.StringSlice("override"),
		ClearAutoUnlock: r.flags.Bool("clear-auto-unlock"), SpeedUp: r.flags.Bool("speed-up-conversion"), Left: left, History: r.past,
	}
	for _, gap := range status.Gaps() {
		if !slices.Contains(request.Incomplete, gap.Code) {
			request.Incomplete = append(request.Incomplete, gap.Code)
		}
	}
	return request
}

// permitted tells whether this program has the rights; a recording needs none.
func (r *remediation) permitted() bool {
	byShell := r.status.BitLocker.Provider != nil && *r.status.BitLocker.Provider == windows.ByShell
	elevated := r.status.Machine.Elevated
	if r.flags.IsSet("recording") || (elevated == nil || *elevated) && !byShell {
		return true
	}
	r.stop(ExitElevation, contract.Problem{
		Code: "needs-elevation", Level: contract.LevelError, Stage: machine.StageHost,
		Text: "Planning and carrying out a remediation needs administrator rights: without them Windows does not tell all that the guards have to know. Run this again from an elevated prompt (Run as administrator) or as SYSTEM.",
	})
	return false
}

// asked tells whether BitLocker answered, where the plan is about volumes; if not, why not.
func (r *remediation) asked() bool {
	needed := r.document.Plan.Action != contract.ActionPrevent
	if r.document.Plan.Action == contract.ActionUndo {
		needed = slices.ContainsFunc(r.past.InForce(), func(done journal.Done) bool {
			return done.Change == contract.ChangePause || done.Change == contract.ChangeResume
		})
	}
	byShell := r.status.BitLocker.Provider != nil && *r.status.BitLocker.Provider == windows.ByShell
	switch available := r.status.BitLocker.Available; {
	case needed && byShell:
		r.take(ExitElevation, "")
	case needed && available != nil && !*available:
		r.take(ExitNoProvider, "")
	default:
		return true
	}
	return false
}

// take takes over the problems of the facts, for there is nothing else to tell; those with a code
// only, or all errors.
func (r *remediation) take(code ExitCode, only string) {
	r.ended = code
	for _, problem := range r.status.Problems {
		if problem.Level.OrError() == contract.LevelError && (only == "" || problem.Code == only) {
			r.problem(problem)
		}
	}
	if r.stopped() {
		return
	}
	problem := contract.Problem{
		Code: "facts-unknown", Level: contract.LevelError, Stage: machine.StageHost, Retryable: true,
		Text: "The facts that a plan rests on were not gathered. Run this again; diskaudit status tells more.",
	}
	if reason := r.status.BitLocker.Reason; reason != nil && code == ExitNoProvider {
		problem.Code, problem.Text, problem.Retryable = "provider-unavailable", *reason, false
	}
	r.problem(problem)
}

// volumes are the ids of the volumes that were asked for; nil when none was named.
func (r *remediation) volumes() (ids []string, found bool) {
	found = true
	for _, name := range r.flags.StringSlice("volume") {
		known := false
		for _, volume := range r.status.Volumes {
			if isVolume(volume, name) {
				known = true
				ids = append(ids, volume.ID)
			}
		}
		if !known {
			found = false
			r.stop(ExitFailed, missingProblem(name, r.status.Gaps()))
		}
	}
	return ids, found
}

// finish decides whether the document is complete, and the exit code.
func (r *remediation) finish() {
	r.document.Steps, r.document.Running = r.outcome.Steps, r.outcome.Running
	for _, step := range r.outcome.Steps {
		if step.Problem != nil {
			r.problem(*step.Problem)
		}
	}
	for i := range r.document.Running {
		running := &r.document.Running[i]
		for _, volume := range r.status.Volumes {
			if volume.ID == running.VolumeID && len(volume.MountPoints) > 0 {
				running.Watch = remediate.WatchCommand(volume.MountPoints[0])
			}
		}
	}
	r.session.code = r.code()
	if r.session.code == ExitFailed && r.outcome.Interrupted && !r.stopped() {
		r.problem(contract.Problem{
			Code: "timeout", Level: contract.LevelError, Stage: string(contract.KindRemediate), Retryable: true,
			Text: "The time limit was reached between two steps, with nothing under way. What was done by then is in steps; run this again, with a higher --timeout, to go on from there.",
		})
	}
	if r.session.code == ExitInterrupted && !r.stopped() {
		r.problem(contract.Problem{
			Code: "interrupted", Level: contract.LevelError, Stage: string(contract.KindRemediate), Retryable: true,
			Text: "Interrupted between two steps. What was done by then is in steps; run this again to go on from there.",
		})
	}
	r.document.Complete = !r.stopped()
}

func (r *remediation) code() ExitCode {
	unfinished := slices.ContainsFunc(r.outcome.Steps, func(step contract.StepResult) bool {
		return step.Result == contract.StepRunning || step.Result == contract.StepNotStarted
	})
	switch {
	case r.ended != ExitDone:
		return r.ended
	case r.document.Projected == nil:
		return ExitFailed
	case r.outcome.Failed(), r.stopped() && !remediate.Refuses(r.document.Plan.Guards):
		return ExitFailed
	case remediate.Refuses(r.document.Plan.Guards):
		return ExitRefused
	case len(r.outcome.Running) > 0:
		return ExitInProgress
	case r.outcome.Interrupted && errors.Is(context.Cause(r.ctx), machine.ErrInterrupted):
		return ExitInterrupted
	case unfinished:
		return ExitFailed
	}
	return ExitDone
}
