function Get-DocumentFault {
    <#
    .SYNOPSIS
    Says what keeps parsed JSON from being a status document; nothing when it is one, and
    "version" when it is of a major version that this module does not know.
    #>
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory)]
        [AllowNull()]
        [object] $Document
    )

    $version = Get-DocumentField -Document $Document -Path 'schemaVersion'
    if ($version -isnot [string] -or $version -notmatch '^\d+\.\d+$') {
        return 'it has no schemaVersion'
    }
    if ($version -notmatch '^1\.') {
        return 'version'
    }
    $kind = Get-DocumentField -Document $Document -Path 'kind'
    if ($kind -cne 'status') {
        return "it is a document of the kind '$kind' instead of 'status'"
    }
    foreach ($name in 'collectedAt', 'complete', 'problems', 'disks', 'volumes', 'findings') {
        if ($null -eq (Get-DocumentField -Document $Document -Path $name)) {
            return "it has no $name"
        }
    }
}
