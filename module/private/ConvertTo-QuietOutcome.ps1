function ConvertTo-QuietOutcome {
    <#
    .SYNOPSIS
    Answers with $true when what encryption adds is negligible, $false when it is material, and
    with $null and a warning when that is not decided: unknown is not "negligible".

    .OUTPUTS
    Hashtables with Kind (Object, Warning) and Value.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param(
        # A BitLockerDiskAudit.Bench.
        [Parameter(Mandatory)]
        [object] $Bench
    )

    $answers = @{ negligible = $true; material = $false }
    if ($Bench.PenaltyValid -eq $true -and $answers.Keys -contains $Bench.Verdict) {
        return @{ Kind = 'Object'; Value = $answers[$Bench.Verdict] }
    }
    $about = @($Bench.Target, $Bench.UpperPath | Where-Object { $_ }) | Select-Object -First 1
    $text = "It is not decided what encryption adds for $about. $($Bench.VerdictText)"
    if ($Bench.PenaltyReasonText -and -not $text.Contains($Bench.PenaltyReasonText)) {
        $text = "$text $($Bench.PenaltyReasonText)"
    }
    @{ Kind = 'Warning'; Value = $text }
    @{ Kind = 'Object'; Value = $null }
}
