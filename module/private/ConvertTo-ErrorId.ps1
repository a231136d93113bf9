function ConvertTo-ErrorId {
    <#
    .SYNOPSIS
    Turns a code of the document into the id of an error: volume-locked becomes VolumeLocked.
    #>
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory)]
        [AllowEmptyString()]
        [string] $Code
    )

    $words = @($Code -split '[^A-Za-z0-9]+' | Where-Object { $_ })
    $id = -join ($words | ForEach-Object { $_.Substring(0, 1).ToUpperInvariant() + $_.Substring(1) })
    if (-not $id) {
        $id = 'UnnamedProblem'
    }
    $id
}
