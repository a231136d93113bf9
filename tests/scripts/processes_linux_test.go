package scripts_test

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// process is a script in a PowerShell of its own, as its host starts it.
type process struct {
	script   int
	computer string
	// arguments are PowerShell's; SCRIPT stands for the path.
	arguments []string
}

// How the hosts start PowerShell. Intune: without -NonInteractive, so that a question would wait. Run
// Scripts: what comes out is converted to JSON
// (learn.microsoft.com/intune/configmgr/apps/deploy-use/create-deploy-scripts).
var (
	byIntune           = []string{"-NoProfile", "-ExecutionPolicy", "bypass", "-File", "SCRIPT"}
	byConfigmgr        = []string{"-NoProfile", "-ExecutionPolicy", "Bypass", "-File", "SCRIPT"}
	byConfigmgrConvert = []string{"-NoProfile", "-ExecutionPolicy", "Bypass", "-Command", "& 'SCRIPT' | ConvertTo-Json -Compress"}
)

// processes are numbers of hostedScripts, all of them once.
var processes = []process{
	{0, "decrypted", byIntune},
	{1, "XTS-AES 128, protected", byIntune},
	{2, "decrypted beside a locked data volume", byIntune},
	{3, "no provider", byConfigmgr},
	{4, "decrypted", byConfigmgr},
	{5, "decrypted", byConfigmgrConvert},
}

// testProcesses starts scripts as their hosts do: what comes out on stdout and stderr of the process, with
// nobody at its input.
func testProcesses(t *testing.T, f *fleet) {
	t.Helper()
	for _, p := range processes {
		c, s := named(t, p.computer), hostedScripts[p.script]
		t.Run(s.name+" "+p.computer, func(t *testing.T) {
			machine := c.machine()
			environment := f.environment(c, simulate(t, machine))
			// PowerShell adds its own folder at the end.
			environment["PSModulePath"] = `WindowsPowerShell\Modules`
			arguments := make([]string, len(p.arguments))
			for i, argument := range p.arguments {
				arguments[i] = strings.Replace(argument, "SCRIPT", f.script(s.name), 1)
			}
			cmd := powershell(t, f.Rig, environment, arguments...)
			cmd.Dir = t.TempDir()
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			code := cmd.ProcessState.ExitCode()
			lines := strings.Split(strings.TrimSuffix(stdout.String(), "\r\n"), "\r\n")
			inspect(t, s, c, done{Output: lines, Exit: &code})
			if written := withoutWine(stderr.String()); written != "" {
				t.Errorf("it writes on stderr:\n%s", written)
			}
			if calls := machine.Forbidden(); len(calls) > 0 {
				t.Errorf("something was changed, or a secret was asked for: %+v", calls)
			}
		})
	}
}
