<#
.SYNOPSIS
Run Script for Configuration Manager: asks computers at once what they are to BitLocker, what the
encryption costs, or what undoing it would take.

.DESCRIPTION
Returns one flat object of texts and whole numbers, which Configuration Manager shows as JSON; below
4,000 bytes also with 26 volumes, since it cuts off at 4 KB
(learn.microsoft.com/intune/configmgr/apps/deploy-use/create-deploy-scripts). It decrypts nothing.

.PARAMETER Action
summary: the whole computer in one state. bench: measure the disk for a short time. plan: what undoing
the software encryption would take and what stands against it; nothing is changed.

.PARAMETER Volume
What bench measures: a drive letter, such as C or C:. Without it, the drive of Windows.

.PARAMETER TimeoutSeconds
When to stop, 10 to 600 seconds. What was found by then is returned.

.NOTES
HOW TO SET IT UP (docs/configmgr.md of the module has it step by step, with Microsoft's pages)
  Needs      the module BitLockerDiskAudit in Program Files (Detect-BitLockerDiskAudit.ps1)
  Where      Software Library > Scripts > Create Script, PowerShell, Import. Another person approves it
  Parameters Action is a list, Volume a text (RegEx ^([A-Za-z]:?)?$), TimeoutSeconds an integer
  Account    SYSTEM, always; the same in a 32-bit and in a 64-bit process
  Running    Assets and Compliance > Device Collections > Run Script. Configuration Manager waits an
             hour; summary and plan take seconds, bench about 20 and writes at most 1 GB, which it removes
  Results    Monitoring > Script Status

WHAT REACHES THE CONSOLE
  Each object begins with Action, Result, Message and Problems, and ends with ToolVersion. A text that is
  not known is Unknown, a number -1. Result is one of
  exit 0  done                   answered; with summary, State can still be unknown: see Problems
  exit 0  refused                plan: guards stand against it, named in Refusing
  exit 1  failed                 no answer: see Problems
  exit 1  module-not-installed   the module is not there
  exit 1  invalid-parameter      a parameter has no usable value
  summary adds State, Complete, Volumes, SoftwareEncrypted, HardwareEncrypted, NotEncrypted, Unprotected,
          UnknownVolumes, Converting, OsVolume, OsConversion, OsMethod, OsEngine, OsProtection,
          OsProtectionReason, Critical, Warnings, WorstFinding, Detail
  bench   adds Target, Engine, Method, Verdict, Evidence, PenaltyValid, PenaltyReason, AddedNs,
          AddedPercent, AddedNsLow, AddedPercentLow, AddedNsHigh, AddedPercentHigh (all as texts),
          BytesWritten, Tests
  plan    adds PlanId, Steps, StepList, Refusing, EstimatedMinutes, Running
  No name, label, serial number or user is among it.

WHAT IT NEVER DOES
  It never decrypts and changes no setting, installs nothing, restarts nothing, asks nobody, and
  writes nothing to the error stream.
#>
[CmdletBinding()]
param(
    [ValidateSet('summary', 'bench', 'plan')]
    [string] $Action = 'summary',

    [string] $Volume = '',

    [int] $TimeoutSeconds = 45
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

# The newest installed module, by absolute path: PSModulePath of SYSTEM begins with a relative folder,
# and in a 32-bit process ProgramFiles is another folder than the module's.
function Find-AuditModule {
    $root = $env:ProgramW6432
    if (-not $root) {
        $root = $env:ProgramFiles
    }
    $folder = Join-Path -Path $root -ChildPath 'WindowsPowerShell\Modules\BitLockerDiskAudit'
    Get-ChildItem -LiteralPath $folder -Directory -ErrorAction SilentlyContinue |
        Where-Object { $_.Name -match '^\d{1,9}\.\d{1,9}\.\d{1,9}$' } |
        ForEach-Object { Join-Path -Path $_.FullName -ChildPath 'BitLockerDiskAudit.psd1' } |
        Where-Object { Test-Path -LiteralPath $_ -PathType Leaf } |
        Sort-Object -Property { [version](Split-Path -Path (Split-Path -Path $_ -Parent) -Leaf) } -Descending |
        Select-Object -First 1
}

# Printable ASCII of limited length, so that a character is a byte. What ConvertTo-Json of Windows
# PowerShell writes as six characters is left out.
function ConvertTo-ShortText {
    param([AllowNull()] [object] $Value, [int] $Length = 100)
    if ($null -eq $Value) {
        return 'Unknown'
    }
    $text = "$Value" -creplace '[^\x20-\x7E]', '?' -replace '["''<>&]', ' '
    if ($text.Length -gt $Length) {
        $text = $text.Substring(0, $Length - 4) + ' ...'
    }
    $text
}

# A whole number, rounded; -1 for what is not known.
function ConvertTo-Count {
    param([AllowNull()] [object] $Value, [double] $Factor = 1)
    if ($null -eq $Value) {
        return [long]-1
    }
    [long]($Value * $Factor)
}

# A rounded number as a text; Unknown for what is not known.
function ConvertTo-RoundText {
    param([AllowNull()] [object] $Value, [double] $Factor = 1)
    if ($null -eq $Value) {
        return 'Unknown'
    }
    "$([long]($Value * $Factor))"
}

# The ids of errors. Their texts stay here: they can hold names and paths, and depend on the language.
function Get-ProblemText {
    param([AllowNull()] [object[]] $ErrorRecord)
    $ids = @($ErrorRecord | ForEach-Object { "$($_.FullyQualifiedErrorId)" -replace ',.*$' -creplace '[^A-Za-z0-9]' } | Where-Object { $_ } | Sort-Object -Unique)
    ConvertTo-ShortText -Value ($ids -join ' ') -Length 200
}

function Get-SummaryAnswer {
    $summary = Get-BitLockerDiskAudit -Summary -TimeoutSeconds $TimeoutSeconds -ErrorAction SilentlyContinue -ErrorVariable problems -WarningAction SilentlyContinue
    $answer = [ordered]@{ Result = 'done'; Message = 'Get-BitLockerDiskAudit on the computer tells more.'; Problems = Get-ProblemText -ErrorRecord $problems }
    foreach ($property in $summary.PSObject.Properties) {
        $answer[$property.Name] = $property.Value
        if ($property.Value -isnot [long]) {
            $answer[$property.Name] = ConvertTo-ShortText -Value $property.Value
        }
    }
    # A letter or a GUID; the name of a folder is nobody else's business.
    if ($answer.OsVolume -notmatch '^([A-Za-z]:|\\\\\?\\Volume\{[0-9A-Fa-f-]{36}\}\\)$') {
        $answer.OsVolume = 'Unknown'
    }
    $answer.Detail = ConvertTo-ShortText -Value $summary.Detail -Length 2000
    $answer
}

# One test in a few words: RND4K-Q1T1-read=11200/s,p50=85us.
function ConvertTo-TestText {
    param([object] $Test)
    if (-not $Test.Valid) {
        return '{0}=invalid:{1}' -f $Test.Test, ($Test.InvalidReasons -join ',')
    }
    '{0}={1}/s,p50={2}us' -f $Test.Test, (ConvertTo-Count -Value $Test.Iops), (ConvertTo-Count -Value $Test.P50Ns -Factor 0.001)
}

function Get-BenchAnswer {
    $measured = Test-NvmeLatency -MountPoint $target -Profile quick -Size 256MB -MaxWritten 1GB -Duration 1 -PenaltyDuration 8 -TimeoutSeconds $TimeoutSeconds -ErrorAction SilentlyContinue -ErrorVariable problems -WarningAction SilentlyContinue
    $answer = [ordered]@{ Result = 'failed'; Message = 'Nothing was measured.'; Problems = Get-ProblemText -ErrorRecord $problems }
    if ($null -eq $measured) {
        return $answer
    }
    $answer.Result = 'done'
    $answer.Message = ConvertTo-ShortText -Value $measured.VerdictText -Length 600
    $answer.Target = $target
    foreach ($name in 'Engine', 'Method', 'Verdict', 'Evidence', 'PenaltyValid', 'PenaltyReason') {
        $answer[$name] = ConvertTo-ShortText -Value $measured.$name
    }
    # As texts: what encryption adds can be below zero, so that no number is free to say "not known".
    foreach ($end in '', 'Low', 'High') {
        $answer["AddedNs$end"] = ConvertTo-RoundText -Value $measured."AddedMicroseconds$end" -Factor 1000
        $answer["AddedPercent$end"] = ConvertTo-RoundText -Value $measured."AddedPercent$end"
    }
    $answer.BytesWritten = ConvertTo-Count -Value $measured.BytesWritten
    $answer.Tests = ConvertTo-ShortText -Value (@($measured.Tests | ForEach-Object { ConvertTo-TestText -Test $_ }) -join ' ') -Length 1000
    $answer.ToolVersion = ConvertTo-ShortText -Value $measured.ToolVersion
    $answer
}

# Asks for the plan. -WhatIf writes a sentence to the console, where it would stand before the JSON and
# no redirection removes it: there it runs in a session without a console. Constrained Language Mode has
# no such sessions, and there the sentence is information, which can be left out.
function Get-Plan {
    $planning = {
        param($Manifest, $Seconds)
        $ProgressPreference = 'SilentlyContinue'
        $problems = @()
        $plan = $null
        try {
            Import-Module -Name $Manifest -ErrorAction Stop -WarningAction SilentlyContinue
            $plan = Disable-SoftwareBitLocker -WhatIf -TimeoutSeconds $Seconds -ErrorAction SilentlyContinue -ErrorVariable problems -WarningAction SilentlyContinue
        }
        catch {
            $problems = @($_)
        }
        @{ Plan = $plan; Problems = @($problems) }
    }
    if ("$($ExecutionContext.SessionState.LanguageMode)" -ne 'FullLanguage') {
        & $planning $manifest $TimeoutSeconds 6>$null
    }
    else {
        $session = [powershell]::Create()
        try {
            $session.AddScript("$planning").AddArgument($manifest).AddArgument($TimeoutSeconds).Invoke()
        }
        finally {
            $session.Dispose()
        }
    }
}

# A step and the drive that it is about: 2-decrypt(C:).
function ConvertTo-StepText {
    param([object] $Step)
    if ($Step.MountPoint -match '^[A-Za-z]:\\?$') {
        return '{0}({1})' -f $Step.Id, $Step.MountPoint
    }
    if ($Step.Target -match '^\\\\\?\\(Volume\{[0-9A-Fa-f-]{36}\})\\$') {
        return '{0}({1})' -f $Step.Id, $Matches[1]
    }
    $Step.Id
}

function Get-PlanAnswer {
    $outcome = Get-Plan
    $plan = $outcome.Plan
    $answer = [ordered]@{ Result = 'failed'; Message = 'There is no plan: see Problems.'; Problems = Get-ProblemText -ErrorRecord $outcome.Problems }
    if ($null -eq $plan) {
        return $answer
    }
    $refusing = @($plan.Guards | Where-Object { 'allow', 'overridden' -notcontains $_.Result } | ForEach-Object { $_.Id } | Select-Object -Unique)
    $minutes = $null
    foreach ($step in $plan.Steps) {
        if ($null -ne $step.EstimatedSeconds) {
            $minutes = [double]$minutes + $step.EstimatedSeconds / 60
        }
    }
    if ($refusing.Count -gt 0) {
        $answer.Result = 'refused'
        $answer.Message = 'Guards stand against it; nothing was changed. Disable-SoftwareBitLocker -WhatIf on the computer says what each means.'
    }
    elseif ($plan.InProgress) {
        $answer.Result = 'done'
        $answer.Message = 'Something is in progress already; nothing was changed. Do not reinstall or repartition until it has ended.'
    }
    elseif ($plan.Steps.Count -gt 0) {
        $answer.Result = 'done'
        $answer.Message = 'This is only the plan; nothing was changed.'
    }
    elseif ($plan.Completed) {
        $answer.Result = 'done'
        $answer.Message = 'Nothing is to be done.'
    }
    $answer.PlanId = ConvertTo-ShortText -Value $plan.PlanId
    $answer.Steps = [long]$plan.Steps.Count
    $answer.StepList = ConvertTo-ShortText -Value (@($plan.Steps | ForEach-Object { ConvertTo-StepText -Step $_ }) -join ' ') -Length 1500
    $answer.Refusing = ConvertTo-ShortText -Value ($refusing -join ' ') -Length 400
    $answer.EstimatedMinutes = ConvertTo-Count -Value $minutes
    $answer.Running = ConvertTo-ShortText -Value (@($plan.Running | ForEach-Object { $_.Conversion } | Select-Object -Unique) -join ' ')
    $answer.ToolVersion = ConvertTo-ShortText -Value $plan.ToolVersion
    $answer
}

# The answer as an object, with the properties in their order.
function ConvertTo-AnswerObject {
    param([System.Collections.IDictionary] $Answer)
    $properties = [ordered]@{ Action = $Action }
    foreach ($name in $Answer.Keys) {
        $properties[$name] = $Answer[$name]
    }
    New-Object -TypeName PSObject -Property $properties
}

$code = 1
try {
    $manifest = Find-AuditModule
    $target = $env:SystemDrive
    if ($Volume) {
        $target = "$($Volume -replace ':$'):"
    }
    if ($target -cnotmatch '^[A-Za-z]:$' -or $TimeoutSeconds -lt 10 -or $TimeoutSeconds -gt 600) {
        $answer = [ordered]@{ Result = 'invalid-parameter'; Message = 'Volume is a drive letter such as C, and TimeoutSeconds from 10 to 600.'; Problems = 'ArgumentInvalid' }
    }
    elseif (-not $manifest) {
        $answer = [ordered]@{ Result = 'module-not-installed'; Message = 'Deploy the module BitLockerDiskAudit to this computer first.'; Problems = 'ModuleNotInstalled' }
    }
    else {
        Import-Module -Name $manifest -WarningAction SilentlyContinue
        $answer = & @{ summary = 'Get-SummaryAnswer'; bench = 'Get-BenchAnswer'; plan = 'Get-PlanAnswer' }[$Action]
    }
    if ('done', 'refused' -contains $answer.Result) {
        $code = 0
    }
    $object = ConvertTo-AnswerObject -Answer $answer
}
catch {
    $code = 1
    $object = ConvertTo-AnswerObject -Answer ([ordered]@{ Result = 'failed'; Message = 'There is no answer. Get-BitLockerDiskAudit on the computer says why.'; Problems = Get-ProblemText -ErrorRecord $_ })
}
# The object has to come before exit: nothing that follows exit is run.
Write-Output -InputObject $object
exit $code
