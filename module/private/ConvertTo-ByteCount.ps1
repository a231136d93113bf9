function ConvertTo-ByteCount {
    <#
    .SYNOPSIS
    Turns a size such as 4096, 4KB, 4K or 1GiB into bytes. K is 1024, as everywhere in PowerShell.

    .OUTPUTS
    A hashtable with Value, the bytes as text for the executable, and Failure, which is $null when
    the text is a size.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param(
        # Name of the parameter, for the message.
        [Parameter(Mandatory)]
        [string] $Parameter,

        [Parameter(Mandatory)]
        [AllowEmptyString()]
        [string] $Size
    )

    $factors = @{ '' = 1; K = 1KB; M = 1MB; G = 1GB; T = 1TB }
    # [Ii]: in Turkish an I is no i, whatever the case. [0-9]: \d takes the digits of every script.
    if ($Size -match '^\s*(?<Number>[0-9]{1,15})(\.0+)?\s*(?<Unit>[KMGT]?)([Ii]?B)?\s*$') {
        # 15 digits and a factor need more than [long] holds.
        $bytes = [decimal]$Matches.Number * $factors[$Matches.Unit]
        if ($bytes -gt 0 -and $bytes -le [long]::MaxValue) {
            return @{ Value = "$([long]$bytes)"; Failure = $null }
        }
    }
    $text = "-$Parameter '$Size' is not a size. Give bytes, or a whole number with K, M, G or T: 4096, 4K, 64KB, 1GB."
    @{ Value = $null; Failure = New-AuditFailure -Id ArgumentInvalid -Target $Size -Message $text }
}
