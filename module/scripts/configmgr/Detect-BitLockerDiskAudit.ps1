<#
.SYNOPSIS
Detection method of a Configuration Manager application: says whether the module BitLockerDiskAudit is
installed, complete, and recent enough.

.DESCRIPTION
Writes one line when the newest installed version is complete and at least $MinimumVersion, and nothing
otherwise. Complete means every file that its commands need, and not the pages and scripts of the package.
It looks at files only; it runs and changes nothing.

.NOTES
HOW TO SET IT UP (docs/configmgr.md of the module has it step by step, with Microsoft's pages)
  Where      the deployment type of the application, page Detection Method: "Use a custom script to
             detect the presence of this deployment type", Edit, Windows PowerShell
  Script     after $MinimumVersion below is set to the version that the application installs. Sign it
             after that; a signed script must be chosen with Open, not pasted
  Account    SYSTEM: the installation behaviour is "Install for system"
  Bitness    32-bit or 64-bit: leave "Run script as 32-bit process on 64-bit clients" off
  Schedule   that of the application; it takes a second

WHAT REACHES THE CONSOLE (learn.microsoft.com/intune/configmgr/apps/deploy-use/create-applications)
  exit 0, BitLockerDiskAudit <version> is installed and complete
                    Installed
  exit 0, nothing   Not installed: not there, older, or a file is missing, such as an executable in the
                    quarantine of antivirus software
  exit 1, nothing   Unknown: the folder could not be looked at

WHAT IT NEVER DOES
  It changes nothing, installs nothing, asks nobody, opens no connection, and writes nothing to the
  error stream.
#>
[CmdletBinding()]
param()

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

# ---- CONFIGURATION ------------------------------------------------------------------------------------
$MinimumVersion = '0.1.0'
# ---- END OF THE CONFIGURATION -------------------------------------------------------------------------

# The folder of the newest version that has a manifest: the one that scripts use, complete or not.
function Find-NewestVersion {
    $root = $env:ProgramW6432
    if (-not $root) {
        $root = $env:ProgramFiles
    }
    $folder = Join-Path -Path $root -ChildPath 'WindowsPowerShell\Modules\BitLockerDiskAudit'
    if (Test-Path -LiteralPath $folder -PathType Container) {
        Get-ChildItem -LiteralPath $folder -Directory |
            Where-Object { $_.Name -match '^\d{1,9}\.\d{1,9}\.\d{1,9}$' } |
            Where-Object { Test-Path -LiteralPath (Join-Path -Path $_.FullName -ChildPath 'BitLockerDiskAudit.psd1') -PathType Leaf } |
            Sort-Object -Property { [version]$_.Name } -Descending |
            Select-Object -First 1
    }
}

# The manifest as a table; $null for one that is damaged, which a new installation mends.
function Read-Manifest {
    param([string] $Folder)
    try {
        Import-PowerShellDataFile -LiteralPath (Join-Path -Path $Folder -ChildPath 'BitLockerDiskAudit.psd1')
    }
    catch {
        $null
    }
}

# The executable for this computer, found as the module finds it: the machine-wide value is that of the
# computer in every process, also in an emulated one.
function Get-ExecutableName {
    $key = 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\Environment'
    $machine = (Get-ItemProperty -LiteralPath $key -Name 'PROCESSOR_ARCHITECTURE').PROCESSOR_ARCHITECTURE
    $platform = 'win-x64'
    if ($machine -eq 'ARM64') {
        $platform = 'win-arm64'
    }
    "bin\$platform\diskaudit.exe"
}

$line = $null
$code = 0
try {
    $newest = Find-NewestVersion
    if ($null -ne $newest -and [version]$newest.Name -ge [version]$MinimumVersion) {
        $manifest = Read-Manifest -Folder $newest.FullName
        if ($null -ne $manifest -and "$($manifest['ModuleVersion'])" -eq $newest.Name) {
            $absent = @(@($manifest['FileList']) + (Get-ExecutableName) |
                    Where-Object { $_ -notmatch '^(docs|scripts)[\\/]' } |
                    Where-Object { -not (Test-Path -LiteralPath (Join-Path -Path $newest.FullName -ChildPath "$_") -PathType Leaf) })
            if ($absent.Count -eq 0) {
                $line = "BitLockerDiskAudit $($newest.Name) is installed and complete"
            }
        }
    }
}
catch {
    $code = 1
}
if ($line) {
    Write-Output -InputObject $line
}
exit $code
