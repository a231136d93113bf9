<#
.SYNOPSIS
Intune Win32 app, detection script: is the module BitLockerDiskAudit installed and whole?

.DESCRIPTION
Writes exactly one line when the module is installed for all users in at least the version below, with every
file that its commands need and the executable for this computer; and nothing at all otherwise. Pages and scripts
of the package are not looked for. The exit code is 0 always. Intune takes an app for installed when there is output and the exit code is 0
(learn.microsoft.com/intune/app-management/deployment/add-win32).

It reads names of files and changes nothing. It runs nothing, installs nothing and asks nobody.

.NOTES
SET-UP. In the app, Detection rules > Use a custom detection script:
  Script file                                       this file
  Run script as 32-bit process on 64-bit clients    No; Yes works as well
  Enforce script signature check and run silently   No; Yes only when all files are signed and trusted
Set the version in the block below to that of the package when a newer one is deployed, so that computers with
the older one get it.

WHAT REACHES THE PORTAL. Installed or not installed; the line stays on the computer.
  output                                              meaning
  BitLockerDiskAudit 0.1.0 is installed and complete  installed
  nothing                                             not installed, too old, or files are missing: antivirus
                                                      software may have put the executable into quarantine
#>

# ==== CONFIGURATION ==================================================================================
# The oldest version that counts as installed.
$MinimumVersion = '0.1.0'
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

# The executable within the module for this computer, found as the module finds it: the machine-wide value is
# that of the computer in every process, also in an emulated one.
function Get-ExecutableName {
    $key = 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\Environment'
    $architecture = (Get-ItemProperty -LiteralPath $key -Name 'PROCESSOR_ARCHITECTURE').PROCESSOR_ARCHITECTURE
    $platforms = @{ AMD64 = 'win-x64'; ARM64 = 'win-arm64' }
    if ($platforms.Keys -notcontains $architecture) {
        throw "There is no diskaudit.exe for this processor ($architecture): there are those for AMD64 and ARM64."
    }
    "bin\$($platforms[$architecture])\diskaudit.exe"
}

$found = ''
try {
    $path = Find-AuditModule
    if ($path) {
        $folder = Split-Path -Path $path -Parent
        $version = Split-Path -Path $folder -Leaf
        $manifest = Import-PowerShellDataFile -LiteralPath $path
        $missing = @(@($manifest.FileList) + (Get-ExecutableName) |
                Where-Object { $_ -notmatch '^(docs|scripts)[\\/]' } |
                Where-Object { -not (Test-Path -LiteralPath (Join-Path -Path $folder -ChildPath $_) -PathType Leaf) })
        if ($missing.Count -eq 0 -and "$($manifest.ModuleVersion)" -eq $version -and [version]$version -ge [version]$MinimumVersion) {
            $found = $version
        }
    }
}
catch {
    # What cannot be read does not count as installed; any other output would.
    $found = ''
}
if ($found) {
    Write-Output -InputObject "BitLockerDiskAudit $found is installed and complete"
}
exit 0
