<#
.SYNOPSIS
Remediation script of a Configuration Manager configuration item: begins to decrypt the volumes that
BitLocker encrypts by software.

.DESCRIPTION
Belongs to Discover-SoftwareBitLocker.ps1. It begins the decryption and returns: Windows goes on with it
in the background, over restarts too. As it is shipped it changes nothing on a managed computer: the
guard "managed" refuses, until the block below says otherwise.

.NOTES
HOW TO SET IT UP (docs/configmgr.md of the module has it step by step, with Microsoft's pages)
  Before     take the computers out of every policy that encrypts them, or they are encrypted again
  Needs      the module BitLockerDiskAudit in Program Files (Detect-BitLockerDiskAudit.ps1)
  Script     as remediation script of the same setting, Windows PowerShell, after the block below is
             filled in. Sign it after that; a signed script must be chosen with Open, not pasted
  Account    SYSTEM: leave "Run scripts by using the logged on user credentials" off
  Bitness    either: the same in a 32-bit and in a 64-bit process
  Rule       Value, Equals, Compliant, with "Run the specified remediation script when this setting is
             noncompliant"; in the deployment of the baseline, "Remediate noncompliant rules when supported"
  Schedule   with the baseline; it takes seconds. A run while a volume is being decrypted changes nothing
  Time limit 300 for Script Execution Timeout (seconds) in the client settings, Compliance settings: the
             default, 60, ends a run that has to wait for BitLocker. One that is ended is safe, and the
             next evaluation goes on

WHAT IT WRITES: one line, which stays on the computer; the console shows what the discovery says then.
  Configuration Manager reports a remediation as failed when it throws, not by its exit code, and this
  one throws nothing: the exit code is for your own logs
  exit 0  Decrypting: ...           it has begun, or goes on. Do not reinstall or repartition yet
  exit 0  Encrypting: ...           a volume is being encrypted; nothing was changed
  exit 0  InProgress: ...           another run is at work; this one changed nothing
  exit 0  NothingToDo: <state>      decrypted or not-encrypted; hardware-encrypted, by the drive or the
                                    processor's engine
  exit 1  Refused: <guards>. ...    guards refuse; nothing was changed. What they mean and what to put into
                                    the block: docs/configmgr.md
  exit 1  NotChanged: <reason>. ... the state is not known, an encryption is paused, or the module is not
                                    there; nothing was changed
  exit 1  Failed: <ids>. ...        it was tried and failed; running it again is safe

WHAT IT NEVER DOES
  It never acts on a state that is not known, never on volumes that the drive encrypts or on removable
  ones, never deletes a key protector, reads no recovery password, restarts nothing, asks nobody,
  installs nothing, and writes nothing to the error stream.
#>
[CmdletBinding()]
param()

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

# ---- CONFIGURATION: read docs/configmgr.md first ------------------------------------------------------
# Guards that you have weighed for all computers that this is deployed to, by their ids, such as
# 'managed', 'portable'. Each stands for a risk; none is overridden as shipped.
$Override = @()
# $true removes the keys from the operating system volume by which data volumes unlock by themselves.
# Windows does not decrypt it while it holds some.
$ClearAutoUnlock = $false
# ---- END OF THE CONFIGURATION -------------------------------------------------------------------------

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

# The ids of errors. Their texts stay here: they can hold names and paths, and depend on the language.
function Get-ReasonText {
    param([object[]] $ErrorRecord, [string] $Otherwise)
    $ids = @($ErrorRecord | ForEach-Object { "$($_.FullyQualifiedErrorId)" -replace ',.*$' -creplace '[^A-Za-z0-9]' } | Where-Object { $_ } | Sort-Object -Unique)
    if ($ids.Count -eq 0) {
        $ids = @($Otherwise)
    }
    ($ids | Select-Object -First 5) -join ' '
}

# Whether there is something to decrypt, and nothing that is not known or that somebody else has begun.
function Test-Decryptable {
    param([object] $Summary)
    $paused = $Summary.State -eq 'paused' -and $Summary.Detail -match '=software/[^/ ]+/DecryptionPaused/' -and $Summary.Detail -notmatch '/EncryptionPaused/|\+\d+ more$'
    $Summary.State -eq 'software-encrypted' -or $paused
}

# Decrypts, and says what became of it: the line and the exit code.
function Invoke-Decryption {
    # Planning and beginning each, after a look of 40: all of it stays below the 300 seconds of the client
    # setting (learn.microsoft.com/intune/configmgr/core/clients/deploy/about-client-settings).
    $request = @{ Force = $true; TimeoutSeconds = 100; ErrorAction = 'SilentlyContinue'; WarningAction = 'SilentlyContinue' }
    if (@($Override).Count -gt 0) {
        $request.Override = @($Override)
    }
    if ($ClearAutoUnlock) {
        $request.ClearAutoUnlock = $true
    }
    $result = Disable-SoftwareBitLocker @request -ErrorVariable problems
    $refusing = @($result.Guards | Where-Object { 'allow', 'overridden' -notcontains $_.Result } | ForEach-Object { $_.Id } | Select-Object -Unique)
    if ($result.Completed) {
        @{ Line = 'NothingToDo: decrypted'; Code = 0 }
    }
    elseif ($result.InProgress -and $result.Applied) {
        @{ Line = $decrypting; Code = 0 }
    }
    elseif ($result.InProgress) {
        @{ Line = 'InProgress: another run is at work on this computer. This one changed nothing.'; Code = 0 }
    }
    elseif ($refusing.Count -gt 0 -and -not $result.Applied) {
        @{ Line = "Refused: $($refusing -join ' '). Nothing was changed. Weigh what each guard says (Disable-SoftwareBitLocker -WhatIf on the computer), then name it in `$Override of this script (auto-unlock-keys: `$ClearAutoUnlock)."; Code = 1 }
    }
    else {
        @{ Line = "Failed: $(Get-ReasonText -ErrorRecord $problems -Otherwise 'NoReasonGiven'). Get-BitLockerDiskAudit on the computer tells the state; running this again is safe."; Code = 1 }
    }
}

$decrypting = 'Decrypting: Windows decrypts in the background. Do not reinstall, reset or repartition until Get-BitLockerDiskAudit says FullyDecrypted.'
try {
    $begun = $false
    $manifest = Find-AuditModule
    if (-not $manifest) {
        $outcome = @{ Line = 'NotChanged: ModuleNotInstalled. Deploy the module BitLockerDiskAudit to this computer first.'; Code = 1 }
    }
    else {
        Import-Module -Name $manifest -ErrorAction Stop -WarningAction SilentlyContinue
        $summary = Get-BitLockerDiskAudit -Summary -TimeoutSeconds 40 -ErrorAction SilentlyContinue -ErrorVariable unread -WarningAction SilentlyContinue
        $state = "$($summary.State)"
        if (Test-Decryptable -Summary $summary) {
            $begun = $true
            $outcome = Invoke-Decryption
        }
        elseif ('not-encrypted', 'hardware-encrypted' -contains $state) {
            $outcome = @{ Line = "NothingToDo: $state"; Code = 0 }
        }
        elseif ($state -eq 'decrypting') {
            $outcome = @{ Line = $decrypting; Code = 0 }
        }
        elseif ($state -eq 'encrypting') {
            $outcome = @{ Line = 'Encrypting: something else has begun to encrypt a volume. Nothing was changed.'; Code = 0 }
        }
        elseif ($state -eq 'paused') {
            $outcome = @{ Line = 'NotChanged: paused. Something else has begun to convert a volume and paused that; have it resumed or undone by hand.'; Code = 1 }
        }
        else {
            $outcome = @{ Line = "NotChanged: $(Get-ReasonText -ErrorRecord $unread -Otherwise 'VolumeStateUnknown'). The state of this computer is not known; Get-BitLockerDiskAudit on it tells why."; Code = 1 }
        }
    }
}
catch {
    $reason = Get-ReasonText -ErrorRecord $_ -Otherwise 'NoReasonGiven'
    $outcome = @{ Line = "NotChanged: $reason. The state of this computer is not known; Get-BitLockerDiskAudit on it tells why."; Code = 1 }
    if ($begun) {
        $outcome.Line = "Failed: $reason. Get-BitLockerDiskAudit on the computer tells the state; running this again is safe."
    }
}
Write-Output -InputObject $outcome.Line
if ($outcome.Code -eq 0) {
    exit 0
}
exit 1
