function Get-RemediationOutcome {
    <#
    .SYNOPSIS
    Decides what comes out of a remediation, in order: the object, then errors, warnings and verbose
    text.

    .DESCRIPTION
    The object comes first, so that a caller whose ErrorActionPreference is Stop has it. Only a run
    that brought nothing at all ends in a terminating error. What is still in progress is a warning
    and no error: running the command again is safe.

    .OUTPUTS
    Hashtables with Kind (Object, Error, Warning, Verbose, Stop) and Value.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param(
        # What Invoke-DiskAudit returned.
        [Parameter(Mandatory)]
        [System.Collections.Hashtable] $Run,

        # The BitLockerDiskAudit.Remediation of its document.
        [Parameter(Mandatory)]
        [object] $Remediation,

        # What the caller gets: the same, or its document.
        [Parameter(Mandatory)]
        [object] $Object,

        # The caller gets the document, which tells of failures too.
        [switch] $Document
    )

    $exit = Get-ExitFailure -ExitCode $Run.ExitCode
    $inProgress = $Run.ExitCode -eq 7
    # A problem of a step stands with the step and can stand with the document, too.
    $problems = @()
    $known = @{}
    $failed = @($Remediation.Steps | Where-Object { $_.Result -eq 'failed' -and $null -ne $_.Problem } | ForEach-Object -MemberName Problem)
    foreach ($problem in $failed + $Remediation.Problems) {
        $key = '{0} {1} {2}' -f $problem.Code, $problem.Target, $problem.Text
        if ($known.Keys -notcontains $key) {
            $known[$key] = $true
            $problems += $problem
        }
    }
    # A level that is not listed counts as an error: it is not known to be harmless.
    $errors = @($problems | Where-Object { 'info', 'warning' -notcontains $_.Level })
    $stopping = @($errors | Where-Object { 'timeout', 'interrupted', 'internal-error' -contains $_.Code }).Count -gt 0
    $nothing = -not $Document -and -not $Remediation.Applied -and $null -eq $Remediation.Journal
    if ($nothing -and $null -ne $exit -and (1, 5, 7 -notcontains $Run.ExitCode -or ($Run.ExitCode -eq 1 -and ($errors.Count -eq 0 -or $stopping)))) {
        foreach ($problem in @($problems | Where-Object { 'info', 'warning' -contains $_.Level })) {
            ConvertTo-ProblemOutcome -Problem $problem
        }
        $id = $exit.Id
        $text = $exit.Text
        if ($Run.ExitCode -eq 1 -and @($errors | Where-Object -Property Code -EQ -Value 'timeout').Count -gt 0) {
            $id = 'CoreTimeout'
            $text = 'diskaudit reached its time limit before it changed anything.'
        }
        $target = $null
        foreach ($problem in @($errors | Select-Object -First 1)) {
            $target = $problem.Target
        }
        $texts = @($errors | ForEach-Object { (ConvertTo-ProblemFailure -Problem $_).Message })
        return @{ Kind = 'Stop'; Value = New-AuditFailure -Id $id -Target $target -Message ((@($text) + $texts) -join ' ') }
    }

    @{ Kind = 'Object'; Value = $Object }
    $refusing = @($Remediation.Guards | Where-Object { 'allow', 'overridden' -notcontains $_.Result })
    foreach ($guard in $refusing) {
        @{ Kind = 'Error'; Value = ConvertTo-GuardFailure -Guard $guard }
    }
    foreach ($running in $Remediation.Running) {
        @{ Kind = 'Warning'; Value = ConvertTo-RunningText -Running $running }
    }
    $said = $errors.Count -gt 0
    if ($Run.ExitCode -eq 5) {
        $said = $refusing.Count -gt 0
    }
    if ($inProgress) {
        $said = $problems.Count -gt 0 -or $Remediation.Running.Count -gt 0
    }
    if ($null -ne $exit -and (-not $said -or -not $exit.Documented)) {
        if ($inProgress) {
            @{ Kind = 'Warning'; Value = "$($exit.Text) Running the command again is safe." }
        }
        else {
            @{ Kind = 'Error'; Value = New-AuditFailure -Id $exit.Id -Target $Run.Path -Message $exit.Text }
        }
    }
    foreach ($problem in $problems) {
        $outcome = ConvertTo-ProblemOutcome -Problem $problem
        if ($inProgress -and $outcome.Kind -eq 'Error') {
            $outcome = @{ Kind = 'Warning'; Value = $outcome.Value.Message }
        }
        $outcome
    }
}
