<#
.SYNOPSIS
Builds the executable diskaudit into the module.

.DESCRIPTION
Builds module/bin/<platform>/diskaudit for each platform asked for, without cgo, without paths of
this computer and with fixed processor levels: the same source, version, commit and Go release
give the same bytes in every folder. On Windows, the properties of the file show the version.
Runs in Windows PowerShell 5.1 and in PowerShell 7 on Windows and Linux; needs Go. The commit is
that of the git working tree, if there is one.

Without PowerShell, on Linux: go build -o module/bin/linux-x64/diskaudit ./core

.PARAMETER Platform
win-x64, win-arm64, linux-x64, linux-arm64, or host for the computer that builds. Default: host,
win-x64 and win-arm64.

.PARAMETER Version
The version to stamp into the executable, such as 1.2.3 or 1.2.3-rc.1, no number above 65535.
Default: the module's.

.PARAMETER Test
Run the tests, too: go test ./...

.OUTPUTS
One object per executable: Platform, Path, Version, Commit, Sha256.

.EXAMPLE
./build.ps1

Builds for this computer and for Windows on x64 and ARM64.

.EXAMPLE
./build.ps1 -Platform win-x64, win-arm64, linux-x64, linux-arm64 -Version 1.2.3 -Test

Builds a release for all platforms and runs the tests.
#>
[CmdletBinding()]
param(
    [ValidateSet('host', 'win-x64', 'win-arm64', 'linux-x64', 'linux-arm64')]
    [string[]] $Platform = @('host', 'win-x64', 'win-arm64'),

    [ValidatePattern('^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$')]
    [string] $Version,

    [switch] $Test
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
# Exit codes are checked here, each with a message of its own.
$PSNativeCommandUseErrorActionPreference = $false

# What go build is told for each platform.
$targets = @{
    'win-x64'     = @{ GOOS = 'windows'; GOARCH = 'amd64'; File = 'diskaudit.exe' }
    'win-arm64'   = @{ GOOS = 'windows'; GOARCH = 'arm64'; File = 'diskaudit.exe' }
    'linux-x64'   = @{ GOOS = 'linux'; GOARCH = 'amd64'; File = 'diskaudit' }
    'linux-arm64' = @{ GOOS = 'linux'; GOARCH = 'arm64'; File = 'diskaudit' }
}

# Runs go; its standard output comes out.
function Invoke-Go {
    # In some hosts of Windows PowerShell each line on stderr is an error record.
    $ErrorActionPreference = 'Continue'
    & go @args
    if ($LASTEXITCODE -ne 0) {
        throw "go $($args -join ' ') failed with exit code $LASTEXITCODE."
    }
}

# The commit of the working tree, or nothing: an unpacked source archive has none, and a git
# tree around it is not its own.
function Get-Commit {
    if (-not (Test-Path -LiteralPath (Join-Path $PSScriptRoot '.git')) -or -not (Get-Command -Name git -ErrorAction Ignore)) {
        return ''
    }
    $ErrorActionPreference = 'Continue'
    $commit = & git -C $PSScriptRoot rev-parse HEAD
    if ($LASTEXITCODE -ne 0) {
        return ''
    }
    "$commit"
}

if (-not (Get-Command -Name go -ErrorAction Ignore)) {
    throw 'Go is not on PATH. Install the release that go.mod names, from https://go.dev/dl/.'
}
if (-not $Version) {
    $Version = (Import-PowerShellDataFile -Path (Join-Path $PSScriptRoot 'module/BitLockerDiskAudit.psd1')).ModuleVersion
}
$commit = Get-Commit
# Each has 16 bits in the resources of a Windows program:
# learn.microsoft.com/windows/win32/api/verrsrc/ns-verrsrc-vs_fixedfileinfo
$numbers = @($Version -replace '-.*$' -split '\.')
if (@($numbers | Where-Object { [decimal]$_ -gt 65535 }).Count -gt 0) {
    throw "No number of the version may be above 65535: $Version."
}

# Each of these changes what go builds; GOFLAGS could add anything.
$settings = @{ CGO_ENABLED = '0'; GOOS = ''; GOARCH = ''; GOAMD64 = 'v1'; GOARM64 = 'v8.0'; GOFLAGS = ''; GOEXPERIMENT = '' }
$before = @{}
foreach ($name in $settings.Keys) {
    $before[$name] = [Environment]::GetEnvironmentVariable($name)
}
# The resources that go build links into a Windows program are committed files with the version
# of a development build: see core/winres.
$committed = @{}
Push-Location -LiteralPath $PSScriptRoot
try {
    foreach ($name in $settings.Keys) {
        [Environment]::SetEnvironmentVariable($name, $settings[$name])
    }
    $system, $architecture = Invoke-Go env GOHOSTOS GOHOSTARCH
    $hosts = @($targets.Keys | Where-Object { $targets[$_].GOOS -eq $system -and $targets[$_].GOARCH -eq $architecture })
    if ($Platform -contains 'host' -and $hosts.Count -eq 0) {
        throw "There is no build for this computer ($system on $architecture). Name platforms with -Platform."
    }
    $names = @($Platform | ForEach-Object { if ($_ -eq 'host') { $hosts[0] } else { $_ } } | Select-Object -Unique)
    foreach ($target in @($names | ForEach-Object { $targets[$_] } | Where-Object { $_.GOOS -eq 'windows' })) {
        $path = Join-Path $PSScriptRoot "core/rsrc_windows_$($target.GOARCH).syso"
        $committed[$path] = [System.IO.File]::ReadAllBytes($path)
        Invoke-Go tool go-winres make --in core/winres/winres.json --out core/rsrc --arch $target.GOARCH --file-version "$($numbers -join '.').0" --product-version $Version
    }
    foreach ($name in $names) {
        $target = $targets[$name]
        $env:GOOS = $target.GOOS
        $env:GOARCH = $target.GOARCH
        $path = Join-Path $PSScriptRoot "module/bin/$name/$($target.File)"
        # Symbols stay in: stripped Go executables raise more false alarms of antivirus software.
        $flags = "-s=false -w=false -buildid= -X diskaudit/core/command.version=$Version -X diskaudit/core/command.commit=$commit"
        Invoke-Go build -trimpath -buildvcs=false -ldflags $flags -o $path ./core
        New-Object -TypeName PSObject -Property ([ordered]@{
                Platform = $name
                Path     = $path
                Version  = $Version
                Commit   = $commit
                Sha256   = (Get-FileHash -LiteralPath $path -Algorithm SHA256).Hash.ToLowerInvariant()
            })
    }
}
finally {
    foreach ($path in $committed.Keys) {
        [System.IO.File]::WriteAllBytes($path, $committed[$path])
    }
    foreach ($name in $before.Keys) {
        if ($null -eq $before[$name]) {
            Remove-Item -LiteralPath "Env:$name" -ErrorAction Ignore
        }
        else {
            [Environment]::SetEnvironmentVariable($name, $before[$name])
        }
    }
    Pop-Location
}

if ($Test) {
    Push-Location -LiteralPath $PSScriptRoot
    try {
        Invoke-Go test ./... | Out-Host
    }
    finally {
        Pop-Location
    }
}
