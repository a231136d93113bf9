<#
.SYNOPSIS
Builds the executable diskaudit into the module and, with -Package, the files of a release.

.DESCRIPTION
Builds module/bin/<platform>/diskaudit for each platform asked for, without cgo, without paths of
this computer and with fixed processor levels: the same source, version, commit and Go release
give the same bytes in every folder. On Windows, the properties of the file show the version.
Runs in Windows PowerShell 5.1 and in PowerShell 7 on Windows and Linux; needs Go. The commit is
that of the git working tree, if there is one.

With -Package it makes, in the folder dist:

  BitLockerDiskAudit.<version>.nupkg      for Publish-PSResource and folders that are repositories
  BitLockerDiskAudit-<version>.zip        to unpack into a folder of modules
  diskaudit-<version>-<platform>.zip      the executable alone
  diskaudit-<version>-<platform>.cdx.json what is linked into it (CycloneDX)
  RELEASE_NOTES.md                        from CHANGELOG.md
  winget/, scoop/                         manifests for package managers, with -ReleaseUrl
  SHA256SUMS                              of all of them, for sha256sum -c

These, too, have the same bytes in every folder, unless they are signed. The folder appears at
once when everything in it is done, and takes the place of an earlier build.

Without PowerShell, on Linux: go build -o module/bin/linux-x64/diskaudit ./core

.PARAMETER Configuration
Release, or Debug: not optimised, with the paths of the sources, for a debugger, and with -dev
after the version. Default: Release.

.PARAMETER Architecture
win-x64, win-arm64, linux-x64, linux-arm64, or host for the computer that builds. Default: host,
win-x64 and win-arm64; with -Package all four.

.PARAMETER Version
The version to stamp into the executable and the module, such as 1.2.3 or 1.2.3-rc1, no number
above 65535. With -Package, letters, digits and hyphens only may follow the numbers. Default: the
module's.

.PARAMETER Test
Check that the generated schemas are those of the sources, and run the tests: go test ./...

.PARAMETER Package
Check that the generated schemas are those of the sources, and make the files of a release.

.PARAMETER OutputPath
The folder for these files. Default: dist beside this script.

.PARAMETER SignWith
A certificate for code signing with its private key, a .pfx file: the executables for Windows are
signed with it. Its password is taken from the environment variable DISKAUDIT_SIGN_PASSWORD, and
is never on a command line. Needs osslsigncode or, on Windows, nothing else.

.PARAMETER TimestampUrl
A timestamp server (RFC 3161). Without one, signatures end with the certificate.

.PARAMETER ReleaseUrl
The page of the project's releases, such as https://HOST/OWNER/PROJECT/releases. The manifests for
winget and Scoop say that the files are at <page>/download/v<version>/; without the page there
are none.

.OUTPUTS
One object per executable: Platform, Path, Version, Commit, Sha256. With -Package one per file of
the release instead: Name, Path, SizeBytes, Sha256.

.EXAMPLE
./build.ps1

Builds for this computer and for Windows on x64 and ARM64.

.EXAMPLE
./build.ps1 -Package -Version 1.2.3 -Test

Makes the files of a release and runs the tests.

.EXAMPLE
$env:DISKAUDIT_SIGN_PASSWORD = (Get-Credential signing).GetNetworkCredential().Password
./build.ps1 -Package -Version 1.2.3 -SignWith ./signing.pfx -TimestampUrl http://timestamp.example

Makes them with signed executables.
#>
[CmdletBinding()]
param(
    [ValidateSet('Release', 'Debug')]
    [string] $Configuration = 'Release',

    [Alias('Platform')]
    [ValidateSet('host', 'win-x64', 'win-arm64', 'linux-x64', 'linux-arm64')]
    [string[]] $Architecture = @('host', 'win-x64', 'win-arm64'),

    [ValidateScript({
            if ($_ -cmatch '^(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?\z') { $true }
            else { throw "'$_' is no version: three numbers without leading zeros are wanted, and perhaps a prerelease, such as 1.2.3 or 1.2.3-rc1." }
        })]
    [string] $Version,

    [switch] $Test,

    [switch] $Package,

    [string] $OutputPath = (Join-Path $PSScriptRoot 'dist'),

    [string] $SignWith,

    [string] $TimestampUrl,

    [ValidateScript({
            if ($_ -match '^https://[^/\s"]+/[^\s"]+/releases\z') { $true }
            else { throw "'$_' is not where releases are: an address such as https://example.com/me/diskaudit/releases is wanted." }
        })]
    [string] $ReleaseUrl
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

# Writes a CycloneDX bill of materials from what Go puts into each executable.
$billOfMaterials = 'github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0'

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

# The files that are generated from the sources, by name, with their hashes.
function Get-GeneratedFile {
    $files = @{}
    foreach ($file in @(Get-ChildItem -Path (Join-Path $PSScriptRoot 'schemas/*.json'), (Join-Path $PSScriptRoot 'module/scripts/*/*.json') -ErrorAction Ignore)) {
        $files[$file.FullName.Substring($PSScriptRoot.Length + 1).Replace('\', '/')] = (Get-FileHash -LiteralPath $file.FullName -Algorithm SHA256).Hash
    }
    $files
}

# Generates them again; what differs is an error, since it would be shipped.
function Update-GeneratedFile {
    $before = Get-GeneratedFile
    Invoke-Go generate ./core/contract/... ./core/compliance/... | Out-Null
    $after = Get-GeneratedFile
    $changed = @(@($before.Keys) + @($after.Keys) | Sort-Object -Unique | Where-Object { $before[$_] -ne $after[$_] })
    if ($changed.Count -gt 0) {
        throw "Not what the sources make: $($changed -join ', '). They have been generated again: look at them, commit them and build again."
    }
}

# Reads the certificate that is to sign, and refuses one that Windows would not take.
function Get-SigningCertificate {
    param([string] $Path, [string] $Password)
    if (-not (Test-Path -LiteralPath $Path -PathType Leaf)) {
        throw "The certificate $Path (-SignWith) is not there."
    }
    try {
        $certificate = [System.Security.Cryptography.X509Certificates.X509Certificate2]::new([System.IO.File]::ReadAllBytes($Path), $Password)
    }
    catch {
        throw "The certificate $Path cannot be opened: it is no .pfx file, or DISKAUDIT_SIGN_PASSWORD does not hold its password. $($_.Exception.GetBaseException().Message)"
    }
    if (-not $certificate.HasPrivateKey) {
        throw "The certificate $Path has no private key. Export it with its key."
    }
    $now = Get-Date
    if ($certificate.NotAfter -lt $now -or $certificate.NotBefore -gt $now) {
        throw "The certificate $Path is valid from $($certificate.NotBefore.ToString('yyyy-MM-dd')) to $($certificate.NotAfter.ToString('yyyy-MM-dd')), not now."
    }
    # id-kp-codeSigning: rfc-editor.org/rfc/rfc5280#section-4.2.1.12
    $uses = @($certificate.Extensions | Where-Object { $_.Oid.Value -eq '2.5.29.37' } | ForEach-Object { $_.EnhancedKeyUsages } | ForEach-Object { $_.Value })
    if ($uses -notcontains '1.3.6.1.5.5.7.3.3') {
        throw "The certificate $Path is not for code signing."
    }
    $certificate
}

# Signs a program for Windows.
function Add-Signature {
    param([string] $Path, [string] $CertificatePath, [string] $Password, $Certificate, [string] $TimestampUrl)
    if (Get-Command -Name osslsigncode -CommandType Application -ErrorAction Ignore) {
        $options = @('-pkcs12', $CertificatePath, '-readpass', '-', '-h', 'sha256', '-n', 'diskaudit')
        if ($TimestampUrl) {
            $options += '-ts', $TimestampUrl
        }
        # The password goes by the standard input: others can read command lines.
        $OutputEncoding = [System.Text.UTF8Encoding]::new($false)
        $ErrorActionPreference = 'Continue'
        $output = $Password | & osslsigncode sign @options -in $Path -out "$Path.signed" 2>&1
        if ($LASTEXITCODE -ne 0 -or -not (Test-Path -LiteralPath "$Path.signed")) {
            throw "osslsigncode could not sign ${Path}: $($output -join ' ')"
        }
        $ErrorActionPreference = 'Stop'
        Move-Item -LiteralPath "$Path.signed" -Destination $Path -Force
        return
    }
    # signtool takes the password of a file on its command line only, so Windows signs by itself:
    # learn.microsoft.com/powershell/module/microsoft.powershell.security/set-authenticodesignature
    $options = @{ FilePath = $Path; Certificate = $Certificate; HashAlgorithm = 'SHA256'; IncludeChain = 'NotRoot' }
    if ($TimestampUrl) {
        $options.TimestampServer = $TimestampUrl
    }
    $signature = Set-AuthenticodeSignature @options
    # A certificate that this computer does not trust gives UnknownError; the signature is there.
    if ('Valid', 'UnknownError' -notcontains "$($signature.Status)" -or $null -eq $signature.SignerCertificate) {
        throw "$Path could not be signed: $($signature.StatusMessage)"
    }
    if ($TimestampUrl -and $null -eq $signature.TimeStamperCertificate) {
        throw "$Path got no timestamp from $TimestampUrl."
    }
}

# Whether a folder is empty, or holds nothing but an earlier build, whose files SHA256SUMS lists.
function Test-EarlierBuild {
    param([string] $Folder)
    $sums = Join-Path $Folder 'SHA256SUMS'
    if (-not (Test-Path -LiteralPath $sums -PathType Leaf)) {
        return @(Get-ChildItem -LiteralPath $Folder -Force | Select-Object -First 1).Count -eq 0
    }
    $listed = @(Get-Content -LiteralPath $sums | ForEach-Object { ($_ -split '  ', 2)[1] }) + 'SHA256SUMS'
    $others = @(Get-ChildItem -LiteralPath $Folder -Recurse -File -Force |
            ForEach-Object { $_.FullName.Substring($Folder.Length + 1).Replace('\', '/') } | Where-Object { $listed -notcontains $_ })
    $others.Count -eq 0
}

# Lets core/release pack what was built, and puts the folder in its place when all is done.
function New-Release {
    param([object[]] $Built, [string] $Folder, [string] $Version, [string] $ReleaseUrl)
    $work = "$Folder.new-$PID"
    $manifest = Import-PowerShellDataFile -Path (Join-Path $PSScriptRoot 'module/BitLockerDiskAudit.psd1')
    try {
        $null = New-Item -Path $work, (Join-Path $work 'release') -ItemType Directory -Force
        $executables = @(foreach ($one in $Built) {
                $bill = Join-Path $work "$($one.Platform).json"
                Invoke-Go run $billOfMaterials bin -json -output-version 1.6 -noserial -notimestamp -std -short-purls -version "v$Version" -output $bill $one.Path
                @{ Platform = $one.Platform; Path = $one.Path; BOM = $bill }
            })
        $request = Join-Path $work 'request.json'
        $text = ConvertTo-Json -Depth 8 -InputObject @{
            Root = $PSScriptRoot; Output = (Join-Path $work 'release'); Stage = (Join-Path $work 'module'); Version = $Version
            ReleaseURL = $ReleaseUrl; Executables = $executables; Manifest = $manifest
        }
        [System.IO.File]::WriteAllText($request, $text)
        Invoke-Go run ./core/release $request
        $null = Test-ModuleManifest -Path (Join-Path $work 'module/BitLockerDiskAudit.psd1')
        if (Test-Path -LiteralPath $Folder) {
            Rename-Item -LiteralPath $Folder -NewName (Split-Path -Path "$work.old" -Leaf)
        }
        Move-Item -LiteralPath (Join-Path $work 'release') -Destination $Folder
    }
    finally {
        if ((Test-Path -LiteralPath "$work.old") -and -not (Test-Path -LiteralPath $Folder)) {
            Rename-Item -LiteralPath "$work.old" -NewName (Split-Path -Path $Folder -Leaf)
        }
        Remove-Item -LiteralPath $work, "$work.old" -Recurse -Force -ErrorAction Ignore
    }
    foreach ($file in @(Get-ChildItem -LiteralPath $Folder -Recurse -File)) {
        New-Object -TypeName PSObject -Property ([ordered]@{
                Name      = $file.FullName.Substring($Folder.Length + 1).Replace('\', '/')
                Path      = $file.FullName
                SizeBytes = $file.Length
                Sha256    = (Get-FileHash -LiteralPath $file.FullName -Algorithm SHA256).Hash.ToLowerInvariant()
            })
    }
}

if (-not (Get-Command -Name go -ErrorAction Ignore)) {
    throw 'Go is not on PATH. Install the release that go.mod names, from https://go.dev/dl/.'
}
if (-not $Version) {
    $Version = (Import-PowerShellDataFile -Path (Join-Path $PSScriptRoot 'module/BitLockerDiskAudit.psd1')).ModuleVersion
}
if ($Configuration -eq 'Debug') {
    $Version += '-dev'
}
$commit = Get-Commit
# Each has 16 bits in the resources of a Windows program:
# learn.microsoft.com/windows/win32/api/verrsrc/ns-verrsrc-vs_fixedfileinfo
$numbers = @($Version -replace '-.*$' -split '\.')
if (@($numbers | Where-Object { $_.Length -gt 5 -or [int]$_ -gt 65535 }).Count -gt 0) {
    throw "No number of the version may be above 65535: $Version."
}
if ($Package -and $Version -notmatch '^[^-]+(-[0-9A-Za-z][0-9A-Za-z-]*)?\z') {
    throw "A module's prerelease has letters, digits and hyphens only: write $($Version -replace '(?<=-.*)\.'), not $Version."
}
if ($Package -and -not $PSBoundParameters.ContainsKey('Architecture')) {
    $Architecture = @('win-x64', 'win-arm64', 'linux-x64', 'linux-arm64')
}
$OutputPath = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($OutputPath).TrimEnd('\', '/')
if ($Package -and (Test-Path -LiteralPath $OutputPath -PathType Leaf)) {
    throw "$OutputPath (-OutputPath) is a file. Name a folder."
}
if ($Package -and (Test-Path -LiteralPath $OutputPath) -and -not (Test-EarlierBuild -Folder $OutputPath)) {
    throw "The folder $OutputPath holds other files than those of an earlier build. Empty it, or name another one with -OutputPath."
}
$certificate = $null
if ($SignWith) {
    $SignWith = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($SignWith)
    $certificate = Get-SigningCertificate -Path $SignWith -Password "$env:DISKAUDIT_SIGN_PASSWORD"
    if ($env:OS -ne 'Windows_NT' -and -not (Get-Command -Name osslsigncode -CommandType Application -ErrorAction Ignore)) {
        throw 'Signing needs osslsigncode, and it is not on PATH. Install the package osslsigncode.'
    }
}

# Each of these changes what go builds; GOFLAGS could add anything.
$settings = @{
    CGO_ENABLED = '0'; GOOS = ''; GOARCH = ''; GOAMD64 = 'v1'; GOARM64 = 'v8.0'; GOFLAGS = '-trimpath'; GOEXPERIMENT = ''
    GOWORK = 'off'; GOFIPS140 = 'off'
}
if ($Configuration -eq 'Debug') {
    $settings.GOFLAGS = ''
}
$before = @{}
foreach ($name in $settings.Keys) {
    $before[$name] = [Environment]::GetEnvironmentVariable($name)
}
# The resources that go build links into a Windows program are committed files with the version
# of a development build: see core/winres.
$committed = @{}
$new = Join-Path $PSScriptRoot "module/bin/new-$PID"
# Two builds in one folder would take each other's resources and executables.
$null = New-Item -Path (Split-Path -Path $new -Parent) -ItemType Directory -Force
$building = Join-Path $PSScriptRoot 'module/bin/.building'
try {
    $lock = [System.IO.FileStream]::new($building, 'OpenOrCreate', 'ReadWrite', 'None', 1, 'DeleteOnClose')
}
catch {
    throw "Another build may be running in ${PSScriptRoot}: $building cannot be locked. Wait for its end, or build in another clone. $($_.Exception.GetBaseException().Message)"
}
Push-Location -LiteralPath $PSScriptRoot
try {
    foreach ($name in $settings.Keys) {
        [Environment]::SetEnvironmentVariable($name, $settings[$name])
    }
    if ($Package -or $Test) {
        Update-GeneratedFile
    }
    $system, $processor = Invoke-Go env GOHOSTOS GOHOSTARCH
    $hosts = @($targets.Keys | Where-Object { $targets[$_].GOOS -eq $system -and $targets[$_].GOARCH -eq $processor })
    if ($Architecture -contains 'host' -and $hosts.Count -eq 0) {
        throw "There is no build for this computer ($system on $processor). Name platforms with -Architecture."
    }
    $names = @($Architecture | ForEach-Object { if ($_ -eq 'host') { $hosts[0] } else { $_ } } | Select-Object -Unique)
    foreach ($target in @($names | ForEach-Object { $targets[$_] } | Where-Object { $_.GOOS -eq 'windows' })) {
        $path = Join-Path $PSScriptRoot "core/rsrc_windows_$($target.GOARCH).syso"
        $committed[$path] = [System.IO.File]::ReadAllBytes($path)
        Invoke-Go tool go-winres make --in core/winres/winres.json --out core/rsrc --arch $target.GOARCH --file-version "$($numbers -join '.').0" --product-version $Version
    }
    $options = @()
    if ($Configuration -eq 'Debug') {
        $options = @('-gcflags=all=-N -l')
    }
    $built = @(foreach ($name in $names) {
            $target = $targets[$name]
            $env:GOOS = $target.GOOS
            $env:GOARCH = $target.GOARCH
            $program = Join-Path $new $target.File
            # Symbols stay in: stripped Go executables raise more false alarms of antivirus software.
            $flags = "-s=false -w=false -buildid= -X diskaudit/core/command.version=$Version -X diskaudit/core/command.commit=$commit"
            Invoke-Go build @options -buildvcs=false -ldflags $flags -o $program ./core
            if ($certificate -and $target.GOOS -eq 'windows') {
                Add-Signature -Path $program -CertificatePath $SignWith -Password "$env:DISKAUDIT_SIGN_PASSWORD" -Certificate $certificate -TimestampUrl $TimestampUrl
            }
            $path = Join-Path $PSScriptRoot "module/bin/$name/$($target.File)"
            $null = New-Item -Path (Split-Path -Path $path -Parent) -ItemType Directory -Force
            Move-Item -LiteralPath $program -Destination $path -Force
            New-Object -TypeName PSObject -Property ([ordered]@{
                    Platform = $name
                    Path     = $path
                    Version  = $Version
                    Commit   = $commit
                    Sha256   = (Get-FileHash -LiteralPath $path -Algorithm SHA256).Hash.ToLowerInvariant()
                })
        })
    $env:GOOS = ''
    $env:GOARCH = ''
    if ($Package) {
        New-Release -Built $built -Folder $OutputPath -Version $Version -ReleaseUrl $ReleaseUrl
    }
    else {
        $built
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
    Remove-Item -LiteralPath $new -Recurse -Force -ErrorAction Ignore
    if ($certificate) {
        $certificate.Dispose()
    }
    Pop-Location
    $lock.Dispose()
}

if ($Package -and -not $ReleaseUrl) {
    Write-Warning 'There are no manifests for winget and Scoop: they need -ReleaseUrl, the page where the files can be downloaded.'
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
