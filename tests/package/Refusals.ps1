# Runs a copy of build.ps1 in ways that must fail, and tells what each says and what it leaves behind.
param(
    [Parameter(Mandatory)] [string] $Sources,
    # A folder with certificates: good.pfx, expired.pfx, server.pfx; text.pfx is none.
    [Parameter(Mandatory)] [string] $Certificates,
    # Folders with stand-ins for programs: a go that builds nothing and tells its arguments, and go alone.
    [Parameter(Mandatory)] [string] $FakeGo,
    [Parameter(Mandatory)] [string] $OnlyGo,
    [Parameter(Mandatory)] [string] $ResultFile
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$script = Join-Path $Sources 'build.ps1'
$password = $env:DISKAUDIT_SIGN_PASSWORD
$path = $env:PATH
$results = @{}

function Add-Result {
    param([string] $Name, [hashtable] $Arguments)
    $message = ''
    try {
        $null = & $script @Arguments -WarningAction SilentlyContinue
    }
    catch {
        $message = "$_"
    }
    $results[$Name] = @{
        Message  = $message
        # What is in the folder of an earlier build, and what lies beside it.
        Release  = @(Get-ChildItem -LiteralPath (Join-Path $Sources 'dist') -Recurse -File -ErrorAction Ignore | ForEach-Object { $_.Name })
        Leftover = @(Get-ChildItem -LiteralPath $Sources | ForEach-Object { $_.Name } | Where-Object { $_ -like 'dist?*' }) + @(Get-ChildItem -Path (Join-Path $Sources 'module/bin/new-*') -ErrorAction Ignore | ForEach-Object { $_.Name })
    }
}

$dist = Join-Path $Sources 'dist'
$null = New-Item -Path $dist -ItemType Directory
Set-Content -LiteralPath (Join-Path $dist 'earlier.zip') -Value 'earlier'
Set-Content -LiteralPath (Join-Path $dist 'SHA256SUMS') -Value "$('0' * 64)  earlier.zip"

foreach ($name in 'expired', 'server', 'text', 'none') {
    Add-Result -Name $name -Arguments @{ Package = $true; SignWith = Join-Path $Certificates "$name.pfx" }
}
$env:DISKAUDIT_SIGN_PASSWORD = 'wrong'
Add-Result -Name 'password' -Arguments @{ Package = $true; SignWith = Join-Path $Certificates 'good.pfx' }
$env:DISKAUDIT_SIGN_PASSWORD = $password
$env:PATH = $OnlyGo
Add-Result -Name 'osslsigncode' -Arguments @{ Package = $true; SignWith = Join-Path $Certificates 'good.pfx' }
$env:PATH = $path
Add-Result -Name 'dot' -Arguments @{ Package = $true; Version = '1.2.3-rc.1' }
Add-Result -Name 'large' -Arguments @{ Package = $true; Version = '1.65536.3' }
Add-Result -Name 'tag' -Arguments @{ Version = 'v1.2.3' }
Add-Result -Name 'digits' -Arguments @{ Version = "1.2.$([char]0x0663)" }
Add-Result -Name 'line' -Arguments @{ Version = "1.2.3`n" }
Add-Result -Name 'huge' -Arguments @{ Version = "1.2.$('9' * 30)" }
Add-Result -Name 'page' -Arguments @{ Package = $true; ReleaseUrl = 'https://example.org/o "p"/releases' }
Add-Result -Name 'file' -Arguments @{ Package = $true; OutputPath = Join-Path $dist 'earlier.zip' }
$null = New-Item -Path (Join-Path $Sources 'module/bin') -ItemType Directory -Force
$other = [System.IO.File]::Open((Join-Path $Sources 'module/bin/.building'), 'OpenOrCreate', 'ReadWrite', 'None')
Add-Result -Name 'two' -Arguments @{ Architecture = 'linux-x64' }
$other.Dispose()
Add-Result -Name 'zeros' -Arguments @{ Version = '01.2.3' }
Add-Result -Name 'address' -Arguments @{ Package = $true; ReleaseUrl = 'http://example.org/o/p/releases' }
$foreign = Join-Path $Sources 'somebody'
$null = New-Item -Path $foreign -ItemType Directory
Set-Content -LiteralPath (Join-Path $foreign 'thesis.txt') -Value 'years of work'
Add-Result -Name 'foreign' -Arguments @{ Package = $true; OutputPath = $foreign }
$results.foreign.Release = @(Get-ChildItem -LiteralPath $foreign | ForEach-Object { $_.Name })

# A timestamp server that does not answer: the executable is built, and then cannot be signed.
Add-Result -Name 'timestamp' -Arguments @{ Package = $true; Architecture = 'win-x64'; SignWith = Join-Path $Certificates 'good.pfx'; TimestampUrl = 'http://127.0.0.1:9' }

$schema = Join-Path $Sources 'schemas/version.schema.json'
$before = Get-Content -LiteralPath $schema -Raw
Set-Content -LiteralPath $schema -Value '{}'
Add-Result -Name 'schema' -Arguments @{ Package = $true }
$results.schema.Mended = (Get-Content -LiteralPath $schema -Raw) -ceq $before

# A manifest that does not list its files: found when all is built.
$manifest = Join-Path $Sources 'module/BitLockerDiskAudit.psd1'
$text = Get-Content -LiteralPath $manifest -Raw
[System.IO.File]::WriteAllText($manifest, $text.Replace("'BitLockerDiskAudit.psm1'`n", "'Missing.psm1'`n"))
Add-Result -Name 'list' -Arguments @{ Package = $true; Architecture = 'win-x64' }
[System.IO.File]::WriteAllText($manifest, $text)

# What Debug tells go.
$env:PATH = $FakeGo + [System.IO.Path]::PathSeparator + $path
Add-Result -Name 'debug' -Arguments @{ Configuration = 'Debug'; Architecture = 'win-arm64'; Version = '1.2.3' }
$env:PATH = $path

[System.IO.File]::WriteAllText($ResultFile, (ConvertTo-Json -InputObject $results -Depth 4))
