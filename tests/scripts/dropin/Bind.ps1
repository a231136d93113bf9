<#
.SYNOPSIS
Parses commands and binds their parameters, and runs none of them. Exit code 1 when one does not fit.

.PARAMETER CommandFile
An object of commands by name.
#>
param(
    [Parameter(Mandatory)]
    [string] $CommandFile
)

$ErrorActionPreference = 'Stop'
Import-Module -Name (Join-Path -Path $PSScriptRoot -ChildPath '..' '..' '..' 'module' 'BitLockerDiskAudit.psd1')
# Windows has it; here its parameter of the same name is enough.
function Resume-BitLocker {
    param([Parameter(Mandatory)] [string[]] $MountPoint)
}
$bound, $failed = 0, 0
$commands = ConvertFrom-Json -InputObject ([System.IO.File]::ReadAllText($CommandFile))
foreach ($command in $commands.PSObject.Properties) {
    $problems = $null
    $tree = [System.Management.Automation.Language.Parser]::ParseInput($command.Value, [ref]$null, [ref]$problems)
    $problems = @($problems | ForEach-Object { $_.Message })
    foreach ($call in $tree.FindAll({ param($node) $node -is [System.Management.Automation.Language.CommandAst] }, $true)) {
        $name = $call.GetCommandName()
        if (-not (Get-Command -Name ([wildcardpattern]::Escape("$name")) -ErrorAction Ignore)) {
            $problems += "there is no $name"
            continue
        }
        $binding = [System.Management.Automation.Language.StaticParameterBinder]::BindCommand($call, $true)
        $problems += @($binding.BindingExceptions.Values | ForEach-Object { $_.BindingException.Message })
        $bound++
    }
    foreach ($problem in $problems) {
        $failed++
        "$($command.Name): $($command.Value): $problem"
    }
}
"$bound calls bound, $failed problems"
if ($failed -gt 0 -or $bound -eq 0) {
    exit 1
}
exit 0
