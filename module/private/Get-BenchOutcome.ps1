function Get-BenchOutcome {
    <#
    .SYNOPSIS
    Measures one target and decides what comes out of it, in order.

    .DESCRIPTION
    A target that cannot be measured is a non-terminating error with the id of the problem, so that
    others of a pipeline come out. Only what would stop all of them alike, and a run that was
    interrupted before it found anything, is a terminating error.

    .OUTPUTS
    Hashtables with Kind (Object, Error, Warning, Verbose, Stop) and Value.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param(
        # Pairs of a flag's name and its value, which is $null for a switch.
        [Parameter(Mandatory)]
        [AllowEmptyCollection()]
        [object[]] $Flag,

        # What the progress is about; empty for a run without progress.
        [AllowEmptyString()]
        [string] $Activity,

        # What was asked for, as the target of errors that name none.
        [AllowNull()]
        [AllowEmptyString()]
        [object] $Target,

        # Conditions that exit code 8 stands for.
        [AllowEmptyCollection()]
        [string[]] $FailOn = @(),

        [switch] $ListProfile,

        [switch] $Quiet,

        [switch] $AsJson
    )

    $kind = 'bench'
    if ($ListProfile) {
        $kind = 'profiles'
    }
    # Up to here nothing has failed that the caller should find in $Error, nor will it until the
    # outcomes are written.
    $newest = $global:Error | Select-Object -First 1
    $run = Invoke-DiskAudit -Verb bench -Flag (@(, @('format', 'json')) + $Flag) -Activity $Activity
    $failure = $run.Failure
    if ($null -eq $failure) {
        $reading = ConvertFrom-DiskAuditOutput -Run $run -Kind $kind
        $failure = $reading.Failure
    }
    Remove-OwnError -Newest $newest
    if ($null -ne $failure) {
        return @{ Kind = 'Stop'; Value = $failure }
    }

    if ($ListProfile) {
        if ($AsJson) {
            return @{ Kind = 'Object'; Value = $reading.Json }
        }
        foreach ($each in $reading.Content) {
            @{ Kind = 'Object'; Value = $each }
        }
        return
    }

    $bench = $reading.Content
    # A level that is not listed counts as an error: it is not known to be harmless.
    $errors = @($bench.Problems | Where-Object { 'info', 'warning' -notcontains $_.Level })
    $exit = Get-ExitFailure -ExitCode $run.ExitCode
    $nothing = -not $AsJson -and $bench.Pairs -eq 0 -and @($bench.Tests | Where-Object { $_.Ops -gt 0 }).Count -eq 0
    $stopping = @($errors | Where-Object { 'timeout', 'interrupted', 'internal-error' -contains $_.Code }).Count -gt 0
    if ($nothing -and $null -ne $exit -and (1, 5 -notcontains $run.ExitCode -or $errors.Count -eq 0 -or $stopping)) {
        foreach ($problem in @($bench.Problems | Where-Object { 'info', 'warning' -contains $_.Level })) {
            ConvertTo-ProblemOutcome -Problem $problem
        }
        $id = $exit.Id
        $text = $exit.Text
        if ($run.ExitCode -ne 130 -and @($errors | Where-Object -Property Code -EQ -Value 'timeout').Count -gt 0) {
            $id = 'CoreTimeout'
            $text = 'diskaudit reached its time limit before it measured anything.'
        }
        foreach ($problem in @($errors | Where-Object { $_.Target } | Select-Object -First 1)) {
            $Target = $problem.Target
        }
        $texts = @($errors | ForEach-Object { (ConvertTo-ProblemFailure -Problem $_).Message })
        return @{ Kind = 'Stop'; Value = New-AuditFailure -Id $id -Target $Target -Message ((@($text) + $texts) -join ' ') }
    }

    # The result comes first: with -ErrorAction Stop it is there all the same.
    if (-not $nothing -or $null -eq $exit) {
        if ($AsJson) {
            @{ Kind = 'Object'; Value = $reading.Json }
        }
        elseif ($Quiet) {
            ConvertTo-QuietOutcome -Bench $bench
        }
        else {
            @{ Kind = 'Object'; Value = $bench }
        }
    }
    if ($null -ne $exit -and ($errors.Count -eq 0 -or -not $exit.Documented)) {
        @{ Kind = 'Error'; Value = New-AuditFailure -Id $exit.Id -Target $run.Path -Message $exit.Text }
    }
    foreach ($problem in $bench.Problems) {
        $outcome = ConvertTo-ProblemOutcome -Problem $problem
        if ($outcome.Kind -eq 'Error' -and -not $problem.Target) {
            $outcome.Value.TargetObject = $Target
        }
        $outcome
    }
    if ($run.ExitCode -eq 8) {
        if ($bench.Target) {
            $Target = $bench.Target
        }
        $text = "What -FailOn names came true for ${Target}: $($FailOn -join ' or ')."
        @{ Kind = 'Error'; Value = New-AuditFailure -Id FailOnMatched -Target $Target -Message $text }
    }
}
