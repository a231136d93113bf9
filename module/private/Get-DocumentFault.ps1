function Get-DocumentFault {
    <#
    .SYNOPSIS
    Says what keeps parsed JSON from being a document of a kind; nothing when it is one, and
    "version" when it is of a major version that this module does not know.
    #>
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory)]
        [AllowNull()]
        [object] $Document,

        # status, bench, profiles or remediate.
        [Parameter(Mandatory)]
        [string] $Kind
    )

    $version = Get-DocumentField -Document $Document -Path 'schemaVersion'
    if ($version -isnot [string] -or $version -notmatch '^\d+\.\d+$') {
        return 'it has no schemaVersion'
    }
    if ($version -notmatch '^1\.') {
        return 'version'
    }
    $written = Get-DocumentField -Document $Document -Path 'kind'
    if ($written -cne $Kind) {
        return "it is a document of the kind '$written' instead of '$Kind'"
    }
    $required = @{
        status    = 'collectedAt', 'complete', 'problems', 'disks', 'volumes', 'findings'
        bench     = 'collectedAt', 'complete', 'problems', 'target', 'profile', 'tests', 'penalty', 'verdict', 'headroom'
        profiles  = , 'profiles'
        # A plan whose steps or guards are missing must not pass for one that is empty.
        remediate = 'collectedAt', 'complete', 'problems', 'plan.id', 'plan.action', 'plan.steps', 'plan.guards', 'plan.commands', 'applied', 'steps', 'running'
    }
    foreach ($name in $required[$Kind]) {
        if ($null -eq (Get-DocumentField -Document $Document -Path $name)) {
            return "it has no $name"
        }
    }
}
