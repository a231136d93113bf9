<#
.SYNOPSIS
Intune custom compliance, discovery script: the state of this computer's disks as one line of JSON.

.DESCRIPTION
Asks the installed module BitLockerDiskAudit for the state of the whole computer, and writes one line of
compressed JSON with every setting, whatever was found out. The rules are in BitLockerCompliance.rules.json.
A setting always has its type; what is not known is the word Unknown, the number -1, the version 0.0.0, and
Complete is false then.

It reads and changes nothing. It installs nothing, restarts nothing and asks nobody. It reads no recovery
password and no key, and writes no name, serial number, label, time or path.

.NOTES
SET-UP. Endpoint security > Device compliance > Scripts > Add > Windows
(learn.microsoft.com/intune/device-security/compliance/create-custom-script).
  Detection script                                this file
  Run this script using the logged on credentials No: it has to run as SYSTEM
  Enforce script signature check                  No; Yes only when all files are signed and trusted
  Run script in 64 bit PowerShell Host            Yes; No works as well, also on ARM64
Then Devices > Manage devices > Compliance > Create policy > Windows 10 and later; under Compliance settings,
Custom Compliance is set to Require, with this script and BitLockerCompliance.rules.json
(learn.microsoft.com/intune/device-security/compliance/create-policy). A script belongs to one policy.
The Intune management extension runs it every eight hours, for at most ten minutes. The module has to be on the
computer already: Install-BitLockerDiskAudit.ps1, as a Win32 app.

WHAT REACHES THE PORTAL. The settings, of which it shows those that a rule names:
  ModuleInstalled     true when the module was found; all others are unknown without it
  State               unknown, decrypting, encrypting, paused, software-encrypted, hardware-encrypted or
                      not-encrypted: the first that fits a fixed volume
  Complete            false when any fact could not be read
  Volumes, SoftwareEncrypted, HardwareEncrypted, NotEncrypted, Unprotected, UnknownVolumes, Converting
                      numbers of fixed volumes; a locked one is unknown
  OsVolume, OsConversion, OsMethod, OsEngine, OsProtection, OsProtectionReason
                      the volume of the operating system
  Critical, Warnings  numbers of findings of these severities; WorstFinding is the id of the worst
  Detail              each fixed volume as engine/method/conversion/protection; where not all fit, ... ends it
  ToolVersion         version of diskaudit, without what follows a hyphen
The line stays below 2,000 characters: Intune takes 2,048, and half a line is no JSON (error 65009). Microsoft's
sample hands its line over by return; this is the same one line on the output, before exit.
For example, in one line:
  {"ModuleInstalled":true,"State":"software-encrypted","Complete":true,"Volumes":1,"SoftwareEncrypted":1,
  "HardwareEncrypted":0,"NotEncrypted":0,"Unprotected":0,"UnknownVolumes":0,"Converting":0,"OsVolume":"C:",
  "OsConversion":"FullyEncrypted","OsMethod":"XtsAes128","OsEngine":"software","OsProtection":"On",
  "OsProtectionReason":"protected","Critical":0,"Warnings":0,"WorstFinding":"software-encryption",
  "Detail":"C:=software/XtsAes128/FullyEncrypted/On","ToolVersion":"0.1.0"}
The exit code is 0 always: a failure would be error 65007 and tell nothing. What could not be found out
violates the rules by its value.
#>

# How long the look at the computer may take, in seconds. Intune ends the script after ten minutes.
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

# Every setting by its name, as it is when nothing is known: its type is the type of the setting.
$settings = [ordered]@{
    ModuleInstalled    = $false
    State              = 'unknown'
    Complete           = $false
    Volumes            = [long]-1
    SoftwareEncrypted  = [long]-1
    HardwareEncrypted  = [long]-1
    NotEncrypted       = [long]-1
    Unprotected        = [long]-1
    UnknownVolumes     = [long]-1
    Converting         = [long]-1
    OsVolume           = 'Unknown'
    OsConversion       = 'Unknown'
    OsMethod           = 'Unknown'
    OsEngine           = 'Unknown'
    OsProtection       = 'Unknown'
    OsProtectionReason = 'Unknown'
    Critical           = [long]-1
    Warnings           = [long]-1
    WorstFinding       = 'Unknown'
    Detail             = 'Unknown'
    ToolVersion        = '0.0.0'
}
try {
    try {
        $manifest = Find-AuditModule
        if ($manifest) {
            $settings.ModuleInstalled = $true
            Import-Module -Name $manifest -Force -WarningAction SilentlyContinue
            $summaries = @(Get-BitLockerDiskAudit -Summary -TimeoutSeconds $TimeoutSeconds -ErrorAction SilentlyContinue -WarningAction SilentlyContinue)
            if ($summaries.Count -eq 1) {
                $read = @{}
                foreach ($name in @($settings.Keys | Where-Object { $_ -ne 'ModuleInstalled' })) {
                    $value = $summaries[0].$name
                    if ($settings[$name] -is [bool]) {
                        $value = [bool]$value
                    }
                    elseif ($settings[$name] -is [long]) {
                        $value = [long]$value
                    }
                    else {
                        $value = "$value" -creplace '[^\x20-\x7E]', '?'
                    }
                    $read[$name] = $value
                }
                # A letter or a GUID; the name of a folder is nobody else's business.
                if ($read.OsVolume -notmatch '^([A-Za-z]:|\\\\\?\\Volume\{[0-9A-Fa-f-]{36}\}\\)$') {
                    $read.OsVolume = 'Unknown'
                }
                # A comparison of versions takes numbers alone.
                $read.ToolVersion = $read.ToolVersion -replace '[-+].*$'
                if ($read.ToolVersion -notmatch '^\d{1,9}\.\d{1,9}\.\d{1,9}$') {
                    $read.ToolVersion = '0.0.0'
                }
                # All or none: half a summary would pass for a whole one.
                foreach ($name in $read.Keys) {
                    $settings[$name] = $read[$name]
                }
            }
        }
    }
    catch {
        # What could not be found out is unknown already; there is nowhere else to say why.
        $settings.Complete = $false
    }
    $line = ConvertTo-Json -InputObject $settings -Compress
    # Volumes are left out from the end until all fits
    # (learn.microsoft.com/intune/device-security/compliance/create-policy).
    $volumes = @($settings.Detail -split ' ' | Where-Object { $_ })
    $kept = $volumes.Count
    while ($line.Length -ge 2000 -and $kept -gt 0) {
        $kept--
        $settings.Detail = @(@($volumes | Select-Object -First $kept) + '...') -join ' '
        $line = ConvertTo-Json -InputObject $settings -Compress
    }
}
catch {
    # No setting at all: Intune reports each as missing, and none as fulfilled.
    $line = '{}'
}
Write-Output -InputObject $line
exit 0
