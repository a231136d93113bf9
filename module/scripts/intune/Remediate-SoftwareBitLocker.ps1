<#
.SYNOPSIS
Intune remediation, remediation script: begins to decrypt the volumes that BitLocker encrypts by software.

.DESCRIPTION
Runs when Detect-SoftwareBitLocker.ps1 ended with exit code 1. It looks at the computer again, and only
if it is still known for certain that software encrypts a fixed volume, or that a decryption is paused, it
calls Disable-SoftwareBitLocker -Force of the installed module BitLockerDiskAudit. That plans, asks every
guard, writes a journal and begins the decryption. It does not wait: Windows goes on by itself, after a
restart too.

A decrypted computer that is stolen can be read by the thief. This is why the guards refuse by default: on
every computer that Intune manages at least the guard "managed" does. Nothing is changed then. Whoever has
weighed a guard names it in the block below.

It never changes anything where something is not known, never encrypts, never removes a key protector, never
waits for an answer, installs nothing and restarts nothing.

.NOTES
SET-UP. Together with Detect-SoftwareBitLocker.ps1, whose help says where and how: as SYSTEM, 64-bit Yes (No
works as well), signature check No, uploaded and not pasted. Intune runs it at each detection that ends with 1,
until nothing is encrypted any more. Run it on one test computer first: choose Run remediation on its page.

WHAT REACHES THE PORTAL. Intune keeps the output of detections and only the error stream of a remediation
(learn.microsoft.com/graph/api/resources/intune-devices-devicehealthscriptdevicestate). This script writes no
errors, so that its line is read on the computer. In the portal the exit code shows: 0, and the detection
runs again and tells the new state; 1, and the status is Failed, while guards= in the output of the detection
says which guards stand against it.
  exit  line
  0     BEGUN: volumes=C: overridden=managed | ...    Windows decrypts from now on
  0     IN PROGRESS: state=decrypting | ...           it does already, or another run is at work
  0     IN PROGRESS: state=encrypting | ...           nothing was changed
  0     OK: state=not-encrypted | ...                 nothing is to be done
  0     OK: overridden=none | ...                     all is done already
  1     REFUSED: guards=managed,portable | ...        nothing was changed; the line says what to put into the block
  1     REFUSED: state=paused | ...                   an encryption is paused; nothing was changed
  1     UNKNOWN: state=unknown | ...                  nothing was changed
  1     UNKNOWN: module not installed | ...           nothing was changed
  1     FAILED: errors=CoreTimeout | ...              run Get-BitLockerDiskAudit there and look
docs/intune.md of the module has the whole text of each line, and what each guard warns of.
#>

# ==== CONFIGURATION ==================================================================================
# Guards that were weighed for all computers that this is assigned to, by their ids, such as
# @('managed', 'portable'). Empty: whatever a guard refuses is not done. Get-Help Disable-SoftwareBitLocker
# -Parameter Override lists the ids.
$Override = @()

# Remove the keys from the operating system volume by which data volumes unlock by themselves; Windows does
# not decrypt it while it holds some. The data volumes are decrypted first.
$ClearAutoUnlock = $false

# How long planning and beginning may take, in seconds each; the look before that has 40. Intune ends a script
# after an hour.
$TimeoutSeconds = 900
# ==== END OF CONFIGURATION ===========================================================================

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

# What is to be put into the block above so that these guards do not refuse.
function Get-OverrideText {
    param([object[]] $Guard)
    $ids = @($Guard | Where-Object { "$($_.Override)" -like '-Override *' } | ForEach-Object { $_.Id } | Sort-Object -Unique)
    $keys = @($Guard | Where-Object { "$($_.Override)" -eq '-ClearAutoUnlock' })
    $never = @($Guard | Where-Object { -not $_.Override } | ForEach-Object { $_.Id } | Sort-Object -Unique)
    $parts = @()
    if ($ids.Count -gt 0) {
        $all = @($ids + $Override | Sort-Object -Unique | ForEach-Object { "'$_'" }) -join ', '
        $parts += "`$Override = @($all)"
    }
    if ($keys.Count -gt 0) {
        $parts += '$ClearAutoUnlock = $true'
    }
    $text = 'Nothing overrides these guards.'
    if ($parts.Count -gt 0) {
        $text = "To go on all the same, weigh what each guard warns of and put into the configuration block: $($parts -join '; ')."
        if ($never.Count -gt 0) {
            $text = "$text Nothing overrides $($never -join ',')."
        }
    }
    $text
}

# A volume by its letter or GUID. The name of a folder in which one is mounted is nobody else's business.
function Get-Handle {
    param([object] $Running)
    $handle = 'Unknown'
    if ("$($Running.MountPoint)" -match '^[A-Za-z]:(?=\\?$)') {
        $handle = $Matches[0]
    }
    elseif ("$($Running.VolumeId)" -match 'Volume\{[0-9A-Fa-f-]{36}\}') {
        $handle = $Matches[0]
    }
    $handle
}

# What became of a call of Disable-SoftwareBitLocker: the line, and whether it is a success.
function Get-Outcome {
    param([object] $Result, [object[]] $Problem)
    $refusing = @($Result.Guards | Where-Object { 'allow', 'overridden' -notcontains $_.Result })
    $overridden = @($Result.Guards | Where-Object { $_.Result -eq 'overridden' } | ForEach-Object { $_.Id } | Sort-Object -Unique) -join ','
    if (-not $overridden) {
        $overridden = 'none'
    }
    $running = @($Result.Running | ForEach-Object { Get-Handle -Running $_ } | Sort-Object -Unique) -join ','
    $errors = Get-ErrorName -Record $Problem
    $outcome = @{ Success = $false; Line = '' }
    if ($refusing.Count -gt 0) {
        $ids = @($refusing | ForEach-Object { $_.Id } | Sort-Object -Unique) -join ','
        $done = 'Nothing was changed.'
        if ($Result.Applied) {
            $done = 'Not all that was planned was done.'
        }
        $outcome.Line = "REFUSED: guards=$ids | $done $(Get-OverrideText -Guard $refusing)"
    }
    elseif ($errors) {
        $also = ''
        if ($running) {
            $also = " Windows decrypts $running all the same."
        }
        $outcome.Line = "FAILED: errors=$errors | Not all that was planned was done.$also Run Disable-SoftwareBitLocker -WhatIf on the computer to see the whole text."
    }
    elseif ($Result.Completed) {
        $outcome = @{ Success = $true; Line = "OK: overridden=$overridden | Nothing is left to decrypt." }
    }
    elseif ($Result.InProgress -and $Result.Applied) {
        $outcome = @{ Success = $true; Line = "BEGUN: volumes=$running overridden=$overridden | Windows decrypts from now on, for hours. Do not reinstall, reset or repartition until it has ended." }
    }
    elseif ($Result.InProgress) {
        $outcome = @{ Success = $true; Line = 'IN PROGRESS: state=decrypting | A decryption or another run is at work already. Nothing was changed.' }
    }
    else {
        $outcome.Line = 'FAILED: errors=NoResult | It is not known what was done. Run Get-BitLockerDiskAudit on the computer and look.'
    }
    $outcome
}

$success = $false
$begun = $false
$line = 'FAILED: errors=ScriptError | Run Get-BitLockerDiskAudit on the computer and look.'
try {
    $manifest = Find-AuditModule
    if (-not $manifest) {
        $line = 'UNKNOWN: module not installed | Deploy the app BitLockerDiskAudit to this computer first. Nothing was changed.'
    }
    else {
        Import-Module -Name $manifest -Force -WarningAction SilentlyContinue
        $problems = @()
        $state = 'unknown'
        $detail = ''
        foreach ($summary in @(Get-BitLockerDiskAudit -Summary -TimeoutSeconds 40 -ErrorAction SilentlyContinue -WarningAction SilentlyContinue -ErrorVariable problems)) {
            $state = $summary.State
            $detail = $summary.Detail
        }
        $paused = $state -ceq 'paused' -and $detail -cmatch '=software/[^/ ]+/DecryptionPaused/' -and $detail -cnotmatch '/EncryptionPaused/|\+\d+ more$'
        if ($state -ceq 'software-encrypted' -or $paused) {
            $arguments = @{
                Force = $true; TimeoutSeconds = $TimeoutSeconds
                ErrorAction = 'SilentlyContinue'; WarningAction = 'SilentlyContinue'; ErrorVariable = 'problems'
            }
            if (@($Override).Count -gt 0) {
                $arguments.Override = @($Override)
            }
            if ($ClearAutoUnlock) {
                $arguments.ClearAutoUnlock = $true
            }
            $problems = @()
            $begun = $true
            $results = @(Disable-SoftwareBitLocker @arguments)
            if ($results.Count -eq 1) {
                $outcome = Get-Outcome -Result $results[0] -Problem $problems
                $success = $outcome.Success
                $line = $outcome.Line
            }
            else {
                $line = "FAILED: errors=$(Get-ErrorName -Record $problems) | Run Disable-SoftwareBitLocker -WhatIf on the computer to see the whole text."
            }
        }
        else {
            $meanings = @{
                'decrypting'         = $true, 'IN PROGRESS', 'A decryption is at work already. Nothing was changed.'
                'encrypting'         = $true, 'IN PROGRESS', 'Windows encrypts a volume. Nothing was changed.'
                'hardware-encrypted' = $true, 'OK', "The drive or the processor's engine encrypts, and not software. Nothing was changed."
                'not-encrypted'      = $true, 'OK', 'Nothing is encrypted by BitLocker. Nothing was changed.'
                'paused'             = $false, 'REFUSED', 'An encryption is paused: it has to be resumed or decrypted by hand. Nothing was changed.'
            }
            if ($meanings.Keys -ccontains $state) {
                $success, $word, $meaning = $meanings[$state]
                $line = "${word}: state=$state | $meaning"
            }
            else {
                $reasons = Get-ErrorName -Record $problems
                if (-not $reasons) {
                    $reasons = 'none'
                }
                $line = "UNKNOWN: state=unknown reasons=$reasons | Not everything is known of the fixed volumes. Nothing was changed."
            }
        }
    }
}
catch {
    $success = $false
    $done = 'Nothing was changed.'
    if ($begun) {
        $done = 'It is not known what was done: look with Get-BitLockerDiskAudit.'
    }
    $line = "FAILED: errors=$(Get-ErrorName -Record $_) | $done Disable-SoftwareBitLocker -WhatIf on the computer shows the whole text."
}
$line = $line -creplace '[^\x20-\x7E]', '?' -replace '^(.{2000}).*$', '$1'
Write-Output -InputObject $line
if ($success) {
    exit 0
}
exit 1
