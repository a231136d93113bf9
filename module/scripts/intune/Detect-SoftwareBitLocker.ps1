<#
.SYNOPSIS
Intune remediation, detection script: does BitLocker encrypt this computer by software?

.DESCRIPTION
Asks the installed module BitLockerDiskAudit for the state of the whole computer and writes one line.
It ends with exit code 1, which makes Intune run the remediation script, only when it is known for
certain that a fixed volume is encrypted by software, or that a decryption is paused. Everything else
ends with 0. What is not known never leads to a change.

It reads and changes nothing. It installs nothing, restarts nothing and asks nobody. It reads no
recovery password and no key, and writes no name, serial number, label, time or path.

.NOTES
SET-UP. Devices > Manage devices > Scripts and remediations > Create script package
(learn.microsoft.com/intune/device-management/tools/deploy-remediations).
  Detection script                                this file, uploaded and not pasted
  Remediation script                              Remediate-SoftwareBitLocker.ps1, or none to only report
  Run this script using the logged-on credentials No: it has to run as SYSTEM
  Enforce script signature check                  No; Yes only when all files are signed and trusted
  Run script in 64-bit PowerShell                 Yes; No works as well, also on ARM64
  Schedule                                        daily
The module has to be on the computer already: Install-BitLockerDiskAudit.ps1, as a Win32 app.

WHAT REACHES THE PORTAL. The last line, as the output of the detection, below 2,000 characters. It
stays the same while the computer does. FACTS stands for
  state=software-encrypted os=C: conversion=FullyEncrypted method=XtsAes128 engine=software
  protection=On reason=protected volumes=2 software=1 hardware=0 plain=1 unprotected=0 unknown=0
  converting=0 critical=0 warnings=0 worst=software-encryption tool=0.1.0
in one line; a number that is not known is -1, a word Unknown. At the end stands each volume as
engine/method/conversion/protection.
  exit  line
  1     FOUND: FACTS guards=managed | Software encrypts ...      guards are what the remediation will
  1     FOUND: FACTS guards=none | A decryption is paused ...    refuse for; they are not overridden here
  0     IN PROGRESS: FACTS | Windows decrypts ...
  0     IN PROGRESS: FACTS | Windows encrypts ...
  0     PAUSED: FACTS | An encryption is paused ...
  0     OK: FACTS | The drive or the processor's engine encrypts ...
  0     OK: FACTS | Nothing is encrypted ...
  0     UNKNOWN: FACTS reasons=VolumeLocked | Not everything is known ...
  0     UNKNOWN: module not installed | ...
  0     UNKNOWN: error=CoreNotFound | ...
While Windows decrypts, which takes hours, the detection after a remediation says IN PROGRESS and ends
with 0: Intune shows the computer as fixed and not as recurring. docs/intune.md of the module has the
whole text of each line.
#>

# How long each look at the computer may take, in seconds. Scripts run one after the other: one that hangs
# holds up all others.
$TimeoutSeconds = 40

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

# The manifest of the newest version that is installed for all users; nothing without one. A 32-bit
# PowerShell sees another ProgramFiles, and its PSModulePath does not lead here.
function Find-AuditModule {
    $programs = $env:ProgramW6432
    if (-not $programs) {
        $programs = $env:ProgramFiles
    }
    $folder = Join-Path -Path $programs -ChildPath 'WindowsPowerShell\Modules\BitLockerDiskAudit'
    Get-ChildItem -LiteralPath $folder -Directory -ErrorAction Ignore |
        Where-Object { $_.Name -match '^\d{1,9}\.\d{1,9}\.\d{1,9}$' } |
        Sort-Object -Property { [version]$_.Name } -Descending |
        ForEach-Object { Join-Path -Path $_.FullName -ChildPath 'BitLockerDiskAudit.psd1' } |
        Where-Object { Test-Path -LiteralPath $_ -PathType Leaf } |
        Select-Object -First 1
}

# The stable ids of errors. Their texts stay here: they can hold paths and names, and depend on the language.
function Get-ErrorName {
    param([object[]] $Record)
    $names = foreach ($each in $Record) {
        $name = 'ScriptError'
        if ($each -is [System.Management.Automation.ErrorRecord] -and "$($each.FullyQualifiedErrorId)" -match '^([A-Za-z][A-Za-z0-9.]{0,79})(,|$)') {
            $name = $Matches[1]
        }
        $name
    }
    (@($names | Sort-Object -Unique | Select-Object -First 8) -join ',')
}

# The guards that stand against a remediation now, by the plan that it would make; Unknown without a plan.
# -WhatIf writes a text to the console, of which nothing but the last line is to be there: so it runs in a
# session without one. Constrained Language Mode allows no such session, and the text is information there.
function Get-StandingGuard {
    param([string] $Manifest)
    $plans = @()
    $session = $null
    try {
        if ("$($ExecutionContext.SessionState.LanguageMode)" -eq 'FullLanguage') {
            $session = [powershell]::Create()
            $text = 'param($Manifest, $Seconds) $ProgressPreference = "SilentlyContinue"; Import-Module -Name $Manifest; ' +
            'Disable-SoftwareBitLocker -WhatIf -TimeoutSeconds $Seconds -ErrorAction SilentlyContinue -WarningAction SilentlyContinue'
            $plans = @($session.AddScript($text).AddArgument($Manifest).AddArgument($TimeoutSeconds).Invoke())
        }
        else {
            $plans = @(Disable-SoftwareBitLocker -WhatIf -TimeoutSeconds $TimeoutSeconds -ErrorAction SilentlyContinue -WarningAction SilentlyContinue 6>$null)
        }
    }
    catch {
        $plans = @()
    }
    finally {
        if ($null -ne $session) {
            $session.Dispose()
        }
    }
    $guards = 'Unknown'
    if ($plans.Count -eq 1 -and $plans[0].PSTypeNames -contains 'BitLockerDiskAudit.Remediation') {
        $standing = @($plans[0].Guards | Where-Object { 'allow', 'overridden' -notcontains $_.Result })
        $guards = @($standing | ForEach-Object { $_.Id } | Sort-Object -Unique) -join ','
        if (-not $guards) {
            $guards = 'none'
        }
    }
    $guards
}

# The facts of a summary, which stay the same while the computer does.
function ConvertTo-FactText {
    param([object] $Summary)
    $names = [ordered]@{
        state = 'State'; os = 'OsVolume'; conversion = 'OsConversion'; method = 'OsMethod'; engine = 'OsEngine'
        protection = 'OsProtection'; reason = 'OsProtectionReason'; volumes = 'Volumes'; software = 'SoftwareEncrypted'
        hardware = 'HardwareEncrypted'; plain = 'NotEncrypted'; unprotected = 'Unprotected'; unknown = 'UnknownVolumes'
        converting = 'Converting'; critical = 'Critical'; warnings = 'Warnings'; worst = 'WorstFinding'; tool = 'ToolVersion'
    }
    $facts = foreach ($name in $names.Keys) {
        $value = "$($Summary.($names[$name]))"
        if (-not $value) {
            $value = 'none'
        }
        # A letter or a GUID; the name of a folder is nobody else's business.
        if ($name -eq 'os' -and $value -notmatch '^([A-Za-z]:|\\\\\?\\Volume\{[0-9A-Fa-f-]{36}\}\\)$') {
            $value = 'Unknown'
        }
        "$name=$value"
    }
    $facts -join ' '
}

# One line of printable ASCII below 2,000 characters: the facts and what they mean whole, and of the
# volumes as many as fit.
function ConvertTo-Line {
    param([string] $Text, [string] $Detail)
    $line = $Text
    $volumes = @($Detail -split ' ' | Where-Object { $_ })
    if ($volumes.Count -gt 0) {
        $line = "$line |"
    }
    foreach ($volume in $volumes) {
        if ($line.Length + $volume.Length -gt 1980) {
            $line = "$line ..."
            break
        }
        $line = "$line $volume"
    }
    $line -creplace '[^\x20-\x7E]', '?'
}

$found = $false
$line = 'UNKNOWN: error=ScriptError | Nothing was changed.'
try {
    $manifest = Find-AuditModule
    if (-not $manifest) {
        $line = 'UNKNOWN: module not installed | Deploy the app BitLockerDiskAudit to this computer first. Nothing was changed.'
    }
    else {
        Import-Module -Name $manifest -Force -WarningAction SilentlyContinue
        $problems = @()
        $summaries = @(Get-BitLockerDiskAudit -Summary -TimeoutSeconds $TimeoutSeconds -ErrorAction SilentlyContinue -WarningAction SilentlyContinue -ErrorVariable problems)
        if ($summaries.Count -ne 1) {
            $line = "UNKNOWN: error=$(Get-ErrorName -Record $problems) | BitLocker's state could not be found out. Nothing was changed."
        }
        else {
            $summary = $summaries[0]
            $facts = ConvertTo-FactText -Summary $summary
            $paused = $summary.State -ceq 'paused' -and $summary.Detail -cmatch '=software/[^/ ]+/DecryptionPaused/' -and $summary.Detail -cnotmatch '/EncryptionPaused/|\+\d+ more$'
            if ($summary.State -ceq 'software-encrypted') {
                $found = $true
                $text = "FOUND: $facts guards=$(Get-StandingGuard -Manifest $manifest) | Software encrypts a volume. The remediation decrypts it unless a guard stands against that."
            }
            elseif ($paused) {
                $found = $true
                $text = "FOUND: $facts guards=$(Get-StandingGuard -Manifest $manifest) | A decryption is paused. The remediation resumes it unless a guard stands against that."
            }
            else {
                $meanings = @{
                    'decrypting'         = 'IN PROGRESS', 'Windows decrypts a volume. Do not reinstall, reset or repartition until it has ended.'
                    'encrypting'         = 'IN PROGRESS', 'Windows encrypts a volume. Nothing is done meanwhile.'
                    'paused'             = 'PAUSED', 'An encryption is paused. Nothing is done: it has to be resumed or decrypted by hand.'
                    'hardware-encrypted' = 'OK', "The drive or the processor's engine encrypts, and not software. Nothing is to be done."
                    'not-encrypted'      = 'OK', 'Nothing is encrypted by BitLocker. Nothing is to be done.'
                }
                if ($meanings.Keys -ccontains $summary.State) {
                    $word, $meaning = $meanings[$summary.State]
                    $text = "${word}: $facts | $meaning"
                }
                else {
                    $reasons = Get-ErrorName -Record $problems
                    if (-not $reasons) {
                        $reasons = 'none'
                    }
                    $text = "UNKNOWN: $facts reasons=$reasons | Not everything is known of the fixed volumes, so nothing is done. A locked volume is not known."
                }
            }
            $line = ConvertTo-Line -Text $text -Detail $summary.Detail
        }
    }
}
catch {
    $found = $false
    $name = Get-ErrorName -Record $_
    $advice = @{
        CoreNotFound      = 'The executable diskaudit.exe is not in the module: antivirus software may have put it into quarantine. Install the app again.'
        CoreBlocked       = 'The executable diskaudit.exe does not start: a policy such as App Control may block it.'
        CoreTimeout       = 'BitLocker or a disk did not answer in time.'
        ElevationRequired = 'The script has to run as SYSTEM.'
    }
    $text = "BitLocker's state could not be found out."
    if ($advice.Keys -ccontains $name) {
        $text = $advice[$name]
    }
    $line = "UNKNOWN: error=$name | $text Nothing was changed."
}
Write-Output -InputObject $line
if ($found) {
    exit 1
}
exit 0
