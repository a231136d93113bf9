function ConvertTo-ImagePath {
    <#
    .SYNOPSIS
    Turns a literal path, relative or of a PowerShell drive, into an absolute file system path.

    .DESCRIPTION
    The path need not exist: the executable says so best. Device paths such as \\.\PhysicalDrive1
    stay as they are. Cmdlets instead of the path methods of the session, which Constrained
    Language Mode refuses.
    #>
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory)]
        [AllowEmptyString()]
        [string] $Path
    )

    if (-not $Path -or $Path -match '^\\\\[.?]\\') {
        return $Path
    }
    if (Test-Path -LiteralPath $Path -ErrorAction Ignore) {
        return "$(Convert-Path -LiteralPath $Path)"
    }
    $literal = $Path -replace '^Microsoft\.PowerShell\.Core\\FileSystem::', ''
    if ($literal -match '^([A-Za-z]:)?[\\/]') {
        return $literal
    }
    $folder = Split-Path -Path $literal -Parent
    if ($folder -and (Test-Path -LiteralPath $folder -ErrorAction Ignore)) {
        return Join-Path -Path "$(Convert-Path -LiteralPath $folder)" -ChildPath (Split-Path -Path $literal -Leaf)
    }
    Join-Path -Path (Get-Location -PSProvider FileSystem).ProviderPath -ChildPath $literal
}
