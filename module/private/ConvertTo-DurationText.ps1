function ConvertTo-DurationText {
    <#
    .SYNOPSIS
    Turns a number of seconds or a [timespan] into the text that the executable takes.

    .DESCRIPTION
    A parameter of the type [timespan] would take 30 for 30 ticks of 100 ns, and '30' for 30 days.
    Here a plain number is always seconds.

    .OUTPUTS
    A hashtable with Value, the text for the executable, and Failure, which is $null when the value
    is a time.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param(
        # Name of the parameter, for the message.
        [Parameter(Mandatory)]
        [string] $Parameter,

        [Parameter(Mandatory)]
        [AllowEmptyString()]
        [string] $Duration
    )

    $milliseconds = 0
    # \d would take the digits of every script, which [decimal] does not.
    if ($Duration -match '^\s*[0-9]{1,9}(\.[0-9]+)?\s*$') {
        $milliseconds = 1000 * [decimal]$Duration
    }
    elseif ($Duration -match ':') {
        # $null, which is no time, for what is not one.
        $span = $Duration -as [timespan]
        if ($null -ne $span) {
            $milliseconds = $span.TotalMilliseconds
        }
    }
    if ($milliseconds -ge 1) {
        return @{ Value = '{0}ms' -f [long]$milliseconds; Failure = $null }
    }
    $text = "-$Parameter '$Duration' is not a time of 1 ms or more. Give seconds, such as 30 or 0.5, or a time span, such as 0:01:30."
    @{ Value = $null; Failure = New-AuditFailure -Id ArgumentInvalid -Target $Duration -Message $text }
}
