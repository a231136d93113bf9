function Get-StatusOutcome {
    <#
    .SYNOPSIS
    Decides what comes out of a status, in order: objects, then errors, warnings and verbose text
    as the document has them.

    .DESCRIPTION
    The objects come first, so that a caller whose ErrorActionPreference is Stop has them all in
    the pipeline before the first error ends it. Only a run that brought nothing at all ends in a
    terminating error, and not when what was asked for is not there, or each of its errors names a
    file or a volume: those have the same ids whether they are alone or beside others that could
    be read.

    .OUTPUTS
    Hashtables with Kind (Object, Error, Warning, Verbose, Stop) and Value.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param(
        # What Invoke-DiskAudit returned.
        [Parameter(Mandatory)]
        [System.Collections.Hashtable] $Run,

        # What ConvertFrom-DiskAuditOutput returned, without a failure.
        [Parameter(Mandatory)]
        [System.Collections.Hashtable] $Reading,

        [switch] $Detailed,

        [switch] $Summary,

        [switch] $AsJson
    )

    $status = $Reading.Content
    # A level that is not listed counts as an error: it is not known to be harmless.
    $errors = @($status.Problems | Where-Object { 'info', 'warning' -notcontains $_.Level })
    $others = @($status.Problems | Where-Object { 'info', 'warning' -contains $_.Level })

    # A summary of nothing says that nothing is known.
    $nothing = -not $AsJson -and -not $Summary -and $status.Volumes.Count -eq 0 -and (-not $Detailed -or $status.Disks.Count -eq 0)
    $timeout = @($errors | Where-Object -Property Code -EQ -Value 'timeout').Count -gt 0
    $exit = Get-ExitFailure -ExitCode $Run.ExitCode
    $named = $errors.Count -gt 0 -and $Run.ExitCode -eq 1 -and -not $timeout
    foreach ($problem in $errors) {
        if (-not $problem.Target -or $problem.Code -eq 'internal-error' -or 'disks', 'volumes' -notcontains $problem.Stage) {
            $named = $false
        }
    }
    # A volume that is not there is not there, whatever else of the computer could not be read; but
    # in a recording that cannot be read there are no volumes at all.
    $absent = @($errors | Where-Object { $_.Code -like '*-not-found' -and $_.Target -and 'disks', 'volumes' -contains $_.Stage })
    $sourceless = @($errors | Where-Object { $_.Code -eq 'internal-error' -or $_.Code -like 'recording-*' })
    if ($absent.Count -gt 0 -and $sourceless.Count -eq 0 -and -not $timeout -and 1, 4, 6 -contains $Run.ExitCode) {
        $named = $true
    }
    if ($nothing -and -not $named -and ($timeout -or $null -ne $exit)) {
        foreach ($problem in $others) {
            ConvertTo-ProblemOutcome -Problem $problem
        }
        $id = 'CoreTimeout'
        $text = 'diskaudit reached its time limit before it found anything.'
        if (-not $timeout) {
            $id = $exit.Id
            $text = $exit.Text
        }
        $target = $null
        foreach ($problem in @($errors | Select-Object -First 1)) {
            $target = $problem.Target
        }
        $texts = @($errors | ForEach-Object { (ConvertTo-ProblemFailure -Problem $_).Message })
        return @{ Kind = 'Stop'; Value = New-AuditFailure -Id $id -Target $target -Message ((@($text) + $texts) -join ' ') }
    }

    if ($AsJson) {
        @{ Kind = 'Object'; Value = $Reading.Json }
    }
    elseif ($Detailed) {
        @{ Kind = 'Object'; Value = $status }
    }
    elseif ($Summary) {
        @{ Kind = 'Object'; Value = $status.Summary }
    }
    else {
        foreach ($volume in $status.Volumes) {
            @{ Kind = 'Object'; Value = $volume }
        }
    }
    if ($null -ne $exit -and ($errors.Count -eq 0 -or -not $exit.Documented)) {
        @{ Kind = 'Error'; Value = New-AuditFailure -Id $exit.Id -Target $Run.Path -Message $exit.Text }
    }
    foreach ($problem in $status.Problems) {
        ConvertTo-ProblemOutcome -Problem $problem
    }
}
