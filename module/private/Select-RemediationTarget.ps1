function Select-RemediationTarget {
    <#
    .SYNOPSIS
    Tells which volume of this computer a piped object stands for, if it stands for one.

    .OUTPUTS
    A hashtable with Volume and Failure; one of them is $null.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param(
        [Parameter(Mandatory)]
        [AllowNull()]
        [AllowEmptyString()]
        [object] $InputObject,

        # The plan is for the computer of a recording, so volumes of a recording can be named.
        [switch] $Recorded
    )

    $choice = Select-AuditInput -InputObject $InputObject -Recorded:$Recorded
    if ($null -ne $choice.Image) {
        $text = "The image $($choice.Image) was piped. Only volumes of this computer can be decrypted; Windows has to be the one that does it."
        return @{ Volume = $null; Failure = New-AuditFailure -Id InputNotUsable -Target $InputObject -Message $text }
    }
    @{ Volume = $choice.Volume; Failure = $choice.Failure }
}
