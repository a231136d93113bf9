function Write-RunProgress {
    <#
    .SYNOPSIS
    Shows a line of progress that the executable wrote to stderr, and tells whether it was one.

    .DESCRIPTION
    Drawing costs processor time that the measurement should have: a line is shown only when its
    stage, its percent or its seconds left differ from what is shown already.
    #>
    [CmdletBinding()]
    [OutputType([bool])]
    param(
        [Parameter(Mandatory)]
        [AllowEmptyString()]
        [string] $Line,

        [Parameter(Mandatory)]
        [string] $Activity,

        # What is shown now, under the key Text; kept by the caller from line to line.
        [Parameter(Mandatory)]
        [System.Collections.Hashtable] $Shown
    )

    if ($Line -notmatch '^\s*\{.*"stage".*\}\s*$') {
        return $false
    }
    try {
        $step = ConvertFrom-Json -InputObject $Line -ErrorAction Stop
        $stage = ConvertTo-FieldValue -Value (Get-DocumentField -Document $step -Path 'stage') -As Text -Name 'stage'
        $unit = ConvertTo-FieldValue -Value (Get-DocumentField -Document $step -Path 'unit') -As Text -Name 'unit'
        $done = ConvertTo-FieldValue -Value (Get-DocumentField -Document $step -Path 'done') -As Double -Name 'done'
        $total = ConvertTo-FieldValue -Value (Get-DocumentField -Document $step -Path 'total') -As Double -Name 'total'
        $left = ConvertTo-FieldValue -Value (Get-DocumentField -Document $step -Path 'etaSeconds') -As Double -Name 'etaSeconds'
    }
    catch {
        return $false
    }
    # -1 is "not known" for both.
    $percent = -1
    if ($total -gt 0 -and $done -ge 0) {
        $percent = 100
        if ($done -lt $total) {
            $percent = 100 * $done / $total
            $percent = [int]($percent - $percent % 1)
        }
    }
    $seconds = -1
    if ($left -gt 0 -and $left -lt [int]::MaxValue) {
        $seconds = [int]$left
    }
    $stages = @{
        prepare = 'Writing the test file'; measure = 'Running the tests'; penalty = 'Comparing with and without encryption'
        host = 'Reading the computer'; policy = 'Reading the policies'; disks = 'Reading the disks'; volumes = 'Reading the volumes'
        decrypt = 'Decrypting'
    }
    $status = "$stage"
    if ($stages.Keys -contains $stage) {
        $status = $stages[$stage]
    }
    if ($unit -eq 'bytes') {
        $done = $done / 1MB
        $total = $total / 1MB
        $unit = 'MiB'
    }
    if ($unit -eq 'percent' -and $null -ne $done) {
        $status = '{0}: {1:0.#} %' -f $status, $done
    }
    # A unit that only repeats the stage tells nothing beside the percentage.
    elseif ($total -gt 0 -and $unit -and $unit -ne $stage) {
        $status = '{0}: {1:0} of {2:0} {3}' -f $status, $done, $total, $unit
    }
    if (-not $status) {
        $status = 'at work'
    }
    $text = "$stage $percent $seconds"
    if ($text -ne $Shown.Text) {
        $Shown.Text = $text
        Write-Progress -Id 1 -Activity $Activity -Status $status -PercentComplete $percent -SecondsRemaining $seconds
    }
    $true
}
