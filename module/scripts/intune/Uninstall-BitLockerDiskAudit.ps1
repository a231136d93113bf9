<#
.SYNOPSIS
Intune Win32 app, uninstall script: removes the module BitLockerDiskAudit from this computer.

.DESCRIPTION
Removes %ProgramFiles%\WindowsPowerShell\Modules\BitLockerDiskAudit with all versions. The journals of
remediations in %ProgramData%\BitLockerDiskAudit stay: they are the record of what was changed.

First it asks the module what is under way:
- A remediation may have turned off that Windows flushes a hard disk's write cache, and only diskaudit knows what
  to put back. Then nothing is removed, and the line says what to run first. When this cannot be found out, the
  journals decide: the module stays where one of them tells of such a change.
- Windows may be decrypting. It does not need the module for that, so it is removed, and the line says so.

It asks nobody, restarts nothing, and changes nothing of BitLocker. Run twice, it has nothing to do the
second time.

.NOTES
SET-UP. The uninstall command of the Win32 app; the help of Install-BitLockerDiskAudit.ps1 has all settings.
The account is SYSTEM. Intune starts powershell.exe as a 32-bit process; this makes no difference here.

WHAT IT WRITES. One line, which stays on the computer; the portal gets the exit code.
  exit  line
  0     REMOVED: versions=0.1.0 | ...
  0     REMOVED: versions=0.1.0 | ... Windows is still decrypting ...
  0     OK: versions=none | It is not installed ...
  1     REFUSED: flushing=off | ... run diskaudit remediate --action undo --apply first
  1     REFUSED: flushing=Unknown | ... the same, where it cannot be found out
  1     FAILED: error=... | files are in use, and what to do
#>

# How long looking for what is under way may take, in seconds.
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

# What a remediation left under way: Flushing is on, off or Unknown, State the computer's.
function Get-Pending {
    param([string] $Manifest)
    $pending = @{ Flushing = 'Unknown'; State = 'unknown' }
    try {
        if ($Manifest) {
            Import-Module -Name $Manifest -Force -WarningAction SilentlyContinue
            foreach ($status in @(Get-BitLockerDiskAudit -Detailed -TimeoutSeconds $TimeoutSeconds -ErrorAction SilentlyContinue -WarningAction SilentlyContinue)) {
                $pending.State = $status.Summary.State
                $unread = @($status.Problems | Where-Object { "$($_.Code)" -like 'journal*' -or 'needs-elevation', 'timeout', 'interrupted', 'internal-error' -contains $_.Code })
                if (@($status.Findings | Where-Object { $_.Id -eq 'conversion-speed-up' }).Count -gt 0) {
                    $pending.Flushing = 'off'
                }
                elseif ($status.Source -eq 'windows' -and $unread.Count -eq 0) {
                    $pending.Flushing = 'on'
                }
            }
        }
    }
    catch {
        # The module does not work, for which it may be removed.
        $pending.Flushing = 'Unknown'
    }
    if ($pending.Flushing -eq 'Unknown') {
        $pending.Flushing = Get-JournalFlushing
    }
    $pending
}

# What the journals alone tell: on when none of them has a step that turns flushing off.
function Get-JournalFlushing {
    $flushing = 'on'
    $folder = Join-Path -Path $env:ProgramData -ChildPath 'BitLockerDiskAudit\journal'
    if (Test-Path -LiteralPath $folder) {
        try {
            $journals = @(Get-ChildItem -LiteralPath $folder -Filter '*.jsonl' -File)
            if ($journals.Count -gt 0 -and @($journals | Select-String -SimpleMatch -Pattern 'set-cache-flushing' -List).Count -gt 0) {
                $flushing = 'Unknown'
            }
        }
        catch {
            $flushing = 'Unknown'
        }
    }
    $flushing
}

$success = $false
try {
    $programs = $env:ProgramW6432
    if (-not $programs) {
        $programs = $env:ProgramFiles
    }
    $modules = Join-Path -Path $programs -ChildPath 'WindowsPowerShell\Modules\BitLockerDiskAudit'
    if (-not (Test-Path -LiteralPath $modules)) {
        $success = $true
        $line = 'OK: versions=none | It is not installed. Nothing was changed.'
    }
    else {
        $pending = Get-Pending -Manifest (Find-AuditModule)
        $undo = 'Run diskaudit remediate --action undo --apply as administrator, which turns it on again, and uninstall then; diskaudit.exe is in the folder bin of the module. Nothing was removed.'
        if ($pending.Flushing -eq 'off') {
            $line = "REFUSED: flushing=off | A remediation turned off that Windows flushes a hard disk's write cache, and only this module knows what to put back. $undo"
        }
        elseif ($pending.Flushing -ne 'on') {
            $line = "REFUSED: flushing=Unknown | A journal tells of a hard disk whose flushing was turned off, and it cannot be found out whether it is on again. $undo"
        }
        else {
            Remove-Module -Name BitLockerDiskAudit -Force -ErrorAction Ignore
            $folders = @(Get-ChildItem -LiteralPath $modules -Directory -Force)
            $versions = @($folders | ForEach-Object { $_.Name } | Where-Object { $_ -match '^\d{1,9}\.\d{1,9}\.\d{1,9}$' }) -join ','
            if (-not $versions) {
                $versions = 'none'
            }
            # A program that runs cannot be deleted, nor can its folder be renamed: so all is removed, or nothing.
            $aside = Join-Path -Path (Split-Path -Path $modules -Parent) -ChildPath 'removing-BitLockerDiskAudit'
            if (Test-Path -LiteralPath $aside) {
                Remove-Item -LiteralPath $aside -Recurse -Force
            }
            Move-Item -LiteralPath $modules -Destination $aside
            Remove-Item -LiteralPath $aside -Recurse -Force -ErrorAction SilentlyContinue
            $success = $true
            $line = "REMOVED: versions=$versions | The journals of remediations stay in ProgramData."
            if (Test-Path -LiteralPath $aside) {
                $line = "$line Some files are in use and stay in $aside, where nothing uses them."
            }
            if ('decrypting', 'paused' -contains $pending.State) {
                $line = "$line Windows is still decrypting, or that is paused; it needs no module. Do not reinstall, reset or repartition until it has ended: manage-bde -status shows it."
            }
        }
    }
}
catch {
    $line = "FAILED: error=removing the module | $($_.Exception.Message) A program of the module may be running. End it, or restart the computer, and uninstall again."
}
$line = $line -replace '\s+', ' ' -creplace '[^\x20-\x7E]', '?' -replace '^(.{2000}).*$', '$1'
Write-Output -InputObject $line
if ($success) {
    exit 0
}
exit 1
