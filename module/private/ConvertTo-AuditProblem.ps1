function ConvertTo-AuditProblem {
    <#
    .SYNOPSIS
    Makes a BitLockerDiskAudit.Problem from a problem of the document.
    #>
    [CmdletBinding()]
    [OutputType('BitLockerDiskAudit.Problem')]
    param(
        [Parameter(Mandatory)]
        [object] $Problem
    )

    $fields = [ordered]@{
        Code        = 'Text', 'code'
        Level       = 'Text', 'level'
        Stage       = 'Text', 'stage'
        Target      = 'Text', 'target'
        Text        = 'Text', 'text'
        HResult     = 'Text', 'hresult'
        HResultName = 'Text', 'hresultName'
        Retryable   = 'Boolean', 'retryable'
    }
    New-AuditObject -TypeName 'BitLockerDiskAudit.Problem' -Property (Read-DocumentField -Document $Problem -Field $fields)
}
