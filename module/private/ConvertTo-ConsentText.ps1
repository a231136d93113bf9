function ConvertTo-ConsentText {
    <#
    .SYNOPSIS
    Puts into words what a person is asked to consent to.

    .OUTPUTS
    A hashtable with Description, one line for -WhatIf, and Query, the question with the steps.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param(
        # A BitLockerDiskAudit.Remediation that was not carried out.
        [Parameter(Mandatory)]
        [object] $Plan
    )

    $number = 0
    $steps = @(
        foreach ($step in $Plan.Steps) {
            $number++
            $text = "$number. $($step.Text)"
            if ($null -ne $step.EstimatedSeconds) {
                $text = "$text About $(ConvertTo-SpanText -Seconds $step.EstimatedSeconds)."
            }
            $text
        }
    )
    $lines = @('Carry out these steps on this computer?') + @($steps | ForEach-Object { "  $_" })
    $overridden = @($Plan.Guards | Where-Object -Property Result -EQ -Value 'overridden')
    if ($overridden.Count -gt 0) {
        $lines += 'Against the advice of these guards, which are overridden:'
        $lines += @($overridden | ForEach-Object { "  $($_.Id): $($_.Text)" })
    }
    if (@($Plan.Steps | Where-Object { 'decrypt', 'resume-conversion' -contains $_.Change }).Count -gt 0) {
        $lines += 'Data is being rewritten from then on. Until that has ended, nothing must be reinstalled, reset or repartitioned.'
    }
    @{
        Description = 'Carrying out on this computer, in this order: ' + ($steps -join ' ')
        Query       = $lines -join "`n"
    }
}
