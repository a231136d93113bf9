<#
.SYNOPSIS
Intune Win32 app, install script: puts the module BitLockerDiskAudit on this computer for all users.

.DESCRIPTION
Copies the module that lies beside this script into
%ProgramFiles%\WindowsPowerShell\Modules\BitLockerDiskAudit\<version>, where every user can read it and only
administrators can change it. The copy is made beside, checked whole, imported, and its executable is run;
only then does it take its place, by renaming, and only after that are older versions removed. When anything
of this fails, what was installed before is still there.

A second run finds that all is there and does nothing. A newer version that is installed stays, and nothing
is done. The script asks nobody, downloads nothing, restarts nothing, touches no disk and sets nothing of
BitLocker.

.NOTES
SET-UP. Unpack the module's zip, put this script and Uninstall-BitLockerDiskAudit.ps1 beside the folder
BitLockerDiskAudit (or leave them where they are inside it), and make a package of that folder with the
Microsoft Win32 Content Prep Tool
(learn.microsoft.com/intune/app-management/deployment/create-win32-package). Then, in
Apps > All Apps > Create > Windows app (Win32) (learn.microsoft.com/intune/app-management/deployment/add-win32):
  Install command          powershell.exe -NoProfile -ExecutionPolicy Bypass -File Install-BitLockerDiskAudit.ps1
  Uninstall command        powershell.exe -NoProfile -ExecutionPolicy Bypass -File Uninstall-BitLockerDiskAudit.ps1
  Install behavior         System
  Device restart behavior  No specific action
  Return codes             0 Success, 1 Failed; the others are never returned
  Requirements             64-bit and ARM64, Windows 10 1809 or later
  Detection rules          custom script: Detect-BitLockerDiskAudit.ps1
Intune starts powershell.exe as a 32-bit process; this makes no difference here.

WHAT IT WRITES. One line, which stays on the computer; the portal gets the exit code.
  exit  line
  0     INSTALLED: version=0.1.0 tool=0.1.0 removed=none | ...
  0     OK: version=0.1.0 | It is installed already ...
  0     OK: version=0.2.0 | A newer version is installed ...
  1     FAILED: error=... | what could not be done, and what to do
#>

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

# The folder of the module that is to be installed: inside this script's folder, or the one that holds it.
function Find-Source {
    $beside = Join-Path -Path $PSScriptRoot -ChildPath 'BitLockerDiskAudit'
    $versions = @(Get-ChildItem -LiteralPath $beside -Directory -ErrorAction Ignore |
            Where-Object { $_.Name -match '^\d{1,9}\.\d{1,9}\.\d{1,9}$' } |
            Sort-Object -Property { [version]$_.Name } -Descending | ForEach-Object { $_.FullName })
    $above = Split-Path -Path (Split-Path -Path $PSScriptRoot -Parent) -Parent
    $folders = @($beside) + $versions + @($PSScriptRoot, $above)
    $folders | Where-Object { $_ -and (Test-Path -LiteralPath (Join-Path -Path $_ -ChildPath 'BitLockerDiskAudit.psd1') -PathType Leaf) } | Select-Object -First 1
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

# The files below a folder, by name, with what they hold; none for a folder that is not there.
function Get-FolderContent {
    param([string] $Folder)
    $contents = @{}
    foreach ($root in @(Get-Item -LiteralPath $Folder -Force -ErrorAction Ignore)) {
        # The name of the folder as it is here, which can be longer than the one that was given.
        $length = $root.FullName.Length
        foreach ($file in @(Get-ChildItem -LiteralPath $root.FullName -Recurse -File -Force)) {
            $name = $file.FullName.Substring($length).TrimStart('\', '/')
            $contents[$name] = (Get-FileHash -LiteralPath $file.FullName -Algorithm SHA256).Hash
        }
    }
    $contents
}

# Whether a folder holds the same files as another one whose contents are given.
function Test-Same {
    param([hashtable] $Content, [string] $Folder)
    $there = Get-FolderContent -Folder $Folder
    $same = $there.Count -eq $Content.Count
    foreach ($name in $Content.Keys) {
        $same = $same -and $there.ContainsKey($name) -and $there[$name] -eq $Content[$name]
    }
    $same
}

# Imports the module of a folder and runs its executable, as those will who use it. The version that the
# executable tells comes out.
function Test-Module {
    param([string] $Folder, [string] $Executable)
    Import-Module -Name (Join-Path -Path $Folder -ChildPath 'BitLockerDiskAudit.psd1') -Force -WarningAction SilentlyContinue
    Remove-Module -Name BitLockerDiskAudit -Force
    $program = Join-Path -Path $Folder -ChildPath $Executable
    # Stop would make an error of anything on stderr.
    $ErrorActionPreference = 'Continue'
    $PSNativeCommandUseErrorActionPreference = $false
    $global:LASTEXITCODE = $null
    $output = & $program version
    if ($global:LASTEXITCODE -ne 0) {
        throw "diskaudit.exe does not run: exit code $global:LASTEXITCODE. A policy such as App Control, or antivirus software, may keep it from that."
    }
    $told = ConvertFrom-Json -InputObject "$output"
    "$($told.tool.version)"
}

# Renames a folder. Antivirus software may still hold files that were just written.
function Move-Folder {
    param([string] $From, [string] $To)
    foreach ($attempt in 1..10) {
        try {
            Move-Item -LiteralPath $From -Destination $To
            break
        }
        catch {
            if ($attempt -eq 10) {
                throw
            }
            Start-Sleep -Seconds 1
        }
    }
}

$installed = $false
$modules = ''
$staging = ''
$step = 'looking for the module beside this script'
try {
    $source = Find-Source
    if (-not $source) {
        throw "There is no module beside this script, in $PSScriptRoot. Put the unpacked folder BitLockerDiskAudit there."
    }
    $manifest = Import-PowerShellDataFile -LiteralPath (Join-Path -Path $source -ChildPath 'BitLockerDiskAudit.psd1')
    $version = [version]$manifest.ModuleVersion
    $executable = Get-ExecutableName
    foreach ($name in @($manifest.FileList) + $executable) {
        if (-not (Test-Path -LiteralPath (Join-Path -Path $source -ChildPath $name) -PathType Leaf)) {
            throw "The package is not whole: $name is missing. Make it again from the unpacked zip."
        }
    }
    $content = Get-FolderContent -Folder $source

    $programs = $env:ProgramW6432
    if (-not $programs) {
        $programs = $env:ProgramFiles
    }
    $modules = Join-Path -Path $programs -ChildPath 'WindowsPowerShell\Modules\BitLockerDiskAudit'
    $target = Join-Path -Path $modules -ChildPath "$version"
    $others = @(Get-ChildItem -LiteralPath $modules -Directory -ErrorAction Ignore |
            Where-Object { $_.Name -match '^\d{1,9}\.\d{1,9}\.\d{1,9}$' -and $_.Name -ne "$version" })
    $newer = @($others | Where-Object { [version]$_.Name -gt $version -and (Test-Path -LiteralPath (Join-Path -Path $_.FullName -ChildPath 'BitLockerDiskAudit.psd1')) } |
            Sort-Object -Property { [version]$_.Name } -Descending | ForEach-Object { $_.FullName })
    if ($newer.Count -gt 0) {
        $step = "trying the newer version in $($newer[0]), which may have to be uninstalled"
        $tool = Test-Module -Folder $newer[0] -Executable $executable
        $line = "OK: version=$(Split-Path -Path $newer[0] -Leaf) tool=$tool | A newer version is installed. Uninstall it first to go back to $version. Nothing was changed."
    }
    elseif (Test-Same -Content $content -Folder $target) {
        $step = "trying the module in $target"
        $tool = Test-Module -Folder $target -Executable $executable
        $line = "OK: version=$version tool=$tool | It is installed already. Nothing was changed."
    }
    else {
        $step = "copying the module to $modules"
        $null = New-Item -Path $modules -ItemType Directory -Force
        # What an earlier run left that was ended by force.
        Get-ChildItem -LiteralPath $modules -Directory | Where-Object { $_.Name -match '^(installing|replaced)-' } | Remove-Item -Recurse -Force
        $staging = Join-Path -Path $modules -ChildPath "installing-$version"
        Copy-Item -LiteralPath $source -Destination $staging -Recurse -Force
        if (-not (Test-Same -Content $content -Folder $staging)) {
            throw 'The copy differs from the package: a file is missing or changed. Antivirus software may have taken it away.'
        }
        $step = 'trying the copied module'
        $tool = Test-Module -Folder $staging -Executable $executable

        $step = "putting the module in its place, $target"
        $replaced = Join-Path -Path $modules -ChildPath "replaced-$version"
        $there = Test-Path -LiteralPath $target
        if ($there) {
            Move-Folder -From $target -To $replaced
        }
        try {
            Move-Folder -From $staging -To $target
        }
        catch {
            if ($there) {
                Move-Folder -From $replaced -To $target
            }
            throw
        }
        $staging = ''

        # From here on it is installed, whatever becomes of the rest.
        $removed = @()
        $left = @()
        $old = @($others | Where-Object { [version]$_.Name -lt $version } | ForEach-Object { $_.FullName })
        if ($there) {
            $old += $replaced
        }
        foreach ($folder in $old) {
            Remove-Item -LiteralPath $folder -Recurse -Force -ErrorAction SilentlyContinue
            if (Test-Path -LiteralPath $folder) {
                $left += Split-Path -Path $folder -Leaf
            }
            elseif ($folder -ne $replaced) {
                $removed += Split-Path -Path $folder -Leaf
            }
        }
        $gone = 'none'
        if ($removed.Count -gt 0) {
            $gone = $removed -join ','
        }
        $line = "INSTALLED: version=$version tool=$tool removed=$gone | It is in $target."
        if ($left.Count -gt 0) {
            $line = "$line Files of $($left -join ',') are in use; they do no harm, and the next installation removes them."
        }
    }
    $installed = $true
}
catch {
    $line = "FAILED: error=$step | $($_.Exception.Message) What was installed before is unchanged."
    if ($staging) {
        Remove-Item -LiteralPath $staging -Recurse -Force -ErrorAction SilentlyContinue
        if (@(Get-ChildItem -LiteralPath $modules -Force -ErrorAction SilentlyContinue).Count -eq 0) {
            Remove-Item -LiteralPath $modules -ErrorAction SilentlyContinue
        }
    }
}
$line = $line -replace '\s+', ' ' -creplace '[^\x20-\x7E]', '?' -replace '^(.{2000}).*$', '$1'
Write-Output -InputObject $line
if ($installed) {
    exit 0
}
exit 1
