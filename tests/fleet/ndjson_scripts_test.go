package fleet_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"diskaudit/core/report/flat"
	"diskaudit/tests/module/pester"
)

// standIns take the place of what the page's scripts reach out to: computers, and Azure. The computer
// "down" cannot be reached, "broken" fails there, "silent" says nothing; the others answer with a document.
const standIns = `
Set-StrictMode -Version Latest
function Invoke-Command {
    [CmdletBinding()]
    param([string[]] $ComputerName, [scriptblock] $ScriptBlock, [int] $ThrottleLimit)
    foreach ($computer in $ComputerName) {
        if ($computer -eq 'silent') { continue }
        $record = New-Object System.Management.Automation.ErrorRecord -ArgumentList (New-Object Exception -ArgumentList "WinRM says ""no"",` + "`r`n" + `  try again"), 'Id', 'OpenError', $computer
        if ($computer -eq 'down') { $PSCmdlet.WriteError($record); continue }
        if ($computer -eq 'BROKEN') {
            $origin = New-Object System.Management.Automation.Remoting.OriginInfo -ArgumentList 'broken', ([guid]::NewGuid())
            $record = New-Object System.Management.Automation.ErrorRecord -ArgumentList (New-Object Exception -ArgumentList 'The module is not installed.'), 'Id', 'OpenError', $null
            $PSCmdlet.WriteError((New-Object System.Management.Automation.Runspaces.RemotingErrorRecord -ArgumentList $record, $origin)); continue
        }
        '{"kind":"status"}' | Add-Member -MemberType NoteProperty -Name PSComputerName -Value $computer -PassThru
    }
}
$endpoint = 'https://example.invalid'
$ruleId = 'dcr-1'
function Get-AzAccessToken { param($ResourceUrl, [switch] $AsSecureString) @{ Token = (ConvertTo-SecureString -String 'secret' -AsPlainText -Force) } }
function Invoke-RestMethod {
    param($Method, $Uri, $ContentType, $Headers, $Body)
    if ($Headers.Authorization -ne 'Bearer secret' -or $Uri -notlike 'https://example.invalid/dataCollectionRules/dcr-1/streams/*') { throw "sent to $Uri with $($Headers.Authorization)" }
    Add-Content -LiteralPath 'C:\Fleet\sent.txt' -Value $Body
}
`

// The page's script for remoting writes a document for each computer that answers, and a line with the
// reason for each that does not; its script for Log Analytics sends every record, in calls that the
// service takes.
func TestScriptsOfThePageCollectAndSend(t *testing.T) {
	t.Parallel()
	pwsh := pester.PowerShell(t)
	folder := t.TempDir()
	scripts := blocks(page(t, "fleet.md"), "powershell")
	of := func(call string) string {
		at := slices.IndexFunc(scripts, func(q query) bool { return strings.Contains(q.text, call) })
		if at < 0 {
			t.Fatalf("the page has no script with %q", call)
		}
		return scripts[at].text
	}
	var records bytes.Buffer
	out := flat.NewNDJSON(&records)
	for range 40 {
		if err := out.Status("hostile.json", hostile()); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	script := strings.ReplaceAll(standIns+of("Invoke-Command -ComputerName")+of("Invoke-RestMethod"), `C:\Fleet`, folder)
	for name, text := range map[string]string{
		"computers.csv": "computer\nPC-1\npc.contoso.com\nfe80::1\ndown\nBROKEN\nsilent\n",
		"fleet.ndjson":  records.String(),
		"script.ps1":    script,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), pwsh, "-NoProfile", "-NonInteractive", "-File", filepath.Join(folder, "script.ps1"))
	command.Env = pester.Environment(os.Environ())
	said, err := command.CombinedOutput()
	if err != nil || strings.TrimSpace(string(said)) != "3 of 6 computers answered; see unanswered.csv for the others" {
		t.Errorf("%v: %s", err, said)
	}

	var written []string
	entries, err := os.ReadDir(filepath.Join(folder, "documents"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(folder, "documents", entry.Name()))
		if err != nil || strings.TrimSpace(string(text)) != `{"kind":"status"}` {
			t.Errorf("%s: %v: %s", entry.Name(), err, text)
		}
		written = append(written, entry.Name())
	}
	if want := []string{"PC-1.status.json", "fe80__1.status.json", "pc.contoso.com.status.json"}; !slices.Equal(written, want) {
		t.Errorf("documents %v, want %v", written, want)
	}
	unanswered, err := os.ReadFile(filepath.Join(folder, "unanswered.csv"))
	want := "computer,reason\n\"down\",\"WinRM says 'no', try again\"\n\"BROKEN\",\"The module is not installed.\"\n\"silent\",\"no answer, and no error\"\n"
	if err != nil || string(unanswered) != want {
		t.Errorf("%v: %s", err, unanswered)
	}

	sent, err := os.ReadFile(filepath.Join(folder, "sent.txt"))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for call := range strings.Lines(string(sent)) {
		var list []map[string]any
		if err := json.Unmarshal([]byte(call), &list); err != nil {
			t.Fatal(err)
		}
		// learn.microsoft.com/azure/azure-monitor/fundamentals/service-limits: 1 MB for a call.
		if len(call) > 1_000_000 {
			t.Errorf("a call has %d bytes", len(call))
		}
		count += len(list)
	}
	if lines := strings.Count(records.String(), "\n"); count != lines {
		t.Errorf("%d records of %d were sent", count, lines)
	}
}
