function ConvertTo-ProblemOutcome {
    <#
    .SYNOPSIS
    Chooses the stream for a problem by its level: error, warning or, for what only explains an
    empty property, verbose.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param(
        # A BitLockerDiskAudit.Problem.
        [Parameter(Mandatory)]
        [object] $Problem
    )

    $failure = ConvertTo-ProblemFailure -Problem $Problem
    $streams = @{ info = 'Verbose'; warning = 'Warning' }
    if ($streams.Keys -contains $Problem.Level) {
        return @{ Kind = $streams[$Problem.Level]; Value = $failure.Message }
    }
    @{ Kind = 'Error'; Value = $failure }
}
