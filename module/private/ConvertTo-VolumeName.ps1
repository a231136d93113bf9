function ConvertTo-VolumeName {
    <#
    .SYNOPSIS
    Brings the ways to name a volume to the one that the executable takes: C, C: and C:\ become
    C:, a GUID path or a folder loses its last backslash, a relative folder becomes absolute.
    #>
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory)]
        [AllowEmptyString()]
        [string] $Name
    )

    if ($Name -match '^\s*([A-Za-z])(:[\\/]*)?\s*$') {
        return $Matches[1].ToUpperInvariant() + ':'
    }
    if ($Name -match '[\\/]' -and $Name -notmatch '^\\\\' -and (Test-Path -LiteralPath $Name -PathType Container -ErrorAction Ignore)) {
        $Name = "$(Convert-Path -LiteralPath $Name)"
    }
    if ($Name -match '^/') {
        return $Name -replace '(?<=.)/+$', ''
    }
    $Name -replace '(?<=.)[\\/]+$', ''
}
