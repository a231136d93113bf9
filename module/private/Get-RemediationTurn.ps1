function Get-RemediationTurn {
    <#
    .SYNOPSIS
    Runs the executable once, for a plan or to carry one out, and decides what comes out of it.

    .OUTPUTS
    A hashtable with Outcome, hashtables with Kind (Object, Error, Warning, Verbose, Stop) and Value
    in order, and Plan, which is $null unless there is a plan with steps that nothing stands
    against. Then the object of the plan is not among the outcomes.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param(
        # Pairs of a flag's name and its value, which is $null for a switch.
        [Parameter(Mandatory)]
        [object[]] $Flag,

        # The plan that is carried out; $null to plan only.
        [AllowNull()]
        [object] $Plan,

        # What the progress is about; empty for a run without progress.
        [AllowEmptyString()]
        [string] $Activity,

        [switch] $AsJson
    )

    $flags = @(, @('format', 'json')) + $Flag
    # Up to here nothing has failed that the caller should find in $Error, nor will it until the
    # outcomes are written.
    $newest = $global:Error | Select-Object -First 1
    $run = Invoke-DiskAudit -Verb remediate -Flag $flags -Activity $Activity
    $failure = $run.Failure
    if ($null -eq $failure) {
        $reading = ConvertFrom-DiskAuditOutput -Run $run -Kind remediate
        $failure = $reading.Failure
    }
    Remove-OwnError -Newest $newest
    if ($null -ne $failure) {
        return @{ Plan = $null; Outcome = @(@{ Kind = 'Stop'; Value = $failure }) }
    }

    $remediation = $reading.Content
    $object = $remediation
    if ($AsJson) {
        $object = $reading.Json
    }
    $turn = @{ Plan = $null; Object = $object; Outcome = @() }
    $refused = @($remediation.Guards | Where-Object { 'allow', 'overridden' -notcontains $_.Result }).Count -gt 0
    $ready = $null -eq $Plan -and $run.ExitCode -eq 0 -and -not $refused -and -not $remediation.Applied -and $remediation.Steps.Count -gt 0
    if ($ready) {
        $turn.Plan = $remediation
        $turn.Outcome = @(foreach ($problem in $remediation.Problems) { ConvertTo-ProblemOutcome -Problem $problem })
        return $turn
    }
    $outcomes = @(Get-RemediationOutcome -Run $run -Remediation $remediation -Object $object -Document:$AsJson)
    if ($null -ne $Plan) {
        # What was said about the plan is not said again.
        $said = @($Plan.Problems | ForEach-Object { (ConvertTo-ProblemFailure -Problem $_).Message })
        $outcomes = @($outcomes | Where-Object { 'Warning', 'Verbose' -notcontains $_.Kind -or $said -notcontains $_.Value })
    }
    $turn.Outcome = $outcomes
    $turn
}
