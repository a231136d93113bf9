# Installs the module from a release as its users do, in every way, and tells what came of it. In
# PowerShell on Linux and on Windows; in a profile that knows no BitLockerDiskAudit.
param(
    [Parameter(Mandatory)] [string] $Release,
    [Parameter(Mandatory)] [string] $Work,
    [Parameter(Mandatory)] [string] $Recording,
    [Parameter(Mandatory)] [string] $ResultFile
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

# What the three commands of the module say, which PowerShell finds by their names.
function Get-Answer {
    $volumes = @(Get-BitLockerDiskAudit -Recording $Recording)
    $plan = Disable-SoftwareBitLocker -Recording $Recording -WhatIf -ErrorAction SilentlyContinue
    @{
        Volumes  = @($volumes | ForEach-Object { "$($_.MountPoint) $($_.Engine) $($_.Protection)" })
        Profiles = @(Test-NvmeLatency -ListProfile | ForEach-Object { $_.Name })
        Applied  = $plan.Applied
        Changes  = @($plan.Steps | ForEach-Object { $_.Change })
        From     = (Get-Module -Name BitLockerDiskAudit).Path
    }
}

$result = @{}
foreach ($name in 'package', 'folder') {
    $null = New-Item -Path (Join-Path $Work $name) -ItemType Directory
    Register-PSResourceRepository -Name $name -Uri (Join-Path $Work $name) -Trusted
}

Publish-PSResource -NupkgPath (Get-Item -Path (Join-Path $Release '*.nupkg')).FullName -Repository package
Expand-Archive -Path (Join-Path $Release 'BitLockerDiskAudit-*.zip') -DestinationPath (Join-Path $Work 'unpacked')
$unpacked = @(Get-ChildItem -Path (Join-Path $Work 'unpacked/BitLockerDiskAudit') -Directory)[0].FullName
Publish-PSResource -Path $unpacked -Repository folder

foreach ($name in 'package', 'folder') {
    $found = Find-PSResource -Name BitLockerDiskAudit -Repository $name -Prerelease
    Install-PSResource -Name BitLockerDiskAudit -Repository $name -Prerelease -Scope CurrentUser
    $installed = Get-Module -Name BitLockerDiskAudit -ListAvailable
    $folder = Split-Path -Path $installed.Path -Parent
    $one = @{
        Found     = "$($found.Version)-$($found.Prerelease)"
        Tags      = @($found.Tags)
        Version   = "$($installed.Version)-$($installed.PrivateData.PSData.Prerelease)"
        # Beside the module, the installer leaves a file of its own.
        Files     = @(Get-ChildItem -LiteralPath $folder -Recurse -File | ForEach-Object { $_.FullName.Substring($folder.Length + 1).Replace('\', '/') } | Where-Object { $_ -ne 'PSGetModuleInfo.xml' } | Sort-Object)
        Listed    = @((Import-PowerShellDataFile -Path $installed.Path).FileList | Sort-Object)
        Blocked   = ''
    }
    try {
        $one.Answer = Get-Answer
    }
    catch {
        # Packages that Publish-PSResource makes by itself do not keep what Linux may execute.
        $one.Blocked = "$($_.FullyQualifiedErrorId): $($_.Exception.Message)"
        & chmod +x (Join-Path $folder 'bin/linux-x64/diskaudit') (Join-Path $folder 'bin/linux-arm64/diskaudit')
        $one.Answer = Get-Answer
    }
    $result[$name] = $one
    Remove-Module -Name BitLockerDiskAudit
    Uninstall-PSResource -Name BitLockerDiskAudit -Prerelease
}

Import-Module -Name (Join-Path $unpacked 'BitLockerDiskAudit.psd1')
$result.zip = @{ Answer = Get-Answer }
if ($env:DISKAUDIT_RIG) {
    # The simulated computer.
    $result.computer = @{
        Volumes = @(Get-BitLockerDiskAudit -ErrorAction SilentlyContinue | ForEach-Object { "$($_.MountPoint) $($_.Engine) $($_.Protection)" })
        Plan    = @(Disable-SoftwareBitLocker -WhatIf -ErrorAction SilentlyContinue | ForEach-Object { $_.Steps } | ForEach-Object { "$($_.Change) $($_.MountPoint)" })
    }
}
[System.IO.File]::WriteAllText($ResultFile, (ConvertTo-Json -InputObject $result -Depth 6))
