function ConvertTo-PlatformName {
    <#
    .SYNOPSIS
    Names the folder below bin that holds the executable for a system and an architecture, or
    nothing when there is no build for them.
    #>
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory)]
        [string] $System,

        [Parameter(Mandatory)]
        [AllowEmptyString()]
        [string] $Architecture
    )

    $systems = @{ Windows = 'win'; Linux = 'linux' }
    $architectures = @{ AMD64 = 'x64'; X64 = 'x64'; ARM64 = 'arm64' }
    if ($systems.Keys -contains $System -and $architectures.Keys -contains $Architecture) {
        '{0}-{1}' -f $systems[$System], $architectures[$Architecture]
    }
}
