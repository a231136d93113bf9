<#
.SYNOPSIS
Runs scripts as the Go tests of this folder ask, many in one process: starting PowerShell takes seconds
under Wine.

.DESCRIPTION
For each file N.job.json of the folder, N counting from 1, a new session is opened, the scripts that the
job names are run in it one after the other, and N.done.json tells what came out of each. A job without
scripts ends the process.

.PARAMETER Folder
Where the jobs are.
#>
param(
    [Parameter(Mandatory)]
    [string] $Folder
)

$ErrorActionPreference = 'Stop'

# Runs one script. What it writes stays apart by streams; its exit code is that of the last exit, $null
# where it came to its end without one.
function Invoke-Run {
    param($Run, $Session)
    $command = 'param($Script, $Arguments) $global:LASTEXITCODE = $null; & $Script @Arguments'
    if ($Run.asJson) {
        # As ConfigMgr does with what a script of Run Scripts returns.
        $command += ' | ConvertTo-Json -Compress'
    }
    $arguments = @{}
    foreach ($argument in $Run.arguments.PSObject.Properties) {
        $arguments[$argument.Name] = $argument.Value
    }
    $shell = [powershell]::Create()
    $shell.Runspace = $Session
    $null = $shell.AddScript($command).AddArgument($Run.script).AddArgument($arguments)
    $output = @()
    $thrown = @()
    $watch = [System.Diagnostics.Stopwatch]::StartNew()
    try {
        $output = @($shell.Invoke())
    }
    catch {
        $thrown = @("$_")
    }
    $streams = $shell.Streams
    @{
        output  = @($output | ForEach-Object { "$_" })
        errors  = @($streams.Error | ForEach-Object { "$_" }) + $thrown
        others  = @(@($streams.Warning) + @($streams.Verbose) + @($streams.Debug) + @($streams.Information) + @($streams.Progress) | ForEach-Object { "$_" })
        exit    = $Session.SessionStateProxy.GetVariable('LASTEXITCODE')
        seconds = $watch.Elapsed.TotalSeconds
    }
    $shell.Dispose()
}

function Invoke-Job {
    param($Job)
    $before = @{}
    foreach ($variable in $Job.environment.PSObject.Properties) {
        $before[$variable.Name] = [System.Environment]::GetEnvironmentVariable($variable.Name)
        [System.Environment]::SetEnvironmentVariable($variable.Name, $variable.Value.Replace('{PSHOME}', $PSHOME))
    }
    $session = [runspacefactory]::CreateRunspace([initialsessionstate]::CreateDefault())
    $session.Open()
    [System.Environment]::CurrentDirectory = $Job.location
    $null = $session.SessionStateProxy.Path.SetLocation($Job.location)
    if ($Job.constrained) {
        $session.SessionStateProxy.LanguageMode = 'ConstrainedLanguage'
    }
    foreach ($run in $Job.runs) {
        Invoke-Run -Run $run -Session $session
    }
    $session.Dispose()
    foreach ($name in $before.Keys) {
        [System.Environment]::SetEnvironmentVariable($name, $before[$name])
    }
}

for ($number = 1; ; $number++) {
    $file = Join-Path $Folder "$number.job.json"
    while (-not [System.IO.File]::Exists($file)) {
        Start-Sleep -Milliseconds 50
    }
    $job = ConvertFrom-Json -InputObject ([System.IO.File]::ReadAllText($file))
    if (@($job.runs).Count -eq 0) {
        break
    }
    $text = ConvertTo-Json -InputObject @(Invoke-Job -Job $job) -Depth 4 -Compress
    [System.IO.File]::WriteAllText("$file.new", $text)
    [System.IO.File]::Move("$file.new", (Join-Path $Folder "$number.done.json"))
}
