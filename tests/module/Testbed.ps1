# Loaded by each test file: the module under test, the stand-in for the executable, and documents
# that differ from those of the folder documents in what a test is about.

$ManifestPath = [System.IO.Path]::GetFullPath((Join-Path $PSScriptRoot '../../module/BitLockerDiskAudit.psd1'))
if ($env:DISKAUDIT_TEST_MODULE) {
    $ManifestPath = $env:DISKAUDIT_TEST_MODULE
}
$VolumeC = '\\?\Volume{9f0c1d2e-0000-4000-8000-000000000001}\'
$VolumeNoLetter = '\\?\Volume{9f0c1d2e-0000-4000-8000-000000000002}\'
$VolumeD = '\\?\Volume{9f0c1d2e-0000-4000-8000-000000000003}\'
# Gruesse with u-umlaut and sharp s, a bus beyond the basic plane, an ideograph.
$LabelC = 'Gr' + [char]0xfc + [char]0xdf + 'e ' + [char]0xd83d + [char]0xdeb8 + ' ' + [char]0x7684 + ' "quoted" \ back'

Remove-Module -Name BitLockerDiskAudit -Force -ErrorAction Ignore
Import-Module -Name $ManifestPath -Force

# A document of the folder as nested tables, to be changed by the test.
function Read-Document {
    param([string] $Name)
    $options = @{ AsHashtable = $true }
    if ((Get-Command -Name ConvertFrom-Json).Parameters.ContainsKey('DateKind')) {
        $options.DateKind = 'String'
    }
    Get-Content -LiteralPath (Join-Path $PSScriptRoot "documents/$Name.json") -Raw | ConvertFrom-Json @options
}

function New-StatusDocument {
    $document = Read-Document -Name 'windows'
    $document.collectedAt = '2026-03-29T01:30:00Z'
    $document.volumes[0].encryption.createdAt = '2025-10-26T00:30:00.1234567Z'
    $document.volumes[0].encryption.description = '2024-05-06T07:08:09Z'
    $document
}

function New-Problem {
    param($Code, $Level = 'error', $Target = '', $Text = "The text of $Code.", $HResult, $HResultName, $Retryable = $false)
    [ordered]@{
        code = $Code; level = $Level; stage = 'volumes'; target = $Target; text = $Text
        hresult = $HResult; hresultName = $HResultName; retryable = $Retryable
    }
}

# A problem about a volume stands in the document and with the volume.
function Add-VolumeProblem {
    param($Document, [int] $Index, $Problem)
    $Problem.target = $Document.volumes[$Index].id
    $Document.volumes[$Index].problems = @($Document.volumes[$Index].problems) + $Problem
    $Document.problems = @($Document.problems) + $Problem
    $Document.complete = $Document.complete -and $Problem.level -ne 'error'
}

# Makes the stand-in print a document, or any text, and end as told.
function Use-FakeCore {
    param($Document, [string] $Text, [int] $ExitCode = 0, [string] $ErrorText = '', [string] $Crash = '', [string[]] $Progress)
    if ($null -ne $Document) {
        $Text = (ConvertTo-Json -InputObject $Document -Depth 20 -Compress -EscapeHandling EscapeNonAscii) + "`n"
    }
    $file = Join-Path $TestDrive 'stdout.txt'
    [System.IO.File]::WriteAllText($file, $Text)
    $env:DISKAUDIT_PATH = $env:DISKAUDIT_TEST_FAKECORE
    $env:FAKECORE_STDOUT = (Get-Item -LiteralPath $file).FullName
    $env:FAKECORE_EXIT = "$ExitCode"
    $env:FAKECORE_STDERR = $ErrorText
    $env:FAKECORE_CRASH = $Crash
    $env:FAKECORE_PROGRESS = ''
    $env:FAKECORE_GATE = ''
    $env:FAKECORE_HANG = ''
    $env:FAKECORE_APPLIED = ''
    if ($Progress) {
        $env:FAKECORE_PROGRESS = Join-Path (Get-Item -LiteralPath $TestDrive).FullName 'progress.txt'
        [System.IO.File]::WriteAllLines($env:FAKECORE_PROGRESS, $Progress)
    }
    $env:FAKECORE_CALLS = Join-Path (Get-Item -LiteralPath $TestDrive).FullName 'calls.txt'
    Remove-Item -LiteralPath $env:FAKECORE_CALLS -ErrorAction Ignore
}

# Makes the stand-in print another document, and end as told, when it is to carry a plan out.
function Use-AppliedCore {
    param($Document, [int] $ExitCode = 0)
    $file = Join-Path (Get-Item -LiteralPath $TestDrive).FullName 'applied.txt'
    [System.IO.File]::WriteAllText($file, (ConvertTo-Json -InputObject $Document -Depth 20 -Compress -EscapeHandling EscapeNonAscii) + "`n")
    $env:FAKECORE_APPLIED = $file
    $env:FAKECORE_APPLIED_EXIT = "$ExitCode"
}

# The calls of the stand-in since Use-FakeCore: one array of arguments each.
function Get-FakeCall {
    if (Test-Path -LiteralPath $env:FAKECORE_CALLS) {
        foreach ($line in Get-Content -LiteralPath $env:FAKECORE_CALLS) {
            , @(ConvertFrom-Json -InputObject $line)
        }
    }
}

# Runs a script in a PowerShell of its own and returns what it writes. Through is a program that
# runs the one that it is given; Piped makes its input a pipe.
function Invoke-Child {
    param([string] $Script, [string] $Through, [string[]] $Switch = '-NonInteractive', [switch] $Piped)
    $file = Join-Path (Get-Item -LiteralPath $TestDrive).FullName 'child.ps1'
    Set-Content -LiteralPath $file -Value $Script -Encoding ascii
    $program = [System.Environment]::ProcessPath
    $arguments = @('-NoProfile') + $Switch + @('-File', $file)
    if ([System.IO.Path]::GetFileNameWithoutExtension($program) -eq 'dotnet') {
        $arguments = @(Join-Path $PSHOME 'pwsh.dll') + $arguments
    }
    if ($Through) {
        $arguments = @($program) + $arguments
        $program = $Through
    }
    if ($Piped) {
        return '' | & $program @arguments
    }
    & $program @arguments
}

# The id of the terminating error of a call, without the command's name.
function Get-ErrorId {
    param([scriptblock] $Script)
    try {
        $null = & $Script
        'none'
    }
    catch {
        $_.FullyQualifiedErrorId -replace ',.*$', ''
    }
}
