<#
.SYNOPSIS
Discovery script of a Configuration Manager configuration item: says in one word what this computer
is to software BitLocker.

.DESCRIPTION
Writes exactly one line, a text, and ends with exit code 0. It reads, and changes nothing.

.NOTES
HOW TO SET IT UP (docs/configmgr.md of the module has it step by step, with Microsoft's pages)
  Needs      the module BitLockerDiskAudit in Program Files (Detect-BitLockerDiskAudit.ps1)
  Where      Assets and Compliance > Compliance Settings > Configuration Items: a custom item for
             Windows desktops and servers, a setting of type Script with the data type String
  Script     as discovery script, Windows PowerShell. A signed script must be chosen with Open:
             pasted, its signature is lost
  Account    SYSTEM: leave "Run scripts by using the logged on user credentials" off
  Bitness    either: it finds the same in a 32-bit and in a 64-bit process
  Rule       Value, Equals, Compliant. Only with Equals can Configuration Manager remediate
             For a report alone: One of Compliant, DecryptionInProgress
  Schedule   once a day is enough; it takes seconds, and at most 45 (Configuration Manager ends it at 60,
             unless Script Execution Timeout in the client settings says more)

WHAT REACHES THE CONSOLE, with exit code 0 always: any other is a discovery failure without a value
(learn.microsoft.com/intune/configmgr/develop/compliance/about-compliance-settings--dcm--extensibility)
  Compliant                  no fixed volume is encrypted by software and none is being converted
  SoftwareEncrypted          at least one is encrypted by software
  DecryptionInProgress       at least one is being decrypted: do not reinstall or repartition yet
  EncryptionInProgress       at least one is being encrypted
  DecryptionPaused           a decryption is paused, and nothing else is
  Paused                     an encryption is paused, or what is paused is not known
  Unknown: <reasons>         not known. Reasons are ids of errors such as VolumeLocked or
                             ProviderUnavailable, separated by spaces
  ModuleNotInstalled         the module is not there, so nothing is known
  No name, label, serial number, time or figure is among it. Removable volumes are not judged.

WHAT IT NEVER DOES
  It changes nothing, installs nothing, asks nobody, opens no connection, and writes nothing to the
  error stream. It never takes for compliant what it does not know.
#>
[CmdletBinding()]
param()

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

# The ids of errors. Their texts stay here: they can hold names and paths, and depend on the language.
function Get-ReasonText {
    param([object[]] $ErrorRecord, [string] $Otherwise)
    $ids = @($ErrorRecord | ForEach-Object { "$($_.FullyQualifiedErrorId)" -replace ',.*$' -creplace '[^A-Za-z0-9]' } | Where-Object { $_ } | Sort-Object -Unique)
    if ($ids.Count -eq 0) {
        $ids = @($Otherwise)
    }
    ($ids | Select-Object -First 5) -join ' '
}

$answers = @{
    'not-encrypted'      = 'Compliant'
    'hardware-encrypted' = 'Compliant'
    'software-encrypted' = 'SoftwareEncrypted'
    'decrypting'         = 'DecryptionInProgress'
    'encrypting'         = 'EncryptionInProgress'
    'paused'             = 'Paused'
}
try {
    $manifest = Find-AuditModule
    if (-not $manifest) {
        $answer = 'ModuleNotInstalled'
    }
    else {
        Import-Module -Name $manifest -ErrorAction Stop -WarningAction SilentlyContinue
        $summary = Get-BitLockerDiskAudit -Summary -TimeoutSeconds 40 -ErrorAction SilentlyContinue -ErrorVariable problems -WarningAction SilentlyContinue
        $state = "$($summary.State)"
        if ($answers.Keys -contains $state) {
            $answer = $answers[$state]
        }
        else {
            $answer = "Unknown: $(Get-ReasonText -ErrorRecord $problems -Otherwise 'VolumeStateUnknown')"
        }
        # Only what is known to be a paused decryption, on a list that is whole, is called so.
        if ($state -eq 'paused' -and $summary.Detail -match '=software/[^/ ]+/DecryptionPaused/' -and $summary.Detail -notmatch '/EncryptionPaused/|\+\d+ more$') {
            $answer = 'DecryptionPaused'
        }
    }
}
catch {
    $answer = "Unknown: $(Get-ReasonText -ErrorRecord $_ -Otherwise 'VolumeStateUnknown')"
}
Write-Output -InputObject $answer
exit 0
