<#
.SYNOPSIS
Runs the module's Pester tests and writes what came out as JSON.

.DESCRIPTION
Needs Pester 5 and, in DISKAUDIT_TEST_FAKECORE, the path of the built fakecore. With
DISKAUDIT_TEST_CORE, the path of the built diskaudit, the tests of the real executable run too.
go test ./tests/module does all this.

.PARAMETER ResultFile
Where the result goes: counts, and the names of what failed or was skipped.

.PARAMETER ExcludeTag
Tags of tests to leave out, one or several with commas between them. Sources are those that read the
source files only, Documents those of what becomes of a document, whatever wrote it: both come out alike
on every system.

.PARAMETER Path
Test files or folders; all tests of this folder by default.
#>
param(
    [Parameter(Mandatory)]
    [string] $ResultFile,

    [string[]] $ExcludeTag = @(),

    [string[]] $Path = $PSScriptRoot
)

$ErrorActionPreference = 'Stop'
Import-Module -Name Pester -MinimumVersion 5.0.0
$configuration = New-PesterConfiguration
$configuration.Run.Path = $Path
$configuration.Filter.ExcludeTag = @($ExcludeTag -split ',')
$configuration.Run.PassThru = $true
$configuration.Output.Verbosity = 'None'
$result = Invoke-Pester -Configuration $configuration

$containers = @($result.Containers | Where-Object { -not $_.Passed -and $_.ErrorRecord } | ForEach-Object {
        @{ Name = "$($_.Item)"; Reason = (@($_.ErrorRecord | ForEach-Object { "$_" }) -join "`n") }
    })
$blocks = @($result.FailedBlocks | ForEach-Object {
        @{ Name = $_.ExpandedPath; Reason = (@($_.ErrorRecord | ForEach-Object { "$_" }) -join "`n") }
    })
$failed = @($result.Failed | ForEach-Object {
        $where = @($_.ErrorRecord.ScriptStackTrace -split '\r?\n' -match '\.Tests\.ps1: line')
        @{ Name = $_.ExpandedPath; Reason = (@($_.ErrorRecord | ForEach-Object { "$_" }) + $where -join "`n") }
    })
$skipped = @($result.Skipped | ForEach-Object {
        @{ Name = $_.ExpandedPath; Reason = (@($_.ErrorRecord | ForEach-Object { "$_" }) -join "`n") }
    })
$summary = @{
    Version = "PowerShell $($PSVersionTable.PSVersion) on $($PSVersionTable.OS), Pester $((Get-Module -Name Pester).Version)"
    Passed  = $result.PassedCount
    Failed  = $containers + $blocks + $failed
    Skipped = $skipped
}
[System.IO.File]::WriteAllText($ResultFile, (ConvertTo-Json -InputObject $summary -Depth 5))
