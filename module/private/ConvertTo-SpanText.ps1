function ConvertTo-SpanText {
    <#
    .SYNOPSIS
    Says a number of seconds as people do: 40 seconds, 25 minutes, 3 h 20 min, 2 days 4 h.
    #>
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory)]
        [double] $Seconds
    )

    if ($Seconds -lt 90) {
        return '{0:0} seconds' -f $Seconds
    }
    # Rounded first, so that there is neither a 60th minute nor a 24th hour.
    $minutes = [long]($Seconds / 60)
    if ($minutes -lt 90) {
        return "$minutes minutes"
    }
    if ($minutes -lt 2880) {
        return '{0} h {1} min' -f (($minutes - $minutes % 60) / 60), ($minutes % 60)
    }
    $hours = [long]($minutes / 60)
    '{0} days {1} h' -f (($hours - $hours % 24) / 24), ($hours % 24)
}
