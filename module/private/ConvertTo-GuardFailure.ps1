function ConvertTo-GuardFailure {
    <#
    .SYNOPSIS
    Describes a guard that refuses as an error. Its id is Guard and the guard's id in Pascal case:
    portable becomes GuardPortable.
    #>
    [CmdletBinding()]
    [OutputType([System.Collections.Hashtable])]
    param(
        # A BitLockerDiskAudit.RemediationGuard.
        [Parameter(Mandatory)]
        [object] $Guard
    )

    $action = 'Read the message: nothing overrides this guard.'
    if ($Guard.Override) {
        $action = "Read the message. To go on all the same: $($Guard.Override)"
    }
    $message = "$($Guard.Text)"
    if (-not $message) {
        $message = "The guard $($Guard.Id) refuses without a text."
    }
    New-AuditFailure -Id ('Guard' + (ConvertTo-ErrorId -Code "$($Guard.Id)")) -Category SecurityError -Action $action -Target $Guard.Target -Message $message
}
